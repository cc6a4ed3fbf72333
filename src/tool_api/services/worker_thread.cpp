#include "tool_api/services/worker_thread.hpp"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <system_error>

#include "base/log.hpp"

namespace kreplay::tool_api {

WorkerThread::~WorkerThread() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  posted_.notify_all();
  if (thread_.joinable()) thread_.join();
}

bool WorkerThread::is_current() const noexcept {
  const std::lock_guard lock(mutex_);
  return started_ && thread_.get_id() == std::this_thread::get_id();
}

bool WorkerThread::start() noexcept {
  {
    std::unique_lock lock(mutex_);
    if (started_) return pid_ == getpid();
    // From within a notice of this very start: what is posted now runs when the thread is there.
    if (starting_ && starter_ == std::this_thread::get_id()) return true;
    ran_.wait(lock, [this] { return !starting_; });
    if (started_) return pid_ == getpid();
    starting_ = true;
    starter_ = std::this_thread::get_id();
  }
  try {
    notices_.around([this] {
      // The application's signals are not ours to take.
      sigset_t all;
      sigset_t before;
      sigfillset(&all);
      pthread_sigmask(SIG_SETMASK, &all, &before);
      try {
        const std::lock_guard lock(mutex_);
        thread_ = std::thread([this] { run(); });
        started_ = true;
        pid_ = getpid();
      } catch (const std::system_error&) {
      }
      pthread_sigmask(SIG_SETMASK, &before, nullptr);
    });
  } catch (...) {  // out of memory
  }
  const std::lock_guard lock(mutex_);
  starting_ = false;
  ran_.notify_all();
  if (!started_) log::error("services", "no thread could be made to deliver records");
  return started_;
}

bool WorkerThread::post(Task task) noexcept {
  if (!start()) return false;
  try {
    const std::lock_guard lock(mutex_);
    tasks_.push_back(std::move(task));
    ++posted_count_;
  } catch (...) {
    return false;
  }
  posted_.notify_one();
  return true;
}

bool WorkerThread::settle(std::chrono::nanoseconds limit) noexcept {
  std::unique_lock lock(mutex_);
  if (!started_ || pid_ != getpid() || thread_.get_id() == std::this_thread::get_id()) return true;
  const uint64_t until = posted_count_;
  return ran_.wait_for(lock, limit, [&] { return ran_count_ >= until; });
}

void WorkerThread::run() noexcept {
  std::unique_lock lock(mutex_);
  for (;;) {
    posted_.wait(lock, [this] { return ending_ || !tasks_.empty(); });
    if (tasks_.empty()) return;
    Task task = std::move(tasks_.front());
    tasks_.pop_front();
    lock.unlock();
    try {
      task();
    } catch (...) {
      log::error("services", "a tool's callback threw an exception on a thread of this library");
    }
    task = nullptr;  // what it holds goes before anybody is told
    lock.lock();
    ++ran_count_;
    ran_.notify_all();
  }
}

}  // namespace kreplay::tool_api
