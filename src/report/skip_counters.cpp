#include "report/skip_counters.hpp"

namespace kreplay::report {
namespace {

constexpr uint64_t kReasonBits = 8;
constexpr uint64_t kIdMask = UINT64_MAX >> kReasonBits;
static_assert(kReasons < (1u << kReasonBits));

/// Kernel ids count from 1, so the top bits are free; the unknown kernel's id keeps its low bits.
uint64_t key_of(uint64_t kernel_id, Reason reason) {
  return kernel_id << kReasonBits | static_cast<uint64_t>(reason);
}

std::atomic<uint32_t> g_threads{0};
/// Trivially destructible; 0 until the thread's first count.
thread_local uint32_t t_shard_plus_1 = 0;

std::atomic<uint64_t> g_serial{0};

/// Where this thread counted lately. Valid while the SkipCounters with that serial number lives.
struct Remembered {
  uint64_t serial = 0;
  uint64_t key = 0;
  std::atomic<uint64_t>* counter = nullptr;
};
constexpr size_t kRemembered = 16;
thread_local Remembered t_remembered[kRemembered];

}  // namespace

SkipCounters::SkipCounters() : serial_(g_serial.fetch_add(1, std::memory_order_relaxed) + 1) {}

void SkipCounters::count(uint64_t kernel_id, Reason reason) {
  const uint64_t key = key_of(kernel_id, reason);
  Remembered& last = t_remembered[(kernel_id ^ static_cast<uint64_t>(reason)) % kRemembered];
  if (last.key != key || last.serial != serial_) last = {serial_, key, &counter(key)};
  last.counter->fetch_add(1, std::memory_order_relaxed);
}

std::atomic<uint64_t>& SkipCounters::counter(uint64_t key) {
  if (t_shard_plus_1 == 0) t_shard_plus_1 = g_threads.fetch_add(1, std::memory_order_relaxed) % kShards + 1;
  Shard& shard = shards_[t_shard_plus_1 - 1];
  const std::lock_guard lock(shard.mutex);
  return shard.counts[key];
}

void SkipCounters::add_to(Totals& totals) const {
  for (const Shard& shard : shards_) {
    const std::lock_guard lock(shard.mutex);
    for (const auto& [key, count] : shard.counts) {
      const uint64_t id = key >> kReasonBits;
      const auto reason = key & ((1u << kReasonBits) - 1);
      totals.sums.skipped[reason] += count;
      totals.kernels[id == kIdMask ? kUnknownKernel : id].sums.skipped[reason] += count;
    }
  }
}

}  // namespace kreplay::report
