#include "replay/open_windows.hpp"

#include <algorithm>
#include <bit>
#include <chrono>
#include <new>

#include "base/check.hpp"
#include "base/clock.hpp"
#include "base/mutex.hpp"
#include "replay/agent.hpp"
#include "replay/copy_fence.hpp"
#include "replay/thread_state.hpp"
#include "replay/window.hpp"

namespace kreplay::replay {
namespace {

/// A wake-up is never missed (the condition's mutex); this is how often a stuck callback is looked for.
constexpr uint64_t kSliceNs = 1'000'000'000;
/// For what has no wake-up: a gate that opens, a window that puts nothing back any more.
constexpr std::chrono::milliseconds kPoll(10);

bool mine(const Window& window) { return &window.thread() == &t_state; }

}  // namespace

/// Work that several windows hold back.
struct OpenWindows::Deferred {
  std::function<void()> work;
  unsigned holders = 0;
};

Agent& OpenWindows::agent_at(unsigned index) const { return *(*agents_)[index]; }

AgentSet OpenWindows::group_of(const Agent& agent) const {
  const auto count = static_cast<uint32_t>(std::min<size_t>(agents_->size(), kMostAgents));
  if (one_group_) return count == kMostAgents ? ~AgentSet{0} : agent_bit(count) - 1;
  AgentSet group = agent_bit(agent.info().index);
  if (!extents_.any_accessors()) return group;
  for (AgentSet before = 0; before != group;) {
    before = group;
    for (uint32_t i = 0; i < count; ++i) {
      const AgentSet linked = extents_.accessors_of(agent_at(i).handle().handle) | agent_bit(i);
      if ((linked & group) != 0) group |= linked;
    }
  }
  return group;
}

Agent* OpenWindows::first_owned(AgentSet group) const {
  for (; group != 0; group &= group - 1)
    if (Agent& agent = agent_at(static_cast<unsigned>(std::countr_zero(group))); agent.owner != nullptr)
      return &agent;
  return nullptr;
}

bool OpenWindows::closes_circle(const Agent& agent) const {
  if (t_state.window == nullptr) return false;  // nobody can wait for a thread that owns nothing
  for (const Agent* at = &agent; at != nullptr && at->owner != nullptr; at = at->owner->thread().waiting_for)
    if (mine(*at->owner)) return true;
  return false;
}

OpenWindows::Acquired OpenWindows::acquire(Agent& agent, Window& window) {
  const std::chrono::nanoseconds slice(std::min(callback_limit_ns_, kSliceNs));
  KR_CHECK_UNLOCKED();
  std::unique_lock lock(mutex_);
  AgentSet group = 0;
  for (;;) {
    if (closed_) return Acquired::closed;
    group = group_of(agent);  // anew: access may have been given meanwhile
    KR_CHECK((group & agent_bit(agent.info().index)) != 0, "an agent is of its own group");
    if (std::popcount(group) > static_cast<int>(kLargestGroup)) return Acquired::too_large;
    const Agent* owned = first_owned(group);
    if (owned == nullptr) break;
    if (closes_circle(*owned)) return Acquired::circle;
    if (break_stuck_locked(*owned->owner)) return Acquired::stuck;
    KR_CHECK(t_state.waiting_for == nullptr, "a thread waits for one window at a time");
    t_state.waiting_for = owned;
    released_.wait_for(lock, slice);
    t_state.waiting_for = nullptr;
  }
  open_.push_back(&window);
  open_count_.fetch_add(1, std::memory_order_acq_rel);
  window.members().clear();
  for (AgentSet left = group; left != 0; left &= left - 1) {
    Agent& member = agent_at(static_cast<unsigned>(std::countr_zero(left)));
    KR_CHECK(member.owner == nullptr, "an agent has one window at a time");
    member.owner = &window;
    window.members().push_back(&member);
  }
  window.set_group(group);
  return Acquired::yes;
}

void OpenWindows::release(Window& window) {
  const std::lock_guard lock(mutex_);
  KR_CHECK(mine(window) && !window.members().empty(), "a window ends on the thread that opened it");
  for (Agent* member : window.members()) {
    KR_CHECK(member->owner == &window, "a window is given back by its owner");
    member->owner = nullptr;
  }
  KR_CHECK(window.kept().empty(), "nothing waits for a window that has ended");
  std::erase(open_, &window);
  KR_CHECK(open_count_.load(std::memory_order_relaxed) == open_.size() + 1, "open windows are counted");
  open_count_.fetch_sub(1, std::memory_order_acq_rel);
  released_.notify_all();
}

bool OpenWindows::break_stuck(Agent& agent) {
  const std::lock_guard lock(mutex_);
  return agent.owner != nullptr && !mine(*agent.owner) && break_stuck_locked(*agent.owner);
}

// With the lock held the window cannot be given up, so gates and fences are still its own.
bool OpenWindows::break_stuck_locked(Window& window) {
  if (mine(window) || !window.break_if_stuck(callback_limit_ns_)) return false;
  for (Agent* member : window.members()) {
    copies_.open(member->handle().handle);
    member->open_gate();
  }
  return true;
}

Window* OpenWindows::wait_over(Agent& agent) {
  std::unique_lock lock(mutex_);
  while (agent.owner != nullptr && !agent.gate_open()) {
    if (closes_circle(agent)) {
      // Its owner waits for us, so it cannot end its window before we have set this.
      agent.owner->break_into();
      return agent.owner;
    }
    if (break_stuck_locked(*agent.owner)) return nullptr;
    KR_CHECK(t_state.waiting_for == nullptr, "a thread that waits for a window waits for no other");
    t_state.waiting_for = &agent;
    released_.wait_for(lock, kPoll);
    t_state.waiting_for = nullptr;
  }
  return nullptr;
}

/// Waits until no window is in the way. @param in_the_way asked with the lock held
template <typename InTheWay>
void OpenWindows::wait_while(InTheWay&& in_the_way) {
  KR_CHECK_UNLOCKED();
  const uint64_t start = monotonic_ns();
  std::unique_lock lock(mutex_);
  for (;;) {
    Window* found = nullptr;
    for (Window* window : open_)
      if (!window->harmless() && in_the_way(*window)) {
        if (mine(*window))
          window->break_into();
        else
          found = window;
      }
    if (found == nullptr) return;
    if (!KR_HOLDS(!found->members().empty(), "an open window has members")) return;
    // Who waits for us cannot end its window before; who takes too long must not hold up the application.
    if (closes_circle(*found->members().front()) || monotonic_ns() - start > callback_limit_ns_)
      found->break_into();
    t_state.waiting_for = found->members().front();
    released_.wait_for(lock, kPoll);
    t_state.waiting_for = nullptr;
  }
}

void OpenWindows::wait_joined(AgentSet group) {
  wait_while([group](const Window& window) {
    return (window.group() & group) != 0 && (group & ~window.group()) != 0;
  });
}

void OpenWindows::wait_none(AgentSet agents) {
  wait_while([agents](const Window& window) { return (window.group() & agents) != 0; });
}

bool OpenWindows::covering(AgentSet agents) const {
  const std::lock_guard lock(mutex_);
  return std::any_of(open_.begin(), open_.end(), [agents](const Window* window) {
    return window->covering() && (window->group() & agents) != 0;
  });
}

void OpenWindows::start_covering(Window& window) {
  const std::lock_guard lock(mutex_);
  KR_CHECK(std::find(open_.begin(), open_.end(), &window) != open_.end(), "only an open window covers");
  KR_CHECK(window.kept().empty(), "a window begins with nothing to do at its end");
  KR_CHECK(std::none_of(window.members().begin(), window.members().end(),
                        [](const Agent* member) { return member->gate_open(); }),
           "a window covers behind closed gates");
  window.set_covering(true);
}

bool OpenWindows::defer(AgentSet agents, const std::function<void()>& work) {
  try {
    const std::lock_guard lock(mutex_);
    std::shared_ptr<Deferred> shared;
    for (Window* window : open_)
      if (window->covering() && (window->group() & agents) != 0)
        window->kept().reserve(window->kept().size() + 1);
    for (Window* window : open_) {
      if (!window->covering() || (window->group() & agents) == 0) continue;
      if (shared == nullptr) shared = std::make_shared<Deferred>(Deferred{work});
      KR_CHECK(window->kept().size() < window->kept().capacity(), "all windows keep the work, or none");
      window->kept().push_back(shared);
      ++shared->holders;
    }
    return shared != nullptr;
  } catch (const std::bad_alloc&) {  // nothing was kept: the windows give up what they cover instead
    wait_none(agents);
    return false;
  }
}

std::vector<std::function<void()>> OpenWindows::stop_covering(Window& window) {
  std::vector<std::function<void()>> due;
  const std::lock_guard lock(mutex_);
  window.set_covering(false);
  for (const std::shared_ptr<void>& kept : window.kept()) {
    auto& deferred = *static_cast<Deferred*>(kept.get());
    KR_CHECK(deferred.holders > 0, "deferred work is held by as many windows as know of it");
    if (--deferred.holders == 0) due.push_back(std::move(deferred.work));
  }
  window.kept().clear();
  return due;
}

void OpenWindows::settle(uint64_t limit_ns, bool for_good) {
  KR_CHECK_UNLOCKED();
  const uint64_t start = monotonic_ns();
  std::unique_lock lock(mutex_);
  if (for_good) closed_ = true;
  for (;;) {
    bool ended = true;
    for (Window* window : open_) {
      window->break_into();
      if (!mine(*window)) ended = false;
    }
    if (ended || monotonic_ns() - start > limit_ns) return;
    released_.wait_for(lock, kPoll);
  }
}

}  // namespace kreplay::replay
