// Who owns which agent's window. A thread may own windows of several agents (a tool callback inside one
// window may launch on another agent), so two threads could wait for each other: the one that would close the
// circle is refused instead.
#pragma once

#include <condition_variable>
#include <mutex>

namespace kreplay::replay {

class Agent;
class Window;

/// Threads: any. The lock is never held across a call out.
class WindowOwners {
 public:
  /// Waits until nobody owns `agent`'s window, then takes it. Not bounded by itself: every window is.
  /// @return false when waiting would be a deadlock
  bool acquire(Agent& agent, Window& window);
  void release(Agent& agent);
  /// For a thread that owns a window and wants to submit to an agent whose gate is closed: waits until that
  /// window is over. @return the window in whose way it stands when waiting would be a deadlock, else null
  Window* wait_over(Agent& agent);

 private:
  bool closes_circle(const Agent& agent) const;

  std::mutex mutex_;  // guards Agent::owner and ThreadState::waiting_for
  std::condition_variable released_;
};

}  // namespace kreplay::replay
