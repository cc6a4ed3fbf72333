// Values a tool attaches to what a thread does next: one stack per context and thread.
#pragma once

#include <atomic>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "rocprofiler-sdk/fwd.h"

namespace kreplay::tool_api {

/// Threads: any.
class ExternalCorrelation {
 public:
  void push(uint64_t context, uint64_t thread, rocprofiler_user_data_t value) {
    const std::lock_guard lock(mutex_);
    stacks_[{context, thread}].push_back(value);
    depth_.fetch_add(1, std::memory_order_release);
  }

  /// The value removed; 0 when there is none.
  rocprofiler_user_data_t pop(uint64_t context, uint64_t thread) {
    const std::lock_guard lock(mutex_);
    const auto found = stacks_.find({context, thread});
    if (found == stacks_.end()) return {0};
    const rocprofiler_user_data_t value = found->second.back();
    found->second.pop_back();
    if (found->second.empty()) stacks_.erase(found);
    depth_.fetch_sub(1, std::memory_order_release);
    return value;
  }

  /// The value on top; 0 when there is none. One load in a process that never pushes.
  rocprofiler_user_data_t top(uint64_t context, uint64_t thread) {
    if (depth_.load(std::memory_order_acquire) == 0) return {0};
    const std::lock_guard lock(mutex_);
    const auto found = stacks_.find({context, thread});
    return found == stacks_.end() ? rocprofiler_user_data_t{0} : found->second.back();
  }

 private:
  std::mutex mutex_;
  std::map<std::pair<uint64_t, uint64_t>, std::vector<rocprofiler_user_data_t>>
      stacks_;                      // never an empty stack
  std::atomic<uint64_t> depth_{0};  // values in all stacks
};

}  // namespace kreplay::tool_api
