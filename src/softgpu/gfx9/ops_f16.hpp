// Half-precision ops of the vector ALU as pure functions of one lane. For lane sources only.
//
// A half is widened to single (exact), the op runs there, and narrow() rounds back in the host's rounding
// mode (class Fp::f16: MODE 3:2). For +, -, *, / and square root that gives the correctly rounded half, since
// single has more than twice the precision; fma goes through double for the same reason.
#pragma once

#include "gfx9/ops_f64.hpp"

namespace softgpu::gfx9::GFX9_LANES_NS {

/// The value of a half; denormals kept. Exact in any host mode.
GFX9_INLINE constexpr float widen_number(Half h) {
  const u32 mag = h.bits & 0x7fffu;
  const float tiny = static_cast<float>(static_cast<i32>(mag & 0x3ffu)) * f32_from(0x33800000u);  // 2^-24
  const u32 rest = (mag << 13) + (mag >= 0x7c00u ? 0x70000000u : 0x38000000u);
  return f32_from((mag < 0x400u ? f32_bits(tiny) : rest) | (h.bits & 0x8000u) << 16);
}
GFX9_INLINE constexpr float widen(const FpCtx& fp, Half h) {
  const u32 b = h.bits;
  return widen_number({static_cast<u16>((b & 0x7c00u) == 0 ? b & fp.f16_in : b)});
}
static_assert(widen_number({0x3c00}) == 1.0f && widen_number({0x0001}) == 0x1p-24f &&
              widen_number({0xfbff}) == -65504.0f);

/// Bits of a half from a single that already is one (or lies outside: `over` for the sign).
GFX9_INLINE constexpr u32 half_bits_of(float rounded) {
  const u32 mag = f32_mag(rounded);
  const bool denormal = mag < 0x38800000u;  // 2^-14
  const float scaled = f32_from(denormal ? mag : 0) * 16777216.0f;
  return denormal ? as_u32(static_cast<i32>(scaled)) : (mag >> 13) - 0x1c000u;
}
GFX9_INLINE constexpr Half finish_half(const FpCtx& fp, float x, float rounded) {
  const u32 sign = f32_bits(x) >> 31, mag = f32_mag(x);
  u32 h = half_bits_of(rounded);
  h = (h & 0x7c00u) == 0 ? h & fp.f16_out : h;
  h |= sign << 15;
  const u32 over = sign != 0 ? fp.half_over[1] : fp.half_over[0];
  h = f32_mag(rounded) >= 0x47800000u ? over : h;  // 65536
  h = mag == kF32Inf ? sign << 15 | 0x7c00u : h;
  h = mag > kF32Inf ? sign << 15 | 0x7e00u | (mag >> 13 & 0x3ffu) : h;
  return {static_cast<u16>(h)};
}
/// A single rounded to half in the host's rounding mode. Adding and taking away 2^13 units of the wanted last
/// place leaves the rounding to the adder.
GFX9_INLINE Half narrow(const FpCtx& fp, float x) {
  const u32 b = f32_bits(x), e0 = b & kF32Inf;
  const u32 e1 = e0 < 0x38800000u ? 0x38800000u : e0, e = e1 > 0x48000000u ? 0x48000000u : e1;
  const float c = f32_from((e + (13u << 23)) | (b & kF32Sign));
  return finish_half(fp, x, (x + c) - c);
}
/// The same from a double of at most half's range squared.
GFX9_INLINE Half narrow(const FpCtx& fp, double x) {
  const u64 b = f64_bits(x), e0 = b & kF64Inf;
  constexpr u64 kLow = u64{1023 - 14} << 52, kHigh = u64{1023 + 40} << 52;
  const u64 e1 = e0 < kLow ? kLow : e0, e = e1 > kHigh ? kHigh : e1;
  const double c = f64_from((e + (u64{42} << 52)) | (b & kF64Sign));
  const float rounded = static_cast<float>((x + c) - c);
  const bool number = e0 != kF64Inf;
  return finish_half(fp,
                     f32_from(number ? (f32_bits(rounded) & ~kF32Sign) | static_cast<u32>(b >> 32 & kF32Sign)
                                     : f32_bits(static_cast<float>(x))),
                     rounded);
}
/// A single cut (rounded toward zero) to half, whatever the mode.
GFX9_INLINE constexpr u32 narrow_toward_zero(float x) {
  const u32 mag = f32_mag(x), sign = f32_bits(x) >> 31 << 15;
  const u32 h = half_bits_of(f32_from(mag >= 0x47800000u ? 0 : mag));
  if (mag > kF32Inf) return sign | 0x7e00u | (mag >> 13 & 0x3ffu);
  if (mag == kF32Inf) return sign | 0x7c00u;
  return sign | (mag >= 0x47800000u ? 0x7bffu : h);
}
static_assert(narrow_toward_zero(1.9999999f) == 0x3fff && narrow_toward_zero(-70000.0f) == 0xfbff);
static_assert(narrow_toward_zero(0x1.8p-24f) == 1 && narrow_toward_zero(0x1p-25f) == 0);

// --- adaptors: a single-precision op as a half-precision one ---
template <auto F>
GFX9_INLINE Half half_op1(const FpCtx& fp, Half a) {
  return narrow(fp, F(widen(fp, a)));
}
template <auto F>
GFX9_INLINE Half half_op2(const FpCtx& fp, Half a, Half b) {
  return narrow(fp, F(widen(fp, a), widen(fp, b)));
}
GFX9_INLINE Half v_mad_f16(const FpCtx& fp, Half a, Half b, Half c) {
  const float product = widen(fp, narrow(fp, v_mul_f32(widen(fp, a), widen(fp, b))));
  const float x = widen(fp, a), y = widen(fp, b), z = widen(fp, c);
  return narrow(fp, nan_rule(product + z, x, y, z));
}
GFX9_INLINE Half v_fma_f16(const FpCtx& fp, Half a, Half b, Half c) {
  const double x = widen(fp, a), y = widen(fp, b), z = widen(fp, c);
  const double product = x * y;  // exact
  return narrow(fp, nan_rule(product + z, x, y, z));
}
GFX9_INLINE Half v_mac_f16(const FpCtx& fp, Half a, Half b, Half c) { return v_mad_f16(fp, a, b, c); }

template <bool Max>
GFX9_INLINE Half half_min_max(const FpCtx& fp, Half a, Half b) {
  return narrow(fp, min_max_number<Max>(fp.ieee, widen(fp, a), widen(fp, b)));
}
GFX9_INLINE Half v_min_f16(const FpCtx& fp, Half a, Half b) { return half_min_max<false>(fp, a, b); }
GFX9_INLINE Half v_max_f16(const FpCtx& fp, Half a, Half b) { return half_min_max<true>(fp, a, b); }
template <bool Max>
GFX9_INLINE Half half_min_max3(const FpCtx& fp, Half a, Half b, Half c) {
  const float ab = min_max_number<Max>(fp.ieee, widen(fp, a), widen(fp, b));
  return narrow(fp, min_max_number<Max>(fp.ieee, ab, widen(fp, c)));
}
GFX9_INLINE Half v_med3_f16(const FpCtx& fp, Half a, Half b, Half c) {
  return narrow(fp, med3_number(fp.ieee, widen(fp, a), widen(fp, b), widen(fp, c)));
}

GFX9_INLINE Half v_trunc_f16(const FpCtx& fp, Half a) {
  const float x = widen(fp, a);
  return narrow(fp, quiet_if_nan(trunc_number(x), x));
}
GFX9_INLINE Half v_floor_f16(const FpCtx& fp, Half a) {
  const float x = widen(fp, a);
  return narrow(fp, quiet_if_nan(floor_number(x), x));
}
GFX9_INLINE Half v_ceil_f16(const FpCtx& fp, Half a) {
  const float x = widen(fp, a);
  return narrow(fp, quiet_if_nan(ceil_number(x), x));
}
GFX9_INLINE Half v_rndne_f16(const FpCtx& fp, Half a) {
  const float x = widen(fp, a);
  return narrow(fp, quiet_if_nan(rndne_number(x), x));
}
GFX9_INLINE Half v_fract_f16(const FpCtx& fp, Half a) {
  const float x = widen(fp, a);
  const Half r = narrow(fp, nan_rule(x - floor_number(x), x));
  return r.bits == 0x3c00 ? Half{0x3bff} : r;
}
GFX9_INLINE i16 v_frexp_exp_i16_f16(const FpCtx& fp, Half a) {
  return static_cast<i16>(v_frexp_exp_i32_f32(kKeep, widen(fp, a)));
}
GFX9_INLINE Half v_frexp_mant_f16(const FpCtx& fp, Half a) {
  return narrow(fp, v_frexp_mant_f32(kKeep, widen(fp, a)));
}
GFX9_INLINE Half v_ldexp_f16(const FpCtx& fp, Half a, i16 n) {
  const i32 bounded = n < -60 ? -60 : n > 60 ? 60 : n;
  const float x = widen(fp, a);
  return narrow(fp, nan_rule(x * f32_from(static_cast<u32>(bounded + 127) << 23), x));
}
GFX9_INLINE constexpr bool v_cmp_class_f16(Half a, u32 mask) {
  const u32 mag = a.bits & 0x7fffu;
  return (class_bits((a.bits & 0x8000u) != 0, mag > 0x7c00, mag > 0x7c00 && (mag & 0x200u) == 0,
                     mag == 0x7c00, mag == 0, mag < 0x400u) &
          mask) != 0;
}

}  // namespace softgpu::gfx9::GFX9_LANES_NS
