// The cost model: deterministic device time from what was executed. It is a throughput model of one compute
// unit with four SIMDs; it knows no caches and no latencies. Same kernel and input, same cycles.
//
//   wave cycles    = sum of the classes below + global bytes / 16 + LDS bytes / 32 + 64 per s_sleep unit
//   compute unit   = max(sum of the wave cycles of its workgroups / 4, its longest wave)
//   grid cycles    = 400 (launch) + max(busiest compute unit, all global bytes / (10 * compute units))
//   ticks (100 MHz) = grid cycles * 100 / clock_mhz, rounded up, at least 1
//
// Workgroups go to compute units round-robin by their linear index. The division by 16 is a wave's share of a
// compute unit's 64 bytes per cycle; 10 bytes per cycle and compute unit is about the memory bandwidth of an
// MI50 (1 TB/s, 60 compute units, 1.7 GHz).
#pragma once

#include <cstdint>

#include "gfx9/inst.hpp"

namespace softgpu::gfx9::costs {

constexpr uint32_t kLaunch = 400;
constexpr uint32_t kSimds = 4;
constexpr uint32_t kGlobalBytesPerWaveCycle = 16;
constexpr uint32_t kLdsBytesPerWaveCycle = 32;
constexpr uint32_t kMemoryBytesPerCycle = 10;  ///< per compute unit, whole device

/// Issue cycles of one wave instruction. Vector ops take 4 cycles for 64 lanes on 16; f64 runs at half rate
/// on gfx906.
constexpr uint32_t cycles(Cost cost) {
  switch (cost) {
    case Cost::salu:
      return 4;
    case Cost::valu:
      return 4;
    case Cost::valu_quarter:
      return 16;
    case Cost::valu_f64:
      return 8;
    case Cost::valu_f64_half:
      return 16;
    case Cost::smem:
      return 8;
    case Cost::lds:
      return 4;
    case Cost::vmem:
      return 4;
    case Cost::branch:
      return 8;
    case Cost::free:
      return 0;
  }
  return 4;
}

}  // namespace softgpu::gfx9::costs
