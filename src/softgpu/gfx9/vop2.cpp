// VOP2: one row per op. Opcodes: "Vega" and "Vega 7nm" ISA manuals, VOP2. Exempt from file length.
#include "gfx9/ops_cvt.hpp"
#include "gfx9/ops_pack.hpp"
#include "gfx9/valu_decode.hpp"

namespace softgpu::gfx9::GFX9_LANES_NS {
namespace {

constexpr uint16_t kInt = accept::sdwa | accept::dpp | accept::e64;
constexpr uint16_t kFloat = kInt | accept::neg | accept::omod | accept::clamp;
/// mac: the destination is a third source; no SDWA on gfx9.
constexpr uint16_t kMac =
    accept::dpp | accept::e64 | accept::neg | accept::omod | accept::clamp | accept::dst_src2;

constexpr ValuOp kVop2[] = {
    hot<v_cndmask_b32>(0x00, "v_cndmask_b32", kInt | accept::neg).mods_on(3),
    hot<v_add_f32, Fp::f32>(0x01, "v_add_f32", kFloat),
    hot<v_sub_f32, Fp::f32>(0x02, "v_sub_f32", kFloat),
    hot<v_subrev_f32, Fp::f32>(0x03, "v_subrev_f32", kFloat),
    row<v_mul_legacy_f32>(0x04, "v_mul_legacy_f32", Fp::f32, kFloat).on(target::not_90a),
    row<v_fma_f64>(0x04, "v_fmac_f64", Fp::f64, kMac)
        .without(accept::dpp)
        .also(accept::dpp64)
        .with_cost(Cost::valu_f64)
        .on(target::gfx90a),
    hot<v_mul_f32, Fp::f32>(0x05, "v_mul_f32", kFloat),
    hot<v_mul_i32_i24>(0x06, "v_mul_i32_i24", kInt).sat_by(kernel_of<mul_i32_i24_sat>),
    row<v_mul_hi_i32_i24>(0x07, "v_mul_hi_i32_i24", Fp::none, kInt),
    hot<v_mul_u32_u24>(0x08, "v_mul_u32_u24", kInt).sat_by(kernel_of<mul_u32_u24_sat>),
    row<v_mul_hi_u32_u24>(0x09, "v_mul_hi_u32_u24", Fp::none, kInt),
    hot<v_min_f32>(0x0a, "v_min_f32", kFloat),
    hot<v_max_f32>(0x0b, "v_max_f32", kFloat),
    hot<min_of<i32>>(0x0c, "v_min_i32", kInt),
    hot<max_of<i32>>(0x0d, "v_max_i32", kInt),
    hot<min_of<u32>>(0x0e, "v_min_u32", kInt),
    hot<max_of<u32>>(0x0f, "v_max_u32", kInt),
    hot<v_lshrrev_b32>(0x10, "v_lshrrev_b32", kInt),
    hot<v_ashrrev_i32>(0x11, "v_ashrrev_i32", kInt),
    hot<v_lshlrev_b32>(0x12, "v_lshlrev_b32", kInt),
    hot<v_and_b32>(0x13, "v_and_b32", kInt),
    hot<v_or_b32>(0x14, "v_or_b32", kInt),
    hot<v_xor_b32>(0x15, "v_xor_b32", kInt),
    hot<v_mad_f32, Fp::f32>(0x16, "v_mac_f32", kMac),
    row<v_mad_f32>(0x17, "v_madmk_f32", Fp::f32, 0),
    row<v_mad_f32>(0x18, "v_madak_f32", Fp::f32, 0),
    hot<v_add_co_u32>(0x19, "v_add_co_u32", kInt).sat_by(kernel_of<add_co_sat>),
    hot<v_sub_co_u32>(0x1a, "v_sub_co_u32", kInt).sat_by(kernel_of<sub_co_sat>),
    hot<v_subrev_co_u32>(0x1b, "v_subrev_co_u32", kInt).sat_by(kernel_of<subrev_co_sat>),
    hot<v_addc_co_u32>(0x1c, "v_addc_co_u32", kInt).sat_by(kernel_of<addc_co_sat>),
    hot<v_subb_co_u32>(0x1d, "v_subb_co_u32", kInt).sat_by(kernel_of<subb_co_sat>),
    hot<v_subbrev_co_u32>(0x1e, "v_subbrev_co_u32", kInt).sat_by(kernel_of<subbrev_co_sat>),
    row<half_op2<v_add_f32>>(0x1f, "v_add_f16", Fp::f16, kFloat),
    row<half_op2<v_sub_f32>>(0x20, "v_sub_f16", Fp::f16, kFloat),
    row<half_op2<v_subrev_f32>>(0x21, "v_subrev_f16", Fp::f16, kFloat),
    row<half_op2<v_mul_f32>>(0x22, "v_mul_f16", Fp::f16, kFloat),
    row<v_mac_f16>(0x23, "v_mac_f16", Fp::f16, kMac),
    row<v_mad_f16>(0x24, "v_madmk_f16", Fp::f16, 0),
    row<v_mad_f16>(0x25, "v_madak_f16", Fp::f16, 0),
    row<v_add_u16>(0x26, "v_add_u16", Fp::none, kInt).sat_by(kernel_of<add_u16_sat>),
    row<v_sub_u16>(0x27, "v_sub_u16", Fp::none, kInt).sat_by(kernel_of<sub_u16_sat>),
    row<v_subrev_u16>(0x28, "v_subrev_u16", Fp::none, kInt).sat_by(kernel_of<subrev_u16_sat>),
    row<v_mul_lo_u16>(0x29, "v_mul_lo_u16", Fp::none, kInt),
    row<v_lshlrev_b16>(0x2a, "v_lshlrev_b16", Fp::none, kInt),
    row<v_lshrrev_b16>(0x2b, "v_lshrrev_b16", Fp::none, kInt),
    row<v_ashrrev_i16>(0x2c, "v_ashrrev_i16", Fp::none, kInt),
    row<v_max_f16>(0x2d, "v_max_f16", Fp::exact, kFloat),
    row<v_min_f16>(0x2e, "v_min_f16", Fp::exact, kFloat),
    row<max_of<u16>>(0x2f, "v_max_u16", Fp::none, kInt),
    row<max_of<i16>>(0x30, "v_max_i16", Fp::none, kInt),
    row<min_of<u16>>(0x31, "v_min_u16", Fp::none, kInt),
    row<min_of<i16>>(0x32, "v_min_i16", Fp::none, kInt),
    row<v_ldexp_f16>(0x33, "v_ldexp_f16", Fp::f16, kFloat).mods_on(1),
    hot<v_add_u32>(0x34, "v_add_u32", kInt).sat_by(kernel_of<add_u32_sat>),
    hot<v_sub_u32>(0x35, "v_sub_u32", kInt).sat_by(kernel_of<sub_u32_sat>),
    hot<v_subrev_u32>(0x36, "v_subrev_u32", kInt).sat_by(kernel_of<subrev_u32_sat>),
    row<v_dot2_f32_f16>(0x37, "v_dot2c_f32_f16", Fp::exact, accept::dpp | accept::dst_src2)
        .on(target::gfx90a),
    row<v_dot2_i32_i16>(0x38, "v_dot2c_i32_i16", Fp::none, accept::dpp | accept::dst_src2).on(target::gfx90a),
    row<v_dot4_i32_i8>(0x39, "v_dot4c_i32_i8", Fp::none, accept::dpp | accept::dst_src2).on(target::gfx90a),
    row<v_dot8_i32_i4>(0x3a, "v_dot8c_i32_i4", Fp::none, accept::dpp | accept::dst_src2).on(target::gfx90a),
    hot<v_fma_f32, Fp::f32>(0x3b, "v_fmac_f32", kMac).on(target::dl),
    row<v_pk_fma_f16>(0x3c, "v_pk_fmac_f16", Fp::f16, accept::dst_src2).on(target::gfx90a),
    hot<v_xnor_b32>(0x3d, "v_xnor_b32", kInt).on(target::dl),
};
static_assert(sourced(kVop2));

}  // namespace

OpTable vop2_table() { return {kVop2, sizeof kVop2 / sizeof kVop2[0]}; }

}  // namespace softgpu::gfx9::GFX9_LANES_NS
