// The Replayer owns everything that is tracked: agents, memory (tracked_memory.hpp), dispatches
// (dispatcher.hpp), code objects, copies, queues. One per life of the runtime; never destroyed in the library
// (other libraries' destructors still call us), only closed.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "replay/agent.hpp"
#include "replay/code_objects.hpp"
#include "replay/core.hpp"
#include "replay/dispatcher.hpp"
#include "replay/tracked_memory.hpp"
#include "replay/window.hpp"

namespace kreplay::replay {

class Replayer {
 public:
  using ToolSource = Dispatcher::ToolSource;
  /// rocprofiler_agent_id_t of a node. May be null.
  using AgentIdOf = uint64_t (*)(uint32_t node);

  /// @param api the real runtime's functions; must outlive the replayer
  Replayer(const hsa::HsaApi& api, report::OutcomeSink& sink, const Options& options, ToolSource tool,
           AgentIdOf agent_id_of);
  ~Replayer();
  Replayer(const Replayer&) = delete;
  Replayer& operator=(const Replayer&) = delete;

  /// Lists agents, pools and regions. Calls the runtime, which must be initialised.
  Status start();
  /// For a runtime that was shut down and started again: no id of this process comes twice. Before start().
  /// @param before closed
  void continue_ids(const Replayer& before);
  /// From now on everything passes through and no window puts memory back. Takes no lock.
  void close() { core_->closed.store(true, std::memory_order_seq_cst); }
  /// Waits, with a bound, until windows of other threads have ended; they put nothing back any more.
  /// @param for_good no window opens afterwards
  void settle(bool for_good);
  /// Gives signals and staging back to the runtime before it shuts down.
  void release_runtime_objects();

  const std::vector<std::unique_ptr<Agent>>& agents() const { return agents_; }
  Agent* find_agent(uint64_t handle) const;
  snapshot::ExtentTable& extents() { return core_->extents; }
  KernelTable& kernels() { return core_->kernels; }
  CopyFence& copies() { return core_->copies; }
  CodeObjects& code_objects() { return *code_objects_; }
  Core& core() const { return *core_; }

  // --- queues ---
  uint64_t next_queue_id() { return next_queue_id_.fetch_add(1, std::memory_order_relaxed); }
  void add_queue(Queue& queue);
  /// Before the real queue is destroyed. @param destroy does it; kept for later when a window uses the queue
  /// @return true when it was kept: the caller must not destroy the queue itself
  bool take_queue(Queue& queue, const std::function<void()>& destroy);
  /// Undoes take_queue() after the runtime refused.
  void put_back_queue(Queue& queue) { add_queue(queue); }
  /// An escape was seen: the agent's dispatches run once from now on.
  void mark_bypassed(uint64_t agent, const char* area, const std::string& why);

  Dispatcher& dispatcher() { return dispatcher_; }
  TrackedMemory& memory() { return memory_; }

 private:
  bool wait_at_fence(uint64_t handle);

  std::unique_ptr<Core> core_;
  const AgentIdOf agent_id_of_;
  std::vector<std::unique_ptr<Agent>> agents_;  // filled by start(), then constant
  TrackedMemory memory_;
  Dispatcher dispatcher_;
  std::unique_ptr<CodeObjects> code_objects_;
  std::atomic<uint64_t> next_queue_id_{1};
};

}  // namespace kreplay::replay
