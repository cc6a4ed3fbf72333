// The replay window of one dispatch: from the closed gate to the open one.
//
// Order, all on the submitting thread (design section 4; contract section 6.7):
//   own the agent's window -> close gate and copy fence -> wait for forwarders -> drain -> snapshot
//   -> { PASS ENTER, submit, wait, PASS EXIT, go on?, restore } -> CONFIG EXIT -> completion -> open
// Never a restore after the last executed pass.
#pragma once

#include <atomic>
#include <string>

#include "hsa/aql.hpp"
#include "replay/agent.hpp"
#include "replay/core.hpp"
#include "replay/kernels.hpp"
#include "replay/thread_state.hpp"
#include "report/outcome.hpp"
#include "tool_api/replay_tool.hpp"

namespace kreplay::replay {

class CompletionGuard;

/// Lives on the submitting thread's stack. Other threads only touch break_into() and thread().
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
  Window* outer() const { return outer_; }
  ThreadState& thread() const { return *thread_; }

  /// Everything up to and including the snapshot.
  /// @param packet parked at the queue while this thread waits for another window
  /// @return none: the window is open. Anything else: it is not, and everything taken was given back.
  /// `submitted` says that another window's owner submitted the packet for us.
  report::Reason open(const hsa::Packet& packet, std::string& detail, bool& submitted);

  /// The passes, then CONFIG EXIT and the application's completion signal. Fills the record.
  void run(const hsa::Packet& packet, tool_api::ReplayTool& tool, tool_api::ReplayCall& call,
           const tool_api::PassPlan& plan, report::DispatchRecord& record, std::string& detail);

  /// Opens gate and fence, runs what was deferred. The window is still owned (the record refers to the
  /// agent's memory) until release().
  void close();
  void release();

  /// The dispatch was accompanied by another one of the same thread on this agent.
  void mark_reentrant() { reentrant_ = true; }
  bool reentrant() const { return reentrant_; }
  /// Work of other threads was let into the window: nothing may be restored any more.
  void break_into() { broken_.store(true, std::memory_order_release); }
  /// For another thread, while the window cannot be given up: breaks in if a tool callback has been running
  /// for longer than `limit_ns`. @return whether the window is broken into for that reason, now or before
  bool break_if_stuck(uint64_t limit_ns);

  uint64_t opened_ns() const { return opened_ns_; }

  /// The window of `agent` that the calling thread owns, or null.
  static Window* mine(const Agent& agent) {
    for (Window* window = t_state.window; window != nullptr; window = window->outer_)
      if (&window->agent_ == &agent) return window;
    return nullptr;
  }

 private:
  class CallbackScope;
  enum Phase : uint32_t { kWorking, kInCallback, kStuck };

  report::Reason open_locked(const hsa::Packet& packet, std::string& detail);
  bool ready_signals(std::string& detail);
  void cover_arguments();
  void remember_times();
  bool flush_caches(std::string& detail);
  enum class PassEnd { done, handed_over, failed };
  PassEnd run_pass(const hsa::Packet& packet, uint64_t pass, CompletionGuard& guard, std::string& detail);
  void complete(hsa_signal_t application, hsa_signal_t last);
  void hand_over(hsa_signal_t application, std::string& detail);
  void fail_restore(const report::DispatchRecord& record, uint64_t pass, const std::string& why);

  Core& core_;
  Queue& queue_;
  Agent& agent_;
  Kernel* kernel_;
  ThreadState* thread_;
  Window* outer_ = nullptr;
  bool open_ = false;  ///< owned, with gate and fence closed
  bool reentrant_ = false;
  std::atomic<bool> broken_{false};
  /// Other threads only take it from kInCallback to kStuck: a window is never broken into while it works.
  std::atomic<uint32_t> phase_{kWorking};
  std::atomic<uint64_t> callback_since_ns_{0};
  uint64_t opened_ns_ = 0;
};

}  // namespace kreplay::replay
