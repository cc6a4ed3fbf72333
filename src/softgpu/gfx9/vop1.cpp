// VOP1: table first, special executors before it. Opcodes: "Vega" ISA manual, VOP1. Exempt from file length.
#include "gfx9/ops_math.hpp"
#include "gfx9/valu_decode.hpp"

namespace softgpu::gfx9::GFX9_LANES_NS {
namespace {

void exec_nop(Wave&, const Inst&, Env&) {}

/// First active lane; lane 0 if EXEC is 0. A scalar source is itself.
void exec_readfirstlane(Wave& w, const Inst& i, Env&) {
  const uint64_t exec = w.exec();
  const unsigned lane = exec == 0 ? 0 : static_cast<unsigned>(__builtin_ctzll(exec));
  w.sgpr[i.dst] = i.kind[0] == SrcKind::vgpr ? w.vgpr[i.src[0]][lane] : read_scalar32(w, i, 0);
}

void exec_swap(Wave& w, const Inst& i, Env& env) {
  if (i.kind[0] != SrcKind::vgpr) return env.raise(FaultKind::illegal_instruction, "source must be a VGPR");
  const uint32_t* m = exec_lane_mask(env, w.exec());
  uint32_t* a = w.vgpr[i.dst];
  uint32_t* b = w.vgpr[i.src[0]];
  for (unsigned l = 0; l < kLanes; ++l) {
    const uint32_t flip = (a[l] ^ b[l]) & m[l];
    a[l] ^= flip;
    b[l] ^= flip;
  }
}

constexpr uint16_t kInt = accept::sdwa | accept::dpp | accept::e64;
constexpr uint16_t kFloat = kInt | accept::neg | accept::omod | accept::clamp;  // float to float
constexpr uint16_t kToFloat = kInt | accept::omod | accept::clamp;              // integer to float
constexpr uint16_t kToInt = kInt | accept::neg;                                 // float to integer
constexpr uint16_t kNoSub = accept::sdwa | accept::dpp;                         // not with 64-bit operands
constexpr uint16_t kDouble = (kFloat & static_cast<uint16_t>(~kNoSub)) | accept::dpp64;
constexpr uint16_t kToDouble = (kToFloat & static_cast<uint16_t>(~kNoSub)) | accept::dpp64;
constexpr uint16_t kFromDouble = (kToInt & static_cast<uint16_t>(~kNoSub)) | accept::dpp64;

constexpr ValuOp nop(uint16_t opcode, const char* mnemonic) {
  return special(opcode, mnemonic, exec_nop, Ty::none, Ty::none).also(accept::e64);
}
constexpr ValuOp trans(ValuOp r) { return r.with_cost(Cost::valu_quarter); }
constexpr ValuOp f64(ValuOp r) { return r.with_cost(Cost::valu_f64); }
constexpr ValuOp f64_half(ValuOp r) { return r.with_cost(Cost::valu_f64_half); }

constexpr ValuOp kVop1[] = {
    nop(0x00, "v_nop"),
    hot<v_mov_b32>(0x01, "v_mov_b32", kInt),
    special(0x02, "v_readfirstlane_b32", exec_readfirstlane, Ty::none, Ty::b32),
    f64(row<v_cvt_i32_f64>(0x03, "v_cvt_i32_f64", Fp::none, kFromDouble)),
    f64(row<v_cvt_f64_i32>(0x04, "v_cvt_f64_i32", Fp::none, kToDouble)),
    hot<v_cvt_f32_i32, Fp::f32>(0x05, "v_cvt_f32_i32", kToFloat),
    hot<v_cvt_f32_u32, Fp::f32>(0x06, "v_cvt_f32_u32", kToFloat),
    hot<v_cvt_u32_f32>(0x07, "v_cvt_u32_f32", kToInt),
    hot<v_cvt_i32_f32>(0x08, "v_cvt_i32_f32", kToInt),
    row<v_cvt_f16_f32>(0x0a, "v_cvt_f16_f32", Fp::f16, kFloat),
    row<v_cvt_f32_f16>(0x0b, "v_cvt_f32_f16", Fp::none, kFloat),
    row<v_cvt_rpi_i32_f32>(0x0c, "v_cvt_rpi_i32_f32", Fp::exact, kToInt),
    row<v_cvt_flr_i32_f32>(0x0d, "v_cvt_flr_i32_f32", Fp::none, kToInt),
    row<v_cvt_off_f32_i4>(0x0e, "v_cvt_off_f32_i4", Fp::none, kToFloat),
    f64(row<v_cvt_f32_f64>(0x0f, "v_cvt_f32_f64", Fp::f32, kDouble)),
    f64(row<v_cvt_f64_f32>(0x10, "v_cvt_f64_f32", Fp::f32, kDouble)),
    row<cvt_f32_ubyte<0>>(0x11, "v_cvt_f32_ubyte0", Fp::none, kToFloat),
    row<cvt_f32_ubyte<1>>(0x12, "v_cvt_f32_ubyte1", Fp::none, kToFloat),
    row<cvt_f32_ubyte<2>>(0x13, "v_cvt_f32_ubyte2", Fp::none, kToFloat),
    row<cvt_f32_ubyte<3>>(0x14, "v_cvt_f32_ubyte3", Fp::none, kToFloat),
    f64(row<v_cvt_u32_f64>(0x15, "v_cvt_u32_f64", Fp::none, kFromDouble)),
    f64(row<v_cvt_f64_u32>(0x16, "v_cvt_f64_u32", Fp::none, kToDouble)),
    f64(row<v_trunc_f64>(0x17, "v_trunc_f64", Fp::none, kDouble)),
    f64(row<v_ceil_f64>(0x18, "v_ceil_f64", Fp::none, kDouble)),
    f64(row<v_rndne_f64>(0x19, "v_rndne_f64", Fp::none, kDouble)),
    f64(row<v_floor_f64>(0x1a, "v_floor_f64", Fp::none, kDouble)),
    row<v_fract_f32>(0x1b, "v_fract_f32", Fp::f32, kFloat),
    row<v_trunc_f32>(0x1c, "v_trunc_f32", Fp::none, kFloat),
    row<v_ceil_f32>(0x1d, "v_ceil_f32", Fp::none, kFloat),
    row<v_rndne_f32>(0x1e, "v_rndne_f32", Fp::none, kFloat),
    row<v_floor_f32>(0x1f, "v_floor_f32", Fp::none, kFloat),
    trans(row<v_exp_f32>(0x20, "v_exp_f32", Fp::exact, kFloat)),
    trans(row<v_log_f32>(0x21, "v_log_f32", Fp::exact, kFloat)),
    trans(row<v_rcp_f32>(0x22, "v_rcp_f32", Fp::exact, kFloat)),
    trans(row<v_rcp_f32>(0x23, "v_rcp_iflag_f32", Fp::exact, kFloat)),
    trans(row<v_rsq_f32>(0x24, "v_rsq_f32", Fp::exact, kFloat)),
    f64_half(row<v_rcp_f64>(0x25, "v_rcp_f64", Fp::exact, kDouble)),
    f64_half(row<v_rsq_f64>(0x26, "v_rsq_f64", Fp::exact, kDouble)),
    trans(row<v_sqrt_f32>(0x27, "v_sqrt_f32", Fp::exact, kFloat)),
    f64_half(row<v_sqrt_f64>(0x28, "v_sqrt_f64", Fp::exact, kDouble)),
    trans(row<v_sin_f32>(0x29, "v_sin_f32", Fp::exact, kFloat)),
    trans(row<v_cos_f32>(0x2a, "v_cos_f32", Fp::exact, kFloat)),
    hot<v_not_b32>(0x2b, "v_not_b32", kInt),
    row<v_bfrev_b32>(0x2c, "v_bfrev_b32", Fp::none, kInt),
    row<v_ffbh_u32>(0x2d, "v_ffbh_u32", Fp::none, kInt),
    row<v_ffbl_b32>(0x2e, "v_ffbl_b32", Fp::none, kInt),
    row<v_ffbh_i32>(0x2f, "v_ffbh_i32", Fp::none, kInt),
    f64(row<v_frexp_exp_i32_f64>(0x30, "v_frexp_exp_i32_f64", Fp::none, kFromDouble)),
    f64(row<v_frexp_mant_f64>(0x31, "v_frexp_mant_f64", Fp::none, kDouble)),
    f64(row<v_fract_f64>(0x32, "v_fract_f64", Fp::f64, kDouble)),
    row<v_frexp_exp_i32_f32>(0x33, "v_frexp_exp_i32_f32", Fp::none, kToInt),
    row<v_frexp_mant_f32>(0x34, "v_frexp_mant_f32", Fp::none, kFloat),
    nop(0x35, "v_clrexcp"),  // no exception state is emulated
    row<v_cvt_f16_u16>(0x39, "v_cvt_f16_u16", Fp::f16, kToFloat),
    row<v_cvt_f16_i16>(0x3a, "v_cvt_f16_i16", Fp::f16, kToFloat),
    row<v_cvt_u16_f16>(0x3b, "v_cvt_u16_f16", Fp::none, kToInt),
    row<v_cvt_i16_f16>(0x3c, "v_cvt_i16_f16", Fp::none, kToInt),
    trans(row<v_rcp_f16>(0x3d, "v_rcp_f16", Fp::exact, kFloat)),
    trans(row<v_sqrt_f16>(0x3e, "v_sqrt_f16", Fp::exact, kFloat)),
    trans(row<v_rsq_f16>(0x3f, "v_rsq_f16", Fp::exact, kFloat)),
    trans(row<v_log_f16>(0x40, "v_log_f16", Fp::exact, kFloat)),
    trans(row<v_exp_f16>(0x41, "v_exp_f16", Fp::exact, kFloat)),
    row<v_frexp_mant_f16>(0x42, "v_frexp_mant_f16", Fp::exact, kFloat),
    row<v_frexp_exp_i16_f16>(0x43, "v_frexp_exp_i16_f16", Fp::none, kToInt),
    row<v_floor_f16>(0x44, "v_floor_f16", Fp::exact, kFloat),
    row<v_ceil_f16>(0x45, "v_ceil_f16", Fp::exact, kFloat),
    row<v_trunc_f16>(0x46, "v_trunc_f16", Fp::exact, kFloat),
    row<v_rndne_f16>(0x47, "v_rndne_f16", Fp::exact, kFloat),
    row<v_fract_f16>(0x48, "v_fract_f16", Fp::f16, kFloat),
    trans(row<v_sin_f16>(0x49, "v_sin_f16", Fp::exact, kFloat)),
    trans(row<v_cos_f16>(0x4a, "v_cos_f16", Fp::exact, kFloat)),
    trans(row<v_exp_f32>(0x4b, "v_exp_legacy_f32", Fp::exact, kFloat)),
    trans(row<v_log_f32>(0x4c, "v_log_legacy_f32", Fp::exact, kFloat)),
    row<v_cvt_norm_i16_f16>(0x4d, "v_cvt_norm_i16_f16", Fp::exact, kToInt),
    row<v_cvt_norm_u16_f16>(0x4e, "v_cvt_norm_u16_f16", Fp::exact, kToInt),
    row<v_sat_pk_u8_i16>(0x4f, "v_sat_pk_u8_i16", Fp::none, kInt),
    special(0x51, "v_swap_b32", exec_swap, Ty::b32, Ty::b32),
    special(0x52, "v_accvgpr_mov_b32", exec_accvgpr<true, true>, Ty::b32, Ty::b32).on(target::gfx90a),
};
static_assert(sourced(kVop1));

}  // namespace

OpTable vop1_table() { return {kVop1, sizeof kVop1 / sizeof kVop1[0]}; }

}  // namespace softgpu::gfx9::GFX9_LANES_NS
