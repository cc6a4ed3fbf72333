// Counts dispatches that were no candidates. This is on the path of every dispatch that is not selected, so
// threads count in shards of their own, remember where their latest kernels are counted, and only a reader
// adds them up: the steady state is one addition to a line no other thread writes.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <unordered_map>

#include "report/totals.hpp"

namespace kreplay::report {

/// Threads: any. A thread keeps its shard; with more threads than shards some share one, which is still
/// right.
class SkipCounters {
 public:
  SkipCounters();
  void count(uint64_t kernel_id, Reason reason);
  /// Adds what was counted so far to `totals`, per kernel and overall.
  void add_to(Totals& totals) const;

 private:
  static constexpr size_t kShards = 64;
  struct alignas(128) Shard {
    mutable std::mutex mutex;  ///< guards the map; its counts are added to without it
    std::unordered_map<uint64_t, std::atomic<uint64_t>> counts;  ///< by kernel and reason, see key_of()
  };
  std::atomic<uint64_t>& counter(uint64_t key);

  const uint64_t serial_;  ///< of this object in the process, from 1
  std::array<Shard, kShards> shards_;
};

}  // namespace kreplay::report
