// Lane loops: operands as 64 contiguous values, results blended under EXEC. Included by lane sources only,
// inside which GFX9_LANES_NS names the build (see valu.hpp).
//
// A lane loop is written as
//     GFX9_LANE_LOOP for (unsigned l = 0; l < kLanes; ++l) d[l] = op(a[l], b[l]);
// The macro tells the compiler that iterations are independent. That holds also if d is the register a: an
// iteration touches index l only. (Without it gcc checks for overlap at run time and takes a scalar loop.)
#pragma once

#include <cstdint>
#include <cstring>

#include "gfx9/env.hpp"
#include "gfx9/operands.hpp"

#ifndef GFX9_LANES_NS
#error "lanes.hpp is for sources listed in GFX9_LANE_SOURCES only"
#endif

#if defined(__clang__)
#define GFX9_LANE_LOOP _Pragma("clang loop vectorize(assume_safety)")
#else
#define GFX9_LANE_LOOP _Pragma("GCC ivdep")
#endif

namespace softgpu::gfx9::GFX9_LANES_NS {

constexpr uint64_t kAllLanes = ~uint64_t{0};

/// Scratch for one 32-bit operand of a wave.
struct alignas(64) Lanes32 {
  uint32_t v[kLanes];
};
struct alignas(64) Lanes64 {
  uint64_t v[kLanes];
};

/// Source n as 64 contiguous dwords: the register itself, or `tmp` filled with the scalar. Modifiers are not
/// applied. Valid until the register is written.
GFX9_INLINE const uint32_t* source32(const Wave& w, const Inst& i, unsigned n, Lanes32& tmp) {
  if (i.kind[n] == SrcKind::vgpr) return w.vgpr[i.src[n]];
  const uint32_t value = read_scalar32(w, i, n);
  for (unsigned l = 0; l < kLanes; ++l) tmp.v[l] = value;
  return tmp.v;
}
/// Source n as 64 contiguous qwords, copied into `tmp` (a 64-bit operand lies in two registers).
GFX9_INLINE const uint64_t* source64(const Wave& w, const Inst& i, unsigned n, Lanes64& tmp) {
  if (i.kind[n] == SrcKind::vgpr) {
    const uint32_t* lo = w.vgpr[i.src[n]];
    const uint32_t* hi = w.vgpr[i.src[n] + 1];
    for (unsigned l = 0; l < kLanes; ++l) tmp.v[l] = lo[l] | uint64_t{hi[l]} << 32;
  } else {
    const uint64_t value = read_scalar64(w, i, n);
    for (unsigned l = 0; l < kLanes; ++l) tmp.v[l] = value;
  }
  return tmp.v;
}

/// All-ones in active lanes, zero in the others; cached for the last EXEC value.
GFX9_INLINE const uint32_t* exec_lane_mask(Env& env, uint64_t exec) {
  if (env.exec_mask_key != exec) [[unlikely]] {
    for (unsigned half = 0; half < 2; ++half) {
      const uint32_t bits = static_cast<uint32_t>(exec >> (32 * half));
      for (unsigned l = 0; l < 32; ++l) env.exec_mask[half * 32 + l] = 0u - ((bits >> l) & 1u);
    }
    env.exec_mask_key = exec;
  }
  return env.exec_mask;
}

/// vgpr[reg] = value in active lanes.
GFX9_INLINE void store32(Wave& w, Env& env, unsigned reg, const uint32_t* value) {
  uint32_t* d = w.vgpr[reg];
  const uint64_t exec = w.exec();
  if (exec == kAllLanes) {
    GFX9_LANE_LOOP for (unsigned l = 0; l < kLanes; ++l) d[l] = value[l];
    return;
  }
  const uint32_t* m = exec_lane_mask(env, exec);
  GFX9_LANE_LOOP for (unsigned l = 0; l < kLanes; ++l) d[l] = (value[l] & m[l]) | (d[l] & ~m[l]);
}
/// vgpr[reg], vgpr[reg + 1] = value in active lanes.
GFX9_INLINE void store64(Wave& w, Env& env, unsigned reg, const uint64_t* value) {
  uint32_t* lo = w.vgpr[reg];
  uint32_t* hi = w.vgpr[reg + 1];
  const uint32_t* m = exec_lane_mask(env, w.exec());
  GFX9_LANE_LOOP for (unsigned l = 0; l < kLanes; ++l) {
    lo[l] = (static_cast<uint32_t>(value[l]) & m[l]) | (lo[l] & ~m[l]);
    hi[l] = (static_cast<uint32_t>(value[l] >> 32) & m[l]) | (hi[l] & ~m[l]);
  }
}

/// vgpr[i.dst][l] = op(a[l]...) in active lanes, with at most one pass over the lanes when EXEC is full.
/// @param op pure function of values, inlined; must not depend on the lane
template <typename Op>
GFX9_INLINE void map32(Wave& w, Env& env, unsigned reg, Op op, const uint32_t* a) {
  uint32_t* d = w.vgpr[reg];
  const uint64_t exec = w.exec();
  if (exec == kAllLanes) {
    GFX9_LANE_LOOP for (unsigned l = 0; l < kLanes; ++l) d[l] = op(a[l]);
    return;
  }
  const uint32_t* m = exec_lane_mask(env, exec);
  GFX9_LANE_LOOP for (unsigned l = 0; l < kLanes; ++l) d[l] = (op(a[l]) & m[l]) | (d[l] & ~m[l]);
}
template <typename Op>
GFX9_INLINE void map32(Wave& w, Env& env, unsigned reg, Op op, const uint32_t* a, const uint32_t* b) {
  uint32_t* d = w.vgpr[reg];
  const uint64_t exec = w.exec();
  if (exec == kAllLanes) {
    GFX9_LANE_LOOP for (unsigned l = 0; l < kLanes; ++l) d[l] = op(a[l], b[l]);
    return;
  }
  const uint32_t* m = exec_lane_mask(env, exec);
  GFX9_LANE_LOOP for (unsigned l = 0; l < kLanes; ++l) d[l] = (op(a[l], b[l]) & m[l]) | (d[l] & ~m[l]);
}
template <typename Op>
GFX9_INLINE void map32(Wave& w, Env& env, unsigned reg, Op op, const uint32_t* a, const uint32_t* b,
                       const uint32_t* c) {
  uint32_t* d = w.vgpr[reg];
  const uint64_t exec = w.exec();
  if (exec == kAllLanes) {
    GFX9_LANE_LOOP for (unsigned l = 0; l < kLanes; ++l) d[l] = op(a[l], b[l], c[l]);
    return;
  }
  const uint32_t* m = exec_lane_mask(env, exec);
  GFX9_LANE_LOOP for (unsigned l = 0; l < kLanes; ++l) d[l] = (op(a[l], b[l], c[l]) & m[l]) | (d[l] & ~m[l]);
}

/// One bit per lane from 64 values that are zero or not (compare results, carries).
GFX9_INLINE uint64_t lane_bits(const uint32_t* value) {
  uint64_t bits = 0;
  for (unsigned l = 0; l < kLanes; ++l) bits |= uint64_t{value[l] != 0} << l;
  return bits;
}

}  // namespace softgpu::gfx9::GFX9_LANES_NS
