// A mutex whose lock can be waited for with a limit. std::timed_mutex is not used because ThreadSanitizer (of
// gcc 12) does not see it being locked in time, and then reports what it guards.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>

#include "base/check.hpp"

namespace kreplay::intercept {

class StartLock {
 public:
  /// @return false: another thread has had it for the whole of `limit`
  bool try_lock_for(std::chrono::nanoseconds limit) {
    std::unique_lock lock(mutex_);
    if (!freed_.wait_for(lock, limit, [this] { return !taken_; })) return false;
    taken_ = true;
    return true;
  }
  void unlock() {
    {
      const std::lock_guard lock(mutex_);
      KR_CHECK(taken_, "the start is let go by who has it");
      taken_ = false;
    }
    freed_.notify_one();
  }

 private:
  std::mutex mutex_;  // guards taken_
  std::condition_variable freed_;
  bool taken_ = false;
};

}  // namespace kreplay::intercept
