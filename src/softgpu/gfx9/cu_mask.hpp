// Which compute units the grids of a queue may use.
#pragma once

#include <array>
#include <cstdint>

namespace softgpu::gfx9 {

constexpr uint32_t kMaxComputeUnits = 128;  ///< HW_ID has seven bits for them

/// Bit n stands for compute unit n. All of them, unless set otherwise.
struct CuMask {
  std::array<uint64_t, kMaxComputeUnits / 64> words = {~uint64_t{0}, ~uint64_t{0}};

  constexpr bool has(uint32_t unit) const { return (words[unit / 64] >> unit % 64 & 1) != 0; }
};

}  // namespace softgpu::gfx9
