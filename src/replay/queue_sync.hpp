// What the queue protocol needs of the machine. A test gives it another one, in which every operation is a
// step of a schedule (tests/unit/replay/queue_model.hpp).
#pragma once

#include <atomic>
#include <cstdint>

#include "base/clock.hpp"
#include "device/futex.hpp"
#include "replay/thread_state.hpp"

namespace kreplay::replay {

/// Faults a test puts into the protocol, to see that it finds them. Never anything but `none` in the library.
enum class Mutation : uint8_t {
  none,
  unpark_ignores_thief,     ///< a parked thread goes on while the thief still writes in its place
  stall_untold,             ///< a full ring is tried again only when the application rings or looks
  left_behind_taken_early,  ///< the note is taken before the queue is
  left_behind_forgotten,    ///< letting go does not look for it
  resume_without_fence,     ///< held -> forwarding by a plain store
  take_once_in_vain,        ///< no last try after the time is up
  one_extra_count,          ///< the shown index subtracts all packets of ours, wherever they stand
};

struct FutexSync {
  template <typename T>
  using Atomic = std::atomic<T>;
  static constexpr Mutation kMutation = Mutation::none;
  static constexpr int kSpins = 200;

  class Deadline {
   public:
    explicit Deadline(uint64_t ns) : end_(monotonic_ns() + ns) {}
    bool passed() const { return monotonic_ns() >= end_; }

   private:
    uint64_t end_;
  };

  /// Blocks while `word` reads `expected`, at most about `timeout_ns`.
  static void wait(const std::atomic<uint32_t>& word, uint32_t expected, uint64_t timeout_ns) {
    device::futex_wait(word, expected, timeout_ns);
  }
  static void wake_all(const std::atomic<uint32_t>& word) { device::futex_wake_all(word); }
  static void relax() { device::cpu_relax(); }
  static void yield();
  /// Says which thread this is; never null.
  static const void* self() { return &t_state; }
};

}  // namespace kreplay::replay
