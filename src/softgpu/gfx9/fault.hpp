// Why a wave cannot go on. A fault always names where and what; the interpreter never guesses.
#pragma once

#include <cstdint>
#include <string>

namespace softgpu::gfx9 {

enum class FaultKind {
  none,
  illegal_instruction,  ///< unknown opcode, encoding, modifier or operand
  memory_violation,     ///< address not mapped, or a store to a read-only range
  aperture_violation,   ///< LDS or private address outside its limits
  trap,                 ///< s_trap 2: llvm.trap, abort, failed assert
  bad_dispatch,         ///< the dispatch asks for what the device does not have
  deadlock,             ///< no wave of the grid can ever run again (barrier without partner)
};

struct Fault {
  FaultKind kind = FaultKind::none;
  uint64_t pc = 0;          ///< GPU address of the instruction
  uint64_t address = 0;     ///< memory_violation: the address touched
  bool write = false;       ///< memory_violation: a store or an atomic
  uint32_t dwords[4] = {};  ///< instruction bytes at pc, as far as readable
  std::string text;         ///< one sentence for a person: mnemonic, what, value, expected
  explicit operator bool() const { return kind != FaultKind::none; }
};

}  // namespace softgpu::gfx9
