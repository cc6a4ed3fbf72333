#include "replay/queue.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/clock.hpp"
#include "device/futex.hpp"
#include "hsa/status_text.hpp"

namespace kreplay::replay {
namespace {
constexpr int kSpins = 200;
constexpr uint64_t kRecheckNs = 1'000'000;  // a wake-up can be missed (unlock() has no fence), so look again
}  // namespace

bool Queue::lock_slow(uint64_t timeout_ns) {
  for (int i = 0; i < kSpins; ++i) {
    if (state_.load(std::memory_order_relaxed) == kFree && try_lock()) return true;
    device::cpu_relax();
  }
  const uint64_t end = monotonic_ns() + timeout_ns;
  waiters_.fetch_add(1, std::memory_order_seq_cst);
  bool ours = try_lock();
  while (!ours && monotonic_ns() < end) {
    const uint32_t seen = state_.load(std::memory_order_relaxed);
    if (seen != kFree) device::futex_wait(state_, seen, kRecheckNs);
    ours = try_lock();
  }
  waiters_.fetch_sub(1, std::memory_order_relaxed);
  return ours;
}

void Queue::wake() { device::futex_wake_all(state_); }

std::string Queue::describe_failure(const hsa::HsaApi& api) const {
  const auto status = static_cast<hsa_status_t>(error.load(std::memory_order_acquire));
  return fmt::format("queue {} failed: {}", id_, hsa::status_text(api, status));
}

uint64_t Queue::shown_read_index() {
  int64_t value;
  for (uint64_t extras = extra.load(std::memory_order_acquire);;) {
    const uint64_t real = ring.read_index();
    const uint64_t ours = taken.load(std::memory_order_acquire);
    value = std::min(static_cast<int64_t>(real - extras), static_cast<int64_t>(ours));
    const uint64_t again = extra.load(std::memory_order_acquire);
    if (again == extras) break;
    extras = again;
  }
  // Extras that are not consumed yet make the formula step back: never show that.
  uint64_t shown = shown_.load(std::memory_order_relaxed);
  while (value > static_cast<int64_t>(shown))
    if (shown_.compare_exchange_weak(shown, static_cast<uint64_t>(value), std::memory_order_relaxed))
      return static_cast<uint64_t>(value);
  return shown;
}

}  // namespace kreplay::replay
