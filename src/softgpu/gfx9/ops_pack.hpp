// Packed-half, mixed-precision and dot-product ops as pure functions of one lane. For lane sources only.
#pragma once

#include "gfx9/ops_cvt.hpp"

namespace softgpu::gfx9::GFX9_LANES_NS {

/// Two 16-bit integers, or two halves, in one dword (halves already chosen by op_sel).
struct PkInt {
  u32 bits;
};
struct PkHalf {
  u32 bits;
};
template <>
struct LaneType<PkInt> {
  static constexpr Ty ty = Ty::pk16;
  GFX9_INLINE static PkInt get(const uint32_t* p, unsigned l) { return {p[l]}; }
  GFX9_INLINE static void put(uint32_t* p, unsigned l, PkInt v) { p[l] = v.bits; }
};
template <>
struct LaneType<PkHalf> {
  static constexpr Ty ty = Ty::pkf16;
  GFX9_INLINE static PkHalf get(const uint32_t* p, unsigned l) { return {p[l]}; }
  GFX9_INLINE static void put(uint32_t* p, unsigned l, PkHalf v) { p[l] = v.bits; }
};

template <typename T>
GFX9_INLINE constexpr T lo_of(u32 x) {
  return static_cast<T>(x);
}
template <typename T>
GFX9_INLINE constexpr T hi_of(u32 x) {
  return static_cast<T>(x >> 16);
}
GFX9_INLINE constexpr u32 pack16(u16 lo, u16 hi) { return lo | u32{hi} << 16; }
GFX9_INLINE constexpr Half half_lo(u32 x) { return {static_cast<u16>(x)}; }
GFX9_INLINE constexpr Half half_hi(u32 x) { return {static_cast<u16>(x >> 16)}; }

/// F: a 16-bit integer op on T; the result's low 16 bits are kept.
template <auto F, typename T>
GFX9_INLINE constexpr PkInt pk_int2(PkInt a, PkInt b) {
  return {pack16(static_cast<u16>(F(lo_of<T>(a.bits), lo_of<T>(b.bits))),
                 static_cast<u16>(F(hi_of<T>(a.bits), hi_of<T>(b.bits))))};
}
template <auto F, typename T>
GFX9_INLINE constexpr PkInt pk_int3(PkInt a, PkInt b, PkInt c) {
  return {pack16(static_cast<u16>(F(lo_of<T>(a.bits), lo_of<T>(b.bits), lo_of<T>(c.bits))),
                 static_cast<u16>(F(hi_of<T>(a.bits), hi_of<T>(b.bits), hi_of<T>(c.bits))))};
}
GFX9_INLINE constexpr i16 ashr16(i16 a, i16 b) { return v_ashrrev_i16(static_cast<u16>(a), b); }
template <auto F>
GFX9_INLINE PkHalf pk_half2(const FpCtx& fp, PkHalf a, PkHalf b) {
  return {pack16(F(fp, half_lo(a.bits), half_lo(b.bits)).bits, F(fp, half_hi(a.bits), half_hi(b.bits)).bits)};
}
GFX9_INLINE PkHalf v_pk_fma_f16(const FpCtx& fp, PkHalf a, PkHalf b, PkHalf c) {
  return {pack16(v_fma_f16(fp, half_lo(a.bits), half_lo(b.bits), half_lo(c.bits)).bits,
                 v_fma_f16(fp, half_hi(a.bits), half_hi(b.bits), half_hi(c.bits)).bits)};
}

// --- two singles in a register pair (gfx90a) ---
struct PkSingle {
  u64 bits;
};
template <>
struct LaneType<PkSingle> {
  static constexpr Ty ty = Ty::pkf32;
  GFX9_INLINE static PkSingle get(const uint32_t* p, unsigned l) { return {LaneType<u64>::get(p, l)}; }
  GFX9_INLINE static void put(uint32_t* p, unsigned l, PkSingle v) { LaneType<u64>::put(p, l, v.bits); }
};
GFX9_INLINE float lo_of(PkSingle x) { return f32_from(static_cast<u32>(x.bits)); }
GFX9_INLINE float hi_of(PkSingle x) { return f32_from(static_cast<u32>(x.bits >> 32)); }
GFX9_INLINE PkSingle pack32(float lo, float hi) { return {f32_bits(lo) | u64{f32_bits(hi)} << 32}; }
GFX9_INLINE PkSingle v_pk_add_f32(PkSingle a, PkSingle b) {
  return pack32(v_add_f32(lo_of(a), lo_of(b)), v_add_f32(hi_of(a), hi_of(b)));
}
GFX9_INLINE PkSingle v_pk_mul_f32(PkSingle a, PkSingle b) {
  return pack32(v_mul_f32(lo_of(a), lo_of(b)), v_mul_f32(hi_of(a), hi_of(b)));
}
GFX9_INLINE PkSingle v_pk_fma_f32(const FpCtx& fp, PkSingle a, PkSingle b, PkSingle c) {
  return pack32(v_fma_f32(fp, lo_of(a), lo_of(b), lo_of(c)), v_fma_f32(fp, hi_of(a), hi_of(b), hi_of(c)));
}
/// A dword of a, then one of b (Select::one_of_each chose which).
GFX9_INLINE PkSingle v_pk_mov_b32(PkSingle a, PkSingle b) {
  return {(a.bits & 0xffffffffu) | (b.bits >> 32 << 32)};
}

// --- dot products ---
/// Hardware's rounding inside is not documented; here the sum is formed in double and rounded once to
/// nearest.
GFX9_INLINE float v_dot2_f32_f16(PkHalf a, PkHalf b, float c) {
  const double x0 = widen_number(half_lo(a.bits)), x1 = widen_number(half_hi(a.bits));
  const double y0 = widen_number(half_lo(b.bits)), y1 = widen_number(half_hi(b.bits));
  const double sum = (x0 * y0 + x1 * y1) + static_cast<double>(c);
  const float first = pick(x0 != x0, static_cast<float>(x0), static_cast<float>(y0));
  const float second = pick(x1 != x1, static_cast<float>(x1), static_cast<float>(y1));
  return nan_rule(static_cast<float>(sum), first, second, c);
}
template <typename T>
GFX9_INLINE constexpr i64 dot2(u32 a, u32 b) {
  return i64{lo_of<T>(a)} * lo_of<T>(b) + i64{hi_of<T>(a)} * hi_of<T>(b);
}
/// Sum of products of N-bit fields, sign-extended or not.
template <unsigned Bits, bool Signed>
GFX9_INLINE constexpr i32 dot_fields(u32 a, u32 b) {
  i32 sum = 0;
  for (unsigned n = 0; n < 32; n += Bits) {
    const unsigned up = 32 - Bits - n;
    const i32 x = Signed ? as_i32(a << up) >> (32 - Bits) : as_i32(a << up >> (32 - Bits));
    const i32 y = Signed ? as_i32(b << up) >> (32 - Bits) : as_i32(b << up >> (32 - Bits));
    sum += x * y;
  }
  return sum;
}
GFX9_INLINE constexpr u32 v_dot2_i32_i16(PkInt a, PkInt b, u32 c) {
  return static_cast<u32>(dot2<i16>(a.bits, b.bits)) + c;
}
GFX9_INLINE constexpr u32 v_dot2_u32_u16(PkInt a, PkInt b, u32 c) {
  return static_cast<u32>(dot2<u16>(a.bits, b.bits)) + c;
}
GFX9_INLINE constexpr u32 dot2_i32_i16_sat(PkInt a, PkInt b, i32 c) {
  return sat_i32(dot2<i16>(a.bits, b.bits) + c);
}
GFX9_INLINE constexpr u32 dot2_u32_u16_sat(PkInt a, PkInt b, u32 c) {
  return sat_u32(dot2<u16>(a.bits, b.bits) + c);
}
GFX9_INLINE constexpr u32 v_dot4_i32_i8(u32 a, u32 b, u32 c) { return as_u32(dot_fields<8, true>(a, b)) + c; }
GFX9_INLINE constexpr u32 v_dot4_u32_u8(u32 a, u32 b, u32 c) {
  return as_u32(dot_fields<8, false>(a, b)) + c;
}
GFX9_INLINE constexpr u32 v_dot8_i32_i4(u32 a, u32 b, u32 c) { return as_u32(dot_fields<4, true>(a, b)) + c; }
GFX9_INLINE constexpr u32 v_dot8_u32_u4(u32 a, u32 b, u32 c) {
  return as_u32(dot_fields<4, false>(a, b)) + c;
}
GFX9_INLINE constexpr u32 dot4_i32_i8_sat(u32 a, u32 b, i32 c) {
  return sat_i32(i64{dot_fields<8, true>(a, b)} + c);
}
GFX9_INLINE constexpr u32 dot4_u32_u8_sat(u32 a, u32 b, u32 c) {
  return sat_u32(i64{dot_fields<8, false>(a, b)} + c);
}
GFX9_INLINE constexpr u32 dot8_i32_i4_sat(u32 a, u32 b, i32 c) {
  return sat_i32(i64{dot_fields<4, true>(a, b)} + c);
}
GFX9_INLINE constexpr u32 dot8_u32_u4_sat(u32 a, u32 b, u32 c) {
  return sat_u32(i64{dot_fields<4, false>(a, b)} + c);
}
static_assert(v_dot4_i32_i8(0xff020304u, 0x02010101u, 10) == 17 &&
              v_dot8_u32_u4(0x11111111u, 0xffffffffu, 0) == 120);
static_assert(v_dot2_i32_i16({0xffff0002u}, {0x00030005u}, 1) == 8 &&
              v_dot8_i32_i4(0xfu, 0x7u, 0) == 0xfffffff9u);

}  // namespace softgpu::gfx9::GFX9_LANES_NS
