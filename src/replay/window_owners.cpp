#include "replay/window_owners.hpp"

#include <algorithm>
#include <chrono>

#include "replay/agent.hpp"
#include "replay/copy_fence.hpp"
#include "replay/thread_state.hpp"
#include "replay/window.hpp"

namespace kreplay::replay {
namespace {

/// A wake-up is never missed (the condition's mutex); this is how often a stuck callback is looked for.
constexpr uint64_t kSliceNs = 1'000'000'000;

}  // namespace

bool WindowOwners::closes_circle(const Agent& agent) const {
  if (t_state.window == nullptr) return false;  // nobody can wait for a thread that owns nothing
  for (const Agent* at = &agent; at != nullptr && at->owner != nullptr; at = at->owner->thread().waiting_for)
    if (&at->owner->thread() == &t_state) return true;
  return false;
}

WindowOwners::Acquired WindowOwners::acquire(Agent& agent, Window& window, uint64_t callback_limit_ns,
                                             CopyFence& copies) {
  const std::chrono::nanoseconds slice(std::min(callback_limit_ns, kSliceNs));
  std::unique_lock lock(mutex_);
  while (agent.owner != nullptr) {
    if (closes_circle(agent)) return Acquired::circle;
    if (break_stuck_locked(agent, callback_limit_ns, copies)) return Acquired::stuck;
    t_state.waiting_for = &agent;
    released_.wait_for(lock, slice);
    t_state.waiting_for = nullptr;
  }
  agent.owner = &window;
  return Acquired::yes;
}

bool WindowOwners::break_stuck(Agent& agent, uint64_t callback_limit_ns, CopyFence& copies) {
  const std::lock_guard lock(mutex_);
  return break_stuck_locked(agent, callback_limit_ns, copies);
}

// With the lock held the window cannot be given up, so gate and fence are still its own.
bool WindowOwners::break_stuck_locked(Agent& agent, uint64_t callback_limit_ns, CopyFence& copies) {
  if (agent.owner == nullptr || &agent.owner->thread() == &t_state) return false;
  if (!agent.owner->break_if_stuck(callback_limit_ns)) return false;
  copies.open(agent.handle().handle);
  agent.open_gate();
  return true;
}

void WindowOwners::release(Agent& agent) {
  const std::lock_guard lock(mutex_);
  agent.owner = nullptr;
  released_.notify_all();
}

Window* WindowOwners::wait_over(Agent& agent, uint64_t callback_limit_ns, CopyFence& copies) {
  std::unique_lock lock(mutex_);
  while (agent.owner != nullptr && !agent.gate_open()) {
    if (closes_circle(agent)) {
      // Its owner waits for us, so it cannot end its window before we have set this.
      agent.owner->break_into();
      return agent.owner;
    }
    if (break_stuck_locked(agent, callback_limit_ns, copies)) return nullptr;
    t_state.waiting_for = &agent;
    released_.wait_for(lock, std::chrono::milliseconds(10));
    t_state.waiting_for = nullptr;
  }
  return nullptr;
}

}  // namespace kreplay::replay
