// The lane code (vector ALU families) is compiled once per vector width, each build in its own namespace,
// GFX9_LANES_NS, which the build system defines. Nothing but the two functions below crosses the border, and
// lane sources use only headers whose inline functions are GFX9_INLINE: a weak copy of an inline function
// compiled for AVX2 must never be what the linker keeps for everybody.
#pragma once

#include "gfx9/decode.hpp"

namespace softgpu::gfx9 {

namespace lanes_base {
const ValuHooks& valu_hooks();
}
namespace lanes_avx2 {  ///< built with -mavx2 -mfma -mf16c
const ValuHooks& valu_hooks();
}

/// The widest build this CPU can run; the same for the whole process. GFX9 figures do not depend on it.
const ValuHooks& valu_hooks();

}  // namespace softgpu::gfx9
