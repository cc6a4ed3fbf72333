// VOP3P: packed halves, mixed precision, dot products, and gfx90a's packed singles. Opcodes: "Vega" and
// "Vega 7nm" ISA manuals, VOP3P; LLVM's gfx90a assembler for the rest.
#include "gfx9/ops_pack.hpp"
#include "gfx9/valu_decode.hpp"
#include "gfx9/valu_modifiers.hpp"

namespace softgpu::gfx9::GFX9_LANES_NS {
namespace {

// --- mixed precision: each source is a single, or the half that op_sel picks if op_sel_hi says so ---
enum class MixDst : uint8_t { single, half_lo, half_hi };

template <bool Fused, MixDst Dst>
void exec_mix(Wave& w, const Inst& i, Env& env) {
  const FpCtx fp = make_fp_ctx(w);
  alignas(64) uint32_t tmp[3][kLanes];
  const uint32_t* s[3];
  for (unsigned n = 0; n < 3; ++n) {
    s[n] = fetch(w, i, n, Ty::f32, tmp[n]);
    if ((i.op_sel_hi >> n & 1) != 0) {
      const unsigned shift = (i.op_sel >> n & 1) != 0 ? 16 : 0;
      const uint32_t* from = s[n];
      GFX9_LANE_LOOP for (unsigned l = 0; l < kLanes; ++l) {
        tmp[n][l] = f32_bits(widen(fp, {static_cast<u16>(from[l] >> shift)}));
      }
      s[n] = tmp[n];
    }
    const bool neg = (i.neg >> n & 1) != 0, abs = (i.abs >> n & 1) != 0;  // neg_hi means abs here
    if (neg || abs) s[n] = negate(Ty::f32, neg, abs, s[n], tmp[n]);
  }
  use_f32_mode(env, w);
  alignas(64) uint32_t out[kLanes];
  if constexpr (Fused) {
    kernel_of<v_fma_f32>(out, s[0], s[1], s[2], fp);
  } else {
    kernel_of<v_mad_f32>(out, s[0], s[1], s[2], fp);
  }
  const uint32_t* m = exec_lane_mask(env, w.exec());
  if constexpr (Dst == MixDst::single) {
    if (i.clamp) apply_clamp(w, Ty::f32, out);
  } else {
    enter_fp(env, w, Fp::f16);
    GFX9_LANE_LOOP for (unsigned l = 0; l < kLanes; ++l) out[l] = narrow(fp, f32_from(out[l])).bits;
    if (i.clamp) apply_clamp(w, Ty::f16, out);
    merge_half(Dst == MixDst::half_hi, w.vgpr[i.dst], out);
  }
  blend(w, i.dst, 1, out, m);
}
template <bool Fused, MixDst Dst>
constexpr ValuOp mix(uint16_t opcode, const char* mnemonic, uint8_t targets) {
  ValuOp r = special(opcode, mnemonic, exec_mix<Fused, Dst>, Ty::f32, Ty::f32, Ty::f32, Ty::f32);
  r.general = exec_mix<Fused, Dst>;
  r.accepts = accept::neg | accept::clamp | accept::pk_sel;
  r.kind = &kMixed;
  r.targets = targets;
  return r;
}

constexpr ValuOp packed(ValuOp r, const ModifierKind& kind) {
  r.plain = r.general = exec_packed;
  return r.of(kind);
}
constexpr ValuOp acc(ValuOp r) {
  r.general = r.plain;
  return r.on(target::gfx90a);
}
constexpr ValuOp dot2(ValuOp r) { return packed(r, kDotHalves).on(target::dl); }
constexpr ValuOp dot_bytes(ValuOp r) { return packed(r, kDotBytes).on(target::dl); }
constexpr ValuOp pair(ValuOp r, const ModifierKind& kind) { return packed(r, kind).on(target::gfx90a); }

constexpr uint16_t kInt = accept::pk_sel;
constexpr uint16_t kHalf = accept::pk_sel | accept::neg | accept::clamp;

template <auto F, typename T>
constexpr ValuOp int2(uint16_t opcode, const char* mnemonic) {
  return packed(row<pk_int2<F, T>>(opcode, mnemonic, Fp::none, kInt), kPackedHalves);
}
template <auto F, typename T>
constexpr ValuOp int3(uint16_t opcode, const char* mnemonic) {
  return packed(row<pk_int3<F, T>>(opcode, mnemonic, Fp::none, kInt), kPackedHalves);
}
template <auto F>
constexpr ValuOp half2(uint16_t opcode, const char* mnemonic, Fp fp) {
  return packed(row<pk_half2<F>>(opcode, mnemonic, fp, kHalf), kPackedHalves);
}

constexpr ValuOp kVop3p[] = {
    int3<v_mad_i16, i16>(0x00, "v_pk_mad_i16").sat_by(kernel_of<pk_int3<mad_i16_sat, i16>>),
    int2<v_mul_lo_u16, u16>(0x01, "v_pk_mul_lo_u16"),
    int2<v_add_i16, i16>(0x02, "v_pk_add_i16").sat_by(kernel_of<pk_int2<add_i16_sat, i16>>),
    int2<v_sub_i16, i16>(0x03, "v_pk_sub_i16").sat_by(kernel_of<pk_int2<sub_i16_sat, i16>>),
    int2<v_lshlrev_b16, u16>(0x04, "v_pk_lshlrev_b16"),
    int2<v_lshrrev_b16, u16>(0x05, "v_pk_lshrrev_b16"),
    int2<ashr16, i16>(0x06, "v_pk_ashrrev_i16"),
    int2<max_of<i16>, i16>(0x07, "v_pk_max_i16"),
    int2<min_of<i16>, i16>(0x08, "v_pk_min_i16"),
    int3<v_mad_u16, u16>(0x09, "v_pk_mad_u16").sat_by(kernel_of<pk_int3<mad_u16_sat, u16>>),
    int2<v_add_u16, u16>(0x0a, "v_pk_add_u16").sat_by(kernel_of<pk_int2<add_u16_sat, u16>>),
    int2<v_sub_u16, u16>(0x0b, "v_pk_sub_u16").sat_by(kernel_of<pk_int2<sub_u16_sat, u16>>),
    int2<max_of<u16>, u16>(0x0c, "v_pk_max_u16"),
    int2<min_of<u16>, u16>(0x0d, "v_pk_min_u16"),
    packed(row<v_pk_fma_f16>(0x0e, "v_pk_fma_f16", Fp::f16, kHalf), kPackedHalves),
    half2<half_op2<v_add_f32>>(0x0f, "v_pk_add_f16", Fp::f16),
    half2<half_op2<v_mul_f32>>(0x10, "v_pk_mul_f16", Fp::f16),
    half2<v_min_f16>(0x11, "v_pk_min_f16", Fp::exact),
    half2<v_max_f16>(0x12, "v_pk_max_f16", Fp::exact),
    mix<false, MixDst::single>(0x20, "v_mad_mix_f32", target::gfx900),
    mix<false, MixDst::half_lo>(0x21, "v_mad_mixlo_f16", target::gfx900),
    mix<false, MixDst::half_hi>(0x22, "v_mad_mixhi_f16", target::gfx900),
    mix<true, MixDst::single>(0x20, "v_fma_mix_f32", target::dl),
    mix<true, MixDst::half_lo>(0x21, "v_fma_mixlo_f16", target::dl),
    mix<true, MixDst::half_hi>(0x22, "v_fma_mixhi_f16", target::dl),
    dot2(row<v_dot2_f32_f16>(0x23, "v_dot2_f32_f16", Fp::exact, kHalf)),
    dot2(row<v_dot2_i32_i16>(0x26, "v_dot2_i32_i16", Fp::none, kInt)).sat_by(kernel_of<dot2_i32_i16_sat>),
    dot2(row<v_dot2_u32_u16>(0x27, "v_dot2_u32_u16", Fp::none, kInt)).sat_by(kernel_of<dot2_u32_u16_sat>),
    dot_bytes(row<v_dot4_i32_i8>(0x28, "v_dot4_i32_i8", Fp::none, 0)).sat_by(kernel_of<dot4_i32_i8_sat>),
    dot_bytes(row<v_dot4_u32_u8>(0x29, "v_dot4_u32_u8", Fp::none, 0)).sat_by(kernel_of<dot4_u32_u8_sat>),
    dot_bytes(row<v_dot8_i32_i4>(0x2a, "v_dot8_i32_i4", Fp::none, 0)).sat_by(kernel_of<dot8_i32_i4_sat>),
    dot_bytes(row<v_dot8_u32_u4>(0x2b, "v_dot8_u32_u4", Fp::none, 0)).sat_by(kernel_of<dot8_u32_u4_sat>),
    pair(row<v_pk_fma_f32>(0x30, "v_pk_fma_f32", Fp::f32, kHalf), kPackedSingles),
    pair(row<v_pk_mul_f32>(0x31, "v_pk_mul_f32", Fp::f32, kHalf), kPackedSingles),
    pair(row<v_pk_add_f32>(0x32, "v_pk_add_f32", Fp::f32, kHalf), kPackedSingles),
    acc(special(0x58, "v_accvgpr_read_b32", exec_accvgpr<false, true>, Ty::b32, Ty::b32)),
    acc(special(0x59, "v_accvgpr_write_b32", exec_accvgpr<true, false>, Ty::b32, Ty::b32)),
    pair(row<v_pk_mov_b32>(0x33, "v_pk_mov_b32", Fp::none, kInt), kPackedMove),
};
static_assert(sourced(kVop3p));

}  // namespace

OpTable vop3p_table() { return {kVop3p, sizeof kVop3p / sizeof kVop3p[0]}; }

}  // namespace softgpu::gfx9::GFX9_LANES_NS
