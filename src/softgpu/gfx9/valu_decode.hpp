// Decoding of the vector ALU encodings from their op tables. For lane sources only.
#pragma once

#include "gfx9/valu.hpp"
#include "gfx9/valu_row.hpp"

namespace softgpu::gfx9::GFX9_LANES_NS {

struct OpTable {
  const ValuOp* rows;
  unsigned count;
  const ValuOp* begin() const { return rows; }
  const ValuOp* end() const { return rows + count; }
};

/// The tables, each beside its ops (vop1.cpp, vop2.cpp, ...).
OpTable vop1_table();
OpTable vop2_table();
OpTable vop3_table();
OpTable vopc_table();
OpTable vop3p_table();

/// The row of an opcode on the context's target, or nullptr.
const ValuOp* find_row(OpTable table, unsigned opcode, const DecodeContext& ctx);

bool decode_vop1(const uint32_t* dw, DecodeContext& ctx, Inst& out);
bool decode_vop2(const uint32_t* dw, DecodeContext& ctx, Inst& out);
bool decode_vopc(const uint32_t* dw, DecodeContext& ctx, Inst& out);
bool decode_vop3(const uint32_t* dw, DecodeContext& ctx, Inst& out);
bool decode_vop3p(const uint32_t* dw, DecodeContext& ctx, Inst& out);

/// Shared by the decoders. Each returns false after ctx.refuse().
/// Sets source n of a row's type; VGPR operands must lie within 0..255.
bool set_row_source(DecodeContext& ctx, const ValuOp& op, Inst& out, unsigned n, unsigned sel,
                    const uint32_t* literal);
/// Sets a VGPR destination of the row's width.
bool set_row_dst(DecodeContext& ctx, const ValuOp& op, Inst& out, unsigned vgpr);
/// Checks modifiers already in `out` against the row, and picks the executor.
bool finish(DecodeContext& ctx, const ValuOp& op, Inst& out);

}  // namespace softgpu::gfx9::GFX9_LANES_NS
