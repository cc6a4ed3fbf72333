// The host's monotonic clock, in nanoseconds: for durations and bounds of waits. Not the domain of kernel
// timestamps.
#pragma once

#include <time.h>

#include <cstdint>

namespace kreplay {

inline uint64_t monotonic_ns() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(now.tv_nsec);
}

}  // namespace kreplay
