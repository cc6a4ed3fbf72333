// Single-precision ops of the vector ALU as pure functions of one lane. For lane sources only.
//
// Arithmetic (+, *, fma) runs in the host unit under MODE's rounding and denormal bits (class Fp::f32), so
// denormals are flushed there. Ops that move or compare bits flush by the masks of FpCtx.
// NaN rule: the first NaN operand, made quiet, is the result; a new NaN is 0x7fc00000. The host's own choice
// depends on how the compiler orders operands, hence nan_rule() in every arithmetic op.
// v_mad/v_mac round the product and the sum separately and flush by MODE; v_fma/v_fmac round once.
#pragma once

#include "gfx9/ops_int.hpp"

namespace softgpu::gfx9::GFX9_LANES_NS {

constexpr u32 kF32Sign = 0x80000000u, kF32Inf = 0x7f800000u, kF32Quiet = 0x00400000u, kF32Nan = 0x7fc00000u;

GFX9_INLINE constexpr u32 f32_mag(float x) { return f32_bits(x) & ~kF32Sign; }
GFX9_INLINE constexpr bool is_nan(float x) { return f32_mag(x) > kF32Inf; }
GFX9_INLINE constexpr bool is_snan(float x) { return is_nan(x) && (f32_bits(x) & kF32Quiet) == 0; }
GFX9_INLINE constexpr float quiet(float x) { return f32_from(f32_bits(x) | kF32Quiet); }
GFX9_INLINE constexpr float pick(bool which, float yes, float no) {
  const u32 m = which ? ~0u : 0u;
  return f32_from((f32_bits(yes) & m) | (f32_bits(no) & ~m));
}
/// A denormal becomes a zero of its sign unless `keep` is all ones.
GFX9_INLINE constexpr float flush(float x, u32 keep) {
  const u32 b = f32_bits(x);
  return f32_from((b & kF32Inf) == 0 ? b & keep : b);
}
GFX9_INLINE float nan_rule(float r, float a) {
  return pick(r != r, pick(a != a, quiet(a), f32_from(kF32Nan)), r);
}
GFX9_INLINE float nan_rule(float r, float a, float b) {
  const float n = pick(a != a, quiet(a), pick(b != b, quiet(b), f32_from(kF32Nan)));
  return pick(r != r, n, r);
}
GFX9_INLINE float nan_rule(float r, float a, float b, float c) {
  const float n = pick(a != a, quiet(a), pick(b != b, quiet(b), pick(c != c, quiet(c), f32_from(kF32Nan))));
  return pick(r != r, n, r);
}

// --- arithmetic under MODE ---
GFX9_INLINE float v_add_f32(float a, float b) { return nan_rule(a + b, a, b); }
GFX9_INLINE float v_sub_f32(float a, float b) { return nan_rule(a - b, a, b); }
GFX9_INLINE float v_subrev_f32(float a, float b) { return nan_rule(b - a, a, b); }
GFX9_INLINE float v_mul_f32(float a, float b) { return nan_rule(a * b, a, b); }
/// Zero times anything, NaN and infinity included, is plus zero.
GFX9_INLINE float v_mul_legacy_f32(float a, float b) {
  return pick((a == 0.0f) | (b == 0.0f), 0.0f, v_mul_f32(a, b));
}
GFX9_INLINE float v_mad_f32(float a, float b, float c) {
  const float product = a * b;
  return nan_rule(product + c, a, b, c);
}
GFX9_INLINE float v_mad_legacy_f32(float a, float b, float c) { return v_add_f32(v_mul_legacy_f32(a, b), c); }

/// a * b + c, exact but for the last bit of a double, which tells whether something was cut off (round to
/// odd): converted to single it is a correctly rounded fma, also after an exact scaling. Class Fp::f32.
GFX9_INLINE double fma_to_odd(const FpCtx& fp, float fa, float fb, float fc) {
  const double a = fa, b = fb, c = fc;
  const double p = a * b;  // exact: 48 bits
  const double s = p + c;
  const double t = s - p;
  const double error = (p - (s - t)) + (c - t);  // exact when rounding to nearest
  const u64 bits = f64_bits(s);
  // error has the sign of s: s was rounded towards zero, setting the last bit is rounding to odd. Otherwise
  // s is one step too large in magnitude. Directed roundings need nothing: rounding twice the same way is
  // rounding once (and `error` would not be exact).
  const u64 toward = (f64_bits(error) ^ bits) >> 63;
  const u64 odd = (bits - toward) | 1;
  const bool adjust = (error != 0) & (bits % 2 == 0) & (error == error) & (fp.nearest_f32 != 0);
  return f64_from(adjust ? odd : bits);
}
GFX9_INLINE float fma_number([[maybe_unused]] const FpCtx& fp, float a, float b, float c) {
#if defined(__FMA__)
  return __builtin_fmaf(a, b, c);
#else
  return static_cast<float>(fma_to_odd(fp, a, b, c));
#endif
}
GFX9_INLINE float v_fma_f32(const FpCtx& fp, float a, float b, float c) {
  return nan_rule(fma_number(fp, a, b, c), a, b, c);
}

// --- minimum and maximum (classes: Fp::none, flushed by hand) ---
/// Source: "Vega" ISA manual, V_MIN_F32/V_MAX_F32: a signalling NaN wins in IEEE mode, else the number wins.
template <bool Max>
GFX9_INLINE constexpr float min_max_number(u32 ieee_mask, float a, float b) {
  // Ordered as integers: minus zero is below plus zero.
  const i32 ka = as_i32(f32_bits(a) ^ (as_u32(as_i32(f32_bits(a)) >> 31) & ~kF32Sign));
  const i32 kb = as_i32(f32_bits(b) ^ (as_u32(as_i32(f32_bits(b)) >> 31) & ~kF32Sign));
  float r = pick(Max ? ka > kb : ka < kb, a, b);
  r = pick(is_nan(b), a, r);
  r = pick(is_nan(a), b, r);
  const bool ieee = ieee_mask != 0;
  r = pick(ieee & is_snan(b), quiet(b), r);
  return pick(ieee & is_snan(a), quiet(a), r);
}
template <bool Max>
GFX9_INLINE constexpr float min_max(const FpCtx& fp, float a, float b) {
  const u32 keep = fp.f32_in & fp.f32_out;
  return min_max_number<Max>(fp.ieee, flush(a, keep), flush(b, keep));
}
GFX9_INLINE constexpr float med3_number(u32 ieee, float a, float b, float c) {
  const float lo = min_max_number<false>(ieee, a, b), hi = min_max_number<true>(ieee, a, b);
  const float med = min_max_number<true>(ieee, lo, min_max_number<false>(ieee, hi, c));
  const bool any_nan = (int{is_nan(a)} | int{is_nan(b)} | int{is_nan(c)}) != 0;  // no branch: lane code
  return pick(any_nan, min_max_number<false>(ieee, lo, c), med);
}
constexpr FpCtx kKeep = {.f32_in = ~0u, .f32_out = ~0u};  // for compile-time checks
constexpr FpCtx kKeepIeee = {.f32_in = ~0u, .f32_out = ~0u, .ieee = ~0u};
GFX9_INLINE constexpr float v_min_f32(const FpCtx& fp, float a, float b) { return min_max<false>(fp, a, b); }
GFX9_INLINE constexpr float v_max_f32(const FpCtx& fp, float a, float b) { return min_max<true>(fp, a, b); }
GFX9_INLINE constexpr float v_min3_f32(const FpCtx& fp, float a, float b, float c) {
  return min_max<false>(fp, min_max<false>(fp, a, b), c);
}
GFX9_INLINE constexpr float v_max3_f32(const FpCtx& fp, float a, float b, float c) {
  return min_max<true>(fp, min_max<true>(fp, a, b), c);
}
GFX9_INLINE constexpr float v_med3_f32(const FpCtx& fp, float a, float b, float c) {
  const u32 keep = fp.f32_in & fp.f32_out;
  return med3_number(fp.ieee, flush(a, keep), flush(b, keep), flush(c, keep));
}
static_assert(f32_bits(v_max_f32(kKeepIeee, -0.0f, 0.0f)) == 0);
static_assert(f32_bits(v_min_f32(kKeepIeee, 0.0f, -0.0f)) == kF32Sign);
static_assert(f32_bits(v_max_f32(kKeepIeee, f32_from(0x7f800001u), 1.0f)) == 0x7fc00001u);
static_assert(f32_bits(v_max_f32(kKeep, f32_from(0x7f800001u), 1.0f)) == 0x3f800000u);

// --- rounding to integral values (exact; Fp::none) ---
GFX9_INLINE constexpr float trunc_number(float x) {
  const u32 b = f32_bits(x), sign = b & kF32Sign;
  const bool small = f32_mag(x) < 0x4b000000u;  // below 2^23: has fraction bits
  const float inside = f32_from(b & (small ? ~0u : 0u));
  const float t = static_cast<float>(static_cast<i32>(inside));
  return f32_from((small ? f32_bits(t) & ~kF32Sign : b & ~kF32Sign) | sign);
}
GFX9_INLINE constexpr float quiet_if_nan(float r, float x) { return pick(is_nan(x), quiet(x), r); }
GFX9_INLINE constexpr float floor_number(float x) {
  const float t = trunc_number(x);
  const u32 sign = f32_bits(x) & kF32Sign;
  return f32_from(f32_bits(pick(t > x, t - 1.0f, t)) | sign);
}
GFX9_INLINE constexpr float ceil_number(float x) {
  const float t = trunc_number(x);
  const u32 sign = f32_bits(x) & kF32Sign;
  return f32_from((f32_bits(pick(t < x, t + 1.0f, t)) & ~kF32Sign) | sign);
}
GFX9_INLINE constexpr float rndne_number(float x) {
  const float t = f32_from(f32_bits(trunc_number(x)) & ~kF32Sign), m = f32_from(f32_mag(x));
  const float rest = m - t;
  const bool odd = t < 8388608.0f && (static_cast<i32>(pick(t < 8388608.0f, t, 0.0f)) & 1) != 0;
  const bool up = rest > 0.5f || (rest == 0.5f && odd);
  return f32_from(f32_bits(pick(up, t + 1.0f, t)) | (f32_bits(x) & kF32Sign));
}
GFX9_INLINE constexpr float v_trunc_f32(const FpCtx& fp, float x) {
  return quiet_if_nan(trunc_number(flush(x, fp.f32_in)), x);
}
GFX9_INLINE constexpr float v_floor_f32(const FpCtx& fp, float x) {
  return quiet_if_nan(floor_number(flush(x, fp.f32_in)), x);
}
GFX9_INLINE constexpr float v_ceil_f32(const FpCtx& fp, float x) {
  return quiet_if_nan(ceil_number(flush(x, fp.f32_in)), x);
}
GFX9_INLINE constexpr float v_rndne_f32(const FpCtx& fp, float x) {
  return quiet_if_nan(rndne_number(flush(x, fp.f32_in)), x);
}
static_assert(rndne_number(2.5f) == 2.0f && rndne_number(3.5f) == 4.0f && rndne_number(-0.75f) == -1.0f);
static_assert(floor_number(-0.5f) == -1.0f && ceil_number(0.5f) == 1.0f && trunc_number(-1.5f) == -1.0f);
static_assert(f32_bits(ceil_number(-0.5f)) == kF32Sign && f32_bits(trunc_number(-0.5f)) == kF32Sign);
/// x - floor(x), kept below one. Class Fp::f32.
GFX9_INLINE float v_fract_f32(const FpCtx& fp, float x0) {
  const float x = flush(x0, fp.f32_in);
  const float r = x - floor_number(x);
  const float below = f32_from(0x3f7fffffu);
  return nan_rule(pick(r > below, below, r), x0);
}

// --- exponent and mantissa ---
GFX9_INLINE constexpr i32 v_frexp_exp_i32_f32(const FpCtx& fp, float x) {
  const u32 mag = f32_mag(flush(x, fp.f32_in));
  if (mag == 0 || mag >= kF32Inf) return 0;
  const i32 exponent = as_i32(mag >> 23);
  return exponent != 0 ? exponent - 126 : -117 - __builtin_clz(mag);
}
GFX9_INLINE constexpr float v_frexp_mant_f32(const FpCtx& fp, float x0) {
  const float x = flush(x0, fp.f32_in);
  const u32 mag = f32_mag(x), sign = f32_bits(x) & kF32Sign;
  if (mag > kF32Inf) return quiet(x);
  if (mag == 0 || mag == kF32Inf) return x;
  const u32 shift = mag >> 23 != 0 ? 0 : as_u32(__builtin_clz(mag)) - 8;
  return f32_from(sign | 0x3f000000u | (mag << shift & 0x007fffffu));
}
static_assert(v_frexp_exp_i32_f32(kKeep, f32_from(1)) == -148);
static_assert(v_frexp_mant_f32(kKeep, f32_from(3)) == 0.75f);
GFX9_INLINE constexpr double power_of_two(i32 n) { return f64_from(static_cast<u64>(n + 1023) << 52); }
/// x * 2^n, rounded once. Class Fp::f32.
GFX9_INLINE float v_ldexp_f32(float x, i32 n) {
  const i32 bounded = n < -400 ? -400 : n > 400 ? 400 : n;
  const double scaled = static_cast<double>(x) * power_of_two(bounded);
  return nan_rule(static_cast<float>(scaled), x);
}

// --- cube map coordinates ---
enum class Axis : uint8_t { x, y, z };
GFX9_INLINE constexpr Axis major_axis(float x, float y, float z) {
  const float ax = f32_from(f32_mag(x)), ay = f32_from(f32_mag(y)), az = f32_from(f32_mag(z));
  return az >= ax && az >= ay ? Axis::z : ay >= ax ? Axis::y : Axis::x;
}
GFX9_INLINE constexpr float v_cubeid_f32(float x, float y, float z) {
  const Axis m = major_axis(x, y, z);
  const float v = m == Axis::z ? z : m == Axis::y ? y : x;
  return (m == Axis::z ? 4.0f : m == Axis::y ? 2.0f : 0.0f) + (v < 0.0f ? 1.0f : 0.0f);
}
GFX9_INLINE constexpr float v_cubesc_f32(float x, float y, float z) {
  const Axis m = major_axis(x, y, z);
  return m == Axis::z ? (z < 0.0f ? -x : x) : m == Axis::y ? x : (x < 0.0f ? z : -z);
}
GFX9_INLINE constexpr float v_cubetc_f32(float x, float y, float z) {
  return major_axis(x, y, z) == Axis::y ? (y < 0.0f ? -z : z) : -y;
}
GFX9_INLINE constexpr float v_cubema_f32(float x, float y, float z) {
  const Axis m = major_axis(x, y, z);
  return 2.0f * (m == Axis::z ? z : m == Axis::y ? y : x);
}

// --- compare ---
/// A 10-bit class mask. Source: "Vega" ISA manual, V_CMP_CLASS_F32.
GFX9_INLINE constexpr u32 class_bits(bool negative, bool nan, bool snan, bool inf, bool zero, bool denorm) {
  if (nan) return snan ? 1u << 0 : 1u << 1;
  if (inf) return negative ? 1u << 2 : 1u << 9;
  if (zero) return negative ? 1u << 5 : 1u << 6;
  if (denorm) return negative ? 1u << 4 : 1u << 7;
  return negative ? 1u << 3 : 1u << 8;
}
GFX9_INLINE constexpr bool v_cmp_class_f32(float x, u32 mask) {
  const u32 mag = f32_mag(x);
  return (class_bits((f32_bits(x) & kF32Sign) != 0, mag > kF32Inf, is_snan(x), mag == kF32Inf, mag == 0,
                     mag < 0x00800000u) &
          mask) != 0;
}
static_assert(v_cmp_class_f32(1.0f, 1u << 8) && v_cmp_class_f32(f32_from(kF32Sign), 1u << 5));

}  // namespace softgpu::gfx9::GFX9_LANES_NS
