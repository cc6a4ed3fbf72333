// Reciprocals, roots and transcendental ops. For lane sources only.
//
// Hardware approximates (1 ulp for most single-precision ops, 2^-22 or so for the f64 ones). Here the value
// is computed in double and rounded once, so results may be more accurate than hardware's, and are the same
// in every build: only +, -, *, /, sqrt and integer steps, to nearest even (class Fp::exact). Like hardware,
// the single-precision ops below except v_sqrt_f32 read and return zero for denormals, whatever MODE says.
#pragma once

#include "gfx9/ops_cvt.hpp"

namespace softgpu::gfx9::GFX9_LANES_NS {

GFX9_INLINE constexpr float no_denormal(float x) { return flush(x, kF32Sign); }

GFX9_INLINE float v_rcp_f32(float x) { return no_denormal(nan_rule(1.0f / no_denormal(x), x)); }
GFX9_INLINE float sqrt_number(float x) { return nan_rule(__builtin_sqrtf(x), x); }
GFX9_INLINE float v_sqrt_f32(const FpCtx& fp, float x) { return sqrt_number(flush(x, fp.f32_in)); }
GFX9_INLINE float rsq_number(float x) {
  return nan_rule(static_cast<float>(1.0 / __builtin_sqrt(static_cast<double>(x))), x);
}
GFX9_INLINE float v_rsq_f32(float x) { return no_denormal(rsq_number(no_denormal(x))); }
GFX9_INLINE double v_rcp_f64(double x) { return nan_rule(1.0 / x, x); }
GFX9_INLINE double v_sqrt_f64(double x) { return nan_rule(__builtin_sqrt(x), x); }
GFX9_INLINE double v_rsq_f64(double x) { return nan_rule(1.0 / __builtin_sqrt(x), x); }

/// 2^x for |x| < 1000. Taylor series of e^(f ln 2), |f| <= 1/2: error below 2^-52.
GFX9_INLINE double exp2_number(double x) {
  const double shifted = x + 6755399441055744.0;  // 1.5 * 2^52: the integer part in the low bits
  const double n = shifted - 6755399441055744.0;
  const double z = (x - n) * 0.6931471805599453;
  double r = 1.0 / 6227020800.0;
  r = r * z + 1.0 / 479001600.0;
  r = r * z + 1.0 / 39916800.0;
  r = r * z + 1.0 / 3628800.0;
  r = r * z + 1.0 / 362880.0;
  r = r * z + 1.0 / 40320.0;
  r = r * z + 1.0 / 5040.0;
  r = r * z + 1.0 / 720.0;
  r = r * z + 1.0 / 120.0;
  r = r * z + 1.0 / 24.0;
  r = r * z + 1.0 / 6.0;
  r = r * z + 0.5;
  r = r * z + 1.0;
  r = r * z + 1.0;
  return f64_from(f64_bits(r) + (f64_bits(shifted) << 52));
}
/// log2 of a positive normal double: 2^e * m, m in [sqrt(1/2), sqrt 2), series in (m - 1) / (m + 1).
GFX9_INLINE double log2_number(double x) {
  const u64 b = f64_bits(x);
  const u64 shifted = b - 0x3fe6a09e667f3bcd;  // sqrt(1/2)
  const i32 e = as_i32(static_cast<u32>(shifted >> 32)) >> 20;
  const double m = f64_from(b - (static_cast<u64>(static_cast<u32>(e)) << 52));
  const double s = (m - 1.0) / (m + 1.0), z = s * s;
  double r = 1.0 / 21.0;
  r = r * z + 1.0 / 19.0;
  r = r * z + 1.0 / 17.0;
  r = r * z + 1.0 / 15.0;
  r = r * z + 1.0 / 13.0;
  r = r * z + 1.0 / 11.0;
  r = r * z + 1.0 / 9.0;
  r = r * z + 1.0 / 7.0;
  r = r * z + 1.0 / 5.0;
  r = r * z + 1.0 / 3.0;
  r = r * z + 1.0;
  return r * s * 2.8853900817779268 + static_cast<double>(e);  // 2 / ln 2
}
GFX9_INLINE float exp_number(float x) {
  const float inside = pick(x > 400.0f, 400.0f, pick(x > -400.0f, x, -400.0f));
  return nan_rule(pick(x != x, x, static_cast<float>(exp2_number(inside))), x);
}
GFX9_INLINE float log_number(float x) {
  const bool finite = x > 0.0f && f32_mag(x) < kF32Inf;
  const float r = static_cast<float>(log2_number(pick(finite, x, 1.0f)));
  const u32 special = f32_mag(x) == 0 ? kF32Inf | kF32Sign : x > 0.0f ? kF32Inf : kF32Nan;
  return nan_rule(pick(finite, r, f32_from(special)), x);
}
/// sin or cos of x turns. Hardware's domain is |x| <= 256; beyond it returns 0 and 1.
template <bool Cos>
GFX9_INLINE float turn_number(float x) {
  const bool in = f32_mag(x) <= 0x43800000u;
  const double t = pick(in, x, 0.0f);
  const double shifted = t * 4.0 + 6755399441055744.0;
  const u32 quadrant = static_cast<u32>(f64_bits(shifted)) + (Cos ? 1 : 0);
  const double z = (t - (shifted - 6755399441055744.0) * 0.25) * 6.283185307179586, y = z * z;  // |z| <= pi/4
  double c = -1.0 / 87178291200.0;
  c = c * y + 1.0 / 479001600.0;
  c = c * y - 1.0 / 3628800.0;
  c = c * y + 1.0 / 40320.0;
  c = c * y - 1.0 / 720.0;
  c = c * y + 1.0 / 24.0;
  c = c * y - 0.5;
  c = c * y + 1.0;
  double s = 1.0 / 6227020800.0;
  s = s * y - 1.0 / 39916800.0;
  s = s * y + 1.0 / 362880.0;
  s = s * y - 1.0 / 5040.0;
  s = s * y + 1.0 / 120.0;
  s = s * y - 1.0 / 6.0;
  s = s * y * z + z;
  const double v = pick((quadrant & 1) != 0, c, s);
  // An exact zero keeps the sign of x for the sine and is plus zero for the cosine.
  const float zero = Cos ? 0.0f : f32_from(f32_bits(x) & kF32Sign);
  const float r = static_cast<float>(pick((quadrant & 2) != 0, -v, v));
  const float inside = pick(v == 0.0, zero, r);
  const float far = pick(f32_mag(x) == kF32Inf, f32_from(kF32Nan), Cos ? 1.0f : 0.0f);
  return nan_rule(pick(x != x, x, pick(in, inside, far)), x);
}
GFX9_INLINE float v_exp_f32(float x) { return no_denormal(exp_number(no_denormal(x))); }
GFX9_INLINE float v_log_f32(float x) { return log_number(no_denormal(x)); }
GFX9_INLINE float v_sin_f32(float x) { return no_denormal(turn_number<false>(no_denormal(x))); }
GFX9_INLINE float v_cos_f32(float x) { return turn_number<true>(no_denormal(x)); }

GFX9_INLINE float rcp_number(float x) { return nan_rule(1.0f / x, x); }
GFX9_INLINE Half v_rcp_f16(const FpCtx& fp, Half x) { return half_op1<rcp_number>(fp, x); }
GFX9_INLINE Half v_sqrt_f16(const FpCtx& fp, Half x) { return half_op1<sqrt_number>(fp, x); }
GFX9_INLINE Half v_rsq_f16(const FpCtx& fp, Half x) { return half_op1<rsq_number>(fp, x); }
GFX9_INLINE Half v_exp_f16(const FpCtx& fp, Half x) { return half_op1<exp_number>(fp, x); }
GFX9_INLINE Half v_log_f16(const FpCtx& fp, Half x) { return half_op1<log_number>(fp, x); }
GFX9_INLINE Half v_sin_f16(const FpCtx& fp, Half x) { return half_op1<turn_number<false>>(fp, x); }
GFX9_INLINE Half v_cos_f16(const FpCtx& fp, Half x) { return half_op1<turn_number<true>>(fp, x); }

}  // namespace softgpu::gfx9::GFX9_LANES_NS
