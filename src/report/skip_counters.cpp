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

}  // namespace

void SkipCounters::count(uint64_t kernel_id, Reason reason) {
  if (t_shard_plus_1 == 0) t_shard_plus_1 = g_threads.fetch_add(1, std::memory_order_relaxed) % kShards + 1;
  Shard& shard = shards_[t_shard_plus_1 - 1];
  const std::lock_guard lock(shard.mutex);
  ++shard.counts[key_of(kernel_id, reason)];
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
