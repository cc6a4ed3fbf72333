// Conversions of the vector ALU as pure functions of one lane. For lane sources only.
// Float to integer cuts towards zero, saturates, and turns NaN into 0.
#pragma once

#include "gfx9/ops_f16.hpp"

namespace softgpu::gfx9::GFX9_LANES_NS {

constexpr float kTwo31 = 2147483648.0f, kTwo32 = 4294967296.0f;

GFX9_INLINE constexpr i32 v_cvt_i32_f32(float x) {
  const bool in = x >= -kTwo31 && x < kTwo31;
  const i32 n = static_cast<i32>(pick(in, x, 0.0f));
  const u32 out = x >= kTwo31 ? 0x7fffffffu : x < -kTwo31 ? 0x80000000u : 0;
  return as_i32(in ? as_u32(n) : out);
}
GFX9_INLINE constexpr u32 v_cvt_u32_f32(float x) {
  const bool in = x > 0.0f && x < kTwo32, top = in && x >= kTwo31;
  const float y = pick(in, pick(top, x - kTwo31, x), 0.0f);
  const u32 n = as_u32(static_cast<i32>(y)) ^ (top ? 0x80000000u : 0);
  return x >= kTwo32 ? ~0u : n;
}
static_assert(v_cvt_i32_f32(-1.9f) == -1 && v_cvt_i32_f32(3e9f) == 0x7fffffff &&
              v_cvt_i32_f32(f32_from(kF32Nan)) == 0);
static_assert(v_cvt_u32_f32(3e9f) == 3000000000u && v_cvt_u32_f32(-1.0f) == 0 && v_cvt_u32_f32(1e20f) == ~0u);
GFX9_INLINE constexpr i32 v_cvt_i32_f64(double x) {
  if (!(x >= -2147483649.0)) return x < 0 ? as_i32(0x80000000u) : 0;
  return x >= 2147483648.0 ? 0x7fffffff : x <= -2147483648.0 ? as_i32(0x80000000u) : static_cast<i32>(x);
}
GFX9_INLINE constexpr u32 v_cvt_u32_f64(double x) {
  return !(x > 0.0) ? 0 : x >= 4294967296.0 ? ~0u : static_cast<u32>(x);
}
static_assert(v_cvt_i32_f64(-2147483648.5) == as_i32(0x80000000u) && v_cvt_i32_f64(1e300) == 0x7fffffff);
static_assert(v_cvt_u32_f64(4294967295.9) == ~0u && v_cvt_u32_f64(f64_from(kF64Nan)) == 0);

// Class Fp::f32: rounded by MODE.
GFX9_INLINE float v_cvt_f32_i32(i32 x) { return static_cast<float>(x); }
GFX9_INLINE float v_cvt_f32_u32(u32 x) {
  return static_cast<float>(static_cast<double>(as_i32(x ^ 0x80000000u)) + 2147483648.0);
}
GFX9_INLINE float v_cvt_f32_f64(double x) {
  return pick(x != x,
              quiet(f32_from(static_cast<u32>(f64_bits(x) >> 32 & kF32Sign) | kF32Inf |
                             static_cast<u32>(f64_bits(x) >> 29 & 0x7fffffu))),
              static_cast<float>(x));
}
GFX9_INLINE double v_cvt_f64_f32(float x) { return static_cast<double>(x); }
GFX9_INLINE constexpr double v_cvt_f64_i32(i32 x) { return x; }
GFX9_INLINE constexpr double v_cvt_f64_u32(u32 x) { return x; }
template <unsigned N>
GFX9_INLINE constexpr float cvt_f32_ubyte(u32 x) {
  return static_cast<float>(as_i32(byte_of(x, N)));
}
GFX9_INLINE constexpr float v_cvt_off_f32_i4(u32 x) {
  return static_cast<float>(as_i32(x << 28) >> 28) * 0.0625f;
}
static_assert(v_cvt_off_f32_i4(8) == -0.5f && v_cvt_off_f32_i4(7) == 0.4375f);
GFX9_INLINE constexpr i32 v_cvt_flr_i32_f32(float x) { return v_cvt_i32_f32(floor_number(x)); }
/// floor(x + 0.5) of the exact sum: 0x3effffff, just below a half, gives 0, where a sum rounded to single
/// would be 1. Sources: "Vega" ISA manual, V_CVT_RPI_I32_F32; the CDNA3 manual says "round to nearest integer
/// semantics"; AMD's model of gfx1201, checked against hardware (rocjitsu, conversion.h, NEAREST_UP), rounds
/// the exact sum. There NaN saturates by its sign; for gfx9 the manual's conversion to integer is kept: zero.
GFX9_INLINE constexpr i32 v_cvt_rpi_i32_f32(float x) {
  const float t = floor_number(x);
  // The difference is exact near a half, and rounded elsewhere never crosses it.
  return v_cvt_i32_f32(pick(x - t >= 0.5f, t + 1.0f, t));
}
static_assert(v_cvt_rpi_i32_f32(f32_from(0x3effffffu)) == 0 && v_cvt_rpi_i32_f32(0.5f) == 1 &&
              v_cvt_rpi_i32_f32(-0.5f) == 0 && v_cvt_rpi_i32_f32(f32_from(0xbf000001u)) == -1);

// Class Fp::f16.
GFX9_INLINE Half v_cvt_f16_f32(const FpCtx& fp, float x) { return narrow(fp, flush(x, fp.f32_in)); }
GFX9_INLINE float v_cvt_f32_f16(const FpCtx& fp, Half x) {
  const float r = widen(fp, x);
  return quiet_if_nan(r, r);
}
GFX9_INLINE Half v_cvt_f16_u16(const FpCtx& fp, u16 x) { return narrow(fp, static_cast<float>(i32{x})); }
GFX9_INLINE Half v_cvt_f16_i16(const FpCtx& fp, i16 x) { return narrow(fp, static_cast<float>(i32{x})); }
GFX9_INLINE u16 v_cvt_u16_f16(Half x) {
  const i32 n = v_cvt_i32_f32(widen_number(x));
  return static_cast<u16>(n < 0 ? 0 : n > 0xffff ? 0xffff : n);
}
GFX9_INLINE i16 v_cvt_i16_f16(Half x) {
  const i32 n = v_cvt_i32_f32(widen_number(x));
  return static_cast<i16>(n < -0x8000 ? -0x8000 : n > 0x7fff ? 0x7fff : n);
}
GFX9_INLINE constexpr u32 v_cvt_pkrtz_f16_f32(const FpCtx& fp, float a, float b) {
  return narrow_toward_zero(flush(a, fp.f32_in)) | narrow_toward_zero(flush(b, fp.f32_in)) << 16;
}

// --- normalised: -1..1 or 0..1 times the largest integer, to nearest even (class Fp::exact) ---
GFX9_INLINE i32 norm_i16(float x) {
  const float c = pick(x > 1.0f, 1.0f, pick(x < -1.0f, -1.0f, pick(x != x, 0.0f, x)));
  return static_cast<i32>(rndne_number(c * 32767.0f));
}
GFX9_INLINE i32 norm_u16(float x) {
  const float c = pick(x > 1.0f, 1.0f, pick(x > 0.0f, x, 0.0f));
  return static_cast<i32>(rndne_number(c * 65535.0f));
}
GFX9_INLINE u32 pack_words(i32 lo, i32 hi) { return (as_u32(lo) & 0xffffu) | as_u32(hi) << 16; }
GFX9_INLINE u32 v_cvt_pknorm_i16_f32(float a, float b) { return pack_words(norm_i16(a), norm_i16(b)); }
GFX9_INLINE u32 v_cvt_pknorm_u16_f32(float a, float b) { return pack_words(norm_u16(a), norm_u16(b)); }
GFX9_INLINE u32 v_cvt_pknorm_i16_f16(Half a, Half b) {
  return pack_words(norm_i16(widen_number(a)), norm_i16(widen_number(b)));
}
GFX9_INLINE u32 v_cvt_pknorm_u16_f16(Half a, Half b) {
  return pack_words(norm_u16(widen_number(a)), norm_u16(widen_number(b)));
}
GFX9_INLINE i16 v_cvt_norm_i16_f16(Half a) { return static_cast<i16>(norm_i16(widen_number(a))); }
GFX9_INLINE u16 v_cvt_norm_u16_f16(Half a) { return static_cast<u16>(norm_u16(widen_number(a))); }

/// A float cut to 0..255 in byte b of c.
GFX9_INLINE constexpr u32 v_cvt_pk_u8_f32(float a, u32 b, u32 c) {
  const u32 n = v_cvt_u32_f32(a), byte = n > 255 ? 255 : n, at = 8 * (b & 3);
  return (c & ~(0xffu << at)) | byte << at;
}
static_assert(v_cvt_pk_u8_f32(200.7f, 1, ~0u) == 0xffffc8ffu && v_cvt_pk_u8_f32(300.0f, 3, 0) == 0xff000000u);

GFX9_INLINE constexpr u32 v_pack_b32_f16(Half a, Half b) { return a.bits | u32{b.bits} << 16; }

}  // namespace softgpu::gfx9::GFX9_LANES_NS
