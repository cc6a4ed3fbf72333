// All proxied queues of the process, for the look-ahead across agents.
#pragma once

#include <algorithm>
#include <mutex>
#include <shared_mutex>
#include <vector>

#include "base/check.hpp"

namespace kreplay::replay {

class Queue;

/// Threads: any.
class QueueRegistry {
 public:
  void add(Queue& queue) {
    const std::unique_lock lock(mutex_);
    KR_CHECK(std::find(queues_.begin(), queues_.end(), &queue) == queues_.end(),
             "a queue is registered once");
    queues_.push_back(&queue);
  }
  /// Waits for running visits: afterwards nobody looks at the queue.
  void remove(Queue& queue) {
    const std::unique_lock lock(mutex_);
    const size_t erased = std::erase(queues_, &queue);
    KR_CHECK(erased == 1, "only a registered queue goes");
  }
  /// Calls visit(queues) while none of them can go away. The visitor reads memory, it does not block.
  template <typename Visit>
  auto visit(Visit&& visit) const {
    const std::shared_lock lock(mutex_);
    return visit(queues_);
  }

 private:
  mutable std::shared_mutex mutex_;  // guards queues_
  std::vector<Queue*> queues_;
};

}  // namespace kreplay::replay
