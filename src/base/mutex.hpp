// A mutex that knows which thread holds it. No lock of ours is held across a call into the runtime or into a
// callback: the places where such calls are made ask locks_held(). The exceptions are no Mutex: what is held
// across calls on purpose (docs/architecture.md, "Locks").
#pragma once

#include <cstdint>
#include <mutex>

#include "base/check.hpp"

namespace kreplay {

// Clang's ThreadSanitizer wants its own model; see replay/thread_state.hpp.
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define KREPLAY_LOCKS_TLS_MODEL
#endif
#endif
#ifndef KREPLAY_LOCKS_TLS_MODEL
#define KREPLAY_LOCKS_TLS_MODEL __attribute__((tls_model("initial-exec")))
#endif

extern constinit thread_local uint32_t t_locks_held KREPLAY_LOCKS_TLS_MODEL;

/// How many of them the calling thread holds.
inline uint32_t locks_held() { return t_locks_held; }

/// For std::lock_guard, std::unique_lock and std::condition_variable_any.
class Mutex {
 public:
  void lock() {
    mutex_.lock();
    ++t_locks_held;
  }
  bool try_lock() {
    const bool locked = mutex_.try_lock();
    if (locked) ++t_locks_held;
    return locked;
  }
  void unlock() {
    --t_locks_held;
    mutex_.unlock();
  }

 private:
  std::mutex mutex_;
};

}  // namespace kreplay

/// Before a call into the runtime or into a callback.
#define KR_CHECK_UNLOCKED() \
  KR_CHECK(::kreplay::locks_held() == 0, "no lock of ours is held across a call out")
