// The vector ALU families of one build of the lane code. Compiled once per GFX9_LANES_NS.
#include "gfx9/valu.hpp"

namespace softgpu::gfx9::GFX9_LANES_NS {

const ValuHooks& valu_hooks() {
  static constexpr ValuHooks kHooks = {};
  return kHooks;
}

}  // namespace softgpu::gfx9::GFX9_LANES_NS
