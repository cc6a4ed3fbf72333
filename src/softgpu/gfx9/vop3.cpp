// VOP3-only ops (promoted VOP1/VOP2/VOPC rows stand in their own files). Opcodes: "Vega" and "Vega 7nm" ISA
// manuals, VOP3. Exempt from file length.
#include "gfx9/ops_div.hpp"
#include "gfx9/ops_pack.hpp"
#include "gfx9/ops_trig.hpp"
#include "gfx9/valu_decode.hpp"

namespace softgpu::gfx9::GFX9_LANES_NS {
namespace {

// --- ops that look at other lanes, at the lane number or at VCC ---

/// A scalar operand; a VGPR is not one.
uint32_t lane_operand(const Wave& w, const Inst& i, unsigned n, Env& env) {
  if (i.kind[n] != SrcKind::vgpr) return read_scalar32(w, i, n);
  env.raise(FaultKind::illegal_instruction, "lane select or value must be scalar");
  return 0;
}
/// EXEC is ignored by both.
void exec_readlane(Wave& w, const Inst& i, Env& env) {
  const uint32_t lane = lane_operand(w, i, 1, env) & (kLanes - 1);
  w.sgpr[i.dst] = i.kind[0] == SrcKind::vgpr ? w.vgpr[i.src[0]][lane] : read_scalar32(w, i, 0);
}
void exec_writelane(Wave& w, const Inst& i, Env& env) {
  const uint32_t lane = lane_operand(w, i, 1, env) & (kLanes - 1), value = lane_operand(w, i, 0, env);
  if (!env.fault) w.vgpr[i.dst][lane] = value;
}

/// D = S1 + set bits of S0 below this lane, in lanes 0..31 (Hi: 32..63).
template <bool Hi>
uint64_t kernel_mbcnt(uint32_t* d, const uint32_t* a, const uint32_t* b, const uint32_t*, const FpCtx&) {
  GFX9_LANE_LOOP for (unsigned l = 0; l < kLanes; ++l) {
    const uint64_t below = (uint64_t{1} << l) - 1;
    d[l] = v_bcnt_u32_b32(a[l] & static_cast<uint32_t>(Hi ? below >> 32 : below), b[l]);
  }
  return 0;
}
uint64_t kernel_div_fmas_f32(uint32_t* d, const uint32_t* a, const uint32_t* b, const uint32_t* c,
                             const FpCtx& fp) {
  alignas(64) uint32_t vcc[kLanes];
  expand_mask(fp.vcc, vcc);
  const FpCtx local = fp;
  GFX9_LANE_LOOP for (unsigned l = 0; l < kLanes; ++l) {
    d[l] = f32_bits(v_div_fmas_f32(local, f32_from(a[l]), f32_from(b[l]), f32_from(c[l]), vcc[l]));
  }
  return 0;
}
uint64_t kernel_div_fmas_f64(uint32_t* d, const uint32_t* a, const uint32_t* b, const uint32_t* c,
                             const FpCtx& fp) {
  using F64 = LaneType<double>;
  const FpCtx local = fp;
  for (unsigned l = 0; l < kLanes; ++l) {
    const uint32_t vcc = static_cast<uint32_t>(local.vcc >> l & 1);
    F64::put(d, l, v_div_fmas_f64(local, F64::get(a, l), F64::get(b, l), F64::get(c, l), vcc));
  }
  return 0;
}
constexpr ValuOp div_fmas(uint16_t opcode, const char* mnemonic, Kernel kernel, Ty ty, Fp fp) {
  ValuOp r = special(opcode, mnemonic, exec_plain, ty, ty, ty, ty);
  r.kernel = kernel;
  r.general = exec_general;
  r.ctx = true;
  r.fp = fp;
  r.accepts = accept::neg | accept::omod | accept::clamp;
  return r;
}
constexpr ValuOp mbcnt(uint16_t opcode, const char* mnemonic, Kernel kernel) {
  ValuOp r = special(opcode, mnemonic, exec_plain, Ty::b32, Ty::b32, Ty::b32);
  r.kernel = kernel;
  r.general = exec_general;
  return r;
}

constexpr uint16_t kFloat = accept::neg | accept::omod | accept::clamp;
constexpr uint16_t kNeg = accept::neg;
constexpr uint16_t kHalf = accept::neg | accept::clamp | accept::op_sel;
constexpr uint16_t kSel = accept::op_sel;
constexpr ValuOp quarter(ValuOp r) { return r.with_cost(Cost::valu_quarter); }
constexpr ValuOp f64(ValuOp r) { return r.with_cost(Cost::valu_f64); }
constexpr ValuOp lanes_op(uint16_t opcode, const char* mnemonic, ExecFn exec, Ty dst) {
  return special(opcode, mnemonic, exec, dst, Ty::b32, Ty::b32);
}

constexpr ValuOp kVop3[] = {
    row<v_mad_legacy_f32>(0x1c0, "v_mad_legacy_f32", Fp::f32, kFloat),
    hot<v_mad_f32, Fp::f32>(0x1c1, "v_mad_f32", kFloat),
    hot<v_mad_i32_i24>(0x1c2, "v_mad_i32_i24", 0).sat_by(kernel_of<mad_i32_i24_sat>),
    hot<v_mad_u32_u24>(0x1c3, "v_mad_u32_u24", 0).sat_by(kernel_of<mad_u32_u24_sat>),
    row<v_cubeid_f32>(0x1c4, "v_cubeid_f32", Fp::f32, kFloat),
    row<v_cubesc_f32>(0x1c5, "v_cubesc_f32", Fp::f32, kFloat),
    row<v_cubetc_f32>(0x1c6, "v_cubetc_f32", Fp::f32, kFloat),
    row<v_cubema_f32>(0x1c7, "v_cubema_f32", Fp::f32, kFloat),
    hot<v_bfe_u32>(0x1c8, "v_bfe_u32", 0),
    hot<v_bfe_i32>(0x1c9, "v_bfe_i32", 0),
    hot<v_bfi_b32>(0x1ca, "v_bfi_b32", 0),
    hot<v_fma_f32, Fp::f32>(0x1cb, "v_fma_f32", kFloat),
    f64(hot<v_fma_f64, Fp::f64>(0x1cc, "v_fma_f64", kFloat)),
    row<v_lerp_u8>(0x1cd, "v_lerp_u8", Fp::none, 0),
    row<v_alignbit_b32>(0x1ce, "v_alignbit_b32", Fp::none, 0),
    row<v_alignbyte_b32>(0x1cf, "v_alignbyte_b32", Fp::none, 0),
    row<v_min3_f32>(0x1d0, "v_min3_f32", Fp::none, kFloat),
    row<min3_of<i32>>(0x1d1, "v_min3_i32", Fp::none, 0),
    row<min3_of<u32>>(0x1d2, "v_min3_u32", Fp::none, 0),
    row<v_max3_f32>(0x1d3, "v_max3_f32", Fp::none, kFloat),
    row<max3_of<i32>>(0x1d4, "v_max3_i32", Fp::none, 0),
    row<max3_of<u32>>(0x1d5, "v_max3_u32", Fp::none, 0),
    row<v_med3_f32>(0x1d6, "v_med3_f32", Fp::none, kFloat),
    row<med3_of<i32>>(0x1d7, "v_med3_i32", Fp::none, 0),
    row<med3_of<u32>>(0x1d8, "v_med3_u32", Fp::none, 0),
    row<v_sad_u8>(0x1d9, "v_sad_u8", Fp::none, 0).sat_by(kernel_of<sad_u8_sat>),
    row<v_sad_hi_u8>(0x1da, "v_sad_hi_u8", Fp::none, 0).sat_by(kernel_of<sad_hi_u8_sat>),
    row<v_sad_u16>(0x1db, "v_sad_u16", Fp::none, 0).sat_by(kernel_of<sad_u16_sat>),
    row<v_sad_u32>(0x1dc, "v_sad_u32", Fp::none, 0).sat_by(kernel_of<sad_u32_sat>),
    row<v_cvt_pk_u8_f32>(0x1dd, "v_cvt_pk_u8_f32", Fp::none, kNeg).mods_on(1),
    row<v_div_fixup_f32>(0x1de, "v_div_fixup_f32", Fp::f32, kFloat),
    f64(row<v_div_fixup_f64>(0x1df, "v_div_fixup_f64", Fp::f64, kFloat)),
    row<v_div_scale_f32>(0x1e0, "v_div_scale_f32", Fp::f32, kFloat),
    f64(row<v_div_scale_f64>(0x1e1, "v_div_scale_f64", Fp::f64, kFloat)),
    div_fmas(0x1e2, "v_div_fmas_f32", kernel_div_fmas_f32, Ty::f32, Fp::f32),
    f64(div_fmas(0x1e3, "v_div_fmas_f64", kernel_div_fmas_f64, Ty::f64, Fp::f64)),
    row<v_msad_u8>(0x1e4, "v_msad_u8", Fp::none, 0).sat_by(kernel_of<msad_u8_sat>),
    quarter(row<quad_sad16<false, false>>(0x1e5, "v_qsad_pk_u16_u8", Fp::none, 0))
        .sat_by(kernel_of<quad_sad16<false, true>>),
    quarter(row<quad_sad16<true, false>>(0x1e6, "v_mqsad_pk_u16_u8", Fp::none, 0))
        .sat_by(kernel_of<quad_sad16<true, true>>),
    quarter(row<quad_sad32<false>>(0x1e7, "v_mqsad_u32_u8", Fp::none, 0)),
    quarter(hot<v_mad_u64_u32>(0x1e8, "v_mad_u64_u32", 0)).sat_by(kernel_of<mad_u64_u32_sat>),
    quarter(hot<v_mad_i64_i32>(0x1e9, "v_mad_i64_i32", 0)).sat_by(kernel_of<mad_i64_i32_sat>),
    row<v_mad_f16>(0x1ea, "v_mad_legacy_f16", Fp::f16, kFloat),
    row<v_mad_u16>(0x1eb, "v_mad_legacy_u16", Fp::none, 0).sat_by(kernel_of<mad_u16_sat>),
    row<v_mad_i16>(0x1ec, "v_mad_legacy_i16", Fp::none, 0).sat_by(kernel_of<mad_i16_sat>),
    row<v_perm_b32>(0x1ed, "v_perm_b32", Fp::none, 0),
    row<v_fma_f16>(0x1ee, "v_fma_legacy_f16", Fp::f16, kFloat),
    row<v_div_fixup_f16>(0x1ef, "v_div_fixup_legacy_f16", Fp::none, kFloat),
    row<v_cvt_pk_u8_f32>(0x1f0, "v_cvt_pkaccum_u8_f32", Fp::none, kNeg | accept::dst_src2).mods_on(1),
    row<v_mad_u32_u16>(0x1f1, "v_mad_u32_u16", Fp::none, kSel).sat_by(kernel_of<mad_u32_u16_sat>),
    row<v_mad_i32_i16>(0x1f2, "v_mad_i32_i16", Fp::none, kSel).sat_by(kernel_of<mad_i32_i16_sat>),
    row<v_xad_u32>(0x1f3, "v_xad_u32", Fp::none, 0),
    row<half_min_max3<false>>(0x1f4, "v_min3_f16", Fp::exact, kHalf),
    row<min3_of<i16>>(0x1f5, "v_min3_i16", Fp::none, kSel),
    row<min3_of<u16>>(0x1f6, "v_min3_u16", Fp::none, kSel),
    row<half_min_max3<true>>(0x1f7, "v_max3_f16", Fp::exact, kHalf),
    row<max3_of<i16>>(0x1f8, "v_max3_i16", Fp::none, kSel),
    row<max3_of<u16>>(0x1f9, "v_max3_u16", Fp::none, kSel),
    row<v_med3_f16>(0x1fa, "v_med3_f16", Fp::exact, kHalf),
    row<med3_of<i16>>(0x1fb, "v_med3_i16", Fp::none, kSel),
    row<med3_of<u16>>(0x1fc, "v_med3_u16", Fp::none, kSel),
    hot<v_lshl_add_u32>(0x1fd, "v_lshl_add_u32", 0),
    hot<v_add_lshl_u32>(0x1fe, "v_add_lshl_u32", 0),
    hot<v_add3_u32>(0x1ff, "v_add3_u32", 0),
    hot<v_lshl_or_b32>(0x200, "v_lshl_or_b32", 0),
    hot<v_and_or_b32>(0x201, "v_and_or_b32", 0),
    hot<v_or3_b32>(0x202, "v_or3_b32", 0),
    row<v_mad_f16>(0x203, "v_mad_f16", Fp::f16, kHalf),
    row<v_mad_u16>(0x204, "v_mad_u16", Fp::none, kSel).sat_by(kernel_of<mad_u16_sat>),
    row<v_mad_i16>(0x205, "v_mad_i16", Fp::none, kSel).sat_by(kernel_of<mad_i16_sat>),
    row<v_fma_f16>(0x206, "v_fma_f16", Fp::f16, kHalf),
    row<v_div_fixup_f16>(0x207, "v_div_fixup_f16", Fp::none, kHalf),
    f64(hot<v_add_f64, Fp::f64>(0x280, "v_add_f64", kFloat)),
    f64(hot<v_mul_f64, Fp::f64>(0x281, "v_mul_f64", kFloat)),
    f64(row<v_min_f64>(0x282, "v_min_f64", Fp::none, kFloat)),
    f64(row<v_max_f64>(0x283, "v_max_f64", Fp::none, kFloat)),
    f64(row<v_ldexp_f64>(0x284, "v_ldexp_f64", Fp::f64, kFloat).mods_on(1)),
    quarter(hot<v_mul_lo_u32>(0x285, "v_mul_lo_u32", 0)),
    quarter(hot<v_mul_hi_u32>(0x286, "v_mul_hi_u32", 0)),
    quarter(hot<v_mul_hi_i32>(0x287, "v_mul_hi_i32", 0)),
    row<v_ldexp_f32>(0x288, "v_ldexp_f32", Fp::f32, kFloat).mods_on(1),
    lanes_op(0x289, "v_readlane_b32", exec_readlane, Ty::none),
    lanes_op(0x28a, "v_writelane_b32", exec_writelane, Ty::b32),
    row<v_bcnt_u32_b32>(0x28b, "v_bcnt_u32_b32", Fp::none, 0),
    mbcnt(0x28c, "v_mbcnt_lo_u32_b32", kernel_mbcnt<false>),
    mbcnt(0x28d, "v_mbcnt_hi_u32_b32", kernel_mbcnt<true>),
    quarter(hot<v_lshlrev_b64>(0x28f, "v_lshlrev_b64", 0)),
    quarter(hot<v_lshrrev_b64>(0x290, "v_lshrrev_b64", 0)),
    quarter(hot<v_ashrrev_i64>(0x291, "v_ashrrev_i64", 0)),
    f64(row<v_trig_preop_f64>(0x292, "v_trig_preop_f64", Fp::exact, kFloat).mods_on(1)),
    row<v_bfm_b32>(0x293, "v_bfm_b32", Fp::none, 0),
    row<v_cvt_pknorm_i16_f32>(0x294, "v_cvt_pknorm_i16_f32", Fp::exact, kNeg),
    row<v_cvt_pknorm_u16_f32>(0x295, "v_cvt_pknorm_u16_f32", Fp::exact, kNeg),
    row<v_cvt_pkrtz_f16_f32>(0x296, "v_cvt_pkrtz_f16_f32", Fp::none, kNeg),
    row<v_cvt_pk_u16_u32>(0x297, "v_cvt_pk_u16_u32", Fp::none, 0),
    row<v_cvt_pk_i16_i32>(0x298, "v_cvt_pk_i16_i32", Fp::none, 0),
    row<v_cvt_pknorm_i16_f16>(0x299, "v_cvt_pknorm_i16_f16", Fp::exact, kNeg | kSel),
    row<v_cvt_pknorm_u16_f16>(0x29a, "v_cvt_pknorm_u16_f16", Fp::exact, kNeg | kSel),
    row<v_add_u32>(0x29c, "v_add_i32", Fp::none, 0).sat_by(kernel_of<add_i32_sat>),
    row<v_sub_u32>(0x29d, "v_sub_i32", Fp::none, 0).sat_by(kernel_of<sub_i32_sat>),
    row<v_add_i16>(0x29e, "v_add_i16", Fp::none, kSel).sat_by(kernel_of<add_i16_sat>),
    row<v_sub_i16>(0x29f, "v_sub_i16", Fp::none, kSel).sat_by(kernel_of<sub_i16_sat>),
    row<v_pack_b32_f16>(0x2a0, "v_pack_b32_f16", Fp::none, kNeg | kSel),
    row<v_mul_legacy_f32>(0x2a1, "v_mul_legacy_f32", Fp::f32, kFloat).on(target::gfx90a),
};
static_assert(sourced(kVop3));

}  // namespace

OpTable vop3_table() { return {kVop3, sizeof kVop3 / sizeof kVop3[0]}; }

}  // namespace softgpu::gfx9::GFX9_LANES_NS
