// v_trig_preop_f64: slices of the binary digits of 2/pi. For lane sources only.
#pragma once

#include "gfx9/ops_f64.hpp"

namespace softgpu::gfx9::GFX9_LANES_NS {

/// The first 1216 binary digits of 2/pi, most significant first. Computed from Machin's formula for pi.
constexpr u64 kTwoOverPi[19] = {
    0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041, 0xfe5163abdebbc561, 0xb7246e3a424dd2e0,
    0x06492eea09d1921c, 0xfe1deb1cb129a73e, 0xe88235f52ebb4484, 0xe99c7026b45f7e41, 0x3991d639835339f4,
    0x9c845f8bbdf9283b, 0x1ff897ffde05980f, 0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7, 0x4f463f669e5fea2d,
    0x7527bac7ebe5f17b, 0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08, 0x56033046fc7b6bab,
};

/// Digits n .. n + 52 of 2/pi (n = 0 is the first one behind the point).
GFX9_INLINE constexpr u64 two_over_pi_digits(u32 n) {
  const u32 word = n / 64, bit = n % 64;
  if (word >= 18) return 0;
  const u64 top = kTwoOverPi[word] << bit;
  const u64 next = bit == 0 ? 0 : kTwoOverPi[word + 1] >> (64 - bit);
  return (top | next) >> 11;
}
static_assert(two_over_pi_digits(0) == 0x145f306dc9c882);

/// Segment b (53 digits each) of 2/pi, shifted on for large exponents of a, scaled to its weight.
/// Source: "Vega" ISA manual, V_TRIG_PREOP_F64.
GFX9_INLINE double v_trig_preop_f64(double a, u32 b) {
  const i32 exponent = static_cast<i32>(f64_mag(a) >> 52);
  u32 shift = (b & 31) * 53;
  if (exponent > 1077) shift += static_cast<u32>(exponent - 1077);
  const i32 scale = -53 - static_cast<i32>(shift) + (exponent >= 1968 ? 128 : 0);
  return v_ldexp_f64(static_cast<double>(static_cast<i64>(two_over_pi_digits(shift))), scale);
}

}  // namespace softgpu::gfx9::GFX9_LANES_NS
