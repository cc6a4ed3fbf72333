#include "gfx9/scalar_op.hpp"

namespace softgpu::gfx9 {

bool begin_scalar(DecodeContext& ctx, Inst& out, Family family, const char* family_name, unsigned opcode,
                  const ScalarOp* row) {
  if (!row) return ctx.refuse("unknown %s opcode 0x%02x", family_name, opcode);
  if (!row->exec) return ctx.refuse("%s: %s", row->mnemonic, row->refused);
  out.op = row;
  out.exec = row->exec;
  out.family = family;
  out.cost = row->cost;
  out.size_dwords = 1;
  return true;
}

bool take_literal(DecodeContext& ctx, Inst& out, const uint32_t* dw, bool wanted, const uint32_t*& literal) {
  literal = nullptr;
  if (!wanted) return true;
  if (ctx.available < 2) return ctx.refuse("the literal runs past the end of mapped memory");
  literal = dw + 1;
  out.size_dwords = 2;
  return true;
}

}  // namespace softgpu::gfx9
