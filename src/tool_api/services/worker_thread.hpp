// A thread of ours that runs tasks in the order they come: completions of kernels, or the deliveries of some
// buffers. It starts with the first task, blocks all signals, and lives as long as its owner.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

#include "tool_api/services/internal_threads.hpp"

namespace kreplay::tool_api {

/// Threads: any, for every method. No lock is held while a task runs.
class WorkerThread {
 public:
  using Task = std::function<void()>;

  /// @param notices told when the thread is made; must outlive this object
  explicit WorkerThread(const InternalThreads& notices) : notices_(notices) {}
  /// Runs what was posted, then joins.
  ~WorkerThread();
  WorkerThread(const WorkerThread&) = delete;
  WorkerThread& operator=(const WorkerThread&) = delete;

  /// Makes the thread now, so that a later post() cannot fail for want of one. @return false: there is none
  bool start() noexcept;
  /// @return false when there is no thread or no memory; the task is dropped
  bool post(Task task) noexcept;
  /// Waits until everything that was posted before has run. @return false when `limit` passed first. True at
  /// once on the thread itself, which is in the middle of a task, and in a fork child, which has no thread.
  bool settle(std::chrono::nanoseconds limit) noexcept;
  bool is_current() const noexcept;

 private:
  void run() noexcept;

  const InternalThreads& notices_;
  mutable std::mutex mutex_;  // guards everything below
  std::condition_variable posted_;
  std::condition_variable ran_;
  std::deque<Task> tasks_;
  uint64_t posted_count_ = 0;
  uint64_t ran_count_ = 0;
  bool ending_ = false;
  bool started_ = false;
  bool starting_ = false;
  std::thread::id starter_;  ///< while starting_
  pid_t pid_ = 0;
  std::thread thread_;
};

}  // namespace kreplay::tool_api
