// Hardware registers that s_getreg and s_setreg reach. Source: "Vega" ISA manual, S_GETREG_B32, and the
// LLVM AMDGPU operand syntax for hwreg ids.
#pragma once

#include <cstdint>

#include "gfx9/env.hpp"

namespace softgpu::gfx9 {

/// SIMM16 of s_getreg/s_setreg: id in 5:0, first bit in 10:6, width minus one in 15:11.
struct HwRegField {
  unsigned id, offset, width;
  explicit constexpr HwRegField(uint32_t simm16)
      : id(simm16 & 0x3f), offset(simm16 >> 6 & 0x1f), width((simm16 >> 11 & 0x1f) + 1) {}
  constexpr uint32_t mask() const { return width >= 32 ? ~0u : (1u << width) - 1; }
};

bool hwreg_readable(unsigned id);
bool hwreg_writable(unsigned id);
/// The field, right-aligned. Registers that are not readable give 0; decode refuses them.
uint32_t read_hwreg(const Wave& w, const Env& env, HwRegField field);
/// @return false if the value asks for something that is not emulated (MODE.VSKIP)
bool write_hwreg(Wave& w, HwRegField field, uint32_t value);

}  // namespace softgpu::gfx9
