#include "cp/doorbell_poller.hpp"

#include <algorithm>

#include "cp/thread.hpp"

namespace softgpu::cp {

DoorbellPoller::~DoorbellPoller() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  condition_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void DoorbellPoller::watch(const std::atomic<uint64_t>* doorbell, Worker* worker) {
  {
    const std::lock_guard lock(mutex_);
    watched_.push_back({doorbell, worker, doorbell->load(std::memory_order_acquire)});
    hurry_ = true;
    if (!thread_.joinable()) thread_ = start_thread("softgpu-doorbell", [this] { run(); });
  }
  condition_.notify_all();
}

void DoorbellPoller::unwatch(const std::atomic<uint64_t>* doorbell) {
  const std::lock_guard lock(mutex_);
  std::erase_if(watched_, [&](const Watched& w) { return w.doorbell == doorbell; });
}

void DoorbellPoller::expect_soon() {
  if (!slow_.load(std::memory_order_relaxed)) return;
  {
    const std::lock_guard lock(mutex_);
    hurry_ = true;
  }
  condition_.notify_all();
}

bool DoorbellPoller::look() {
  bool rang = false;
  for (Watched& watched : watched_) {
    const uint64_t value = watched.doorbell->load(std::memory_order_acquire);
    if (value == watched.seen) continue;
    watched.seen = value;
    rang = true;
    watched.worker->wake();
  }
  looks_.fetch_add(1, std::memory_order_relaxed);
  return rang;
}

void DoorbellPoller::run() {
  PollSchedule schedule;
  std::unique_lock lock(mutex_);
  while (!stop_) {
    if (watched_.empty()) {
      condition_.wait(lock, [this] { return stop_ || !watched_.empty(); });
      continue;
    }
    if (look()) schedule.reset();
    if (hurry_) schedule.reset_without_spin();
    hurry_ = false;
    const auto delay = schedule.next();
    if (delay.count() == 0) {
      lock.unlock();
      cpu_pause();
      lock.lock();
      continue;
    }
    slow_.store(delay > PollSchedule::kShort, std::memory_order_relaxed);
    condition_.wait_for(lock, delay, [this] { return stop_ || hurry_; });
    slow_.store(false, std::memory_order_relaxed);
  }
}

}  // namespace softgpu::cp
