// Moving data between VGPRs and the places of a LaneSpan, for loads and stores of every shape.
#pragma once

#include <cstring>

#include "gfx9/lane_span.hpp"

namespace softgpu::gfx9 {

/// Calls f(lane) for each lane in `exec`.
template <typename F>
GFX9_INLINE void for_lanes(uint64_t exec, F f) {
  if (exec == ~uint64_t{0}) {
    for (unsigned l = 0; l < kLanes; ++l) f(l);
    return;
  }
  for (uint64_t m = exec; m != 0; m &= m - 1) f(static_cast<unsigned>(__builtin_ctzll(m)));
}

enum class Shape : uint8_t {
  u8,
  i8,
  u16,
  i16,  ///< to or from a whole VGPR, loads extend
  u8_d16,
  u8_d16_hi,
  i8_d16,
  i8_d16_hi,  ///< one half of a VGPR, the other half is kept
  b16_d16,
  b16_d16_hi,  ///< as above; as stores, the half is the source
  b32,
  b64,
  b96,
  b128,
};
constexpr unsigned shape_bytes(Shape s) {
  switch (s) {
    case Shape::u8:
    case Shape::i8:
    case Shape::u8_d16:
    case Shape::u8_d16_hi:
    case Shape::i8_d16:
    case Shape::i8_d16_hi:
      return 1;
    case Shape::u16:
    case Shape::i16:
    case Shape::b16_d16:
    case Shape::b16_d16_hi:
      return 2;
    case Shape::b32:
      return 4;
    case Shape::b64:
      return 8;
    case Shape::b96:
      return 12;
    case Shape::b128:
      return 16;
  }
  return 0;
}
constexpr unsigned shape_dwords(Shape s) { return shape_bytes(s) <= 4 ? 1 : shape_bytes(s) / 4; }

template <typename T>
GFX9_INLINE T peek(const std::byte* p) {
  T value;
  std::memcpy(&value, p, sizeof value);
  return value;
}
template <typename T>
GFX9_INLINE void poke(std::byte* p, T value) {
  std::memcpy(p, &value, sizeof value);
}

/// What a narrow load leaves in the register.
template <Shape kShape>
GFX9_INLINE uint32_t narrow_value(const std::byte* p, uint32_t old) {
  switch (kShape) {
    case Shape::u8:
      return peek<uint8_t>(p);
    case Shape::i8:
      return static_cast<uint32_t>(peek<int8_t>(p));
    case Shape::u16:
      return peek<uint16_t>(p);
    case Shape::i16:
      return static_cast<uint32_t>(peek<int16_t>(p));
    case Shape::u8_d16:
      return (old & 0xffff0000u) | peek<uint8_t>(p);
    case Shape::u8_d16_hi:
      return (old & 0xffffu) | uint32_t{peek<uint8_t>(p)} << 16;
    case Shape::i8_d16:
      return (old & 0xffff0000u) | (static_cast<uint32_t>(peek<int8_t>(p)) & 0xffffu);
    case Shape::i8_d16_hi:
      return (old & 0xffffu) | static_cast<uint32_t>(peek<int8_t>(p)) << 16;
    case Shape::b16_d16:
      return (old & 0xffff0000u) | peek<uint16_t>(p);
    case Shape::b16_d16_hi:
      return (old & 0xffffu) | uint32_t{peek<uint16_t>(p)} << 16;
    default:
      return peek<uint32_t>(p);
  }
}

template <Shape kShape>
void load_lanes(Wave& w, unsigned reg, uint64_t exec, const LaneSpan& span) {
  constexpr unsigned kBytes = shape_bytes(kShape), kDwords = shape_dwords(kShape);
  alignas(16) static constexpr std::byte kZeros[kMaxAccessBytes] = {};
  if (span.contiguous) {
    if constexpr (kShape == Shape::b32) {
      std::memcpy(w.vgpr[reg], span.contiguous, sizeof w.vgpr[reg]);
    } else {
      for (unsigned l = 0; l < kLanes; ++l) {
        const std::byte* p = span.contiguous + size_t{l} * kBytes;
        for (unsigned k = 0; k < kDwords; ++k) {
          uint32_t& d = w.vgpr[reg + k][l];
          d = narrow_value<kShape>(p + 4 * k, d);
        }
      }
    }
    return;
  }
  for_lanes(exec, [&](unsigned l) {
    const std::byte* p = span.p[l] ? span.p[l] : kZeros;
    const uint32_t step = span.p[l] ? span.step : 4;
    for (unsigned k = 0; k < kDwords; ++k) {
      uint32_t& d = w.vgpr[reg + k][l];
      d = narrow_value<kShape>(p + size_t{k} * step, d);
    }
  });
}

template <Shape kShape>
GFX9_INLINE void store_one(const Wave& w, unsigned reg, unsigned l, std::byte* p, uint32_t step) {
  const uint32_t value = w.vgpr[reg][l];
  switch (kShape) {
    case Shape::u8:
    case Shape::i8:
      poke(p, static_cast<uint8_t>(value));
      break;
    case Shape::u8_d16_hi:
      poke(p, static_cast<uint8_t>(value >> 16));
      break;
    case Shape::u16:
    case Shape::i16:
      poke(p, static_cast<uint16_t>(value));
      break;
    case Shape::b16_d16_hi:
      poke(p, static_cast<uint16_t>(value >> 16));
      break;
    default:
      for (unsigned k = 0; k < shape_dwords(kShape); ++k) poke(p + size_t{k} * step, w.vgpr[reg + k][l]);
      break;
  }
}

template <Shape kShape>
void store_lanes(const Wave& w, unsigned reg, uint64_t exec, const LaneSpan& span) {
  constexpr unsigned kBytes = shape_bytes(kShape);
  if (span.contiguous) {
    if constexpr (kShape == Shape::b32) {
      std::memcpy(span.contiguous, w.vgpr[reg], sizeof w.vgpr[reg]);
    } else {
      for (unsigned l = 0; l < kLanes; ++l) {
        store_one<kShape>(w, reg, l, span.contiguous + size_t{l} * kBytes, 4);
      }
    }
    return;
  }
  for_lanes(exec, [&](unsigned l) {
    if (span.p[l]) store_one<kShape>(w, reg, l, span.p[l], span.step);
  });
}

}  // namespace softgpu::gfx9
