// Bounded waiting for a signal of ours to drop below one: spin a little, then block in the runtime in short
// slices, so that queue errors and stuck dependencies are noticed.
#pragma once

#include <cstdint>
#include <optional>

#include "hsa/hsa_api.hpp"

namespace kreplay::device {

/// A signal's value, read from memory (amd_signal_t), without a call into the runtime.
/// For signals that cannot go away meanwhile: ours, and those that a call in progress was given.
int64_t signal_value(hsa_signal_t signal);
/// The same for one that another thread may destroy while we look, as that of a packet that has just been
/// processed: some signals (from other processes) are unmapped with their end. @return empty when it is gone
std::optional<int64_t> application_signal_value(hsa_signal_t signal);

/// Blocks in the runtime until the signal is below `bound`, at most `timeout_ns`; may return early for no
/// reason.
/// @param ticks_per_second HSA_SYSTEM_INFO_TIMESTAMP_FREQUENCY
/// @return the value seen last
hsa_signal_value_t wait_below(const hsa::HsaApi& api, hsa_signal_t signal, hsa_signal_value_t bound,
                              uint64_t timeout_ns, uint64_t ticks_per_second);

enum class WaitEnd : uint8_t { done, timeout, stopped };

class SignalWaiter {
 public:
  /// @param ticks_per_second HSA_SYSTEM_INFO_TIMESTAMP_FREQUENCY: the unit of the runtime's time limits
  SignalWaiter(const hsa::HsaApi& api, uint64_t ticks_per_second)
      : api_(api), ticks_per_second_(ticks_per_second == 0 ? 1'000'000'000 : ticks_per_second) {}

  /// @param stop   asked after each slice (about 10 ms); true ends the wait
  /// @return stopped when `stop` said so, timeout after `timeout_ns`
  template <typename Stop>
  WaitEnd wait(hsa_signal_t signal, uint64_t timeout_ns, Stop&& stop) const {
    const uint64_t start = now();
    if (spin(signal, start)) return WaitEnd::done;
    for (;;) {
      const uint64_t used = now() - start;
      const uint64_t left = used >= timeout_ns ? 0 : timeout_ns - used;
      if (block(signal, left < kSliceNs ? left : kSliceNs)) return WaitEnd::done;
      if (stop()) return WaitEnd::stopped;
      if (now() - start >= timeout_ns) return WaitEnd::timeout;
    }
  }

 private:
  static constexpr uint64_t kSpinNs = 50'000;
  static constexpr uint64_t kSliceNs = 10'000'000;
  static uint64_t now();
  bool spin(hsa_signal_t signal, uint64_t start) const;
  bool block(hsa_signal_t signal, uint64_t timeout_ns) const;

  const hsa::HsaApi& api_;
  uint64_t ticks_per_second_;
};

}  // namespace kreplay::device
