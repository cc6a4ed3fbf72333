// One thread per GPU that looks at the doorbells of all its queues and wakes the workers of those that rang.
// A doorbell is a 64-bit word in memory shared with the application; nothing announces a store to it.
//
// The value is a hint: the poller only compares it with the one it saw last.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

#include "cp/poll_schedule.hpp"
#include "cp/worker.hpp"

namespace softgpu::cp {

class DoorbellPoller {
 public:
  DoorbellPoller() = default;
  ~DoorbellPoller();
  DoorbellPoller(const DoorbellPoller&) = delete;
  DoorbellPoller& operator=(const DoorbellPoller&) = delete;

  /// The doorbell's value at this moment counts as seen. Starts the thread at first use.
  void watch(const std::atomic<uint64_t>* doorbell, Worker* worker);
  /// When this returns, the poller neither reads the doorbell nor wakes the worker any more.
  void unwatch(const std::atomic<uint64_t>* doorbell);
  /// A queue just ran dry; the application is likely to ring soon.
  void expect_soon();
  /// Looks taken so far, the measure of what an idle process costs.
  uint64_t looks() const { return looks_.load(std::memory_order_relaxed); }

 private:
  struct Watched {
    const std::atomic<uint64_t>* doorbell;
    Worker* worker;
    uint64_t seen;
  };
  void run();
  bool look();

  std::atomic<uint64_t> looks_{0};
  std::atomic<bool> slow_{false};  ///< in a sleep longer than the short one
  std::mutex mutex_;               ///< guards what follows
  std::condition_variable condition_;
  std::vector<Watched> watched_;
  std::thread thread_;
  bool stop_ = false;
  bool hurry_ = false;
};

}  // namespace softgpu::cp
