// The vector ALU families of one build of the lane code. Compiled once per GFX9_LANES_NS.
#include "gfx9/valu.hpp"

#include "gfx9/valu_decode.hpp"

namespace softgpu::gfx9::GFX9_LANES_NS {
namespace {

/// Rows of gfx906, the target whose assembler checks the tables; other targets' rows have their own test.
template <OpTable (*Table)(), Family F>
void visit(const OpVisitor& visitor) {
  for (const ValuOp& row : Table()) {
    if ((row.targets & target::gfx906) != 0) visitor(F, row);
  }
}

}  // namespace

const ValuHooks& valu_hooks() {
  static constexpr ValuHooks kHooks = {
      .vop1 = {decode_vop1, visit<vop1_table, Family::vop1>},
      .vop2 = {decode_vop2, visit<vop2_table, Family::vop2>},
      .vop3 = {decode_vop3, visit<vop3_table, Family::vop3>},
      .vopc = {decode_vopc, visit<vopc_table, Family::vopc>},
      .vop3p = {decode_vop3p, visit<vop3p_table, Family::vop3p>},
  };
  return kHooks;
}

}  // namespace softgpu::gfx9::GFX9_LANES_NS
