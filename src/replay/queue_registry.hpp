// All proxied queues of the process, for the look-ahead across agents.
#pragma once

#include <algorithm>
#include <mutex>
#include <shared_mutex>
#include <vector>

namespace kreplay::replay {

class Queue;

/// Threads: any.
class QueueRegistry {
 public:
  void add(Queue& queue) {
    const std::unique_lock lock(mutex_);
    queues_.push_back(&queue);
  }
  /// Waits for running visits: afterwards nobody looks at the queue.
  void remove(Queue& queue) {
    const std::unique_lock lock(mutex_);
    std::erase(queues_, &queue);
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
