// The replay window: the isolation of a group of agents, from closed gates to open ones. What happens inside
// is the pass loop's (pass_loop.hpp).
//
// Order, all on the submitting thread (docs/architecture.md):
//   own the group's windows -> close gates and copy fences -> cover -> wait for forwarders -> drain
//   -> (pass loop) -> open fences, run what was deferred, open gates -> give the windows back
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "hsa/aql.hpp"
#include "replay/agent.hpp"
#include "replay/core.hpp"
#include "replay/kernels.hpp"
#include "replay/open_windows.hpp"
#include "replay/thread_state.hpp"
#include "report/outcome.hpp"

namespace kreplay::replay {

/// Lives on the submitting thread's stack. Other threads touch it through OpenWindows only.
class Window {
 public:
  Window(Core& core, Queue& queue, Kernel* kernel)
      : core_(core), queue_(queue), agent_(queue.agent()), kernel_(kernel), thread_(&t_state) {}
  /// Gives back what an exception left taken.
  ~Window() {
    if (!open_) return;
    close();
    release();
  }
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;

  Agent& agent() const { return agent_; }
  Queue& queue() const { return queue_; }
  Kernel* kernel() const { return kernel_; }
  Window* outer() const { return outer_; }
  ThreadState& thread() const { return *thread_; }
  uint64_t opened_ns() const { return opened_ns_; }

  /// Everything up to the drain.
  /// @param packet parked at the queue while this thread waits for another window
  /// @return none: the window is open. Anything else: it is not, and everything taken was given back.
  /// `submitted` says that another window's owner submitted the packet for us.
  report::Reason open(const hsa::Packet& packet, std::string& detail, bool& submitted);
  /// Opens fences and gates, runs what was deferred. The window is still owned (the record refers to the
  /// agent's memory) until release().
  void close();
  void release();

  // --- the group; set by OpenWindows ---
  std::vector<Agent*>& members() const { return agent_.window.members; }
  AgentSet group() const { return group_; }
  void set_group(AgentSet group) { group_ = group; }
  bool isolates(const Agent& agent) const { return (group_ & agent_bit(agent.info().index)) != 0; }
  bool covering() const { return covering_; }
  void set_covering(bool covering) { covering_ = covering; }
  /// Work that this window and perhaps others hold back.
  std::vector<std::shared_ptr<void>>& kept() const { return agent_.window.kept; }

  // --- what ends the isolation early ---
  /// The dispatch was accompanied by another one of the same thread on one of its agents.
  void mark_reentrant() { reentrant_ = true; }
  bool reentrant() const { return reentrant_; }
  /// Work of other threads was let into the window: nothing may be restored any more.
  void break_into() { broken_.store(true, std::memory_order_seq_cst); }
  bool broken() const { return broken_.load(std::memory_order_seq_cst); }
  /// For another thread, while the window cannot be given up: breaks in if a tool callback has been running
  /// for longer than `limit_ns`. @return whether the window is broken into for that reason, now or before
  bool break_if_stuck(uint64_t limit_ns);
  bool stuck() const { return phase_.load(std::memory_order_acquire) == kStuck; }
  /// Whether the window touches no memory of the application any more. For other threads.
  bool harmless() const { return broken() && phase_.load(std::memory_order_seq_cst) != kRestoring; }
  /// Around everything that puts memory back. @return false when nothing may be: the window was broken into,
  /// or replay has ended
  bool begin_restore();
  void end_restore();

  /// Around a call of the tool's: the one thing in a window that has no bound of its own.
  class CallbackScope {
   public:
    explicit CallbackScope(Window& window);
    ~CallbackScope();
    CallbackScope(const CallbackScope&) = delete;
    CallbackScope& operator=(const CallbackScope&) = delete;

   private:
    Window& window_;
    TheirsScope theirs_;
  };

  /// The window of the calling thread that isolates `agent`, or null.
  static Window* mine(const Agent& agent) {
    for (Window* window = t_state.window; window != nullptr; window = window->outer_)
      if (window->isolates(agent)) return window;
    return nullptr;
  }

 private:
  /// Other threads only take it from kInCallback to kStuck: a window is never broken into that way while it
  /// works.
  enum Phase : uint32_t { kWorking, kInCallback, kStuck, kRestoring };

  report::Reason acquire(const hsa::Packet& packet, std::string& detail, bool& submitted);
  report::Reason isolate(const hsa::Packet& packet, std::string& detail);
  report::Reason drain(const hsa::Packet& packet, std::string& detail);
  bool ready_signals(std::string& detail);

  Core& core_;
  Queue& queue_;
  Agent& agent_;
  Kernel* kernel_;
  ThreadState* thread_;
  Window* outer_ = nullptr;
  bool open_ = false;  ///< owned, with gates and fences closed
  size_t pinned_ = 0;  ///< members whose queues are
  bool reentrant_ = false;
  AgentSet group_ = 0;
  bool covering_ = false;  ///< guarded by OpenWindows
  std::atomic<bool> broken_{false};
  std::atomic<uint32_t> phase_{kWorking};
  std::atomic<uint64_t> callback_since_ns_{0};
  uint64_t opened_ns_ = 0;
};

}  // namespace kreplay::replay
