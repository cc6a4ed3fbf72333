// Counts dispatches that were no candidates. This is on the path of every dispatch that is not selected, so
// threads count in shards of their own and only a reader adds them up.
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
  void count(uint64_t kernel_id, Reason reason);
  /// Adds what was counted so far to `totals`, per kernel and overall.
  void add_to(Totals& totals) const;

 private:
  static constexpr size_t kShards = 64;
  struct alignas(128) Shard {
    mutable std::mutex mutex;
    std::unordered_map<uint64_t, uint64_t> counts;  ///< by kernel and reason, see key_of()
  };
  std::array<Shard, kShards> shards_;
};

}  // namespace kreplay::report
