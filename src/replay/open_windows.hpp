// What is open: whose windows isolate which agents, what each of them covers, and what waits for their end.
// The one place that is asked by exit and shut down, by frees and unlocks, by grants of access and by the
// next window.
//
// A window isolates a group: its own agent, and every agent that can write memory which the window puts back.
// Agents that were given access to each other's memory, through any number of steps, are one group
// (ExtentTable::accessors_of); where no access was given a group is one agent.
//
// A thread may own windows of several groups (a tool callback inside one window may launch on another agent),
// so two threads could wait for each other: the one that would close the circle is refused instead.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "base/mutex.hpp"
#include "snapshot/extent.hpp"

namespace kreplay::replay {

class Agent;
class CopyFence;
class Window;

/// One bit per GPU agent, by AgentInfo::index.
using AgentSet = uint64_t;
constexpr uint32_t kMostAgents = 64;
/// Empty for an agent beyond the last that can be told apart; then no agent is replayed (Replayer::start).
constexpr AgentSet agent_bit(uint32_t index) { return index < kMostAgents ? AgentSet{1} << index : 0; }

/// Threads: any. The lock is never held across a call out.
class OpenWindows {
 public:
  /// A larger group is not held up for one dispatch.
  static constexpr unsigned kLargestGroup = 16;

  /// @param callback_limit_ns how long a tool callback may keep others waiting
  /// @param one_group all agents are one group, whatever access was given
  OpenWindows(const snapshot::ExtentTable& extents, CopyFence& copies, uint64_t callback_limit_ns,
              bool one_group)
      : extents_(extents), copies_(copies), callback_limit_ns_(callback_limit_ns), one_group_(one_group) {}
  /// Before the first window. @param agents by index; must outlive this object
  void set_agents(const std::vector<std::unique_ptr<Agent>>& agents) { agents_ = &agents; }

  // --- owning ---
  enum class Acquired {
    yes,
    circle,     ///< waiting would be a deadlock
    stuck,      ///< the window in front has been broken into
    closed,     ///< no window opens any more
    too_large,  ///< the group has more than kLargestGroup agents
  };
  /// Waits until nobody owns a window of `agent`'s group, then takes them all. What a window does by itself
  /// is bounded; for its tool callbacks the limit is the bound. @param window its members are set
  Acquired acquire(Agent& agent, Window& window);
  void release(Window& window);

  // --- waiting for others' windows ---
  /// For a thread that owns a window and wants to submit to an agent whose gate is closed: waits until that
  /// window is over. @return the window in whose way it stands when waiting would be a deadlock (it has been
  /// broken into), else null
  Window* wait_over(Agent& agent);
  /// Ends the isolation by the window that holds `agent` if a tool callback has kept it open for longer than
  /// the limit: gates and copy fences open, nothing will be restored any more. For a thread that waits for
  /// either.
  /// @return whether the window is (now or already) broken into
  bool break_stuck(Agent& agent);
  /// After access was given: waits until every open window that isolates some of `group` isolates all of it,
  /// or puts nothing back any more. A window of the calling thread is broken into; so is one that lasts
  /// longer than the limit.
  void wait_joined(AgentSet group);
  /// Before memory of `agents` is given to somebody no window can hold up: as wait_joined, for every open
  /// window that isolates any of them.
  void wait_none(AgentSet agents);
  /// Whether a window owned by another thread is open, or covering, on one of them.
  bool covering(AgentSet agents) const;

  // --- what waits for a window's end ---
  void start_covering(Window& window);
  /// Keeps `work` while windows cover one of `agents`; it runs when the last of them ends.
  /// @return false when none does: the caller does it now
  bool defer(AgentSet agents, const std::function<void()>& work);
  /// Ends covering. @return what nobody covers any more, to be run by the caller
  std::vector<std::function<void()>> stop_covering(Window& window);

  // --- the end ---
  /// Windows of other threads restore nothing from now on; waits until they have ended, or at least touch no
  /// memory any more, at most `limit_ns`. @param for_good no window opens afterwards
  void settle(uint64_t limit_ns, bool for_good);
  /// One load. Windows that outlive settle() still count.
  bool any_open() const { return open_count_.load(std::memory_order_acquire) != 0; }

 private:
  struct Deferred;
  AgentSet group_of(const Agent& agent) const;
  Agent& agent_at(unsigned index) const;
  Agent* first_owned(AgentSet group) const;
  bool break_stuck_locked(Window& window);
  bool closes_circle(const Agent& agent) const;
  template <typename InTheWay>
  void wait_while(InTheWay&& in_the_way);

  const snapshot::ExtentTable& extents_;
  CopyFence& copies_;
  const uint64_t callback_limit_ns_;
  const bool one_group_;
  const std::vector<std::unique_ptr<Agent>>* agents_ = nullptr;
  std::atomic<uint32_t> open_count_{0};

  // Guards Agent::owner, ThreadState::waiting_for, Window::kept, and what follows.
  mutable Mutex mutex_;
  std::condition_variable_any released_;
  std::vector<Window*> open_;
  bool closed_ = false;
};

}  // namespace kreplay::replay
