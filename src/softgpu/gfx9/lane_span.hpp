// Where the bytes of a vector memory instruction are, lane by lane, once every address has been translated
// and checked. Loads and stores then move data without further questions, so a fault leaves registers and
// memory untouched.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gfx9/env.hpp"
#include "gfx9/wave.hpp"

namespace softgpu::gfx9 {

constexpr unsigned kMaxAccessBytes = 16;

struct LaneSpan {
  /// Set when lane l's bytes are at contiguous + l * size for all 64 lanes; p is not filled then.
  std::byte* contiguous = nullptr;
  /// Distance of a lane's consecutive dwords: 4, or 256 in a swizzled scratch slot.
  uint32_t step = 4;
  /// Lanes whose bytes do not lie `step` apart: p points into `bounce`, byte_at has the real places.
  uint64_t scattered = 0;
  /// First byte of each active lane; nullptr: out of range, reads as zero and drops stores.
  std::byte* p[kLanes];
  alignas(16) std::byte bounce[kLanes][kMaxAccessBytes];
  std::byte* byte_at[kLanes][kMaxAccessBytes];

  /// Marks a lane scattered. The caller fills byte_at[lane], then calls gather() if the instruction loads.
  void scatter(unsigned lane) {
    scattered |= uint64_t{1} << lane;
    p[lane] = bounce[lane];
  }
  /// Before a load: copies the scattered lanes' bytes into `bounce`.
  void gather(unsigned size);
  /// After a store: copies them back.
  void flush(unsigned size);
};

/// Translates global addresses of the lanes in `exec` (not empty). Raises a memory violation.
/// @return false after env.raise
bool resolve_global(Env& env, const uint64_t* va, uint64_t exec, unsigned size, bool write, LaneSpan& span);

/// A swizzled private segment: byte o of lane l lies at base + (o / 4) * 256 + l * 4 + o % 4.
struct PrivateSegment {
  uint64_t base = 0;
  uint64_t lane_bytes = 0;
};

/// Translates the lanes in `exec`, all of which access the private segment, at offset[lane]. Raises a memory
/// or aperture violation. @return false after env.raise
bool resolve_private(Env& env, const PrivateSegment& segment, const uint32_t* offset, uint64_t exec,
                     unsigned size, bool write, LaneSpan& span);

/// The same for one lane among others that are elsewhere (span.step stays 4): scatters unless it is one
/// dword.
bool resolve_private_lane(Env& env, const PrivateSegment& segment, unsigned lane, uint64_t offset,
                          unsigned size, bool write, LaneSpan& span);

}  // namespace softgpu::gfx9
