// Who owns which agent's window. A thread may own windows of several agents (a tool callback inside one
// window may launch on another agent), so two threads could wait for each other: the one that would close the
// circle is refused instead.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace kreplay::replay {

class Agent;
class CopyFence;
class Window;

/// Threads: any. The lock is never held across a call out.
class WindowOwners {
 public:
  enum class Acquired { yes, circle, stuck };
  /// Waits until nobody owns `agent`'s window, then takes it. What a window does by itself is bounded; for
  /// its tool callbacks `callback_limit_ns` is the bound.
  /// @return circle: waiting would be a deadlock; stuck: the window in front has been broken into
  Acquired acquire(Agent& agent, Window& window, uint64_t callback_limit_ns, CopyFence& copies);
  void release(Agent& agent);
  /// For a thread that owns a window and wants to submit to an agent whose gate is closed: waits until that
  /// window is over. @return the window in whose way it stands when waiting would be a deadlock, else null
  Window* wait_over(Agent& agent, uint64_t callback_limit_ns, CopyFence& copies);
  /// Ends the isolation of the window open on `agent` if a tool callback has kept it open for longer than the
  /// limit: gate and copy fence open, nothing will be restored any more. For a thread that waits for either.
  /// @return whether the window is (now or already) broken into
  bool break_stuck(Agent& agent, uint64_t callback_limit_ns, CopyFence& copies);

 private:
  bool break_stuck_locked(Agent& agent, uint64_t callback_limit_ns, CopyFence& copies);
  bool closes_circle(const Agent& agent) const;

  std::mutex mutex_;  // guards Agent::owner and ThreadState::waiting_for
  std::condition_variable released_;
};

}  // namespace kreplay::replay
