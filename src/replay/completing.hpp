// Signals of the application that are being completed on its behalf right now. The runtime still uses a
// signal after its value has changed (it wakes waiters), while whoever saw the value may already destroy it.
#pragma once

#include <hsa/hsa.h>
#include <sched.h>

#include <array>
#include <atomic>
#include <cstdint>

#include "base/clock.hpp"

namespace kreplay::replay {

/// Threads: any. Signals share counters: a wait may be for another one, which does no harm.
class Completing {
 public:
  void begin(hsa_signal_t signal) { count(signal).fetch_add(1, std::memory_order_seq_cst); }
  void end(hsa_signal_t signal) { count(signal).fetch_sub(1, std::memory_order_release); }
  /// Before the signal is destroyed. Lasts as long as the runtime's own call; a thread that never comes back
  /// from it must not hold up the application. @return false after `limit_ns`
  bool wait(hsa_signal_t signal, uint64_t limit_ns = 1'000'000'000) {
    if (count(signal).load(std::memory_order_acquire) == 0) return true;
    for (const uint64_t start_ns = monotonic_ns(); monotonic_ns() - start_ns < limit_ns; sched_yield())
      if (count(signal).load(std::memory_order_acquire) == 0) return true;
    return false;
  }

 private:
  std::atomic<uint32_t>& count(hsa_signal_t signal) { return counts_[(signal.handle >> 7) & 255]; }
  std::array<std::atomic<uint32_t>, 256> counts_ = {};
};

}  // namespace kreplay::replay
