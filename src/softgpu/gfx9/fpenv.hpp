// Rounding and denormals of MODE on the host's SSE unit. The host register is changed only when the next
// instruction needs another setting; Grid::run saves and restores the caller's.
#pragma once

#include <immintrin.h>

#include "gfx9/env.hpp"

namespace softgpu::gfx9 {

/// MXCSR for a 2-bit round and a 2-bit denormal field of MODE; all exceptions masked.
GFX9_INLINE uint32_t mxcsr_of(uint32_t round, uint32_t denorm) {
  constexpr uint32_t kMasked = 0x1f80, kDaz = 1u << 6, kFtz = 1u << 15;
  // MODE: 0 even, 1 +inf, 2 -inf, 3 zero. MXCSR: 0 even, 1 -inf, 2 +inf, 3 zero.
  const uint32_t rc = (0x3u << 6 | 0x1u << 4 | 0x2u << 2) >> (round * 2) & 3;
  return kMasked | rc << 13 | ((denorm & 1) ? 0 : kDaz) | ((denorm & 2) ? 0 : kFtz);
}
GFX9_INLINE void use_mxcsr(Env& env, uint32_t wanted) {
  if (env.mxcsr != wanted) [[unlikely]] {
    _mm_setcsr(wanted);
    env.mxcsr = wanted;
  }
}
/// Call first in every executor of f32 arithmetic.
GFX9_INLINE void use_f32_mode(Env& env, const Wave& w) {
  use_mxcsr(env, mxcsr_of(w.mode >> mode_bit::round_f32_shift & 3, w.mode >> mode_bit::denorm_f32_shift & 3));
}
/// Call first in every executor of f64 arithmetic. (f16 done in f32 must flush by hand: see MODE 7:6.)
GFX9_INLINE void use_f64_mode(Env& env, const Wave& w) {
  use_mxcsr(env, mxcsr_of(w.mode >> mode_bit::round_f64_f16_shift & 3,
                          w.mode >> mode_bit::denorm_f64_f16_shift & 3));
}

}  // namespace softgpu::gfx9
