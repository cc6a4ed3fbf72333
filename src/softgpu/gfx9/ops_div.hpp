// The division helpers. For lane sources only. s2 is the numerator, s1 the denominator throughout.
//
// A quotient n / d is computed as
//   v_div_scale d, v_div_scale n (VCC: the quotient was scaled), v_rcp and Newton steps, v_div_fmas,
//   v_div_fixup
// with n or d scaled by 2^64 (single; 2^128 for double) where the steps would leave the normal range.
// Departure from the "Vega" ISA manual, whose text gives 2^32 for v_div_fmas_f32 and 2^64 for f64 in one
// direction: the factor must undo what v_div_scale did, in the direction the result's exponent tells; with it
// the quotients of compiled code are correctly rounded (tests compare with the host's division).
#pragma once

#include "gfx9/ops_f16.hpp"

namespace softgpu::gfx9::GFX9_LANES_NS {

GFX9_INLINE constexpr i32 biased_exponent(float x) { return as_i32(f32_mag(x) >> 23); }
GFX9_INLINE constexpr i32 biased_exponent(double x) { return static_cast<i32>(f64_mag(x) >> 52); }

/// True if |n / d| is below the normal range, neither being zero.
GFX9_INLINE constexpr bool quotient_denormal(float n, float d) {
  const double q = static_cast<double>(n) / static_cast<double>(d);
  return (q < 0 ? -q : q) < 0x1p-126;
}
/// Mantissa in 1..2 as a double, and the exponent field it would need (below 1 for denormals).
GFX9_INLINE constexpr double split_mantissa(double x, i32& exponent) {
  const u64 mag = f64_mag(x);
  const i32 shift = mag >> 52 != 0 ? 0 : __builtin_clzll(mag) - 11;
  exponent = shift == 0 ? biased_exponent(x) : 1 - shift;
  return f64_from((mag << shift & kF64Fraction) | 0x3ff0000000000000);
}
GFX9_INLINE constexpr bool quotient_denormal(double n, double d) {
  i32 en = 0, ed = 0;
  const double m = split_mantissa(n, en), k = split_mantissa(d, ed);
  const i32 gap = en - ed;  // the quotient lies in 2^(gap - 1) .. 2^(gap + 1)
  return gap < -1022 || (gap == -1022 && m < k);
}

struct SingleDivision {
  using T = float;
  static constexpr i32 kGap = 96, kTiny = 23, kScale = 64, kTop = 254;
  GFX9_INLINE static constexpr float scaled(float x, i32 n) {
    return static_cast<float>(static_cast<double>(x) * power_of_two(n));
  }
  GFX9_INLINE static constexpr float nan() { return f32_from(kF32Nan); }
  GFX9_INLINE static constexpr bool reciprocal_denormal(float d) {
    return f32_mag(d) > 0x7e800000u;
  }  // 2^126
};
struct DoubleDivision {
  using T = double;
  static constexpr i32 kGap = 768, kTiny = 53, kScale = 128, kTop = 2046;
  GFX9_INLINE static constexpr double scaled(double x, i32 n) { return x * power_of_two(n); }
  GFX9_INLINE static constexpr double nan() { return f64_from(kF64Nan); }
  GFX9_INLINE static constexpr bool reciprocal_denormal(double d) {
    return f64_mag(d) > 0x7fd0000000000000;  // 2^1022
  }
};
GFX9_INLINE constexpr u64 raw_bits(float x) { return f32_bits(x); }
GFX9_INLINE constexpr u64 raw_bits(double x) { return f64_bits(x); }
GFX9_INLINE constexpr bool sign_of(float x) { return f32_bits(x) >> 31 != 0; }
GFX9_INLINE constexpr bool sign_of(double x) { return f64_bits(x) >> 63 != 0; }
GFX9_INLINE constexpr float magnitude_of(float x) { return f32_from(f32_mag(x)); }
GFX9_INLINE constexpr double magnitude_of(double x) { return f64_from(f64_mag(x)); }

template <typename D, typename T = typename D::T>
GFX9_INLINE WithBit<T> div_scale(T s0, T d, T n) {
  const bool is_d = raw_bits(s0) == raw_bits(d), is_n = raw_bits(s0) == raw_bits(n);
  const i32 en = biased_exponent(n), ed = biased_exponent(d);
  if (n == 0 || d == 0) return {D::nan(), 0};
  if (en - ed >= D::kGap) return {is_d ? D::scaled(s0, D::kScale) : s0, 1};  // quotient near the maximum
  if (ed == 0) return {D::scaled(s0, D::kScale), 0};                         // denormal denominator
  const bool finite = en <= D::kTop && ed <= D::kTop;
  const bool small_quotient = finite && quotient_denormal(n, d);
  if (finite && D::reciprocal_denormal(d)) {
    const T down = D::scaled(s0, -D::kScale);
    if (small_quotient) return {is_d ? down : s0, 1};
    return {down, 0};
  }
  if (small_quotient) return {is_n ? D::scaled(s0, D::kScale) : s0, 1};
  if (en <= D::kTiny) return {D::scaled(s0, D::kScale), 0};  // tiny numerator
  return {s0, 0};
}
GFX9_INLINE WithBit<float> v_div_scale_f32(float s0, float s1, float s2) {
  return div_scale<SingleDivision>(s0, s1, s2);
}
GFX9_INLINE WithBit<double> v_div_scale_f64(double s0, double s1, double s2) {
  return div_scale<DoubleDivision>(s0, s1, s2);
}

/// fma, then the scale of the lane's VCC bit, rounded once. Class Fp::f32.
GFX9_INLINE float v_div_fmas_f32(const FpCtx& fp, float a, float b, float c, u32 vcc) {
  const i32 scale = biased_exponent(c) > 127 ? 64 : -64;
  const double exact = fma_to_odd(fp, a, b, c);
  const float r = static_cast<float>(vcc != 0 ? exact * power_of_two(scale) : exact);
  return nan_rule(r, a, b, c);
}
GFX9_INLINE double v_div_fmas_f64(const FpCtx& fp, double a, double b, double c, u32 vcc) {
  const bool special = f64_mag(a) >= kF64Inf || f64_mag(b) >= kF64Inf || f64_mag(c) >= kF64Inf;
  if (vcc == 0 || special) return v_fma_f64(fp, a, b, c);
  return fma_soft(fp, a, b, c, biased_exponent(c) > 1023 ? 128 : -128);
}

/// Special cases and the sign of a quotient whose magnitude is |q|.
template <typename T>
GFX9_INLINE constexpr T div_fixup(T q, T d, T n, T nan, T inf, i32 underflow) {
  const T zero = 0;
  const bool negative = sign_of(d) != sign_of(n);
  if (is_nan(n)) return quiet(n);
  if (is_nan(d)) return quiet(d);
  const bool d_inf = d == inf || d == -inf, n_inf = n == inf || n == -inf;
  if ((d == 0 && n == 0) || (d_inf && n_inf)) return -nan;
  if (d == 0 || n_inf) return negative ? -inf : inf;
  if (d_inf || n == 0 || biased_exponent(n) - biased_exponent(d) < underflow) return negative ? -zero : zero;
  // Not a number although n and d are: the steps ran out of range, the quotient is too large.
  const T magnitude = is_nan(q) ? inf : magnitude_of(q);
  return negative ? -magnitude : magnitude;
}
GFX9_INLINE constexpr float v_div_fixup_f32(float q, float d, float n) {
  return div_fixup(q, d, n, f32_from(kF32Nan), f32_from(kF32Inf), -150);
}
GFX9_INLINE constexpr double v_div_fixup_f64(double q, double d, double n) {
  return div_fixup(q, d, n, f64_from(kF64Nan), f64_from(kF64Inf), -1075);
}
GFX9_INLINE constexpr Half v_div_fixup_f16(Half q, Half d, Half n) {
  constexpr u32 kInf = 0x7c00, kQuiet = 0x200;
  const u32 dm = d.bits & 0x7fffu, nm = n.bits & 0x7fffu, sign = (d.bits ^ n.bits) & 0x8000u;
  const auto half = [](u32 bits) { return Half{static_cast<u16>(bits)}; };
  if (nm > kInf) return half(n.bits | kQuiet);
  if (dm > kInf) return half(d.bits | kQuiet);
  if ((dm == 0 && nm == 0) || (dm == kInf && nm == kInf)) return half(0xfe00);
  if (dm == 0 || nm == kInf) return half(sign | kInf);
  if (dm == kInf || nm == 0) return half(sign);
  return half(sign | (q.bits & 0x7fffu));
}
static_assert(v_div_fixup_f32(0.5f, -2.0f, 1.0f) == -0.5f &&
              f32_bits(v_div_fixup_f32(1, 0, 0)) == 0xffc00000u);
static_assert(v_div_fixup_f64(3.0, 0.0, -1.0) == -f64_from(kF64Inf) &&
              v_div_fixup_f64(3.0, f64_from(kF64Inf), 1.0) == 0);

}  // namespace softgpu::gfx9::GFX9_LANES_NS
