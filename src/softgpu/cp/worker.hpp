// The thread of one queue and its ways of waiting: for work (no limit, woken by the doorbell poller), and for
// a condition that only memory tells (back-off, cut short by progress of another queue).
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "cp/poll_schedule.hpp"

namespace softgpu::cp {

class Worker;

/// Tells blocked workers that some queue completed something, so that a dependency between queues does not
/// wait for the next look. One per process; its cost is one load while nobody is blocked.
class ProgressHub {
 public:
  void notify();

 private:
  friend class Worker;
  void add(Worker* worker);
  void remove(Worker* worker);

  std::atomic<unsigned> blocked_{0};
  std::mutex mutex_;  ///< guards workers_; taken before Worker::mutex_
  std::vector<Worker*> workers_;
};

class Worker {
 public:
  explicit Worker(ProgressHub& hub) : hub_(hub) {}
  ~Worker() { stop_and_join(); }
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  /// @param body runs on the new thread and returns once stopping() is true
  void start(std::string name, std::function<void()> body);
  /// Ends the thread and waits for it. The body may be deep inside a kernel: it watches stop_flag().
  void stop_and_join();

  /// There may be work. Never lost: a wake before the wait makes the wait return at once.
  void wake();
  bool stopping() const { return stop_.load(std::memory_order_acquire); }
  const std::atomic<bool>& stop_flag() const { return stop_; }

  // From the worker's own thread only:
  void wait_for_work();
  /// One pause while blocked on memory.
  void pause(PollSchedule& schedule);

 private:
  ProgressHub& hub_;
  std::thread thread_;
  std::atomic<bool> stop_{false};
  std::mutex mutex_;  ///< guards woken_
  std::condition_variable condition_;
  bool woken_ = false;
};

}  // namespace softgpu::cp
