// What this library knows about the calling thread. Trivially destructible and initial-exec, so it works in
// every destructor and pthread key of the application.
#pragma once

#include <cstdint>

#include "base/cancel_guard.hpp"
#include "base/check.hpp"
#include "base/mutex.hpp"

namespace kreplay::replay {

class Agent;
class Window;

struct ThreadState {
  uint32_t ours = 0;                   ///< depth of our own work: hooks pass straight through
  uint32_t graph = 0;                  ///< depth of HIP graph launches on the stack
  uint32_t tid = 0;                    ///< gettid(), 0 = not asked yet
  uint32_t submission = 0;             ///< see submission(); 0 = none begun yet
  uint16_t expected_entry = 0;         ///< entry point + 1 whose table side we are about to be called on
  bool from_table = false;             ///< the hook being entered was reached through the runtime's table
  Window* window = nullptr;            ///< innermost open window of this thread
  const Agent* waiting_for = nullptr;  ///< whose window it waits for; guarded by OpenWindows
};

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define KREPLAY_TLS_MODEL
#endif
#endif
#ifndef KREPLAY_TLS_MODEL
#define KREPLAY_TLS_MODEL __attribute__((tls_model("initial-exec")))
#endif

extern constinit thread_local ThreadState t_state KREPLAY_TLS_MODEL;

/// Marks the thread as ours: what it calls in the runtime is not observed.
class OursMark {
 public:
  OursMark() { ++t_state.ours; }
  ~OursMark() { --t_state.ours; }
  OursMark(const OursMark&) = delete;
  OursMark& operator=(const OursMark&) = delete;
};

/// The mark around what may reach a cancellation point, where the thread is not cancelled. About 20 ns more
/// than the mark alone.
class OursScope {
 private:
  const CancelGuard whole_;
  const OursMark mark_;
};

/// The opposite, around a call into user code (a tool's or the application's callback).
class TheirsScope {
 public:
  TheirsScope() : saved_(t_state.ours) {
    KR_CHECK_UNLOCKED();
    t_state.ours = 0;
  }
  ~TheirsScope() {
    KR_CHECK(t_state.ours == 0, "what a callback called has come back");
    t_state.ours = saved_;
  }
  TheirsScope(const TheirsScope&) = delete;
  TheirsScope& operator=(const TheirsScope&) = delete;

 private:
  uint32_t saved_;
};

/// gettid(), asked once per thread.
uint32_t thread_id();

/// A thread's first submission number: 15 bits for the thread, 16 for its submissions, never 0.
uint32_t first_submission();

/// Number of the submission the thread is preparing: the packets it reserves between two of its doorbell
/// stores. 31 bits; different for different threads, and for the next 65,535 submissions of the same one.
inline uint32_t submission() {
  if (__builtin_expect(t_state.submission == 0, 0)) t_state.submission = first_submission();
  return t_state.submission;
}
/// Whether two submissions are of one thread; threads from the 32,767th on share numbers with earlier ones.
constexpr bool same_thread(uint32_t a, uint32_t b) { return a >> 16 == b >> 16; }
inline void end_submission() {
  const uint32_t now = t_state.submission;
  if (now != 0) t_state.submission = (now & ~0xffffu) | ((now + 1) & 0xffffu);
}

}  // namespace kreplay::replay
