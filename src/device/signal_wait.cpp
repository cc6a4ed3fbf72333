#include "device/signal_wait.hpp"

#include <hsa/amd_hsa_signal.h>

#include <algorithm>

#include "base/clock.hpp"
#include "base/mutex.hpp"
#include "device/futex.hpp"
#include "device/host_access.hpp"

namespace kreplay::device {

int64_t signal_value(hsa_signal_t signal) {
  return __atomic_load_n(&reinterpret_cast<const amd_signal_t*>(signal.handle)->value, __ATOMIC_ACQUIRE);
}

std::optional<int64_t> application_signal_value(hsa_signal_t signal) {
  return HostAccess().load<int64_t>(
      const_cast<const int64_t*>(&reinterpret_cast<const amd_signal_t*>(signal.handle)->value));
}

hsa_signal_value_t wait_below(const hsa::HsaApi& api, hsa_signal_t signal, hsa_signal_value_t bound,
                              uint64_t timeout_ns, uint64_t ticks_per_second) {
  KR_CHECK_UNLOCKED();
  KR_CHECK(ticks_per_second != 0, "the unit of the runtime's time limits is known");
  const double ticks = static_cast<double>(timeout_ns) * 1e-9 * static_cast<double>(ticks_per_second);
  return api.hsa_signal_wait_scacquire(signal, HSA_SIGNAL_CONDITION_LT, bound,
                                       std::max<uint64_t>(1, static_cast<uint64_t>(ticks)),
                                       HSA_WAIT_STATE_BLOCKED);
}

uint64_t SignalWaiter::now() { return monotonic_ns(); }

bool SignalWaiter::spin(hsa_signal_t signal, uint64_t start) const {
  do {
    for (int i = 0; i < 64; ++i) {
      if (signal_value(signal) < 1) return true;
      cpu_relax();
    }
  } while (monotonic_ns() - start < kSpinNs);
  return false;
}

bool SignalWaiter::block(hsa_signal_t signal, uint64_t timeout_ns) const {
  return wait_below(api_, signal, 1, timeout_ns, ticks_per_second_) < 1;
}

}  // namespace kreplay::device
