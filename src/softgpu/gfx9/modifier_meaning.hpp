// What the modifier fields of an instruction word mean for a row of the vector ALU op tables, and where that
// is written down. The same fields mean different things to different ops: a row names its kind, the
// executors do what the kind says, and a modifier without a source does not compile (valu_row.hpp,
// `sourced`). For lane sources only.
#pragma once

#include <cstdint>

namespace softgpu::gfx9::GFX9_LANES_NS {

/// Modifiers and encodings a row accepts beyond its plain form. Anything else is refused.
namespace accept {
constexpr uint16_t neg = 1 << 0;     ///< neg and abs on float sources (`mod_srcs`); VOP3P: neg_lo and neg_hi
constexpr uint16_t omod = 1 << 1;    ///< omod on a float result
constexpr uint16_t clamp = 1 << 2;   ///< clamp: float result to 0..1, integer result by the sat kernel
constexpr uint16_t op_sel = 1 << 3;  ///< VOP3 op_sel: 16-bit halves of sources and result
constexpr uint16_t sdwa = 1 << 4;    ///< sub-dword form; sext on integer sources, neg/abs on float ones
constexpr uint16_t dpp = 1 << 5;
constexpr uint16_t e64 = 1 << 6;       ///< VOP1/VOP2/VOPC: has a VOP3 form
constexpr uint16_t pk_sel = 1 << 7;    ///< VOP3P op_sel and op_sel_hi
constexpr uint16_t dst_src2 = 1 << 8;  ///< the destination register is also source 2 (mac)
constexpr uint16_t dpp64 = 1 << 9;     ///< gfx90a: DPP with 64-bit operands, row_newbcast only
constexpr uint16_t modifiers = neg | omod | clamp | op_sel | sdwa | dpp | pk_sel | dpp64;
}  // namespace accept

/// What the two op_sel fields of a VOP3P word choose, per source n.
enum class Select : uint8_t {
  none,    ///< nothing: the fields must hold their defaults
  halves,  ///< op_sel[n] the half that the low result reads, op_sel_hi[n] the one that the high result reads
  dwords,  ///< the same with the dwords of a pair
  one_of_each,  ///< op_sel[0] source 0's dword for the low result, op_sel[1] source 1's for the high one;
                ///< op_sel_hi is not looked at
  precision,    ///< op_sel_hi[n] makes source n a half, op_sel[n] says which; neg_hi[n] is abs
};

struct ModifierSource {
  uint16_t which;      ///< accept bits
  const char* source;  ///< the document, with its section
};
struct ModifierKind {
  Select select;
  ModifierSource sources[7];

  constexpr bool covers(uint16_t accepts) const {
    uint16_t known = 0;
    for (const ModifierSource& s : sources) known |= s.which;
    return (accepts & accept::modifiers & ~known) == 0;
  }
};

/// VOP1, VOP2, VOPC and VOP3: fields mean the same for every op.
constexpr ModifierKind kCommon = {
    Select::none,
    {{accept::neg, "Vega ISA, VOP3A encoding: ABS, then NEG; floats only"},
     {accept::omod, "Vega ISA, VOP3A encoding, OMOD: not with IEEE, nor with denormal results"},
     {accept::clamp, "Vega ISA, VOP3A encoding, CLMP: floats to 0..1, NaN by DX10_CLAMP; integers saturate"},
     {accept::op_sel,
      "Vega ISA, VOP3A encoding, OP_SEL: [0..2] half of a source, [3] half of the result, other half kept"},
     {accept::sdwa, "Vega ISA, SDWA encoding; sext for integers, neg and abs for floats"},
     {accept::dpp | accept::dpp64,
      "Vega ISA, DPP encoding and table DPP_CTRL: source 0; row_newbcast: LLVM, AMDGPU modifiers"}}};
/// Packed 16-bit.
constexpr ModifierKind kPackedHalves = {
    Select::halves,
    {{accept::neg,
      "Vega ISA, VOP3P encoding: NEG the half of the low result, NEG_HI that of the high one; floats only"},
     {accept::clamp, "Vega ISA, VOP3P encoding, CLMP: each half"},
     {accept::pk_sel, "Vega ISA, VOP3P encoding, OP_SEL and OP_SEL_HI"}}};
/// v_pk_fma_f32, v_pk_mul_f32, v_pk_add_f32. Inline constants stand in the low dword, the high one is zero.
constexpr ModifierKind kPackedSingles = {
    Select::dwords,
    {{accept::neg, "CDNA2 ISA, VOP3P encoding: NEG the low result's dword, NEG_HI the high one's"},
     {accept::clamp, "CDNA2 ISA, VOP3P encoding, CLMP: each dword"},
     {accept::pk_sel, "CDNA2 ISA, VOP3P encoding; LLVM's packed-fp32.ll for constants"}}};
/// v_pk_mov_b32.
constexpr ModifierKind kPackedMove = {
    Select::one_of_each,
    {{accept::pk_sel,
      "CDNA3 ISA, V_PK_MOV_B32: D.u32[0] = S0.u32[OPSEL[0]], D.u32[1] = S1.u32[OPSEL[1]]; LLVM's copies of "
      "register pairs (SIInstrInfo::copyPhysReg) need it so"}}};
/// v_mad_mix*, v_fma_mix*.
constexpr ModifierKind kMixed = {
    Select::precision,
    {{accept::neg, "Vega ISA, V_MAD_MIX_F32: NEG, and NEG_HI as ABS"},
     {accept::clamp, "Vega ISA, VOP3P encoding, CLMP: the result in its own precision"},
     {accept::pk_sel, "Vega ISA, V_MAD_MIX_F32: OP_SEL_HI the precision, OP_SEL the half"}}};
/// Dot products of halves and words. Source 2 is a whole dword, and op_sel and neg_hi do nothing to it.
constexpr ModifierKind kDotHalves = {
    Select::halves,
    {{accept::neg, "Vega 7nm ISA, V_DOT2_F32_F16, VOP3P: as packed halves; source 2 by NEG"},
     {accept::clamp, "Vega 7nm ISA, V_DOT2_*: the sum, to 0..1 or saturated"},
     {accept::pk_sel, "Vega 7nm ISA, VOP3P encoding, OP_SEL and OP_SEL_HI: sources 0 and 1"}}};
/// Dot products of bytes and nibbles.
constexpr ModifierKind kDotBytes = {Select::none,
                                    {{accept::clamp, "Vega 7nm ISA, V_DOT4_*, V_DOT8_*: saturated"}}};
static_assert(kPackedMove.covers(accept::pk_sel) && !kPackedMove.covers(accept::neg));

}  // namespace softgpu::gfx9::GFX9_LANES_NS
