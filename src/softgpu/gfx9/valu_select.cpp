#include "gfx9/valu.hpp"

namespace softgpu::gfx9 {

const ValuHooks& valu_hooks() {
  static const bool wide =
      __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");  // every CPU with AVX2 has F16C
  return wide ? lanes_avx2::valu_hooks() : lanes_base::valu_hooks();
}

}  // namespace softgpu::gfx9
