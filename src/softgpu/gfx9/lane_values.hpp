// Typed views of lane registers, and the loop that runs a pure function over the 64 lanes. For lane sources
// only (see lanes.hpp).
//
// A register operand of k dwords is k * 64 contiguous dwords, dword-major: dword j of lane l is p[j * 64 +
// l]. That is how consecutive VGPRs lie in a Wave, so a 64-bit operand needs no copy.
#pragma once

#include <immintrin.h>

#include <cstdint>

#include "gfx9/lanes.hpp"

#define GFX9_INLINE_LAMBDA __attribute__((always_inline))

namespace softgpu::gfx9::GFX9_LANES_NS {

/// std::bit_cast without a weak symbol in unoptimised builds (see valu.hpp).
template <typename To, typename From>
[[gnu::always_inline]] constexpr To bits_as(From from) {
  return __builtin_bit_cast(To, from);
}
GFX9_INLINE constexpr uint32_t f32_bits(float x) { return bits_as<uint32_t>(x); }
GFX9_INLINE constexpr float f32_from(uint32_t x) { return bits_as<float>(x); }
GFX9_INLINE constexpr uint64_t f64_bits(double x) { return bits_as<uint64_t>(x); }
GFX9_INLINE constexpr double f64_from(uint64_t x) { return bits_as<double>(x); }

/// An IEEE half as it lies in the low 16 bits of a register.
struct Half {
  uint16_t bits;
  constexpr bool operator==(const Half&) const = default;
};
/// A lane mask operand (VCC or an SGPR pair), one dword per lane: all ones or zero.
struct LaneMask {
  uint32_t bits;
};
struct Dwords4 {
  uint32_t v[4];
};
/// A result with one bit per lane beside it (carry, VCC of v_div_scale). `bit` is zero or not.
template <typename T>
struct WithBit {
  T value;
  uint32_t bit;
  constexpr bool operator==(const WithBit&) const = default;
};

/// What an operand is, for selectors, modifiers and stores.
enum class Ty : uint8_t { none, b16, b32, b64, b128, i64, f16, f32, f64, pk16, pkf16, pkf32, mask };

/// MODE as the value functions need it. Masks are for values outside the host's own DAZ/FTZ.
struct FpCtx {
  uint32_t f32_in = 0, f32_out = 0;  ///< AND-mask for a denormal single: all ones, or the sign bit only
  uint32_t f16_in = 0, f16_out = 0;  ///< the same for a half (in the low 16 bits)
  uint64_t f64_in = 0, f64_out = 0;
  uint32_t half_over[2] = {};  ///< half a positive/negative overflow becomes, by rounding mode and FP16_OVFL
  uint32_t ieee = 0;           ///< all ones or zero
  uint64_t vcc = 0;            ///< for ops that read VCC beside three sources
  uint32_t nearest_f32 = 0;    ///< all ones or zero
  uint32_t round_f64 = 0;      ///< MODE 3:2
};

template <typename T>
struct LaneType;
template <>
struct LaneType<uint32_t> {
  static constexpr Ty ty = Ty::b32;
  GFX9_INLINE static uint32_t get(const uint32_t* p, unsigned l) { return p[l]; }
  GFX9_INLINE static void put(uint32_t* p, unsigned l, uint32_t v) { p[l] = v; }
};
template <>
struct LaneType<int32_t> {
  static constexpr Ty ty = Ty::b32;
  GFX9_INLINE static int32_t get(const uint32_t* p, unsigned l) { return static_cast<int32_t>(p[l]); }
  GFX9_INLINE static void put(uint32_t* p, unsigned l, int32_t v) { p[l] = static_cast<uint32_t>(v); }
};
template <>
struct LaneType<float> {
  static constexpr Ty ty = Ty::f32;
  GFX9_INLINE static float get(const uint32_t* p, unsigned l) { return f32_from(p[l]); }
  GFX9_INLINE static void put(uint32_t* p, unsigned l, float v) { p[l] = f32_bits(v); }
};
template <>
struct LaneType<uint16_t> {
  static constexpr Ty ty = Ty::b16;
  GFX9_INLINE static uint16_t get(const uint32_t* p, unsigned l) { return static_cast<uint16_t>(p[l]); }
  GFX9_INLINE static void put(uint32_t* p, unsigned l, uint16_t v) { p[l] = v; }
};
template <>
struct LaneType<int16_t> {
  static constexpr Ty ty = Ty::b16;
  GFX9_INLINE static int16_t get(const uint32_t* p, unsigned l) { return static_cast<int16_t>(p[l]); }
  GFX9_INLINE static void put(uint32_t* p, unsigned l, int16_t v) { p[l] = static_cast<uint16_t>(v); }
};
template <>
struct LaneType<Half> {
  static constexpr Ty ty = Ty::f16;
  GFX9_INLINE static Half get(const uint32_t* p, unsigned l) { return {static_cast<uint16_t>(p[l])}; }
  GFX9_INLINE static void put(uint32_t* p, unsigned l, Half v) { p[l] = v.bits; }
};
template <>
struct LaneType<LaneMask> {
  static constexpr Ty ty = Ty::mask;
  GFX9_INLINE static LaneMask get(const uint32_t* p, unsigned l) { return {p[l]}; }
};
template <>
struct LaneType<uint64_t> {
  static constexpr Ty ty = Ty::b64;
  GFX9_INLINE static uint64_t get(const uint32_t* p, unsigned l) {
    return p[l] | uint64_t{p[kLanes + l]} << 32;
  }
  GFX9_INLINE static void put(uint32_t* p, unsigned l, uint64_t v) {
    p[l] = static_cast<uint32_t>(v);
    p[kLanes + l] = static_cast<uint32_t>(v >> 32);
  }
};
template <>
struct LaneType<int64_t> {
  static constexpr Ty ty = Ty::i64;
  GFX9_INLINE static int64_t get(const uint32_t* p, unsigned l) {
    return static_cast<int64_t>(LaneType<uint64_t>::get(p, l));
  }
  GFX9_INLINE static void put(uint32_t* p, unsigned l, int64_t v) {
    LaneType<uint64_t>::put(p, l, static_cast<uint64_t>(v));
  }
};
template <>
struct LaneType<double> {
  static constexpr Ty ty = Ty::f64;
  GFX9_INLINE static double get(const uint32_t* p, unsigned l) {
    return f64_from(LaneType<uint64_t>::get(p, l));
  }
  GFX9_INLINE static void put(uint32_t* p, unsigned l, double v) {
    LaneType<uint64_t>::put(p, l, f64_bits(v));
  }
};
template <>
struct LaneType<Dwords4> {
  static constexpr Ty ty = Ty::b128;
  GFX9_INLINE static Dwords4 get(const uint32_t* p, unsigned l) {
    return {{p[l], p[kLanes + l], p[2 * kLanes + l], p[3 * kLanes + l]}};
  }
  GFX9_INLINE static void put(uint32_t* p, unsigned l, Dwords4 v) {
    for (unsigned j = 0; j < 4; ++j) p[j * kLanes + l] = v.v[j];
  }
};

constexpr unsigned dwords_of(Ty ty) {
  switch (ty) {
    case Ty::none:
    case Ty::mask:
      return 0;
    case Ty::b64:
    case Ty::i64:
    case Ty::f64:
    case Ty::pkf32:
      return 2;
    case Ty::b128:
      return 4;
    default:
      return 1;
  }
}
constexpr bool is_16bit(Ty ty) { return ty == Ty::b16 || ty == Ty::f16; }
constexpr bool is_float(Ty ty) { return ty == Ty::f16 || ty == Ty::f32 || ty == Ty::f64; }

/// One bit per lane from lane masks (all ones or zero).
GFX9_INLINE uint64_t mask_bits(const uint32_t* m) {
  uint64_t bits = 0;
#if defined(__AVX2__)
  for (unsigned k = 0; k < kLanes / 8; ++k) {
    const __m256 v = _mm256_load_ps(reinterpret_cast<const float*>(m + 8 * k));
    bits |= uint64_t{static_cast<uint32_t>(_mm256_movemask_ps(v))} << (8 * k);
  }
#else
  for (unsigned k = 0; k < kLanes / 4; ++k) {
    const __m128 v = _mm_load_ps(reinterpret_cast<const float*>(m + 4 * k));
    bits |= uint64_t{static_cast<uint32_t>(_mm_movemask_ps(v))} << (4 * k);
  }
#endif
  return bits;
}
/// The reverse: 64 lane masks from 64 bits.
GFX9_INLINE void expand_mask(uint64_t bits, uint32_t* m) {
  for (unsigned half = 0; half < 2; ++half) {
    const uint32_t word = static_cast<uint32_t>(bits >> (32 * half));
    uint32_t* d = m + 32 * half;
    GFX9_LANE_LOOP for (unsigned l = 0; l < 32; ++l) d[l] = (word & (1u << l)) != 0 ? ~0u : 0u;
  }
}

/// Runs an op over 64 lanes: d = op(a, b, c), returning the bits of a mask result (0 if it has none). Input
/// and output registers may be the same: a lane depends on its own index only.
using Kernel = uint64_t (*)(uint32_t* d, const uint32_t* a, const uint32_t* b, const uint32_t* c,
                            const FpCtx& fp);

template <typename R>
struct ResultType {
  static constexpr Ty ty = LaneType<R>::ty;
  static constexpr bool mask = false;
};
template <>
struct ResultType<bool> {
  static constexpr Ty ty = Ty::none;
  static constexpr bool mask = true;
};
template <typename T>
struct ResultType<WithBit<T>> {
  static constexpr Ty ty = LaneType<T>::ty;
  static constexpr bool mask = true;
};

template <typename R, typename Call>
GFX9_INLINE uint64_t run_lanes(uint32_t* d, Call call) {
  if constexpr (!ResultType<R>::mask) {
    GFX9_LANE_LOOP for (unsigned l = 0; l < kLanes; ++l) LaneType<R>::put(d, l, call(l));
    return 0;
  } else {
    alignas(64) uint32_t m[kLanes];
    if constexpr (ResultType<R>::ty == Ty::none) {
      GFX9_LANE_LOOP for (unsigned l = 0; l < kLanes; ++l) m[l] = call(l) ? ~0u : 0u;
    } else {
      GFX9_LANE_LOOP for (unsigned l = 0; l < kLanes; ++l) {
        const R r = call(l);
        LaneType<decltype(r.value)>::put(d, l, r.value);
        m[l] = r.bit != 0 ? ~0u : 0u;
      }
    }
    return mask_bits(m);
  }
}

/// Signature of a value function: R f([const FpCtx&,] A...), 1 to 3 operands.
template <auto F, typename Sig = decltype(F)>
struct Lift;
template <auto F, typename R, typename A>
struct Lift<F, R (*)(A)> {
  using Result = R;
  static constexpr Ty src[3] = {LaneType<A>::ty, Ty::none, Ty::none};
  static constexpr bool ctx = false;
  GFX9_INLINE static R lane(const uint32_t* a, const uint32_t*, const uint32_t*, const FpCtx&, unsigned l) {
    return F(LaneType<A>::get(a, l));
  }
};
template <auto F, typename R, typename A, typename B>
struct Lift<F, R (*)(A, B)> {
  using Result = R;
  static constexpr Ty src[3] = {LaneType<A>::ty, LaneType<B>::ty, Ty::none};
  static constexpr bool ctx = false;
  GFX9_INLINE static R lane(const uint32_t* a, const uint32_t* b, const uint32_t*, const FpCtx&, unsigned l) {
    return F(LaneType<A>::get(a, l), LaneType<B>::get(b, l));
  }
};
template <auto F, typename R, typename A, typename B, typename C>
struct Lift<F, R (*)(A, B, C)> {
  using Result = R;
  static constexpr Ty src[3] = {LaneType<A>::ty, LaneType<B>::ty, LaneType<C>::ty};
  static constexpr bool ctx = false;
  GFX9_INLINE static R lane(const uint32_t* a, const uint32_t* b, const uint32_t* c, const FpCtx&,
                            unsigned l) {
    return F(LaneType<A>::get(a, l), LaneType<B>::get(b, l), LaneType<C>::get(c, l));
  }
};
template <auto F, typename R, typename A>
struct Lift<F, R (*)(const FpCtx&, A)> {
  using Result = R;
  static constexpr Ty src[3] = {LaneType<A>::ty, Ty::none, Ty::none};
  static constexpr bool ctx = true;
  GFX9_INLINE static R lane(const uint32_t* a, const uint32_t*, const uint32_t*, const FpCtx& fp,
                            unsigned l) {
    return F(fp, LaneType<A>::get(a, l));
  }
};
template <auto F, typename R, typename A, typename B>
struct Lift<F, R (*)(const FpCtx&, A, B)> {
  using Result = R;
  static constexpr Ty src[3] = {LaneType<A>::ty, LaneType<B>::ty, Ty::none};
  static constexpr bool ctx = true;
  GFX9_INLINE static R lane(const uint32_t* a, const uint32_t* b, const uint32_t*, const FpCtx& fp,
                            unsigned l) {
    return F(fp, LaneType<A>::get(a, l), LaneType<B>::get(b, l));
  }
};
template <auto F, typename R, typename A, typename B, typename C>
struct Lift<F, R (*)(const FpCtx&, A, B, C)> {
  using Result = R;
  static constexpr Ty src[3] = {LaneType<A>::ty, LaneType<B>::ty, LaneType<C>::ty};
  static constexpr bool ctx = true;
  GFX9_INLINE static R lane(const uint32_t* a, const uint32_t* b, const uint32_t* c, const FpCtx& fp,
                            unsigned l) {
    return F(fp, LaneType<A>::get(a, l), LaneType<B>::get(b, l), LaneType<C>::get(c, l));
  }
};

template <auto F>
uint64_t kernel_of(uint32_t* d, const uint32_t* a, const uint32_t* b, const uint32_t* c, const FpCtx& fp) {
  const FpCtx local = fp;  // a copy the compiler knows no store can change
  return run_lanes<typename Lift<F>::Result>(
      d, [=](unsigned l) GFX9_INLINE_LAMBDA { return Lift<F>::lane(a, b, c, local, l); });
}

}  // namespace softgpu::gfx9::GFX9_LANES_NS
