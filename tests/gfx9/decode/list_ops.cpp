// Prints every row of the op tables: "family opcode mnemonic". Input of mnemonics.py.
#include <cstdio>

#include "decode/family_name.hpp"
#include "gfx9/decode.hpp"

int main() {
  const softgpu::gfx9::OpVisitor print = {
      [](void*, softgpu::gfx9::Family family, const softgpu::gfx9::OpInfo& op) {
        std::printf("%s 0x%02x %s\n", gfx9_test::family_name(family), op.opcode, op.mnemonic);
      },
      nullptr};
  softgpu::gfx9::visit_ops(print);
  return 0;
}
