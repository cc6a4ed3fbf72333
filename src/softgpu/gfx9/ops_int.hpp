// Integer and bit ops of the vector ALU as pure functions of one lane. For lane sources only.
// Sources: "Vega" and "Vega 7nm" ISA manuals, VOP1/VOP2/VOP3 op descriptions.
#pragma once

#include "gfx9/lane_values.hpp"

namespace softgpu::gfx9::GFX9_LANES_NS {

using u32 = uint32_t;
using i32 = int32_t;
using u64 = uint64_t;
using i64 = int64_t;
using u16 = uint16_t;
using i16 = int16_t;

GFX9_INLINE constexpr i32 as_i32(u32 x) { return static_cast<i32>(x); }
GFX9_INLINE constexpr u32 as_u32(i32 x) { return static_cast<u32>(x); }

// --- moves and bits ---
GFX9_INLINE constexpr u32 v_mov_b32(u32 a) { return a; }
GFX9_INLINE constexpr u32 v_not_b32(u32 a) { return ~a; }
GFX9_INLINE constexpr u32 v_and_b32(u32 a, u32 b) { return a & b; }
GFX9_INLINE constexpr u32 v_or_b32(u32 a, u32 b) { return a | b; }
GFX9_INLINE constexpr u32 v_xor_b32(u32 a, u32 b) { return a ^ b; }
GFX9_INLINE constexpr u32 v_xnor_b32(u32 a, u32 b) { return ~(a ^ b); }
GFX9_INLINE constexpr u32 v_cndmask_b32(u32 a, u32 b, LaneMask m) { return (a & ~m.bits) | (b & m.bits); }
GFX9_INLINE constexpr u32 v_bfrev_b32(u32 a) {
  a = (a >> 1 & 0x55555555u) | (a & 0x55555555u) << 1;
  a = (a >> 2 & 0x33333333u) | (a & 0x33333333u) << 2;
  a = (a >> 4 & 0x0f0f0f0fu) | (a & 0x0f0f0f0fu) << 4;
  a = (a >> 8 & 0x00ff00ffu) | (a & 0x00ff00ffu) << 8;
  return a >> 16 | a << 16;
}
static_assert(v_bfrev_b32(1) == 0x80000000u && v_bfrev_b32(0x12345678u) == 0x1e6a2c48u);
GFX9_INLINE constexpr u32 v_ffbh_u32(u32 a) { return a == 0 ? ~0u : as_u32(__builtin_clz(a)); }
GFX9_INLINE constexpr u32 v_ffbl_b32(u32 a) { return a == 0 ? ~0u : as_u32(__builtin_ctz(a)); }
GFX9_INLINE constexpr u32 v_ffbh_i32(u32 a) { return v_ffbh_u32(a ^ as_u32(as_i32(a) >> 31)); }
static_assert(v_ffbh_u32(1) == 31 && v_ffbh_u32(0) == ~0u && v_ffbh_i32(~0u) == ~0u && v_ffbh_i32(~1u) == 31);
GFX9_INLINE constexpr u32 v_bcnt_u32_b32(u32 a, u32 b) {
  a = a - (a >> 1 & 0x55555555u);
  a = (a & 0x33333333u) + (a >> 2 & 0x33333333u);
  a = (a + (a >> 4)) & 0x0f0f0f0fu;
  a += a >> 8;
  a += a >> 16;
  return (a & 0x3fu) + b;
}
static_assert(v_bcnt_u32_b32(~0u, 1) == 33 && v_bcnt_u32_b32(0x80000001u, 0) == 2);
GFX9_INLINE constexpr u32 v_bfm_b32(u32 a, u32 b) { return ((1u << (a & 31)) - 1) << (b & 31); }
GFX9_INLINE constexpr u32 v_bfe_u32(u32 a, u32 b, u32 c) { return a >> (b & 31) & ((1u << (c & 31)) - 1); }
GFX9_INLINE constexpr u32 v_bfe_i32(u32 a, u32 b, u32 c) {
  const u32 width = c & 31, shifted = as_u32(as_i32(a) >> (b & 31));
  const u32 up = (32 - width) & 31;
  return width == 0 ? 0 : as_u32(as_i32(shifted << up) >> up);
}
static_assert(v_bfe_u32(0xabcd1234u, 8, 8) == 0x12 && v_bfe_i32(0x0000ff00u, 8, 8) == ~0u);
static_assert(v_bfe_i32(0x80000000u, 31, 31) == ~0u && v_bfe_i32(5, 0, 0) == 0);
GFX9_INLINE constexpr u32 v_bfi_b32(u32 a, u32 b, u32 c) { return (a & b) | (~a & c); }
GFX9_INLINE constexpr u32 v_and_or_b32(u32 a, u32 b, u32 c) { return (a & b) | c; }
GFX9_INLINE constexpr u32 v_or3_b32(u32 a, u32 b, u32 c) { return a | b | c; }
GFX9_INLINE constexpr u32 v_xad_u32(u32 a, u32 b, u32 c) { return (a ^ b) + c; }
GFX9_INLINE constexpr u32 v_alignbit_b32(u32 a, u32 b, u32 c) {
  return static_cast<u32>((u64{a} << 32 | b) >> (c & 31));
}
GFX9_INLINE constexpr u32 v_alignbyte_b32(u32 a, u32 b, u32 c) {
  return static_cast<u32>((u64{a} << 32 | b) >> (8 * (c & 3)));
}
/// Byte j of the result is chosen by byte j of c: 0..3 from b, 4..7 from a, 8..11 a sign spread, 12 zero.
GFX9_INLINE constexpr u32 v_perm_b32(u32 a, u32 b, u32 c) {
  const u64 data = u64{a} << 32 | b;
  u32 r = 0;
  for (unsigned j = 0; j < 4; ++j) {
    const u32 sel = c >> (8 * j) & 0xff;
    const u32 byte = static_cast<u32>(data >> (8 * (sel & 7))) & 0xff;
    const u32 sign = (data >> (16 * (sel & 3) + 15) & 1) != 0 ? 0xffu : 0;
    r |= (sel < 8 ? byte : sel < 12 ? sign : sel == 12 ? 0 : 0xffu) << (8 * j);
  }
  return r;
}
static_assert(v_perm_b32(0x77665544u, 0x33221100u, 0x07040300u) == 0x77443300u);
static_assert(v_perm_b32(0x80000000u, 0x00008000u, 0x0d0c0b08u) == 0xff00ffffu);

// --- shifts: the count is masked ---
GFX9_INLINE constexpr u32 v_lshlrev_b32(u32 a, u32 b) { return b << (a & 31); }
GFX9_INLINE constexpr u32 v_lshrrev_b32(u32 a, u32 b) { return b >> (a & 31); }
GFX9_INLINE constexpr i32 v_ashrrev_i32(u32 a, i32 b) { return b >> (a & 31); }
GFX9_INLINE constexpr u64 v_lshlrev_b64(u32 a, u64 b) { return b << (a & 63); }
GFX9_INLINE constexpr u64 v_lshrrev_b64(u32 a, u64 b) { return b >> (a & 63); }
GFX9_INLINE constexpr i64 v_ashrrev_i64(u32 a, i64 b) { return b >> (a & 63); }
GFX9_INLINE constexpr u16 v_lshlrev_b16(u16 a, u16 b) { return static_cast<u16>(u32{b} << (a & 15)); }
GFX9_INLINE constexpr u16 v_lshrrev_b16(u16 a, u16 b) { return static_cast<u16>(b >> (a & 15)); }
GFX9_INLINE constexpr i16 v_ashrrev_i16(u16 a, i16 b) { return static_cast<i16>(b >> (a & 15)); }
GFX9_INLINE constexpr u32 v_lshl_add_u32(u32 a, u32 b, u32 c) { return (a << (b & 31)) + c; }
GFX9_INLINE constexpr u32 v_add_lshl_u32(u32 a, u32 b, u32 c) { return (a + b) << (c & 31); }
GFX9_INLINE constexpr u32 v_lshl_or_b32(u32 a, u32 b, u32 c) { return (a << (b & 31)) | c; }
static_assert(v_lshlrev_b32(33, 1) == 2 && v_ashrrev_i32(63, -8) == -1 && v_lshlrev_b64(65, 1) == 2);

// --- add, subtract ---
GFX9_INLINE constexpr u32 v_add_u32(u32 a, u32 b) { return a + b; }
GFX9_INLINE constexpr u32 v_sub_u32(u32 a, u32 b) { return a - b; }
GFX9_INLINE constexpr u32 v_subrev_u32(u32 a, u32 b) { return b - a; }
GFX9_INLINE constexpr u32 v_add3_u32(u32 a, u32 b, u32 c) { return a + b + c; }
using Carry = WithBit<u32>;
GFX9_INLINE constexpr Carry v_add_co_u32(u32 a, u32 b) { return {a + b, a + b < a}; }
GFX9_INLINE constexpr Carry v_sub_co_u32(u32 a, u32 b) { return {a - b, a < b}; }
GFX9_INLINE constexpr Carry v_subrev_co_u32(u32 a, u32 b) { return v_sub_co_u32(b, a); }
GFX9_INLINE constexpr Carry v_addc_co_u32(u32 a, u32 b, LaneMask c) {
  const u32 sum = a + b, total = sum - c.bits;  // a set mask is minus one
  return {total, static_cast<u32>(sum < a) | static_cast<u32>(total < sum)};
}
GFX9_INLINE constexpr Carry v_subb_co_u32(u32 a, u32 b, LaneMask c) {
  const u32 diff = a - b, total = diff + c.bits;
  return {total, static_cast<u32>(a < b) | static_cast<u32>(total > diff)};
}
GFX9_INLINE constexpr Carry v_subbrev_co_u32(u32 a, u32 b, LaneMask c) { return v_subb_co_u32(b, a, c); }
static_assert(v_addc_co_u32(~0u, 0, {~0u}) == Carry{0, 1} && v_addc_co_u32(~0u, ~0u, {~0u}) == Carry{~0u, 1});
static_assert(v_subb_co_u32(0, ~0u, {~0u}) == Carry{0, 1} && v_subb_co_u32(5, 5, {0}) == Carry{0, 0});
GFX9_INLINE constexpr u16 v_add_u16(u16 a, u16 b) { return static_cast<u16>(a + b); }
GFX9_INLINE constexpr u16 v_sub_u16(u16 a, u16 b) { return static_cast<u16>(a - b); }
GFX9_INLINE constexpr u16 v_subrev_u16(u16 a, u16 b) { return static_cast<u16>(b - a); }
GFX9_INLINE constexpr i16 v_add_i16(i16 a, i16 b) { return static_cast<i16>(a + b); }
GFX9_INLINE constexpr i16 v_sub_i16(i16 a, i16 b) { return static_cast<i16>(a - b); }

// --- the same with integer clamp: saturated to the range of the type ---
GFX9_INLINE constexpr u32 sat_u32(i64 x) {
  return x < 0 ? 0 : x > i64{0xffffffff} ? ~0u : static_cast<u32>(x);
}
GFX9_INLINE constexpr u32 sat_i32(i64 x) {
  return x < -(i64{1} << 31) ? 0x80000000u : x > 0x7fffffff ? 0x7fffffffu : static_cast<u32>(x);
}
GFX9_INLINE constexpr u16 sat_u16(i64 x) { return static_cast<u16>(x < 0 ? 0 : x > 0xffff ? 0xffff : x); }
GFX9_INLINE constexpr i16 sat_i16(i64 x) {
  return static_cast<i16>(x < -0x8000 ? -0x8000 : x > 0x7fff ? 0x7fff : x);
}
GFX9_INLINE constexpr u32 add_u32_sat(u32 a, u32 b) { return a + b < a ? ~0u : a + b; }
GFX9_INLINE constexpr u32 sub_u32_sat(u32 a, u32 b) { return a < b ? 0 : a - b; }
GFX9_INLINE constexpr u32 subrev_u32_sat(u32 a, u32 b) { return sub_u32_sat(b, a); }
GFX9_INLINE constexpr u32 add_i32_sat(i32 a, i32 b) { return sat_i32(i64{a} + b); }
GFX9_INLINE constexpr u32 sub_i32_sat(i32 a, i32 b) { return sat_i32(i64{a} - b); }
GFX9_INLINE constexpr u16 add_u16_sat(u16 a, u16 b) { return sat_u16(i64{a} + b); }
GFX9_INLINE constexpr u16 sub_u16_sat(u16 a, u16 b) { return sat_u16(i64{a} - b); }
GFX9_INLINE constexpr u16 subrev_u16_sat(u16 a, u16 b) { return sub_u16_sat(b, a); }
GFX9_INLINE constexpr i16 add_i16_sat(i16 a, i16 b) { return sat_i16(i64{a} + b); }
GFX9_INLINE constexpr i16 sub_i16_sat(i16 a, i16 b) { return sat_i16(i64{a} - b); }
GFX9_INLINE constexpr Carry saturate_carry(Carry r, u32 limit) {
  return r.bit != 0 ? Carry{limit, r.bit} : r;
}
GFX9_INLINE constexpr Carry add_co_sat(u32 a, u32 b) { return saturate_carry(v_add_co_u32(a, b), ~0u); }
GFX9_INLINE constexpr Carry sub_co_sat(u32 a, u32 b) { return saturate_carry(v_sub_co_u32(a, b), 0); }
GFX9_INLINE constexpr Carry subrev_co_sat(u32 a, u32 b) { return sub_co_sat(b, a); }
GFX9_INLINE constexpr Carry addc_co_sat(u32 a, u32 b, LaneMask c) {
  return saturate_carry(v_addc_co_u32(a, b, c), ~0u);
}
GFX9_INLINE constexpr Carry subb_co_sat(u32 a, u32 b, LaneMask c) {
  return saturate_carry(v_subb_co_u32(a, b, c), 0);
}
GFX9_INLINE constexpr Carry subbrev_co_sat(u32 a, u32 b, LaneMask c) { return subb_co_sat(b, a, c); }

// --- multiply ---
GFX9_INLINE constexpr u32 v_mul_lo_u32(u32 a, u32 b) { return a * b; }
GFX9_INLINE constexpr u32 v_mul_hi_u32(u32 a, u32 b) { return static_cast<u32>(u64{a} * b >> 32); }
GFX9_INLINE constexpr u32 v_mul_hi_i32(i32 a, i32 b) { return static_cast<u32>(i64{a} * b >> 32); }
GFX9_INLINE constexpr i32 sext24(u32 a) { return as_i32(a << 8) >> 8; }
GFX9_INLINE constexpr u32 v_mul_i32_i24(u32 a, u32 b) { return as_u32(sext24(a)) * as_u32(sext24(b)); }
GFX9_INLINE constexpr u32 v_mul_hi_i32_i24(u32 a, u32 b) {
  return static_cast<u32>(i64{sext24(a)} * sext24(b) >> 32);
}
GFX9_INLINE constexpr u32 v_mul_u32_u24(u32 a, u32 b) { return (a & 0xffffffu) * (b & 0xffffffu); }
GFX9_INLINE constexpr u32 v_mul_hi_u32_u24(u32 a, u32 b) {
  return static_cast<u32>(u64{a & 0xffffffu} * (b & 0xffffffu) >> 32);
}
GFX9_INLINE constexpr u32 mul_i32_i24_sat(u32 a, u32 b) { return sat_i32(i64{sext24(a)} * sext24(b)); }
GFX9_INLINE constexpr u32 mul_u32_u24_sat(u32 a, u32 b) {
  return sat_u32(static_cast<i64>(u64{a & 0xffffffu} * (b & 0xffffffu)));
}
GFX9_INLINE constexpr u16 v_mul_lo_u16(u16 a, u16 b) { return static_cast<u16>(u32{a} * b); }
GFX9_INLINE constexpr u32 v_mad_i32_i24(u32 a, u32 b, u32 c) { return v_mul_i32_i24(a, b) + c; }
GFX9_INLINE constexpr u32 v_mad_u32_u24(u32 a, u32 b, u32 c) { return v_mul_u32_u24(a, b) + c; }
GFX9_INLINE constexpr u32 mad_i32_i24_sat(u32 a, u32 b, u32 c) {
  return sat_i32(i64{sext24(a)} * sext24(b) + as_i32(c));
}
GFX9_INLINE constexpr u32 mad_u32_u24_sat(u32 a, u32 b, u32 c) {
  return sat_u32(static_cast<i64>(u64{a & 0xffffffu} * (b & 0xffffffu) + c));
}
GFX9_INLINE constexpr u16 v_mad_u16(u16 a, u16 b, u16 c) { return static_cast<u16>(u32{a} * b + c); }
GFX9_INLINE constexpr i16 v_mad_i16(i16 a, i16 b, i16 c) { return static_cast<i16>(i32{a} * b + c); }
GFX9_INLINE constexpr u16 mad_u16_sat(u16 a, u16 b, u16 c) { return sat_u16(i64{a} * b + c); }
GFX9_INLINE constexpr i16 mad_i16_sat(i16 a, i16 b, i16 c) { return sat_i16(i64{a} * b + c); }
GFX9_INLINE constexpr u32 v_mad_u32_u16(u16 a, u16 b, u32 c) { return u32{a} * b + c; }
GFX9_INLINE constexpr u32 v_mad_i32_i16(i16 a, i16 b, u32 c) { return as_u32(i32{a} * b) + c; }
GFX9_INLINE constexpr u32 mad_u32_u16_sat(u16 a, u16 b, u32 c) { return sat_u32(i64{a} * b + c); }
GFX9_INLINE constexpr u32 mad_i32_i16_sat(i16 a, i16 b, i32 c) { return sat_i32(i64{a} * b + c); }
/// 32 x 32 + 64 bits; the bit is the carry out of bit 63.
GFX9_INLINE constexpr WithBit<u64> v_mad_u64_u32(u32 a, u32 b, u64 c) {
  const u64 sum = u64{a} * b + c;
  return {sum, sum < c};
}
/// The bit is bit 64 of the 65-bit signed sum: its true sign.
GFX9_INLINE constexpr WithBit<u64> v_mad_i64_i32(i32 a, i32 b, i64 c) {
  const u64 p = static_cast<u64>(i64{a} * b), s = static_cast<u64>(c), sum = p + s;
  const u64 overflow = (p ^ sum) & (s ^ sum);
  return {sum, static_cast<u32>((sum ^ overflow) >> 63)};
}
GFX9_INLINE constexpr WithBit<u64> mad_u64_u32_sat(u32 a, u32 b, u64 c) {
  const WithBit<u64> r = v_mad_u64_u32(a, b, c);
  return {r.bit != 0 ? ~u64{0} : r.value, r.bit};
}
GFX9_INLINE constexpr WithBit<u64> mad_i64_i32_sat(i32 a, i32 b, i64 c) {
  const WithBit<u64> r = v_mad_i64_i32(a, b, c);
  const bool overflow = (r.value >> 63 != 0) != (r.bit != 0);
  const u64 limit = r.bit != 0 ? u64{1} << 63 : ~(u64{1} << 63);
  return {overflow ? limit : r.value, r.bit};
}
static_assert(v_mad_u64_u32(~0u, ~0u, ~u64{0}) == WithBit<u64>{0xfffffffe00000000, 1});
static_assert(v_mad_i64_i32(-1, 1, i64{-1} - 0x7fffffffffffffff) == WithBit<u64>{0x7fffffffffffffff, 1});

// --- minimum, maximum, median ---
template <typename T>
GFX9_INLINE constexpr T min_of(T a, T b) {
  return a < b ? a : b;
}
template <typename T>
GFX9_INLINE constexpr T max_of(T a, T b) {
  return a > b ? a : b;
}
template <typename T>
GFX9_INLINE constexpr T min3_of(T a, T b, T c) {
  return min_of(min_of(a, b), c);
}
template <typename T>
GFX9_INLINE constexpr T max3_of(T a, T b, T c) {
  return max_of(max_of(a, b), c);
}
template <typename T>
GFX9_INLINE constexpr T med3_of(T a, T b, T c) {
  return max_of(min_of(a, b), min_of(max_of(a, b), c));
}
static_assert(med3_of(1, 2, 3) == 2 && med3_of(3, 1, 2) == 2 && med3_of(-1, -1, 5) == -1);

// --- sums of absolute differences ---
GFX9_INLINE constexpr u32 abs_diff(u32 a, u32 b) { return a > b ? a - b : b - a; }
GFX9_INLINE constexpr u32 byte_of(u32 a, unsigned n) { return a >> (8 * n) & 0xff; }
GFX9_INLINE constexpr u32 sad4(u32 a, u32 b) {
  u32 sum = 0;
  for (unsigned n = 0; n < 4; ++n) sum += abs_diff(byte_of(a, n), byte_of(b, n));
  return sum;
}
/// Bytes whose reference (b) is zero do not count.
GFX9_INLINE constexpr u32 masked_sad4(u32 a, u32 b) {
  u32 sum = 0;
  for (unsigned n = 0; n < 4; ++n) sum += byte_of(b, n) == 0 ? 0 : abs_diff(byte_of(a, n), byte_of(b, n));
  return sum;
}
GFX9_INLINE constexpr u32 sad2(u32 a, u32 b) {
  return abs_diff(a & 0xffff, b & 0xffff) + abs_diff(a >> 16, b >> 16);
}
GFX9_INLINE constexpr u32 v_sad_u8(u32 a, u32 b, u32 c) { return sad4(a, b) + c; }
GFX9_INLINE constexpr u32 v_sad_hi_u8(u32 a, u32 b, u32 c) { return (sad4(a, b) << 16) + c; }
GFX9_INLINE constexpr u32 v_sad_u16(u32 a, u32 b, u32 c) { return sad2(a, b) + c; }
GFX9_INLINE constexpr u32 v_sad_u32(u32 a, u32 b, u32 c) { return abs_diff(a, b) + c; }
GFX9_INLINE constexpr u32 v_msad_u8(u32 a, u32 b, u32 c) { return masked_sad4(a, b) + c; }
GFX9_INLINE constexpr u32 sad_u8_sat(u32 a, u32 b, u32 c) { return add_u32_sat(sad4(a, b), c); }
GFX9_INLINE constexpr u32 sad_hi_u8_sat(u32 a, u32 b, u32 c) { return add_u32_sat(sad4(a, b) << 16, c); }
GFX9_INLINE constexpr u32 sad_u16_sat(u32 a, u32 b, u32 c) { return add_u32_sat(sad2(a, b), c); }
GFX9_INLINE constexpr u32 sad_u32_sat(u32 a, u32 b, u32 c) { return add_u32_sat(abs_diff(a, b), c); }
GFX9_INLINE constexpr u32 msad_u8_sat(u32 a, u32 b, u32 c) { return add_u32_sat(masked_sad4(a, b), c); }
/// Four sums over a window that slides by one byte, each with its own accumulator.
template <bool Masked, bool Sat>
GFX9_INLINE constexpr u64 quad_sad16(u64 a, u32 b, u64 c) {
  u64 r = 0;
  for (unsigned n = 0; n < 4; ++n) {
    const u32 window = static_cast<u32>(a >> (8 * n));
    const u32 sum =
        (Masked ? masked_sad4(window, b) : sad4(window, b)) + (static_cast<u32>(c >> (16 * n)) & 0xffff);
    r |= u64{Sat && sum > 0xffff ? 0xffffu : sum & 0xffff} << (16 * n);
  }
  return r;
}
template <bool Sat>
GFX9_INLINE constexpr Dwords4 quad_sad32(u64 a, u32 b, Dwords4 c) {
  Dwords4 r{};
  for (unsigned n = 0; n < 4; ++n) {
    const u32 sum = masked_sad4(static_cast<u32>(a >> (8 * n)), b);
    r.v[n] = Sat ? add_u32_sat(sum, c.v[n]) : sum + c.v[n];
  }
  return r;
}
GFX9_INLINE constexpr u32 v_lerp_u8(u32 a, u32 b, u32 c) {
  u32 r = 0;
  for (unsigned n = 0; n < 4; ++n) {
    r |= ((byte_of(a, n) + byte_of(b, n) + (c >> (8 * n) & 1)) >> 1) << (8 * n);
  }
  return r;
}
static_assert(v_lerp_u8(0xff000102u, 0xff010102u, 0x01010000u) == 0xff010102u);
static_assert(v_sad_u8(0x00ff0102u, 0xff000201u, 10) == 522 && v_msad_u8(0x01020304u, 0x00030000u, 0) == 1);
static_assert(quad_sad16<false, false>(0x0706050403020100, 0x03020100u, 0) == 0x000c'0008'0004'0000);

// --- packing with saturation ---
GFX9_INLINE constexpr u32 v_cvt_pk_u16_u32(u32 a, u32 b) {
  return (a > 0xffff ? 0xffffu : a) | (b > 0xffff ? 0xffffu : b) << 16;
}
GFX9_INLINE constexpr u32 v_cvt_pk_i16_i32(i32 a, i32 b) {
  return (static_cast<u32>(sat_i16(a)) & 0xffffu) | static_cast<u32>(sat_i16(b)) << 16;
}
GFX9_INLINE constexpr u32 sat_u8_i16(i32 a) { return a < 0 ? 0 : a > 255 ? 255u : as_u32(a); }
GFX9_INLINE constexpr u16 v_sat_pk_u8_i16(u32 a) {
  return static_cast<u16>(sat_u8_i16(as_i32(a << 16) >> 16) | sat_u8_i16(as_i32(a) >> 16) << 8);
}
static_assert(v_sat_pk_u8_i16(0x0100ffffu) == 0xff00 && v_sat_pk_u8_i16(0x00120034u) == 0x1234);

}  // namespace softgpu::gfx9::GFX9_LANES_NS
