#include "cp/worker.hpp"

#include <algorithm>
#include <utility>

#include "cp/thread.hpp"

namespace softgpu::cp {

void ProgressHub::notify() {
  if (blocked_.load(std::memory_order_seq_cst) == 0) return;
  const std::lock_guard lock(mutex_);
  for (Worker* worker : workers_) worker->wake();
}

void ProgressHub::add(Worker* worker) {
  const std::lock_guard lock(mutex_);
  workers_.push_back(worker);
  blocked_.fetch_add(1, std::memory_order_seq_cst);
}

void ProgressHub::remove(Worker* worker) {
  const std::lock_guard lock(mutex_);
  workers_.erase(std::find(workers_.begin(), workers_.end(), worker));
  blocked_.fetch_sub(1, std::memory_order_seq_cst);
}

void Worker::start(std::string name, std::function<void()> body) {
  thread_ = start_thread(std::move(name), std::move(body));
}

void Worker::stop_and_join() {
  stop_.store(true, std::memory_order_release);
  wake();
  if (thread_.joinable()) thread_.join();
}

void Worker::wake() {
  {
    const std::lock_guard lock(mutex_);
    woken_ = true;
  }
  condition_.notify_one();
}

void Worker::wait_for_work() {
  std::unique_lock lock(mutex_);
  condition_.wait(lock, [this] { return woken_ || stopping(); });
  woken_ = false;
}

// A completion between our caller's look at memory and add() is not announced to us; the schedule's next look
// finds it, at most 1 ms later.
void Worker::pause(PollSchedule& schedule) {
  const auto delay = schedule.next();
  if (delay.count() == 0) {
    cpu_pause();
    return;
  }
  hub_.add(this);
  {
    std::unique_lock lock(mutex_);
    condition_.wait_for(lock, delay, [this] { return woken_ || stopping(); });
    woken_ = false;
  }
  hub_.remove(this);
}

}  // namespace softgpu::cp
