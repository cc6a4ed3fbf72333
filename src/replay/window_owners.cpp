#include "replay/window_owners.hpp"

#include <chrono>

#include "replay/agent.hpp"
#include "replay/thread_state.hpp"
#include "replay/window.hpp"

namespace kreplay::replay {

bool WindowOwners::closes_circle(const Agent& agent) const {
  if (t_state.window == nullptr) return false;  // nobody can wait for a thread that owns nothing
  for (const Agent* at = &agent; at != nullptr && at->owner != nullptr; at = at->owner->thread().waiting_for)
    if (&at->owner->thread() == &t_state) return true;
  return false;
}

bool WindowOwners::acquire(Agent& agent, Window& window) {
  std::unique_lock lock(mutex_);
  while (agent.owner != nullptr) {
    if (closes_circle(agent)) return false;
    t_state.waiting_for = &agent;
    released_.wait_for(lock, std::chrono::seconds(1));
    t_state.waiting_for = nullptr;
  }
  agent.owner = &window;
  return true;
}

void WindowOwners::release(Agent& agent) {
  const std::lock_guard lock(mutex_);
  agent.owner = nullptr;
  released_.notify_all();
}

Window* WindowOwners::wait_over(Agent& agent) {
  std::unique_lock lock(mutex_);
  while (agent.owner != nullptr && !agent.gate_open()) {
    if (closes_circle(agent)) {
      // Its owner waits for us, so it cannot end its window before we have set this.
      agent.owner->break_into();
      return agent.owner;
    }
    t_state.waiting_for = &agent;
    released_.wait_for(lock, std::chrono::milliseconds(10));
    t_state.waiting_for = nullptr;
  }
  return nullptr;
}

}  // namespace kreplay::replay
