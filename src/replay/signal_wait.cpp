#include "replay/signal_wait.hpp"

#include "replay/copy_fence.hpp"
#include "replay/futex.hpp"

namespace kreplay::replay {

uint64_t SignalWaiter::now() { return now_ns(); }

bool SignalWaiter::spin(hsa_signal_t signal, uint64_t start) const {
  do {
    for (int i = 0; i < 64; ++i) {
      if (signal_value(signal) < 1) return true;
      cpu_relax();
    }
  } while (now_ns() - start < kSpinNs);
  return false;
}

bool SignalWaiter::block(hsa_signal_t signal, uint64_t timeout_ns) const {
  const auto ticks =
      static_cast<uint64_t>(static_cast<double>(timeout_ns) * 1e-9 * static_cast<double>(ticks_per_second_));
  return api_.hsa_signal_wait_scacquire(signal, HSA_SIGNAL_CONDITION_LT, 1, ticks == 0 ? 1 : ticks,
                                        HSA_WAIT_STATE_BLOCKED) < 1;
}

}  // namespace kreplay::replay
