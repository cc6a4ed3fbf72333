// Global wave sync: 64 counters that waves of all workgroups share, kept from one grid to the next (the
// program initialises them with a kernel of its own). Source: "Vega" ISA manual, DS_GWS_*.
#pragma once

#include <cstdint>

namespace softgpu::gfx9 {

struct GwsResource {
  uint32_t barrier_last = 0;  ///< number of waves of the barrier minus one (DS_GWS_INIT value)
  uint32_t arrived = 0;       ///< waves waiting at the barrier
  uint64_t semaphore = 0;
  uint64_t waiting = 0;     ///< waves waiting for the semaphore
  uint64_t generation = 0;  ///< moves whenever waiting waves should look again
};

struct Gws {
  static constexpr unsigned kResources = 64;
  GwsResource resource[kResources];
};

}  // namespace softgpu::gfx9
