// What happens to operands before an op and to its result after it. Each function works on 64 lanes and is
// compiled once per lane build (valu_modifiers.cpp). For lane sources only.
#pragma once

#include "gfx9/lane_values.hpp"

namespace softgpu::gfx9::GFX9_LANES_NS {

/// abs, then neg, of a float operand (its sign bit). @return `tmp`
const uint32_t* negate(Ty ty, bool neg, bool abs, const uint32_t* s, uint32_t* tmp);
/// Bits 31:16 of each dword, moved down. @return `tmp`
const uint32_t* high_half(const uint32_t* s, uint32_t* tmp);
/// VOP3P: low half from `lo`, high half from `hi` (true: bits 31:16), signs flipped. @return `tmp`
const uint32_t* select_halves(bool lo, bool hi, bool neg_lo, bool neg_hi, const uint32_t* s, uint32_t* tmp);
/// The same with the two dwords of a 64-bit operand (v_pk_*_f32).
const uint32_t* select_dwords(bool lo, bool hi, bool neg_lo, bool neg_hi, const uint32_t* s, uint32_t* tmp);

/// SDWA source n: byte or word, zero- or sign-extended. @return `tmp`, or s itself for DWORD
const uint32_t* sdwa_select(const Sdwa& sdwa, unsigned n, const uint32_t* s, uint32_t* tmp);
/// SDWA result: puts `value` into the selected part of the register's old value; leaves it in `value`.
void sdwa_merge(const Sdwa& sdwa, const uint32_t* old, uint32_t* value);
/// 16-bit result under op_sel: into the low or high half, the other half kept.
void merge_half(bool high, const uint32_t* old, uint32_t* value);

/// DPP: moves lanes of `s` into `moved` (not the same array).
/// @return lanes that are written: EXEC without those that the row and bank masks, or an invalid source lane
/// with BOUND_CTRL off, disable
uint64_t dpp_move(const Dpp& dpp, uint64_t exec, const uint32_t* s, uint32_t* moved);
/// gfx90a: one lane of each row for the whole row.
constexpr bool is_row_newbcast(unsigned ctrl) { return (ctrl & 0x1f0) == 0x150; }
/// True if dpp_ctrl is one that exists. Source: "Vega" ISA manual, table "DPP_CTRL Enumeration".
bool dpp_ctrl_valid(unsigned ctrl, bool gfx90a);

/// omod 1..3. As on hardware it does nothing while IEEE is set or result denormals are kept.
void apply_omod(const Wave& w, Ty ty, unsigned omod, uint32_t* value);
/// Clamps to 0..1; NaN becomes 0 if DX10_CLAMP is set.
void apply_clamp(const Wave& w, Ty ty, uint32_t* value);

}  // namespace softgpu::gfx9::GFX9_LANES_NS
