// The Replayer owns everything that is tracked: agents, memory, kernels, copies, queues. One per life of the
// runtime; never destroyed in the library (other libraries' destructors still call us), only closed.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "replay/agent.hpp"
#include "replay/code_objects.hpp"
#include "replay/core.hpp"
#include "replay/memory_map.hpp"
#include "replay/virtual_memory.hpp"
#include "replay/window.hpp"

namespace kreplay::replay {

class Replayer {
 public:
  /// Where the decision comes from; asked per dispatch. May return null.
  using ToolSource = tool_api::ReplayTool* (*)();
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
  /// From now on everything passes through; what is under way ends normally.
  void close() { core_->closed.store(true, std::memory_order_release); }
  /// Gives signals and staging back to the runtime before it shuts down.
  void release_runtime_objects();

  const std::vector<std::unique_ptr<Agent>>& agents() const { return agents_; }
  Agent* find_agent(uint64_t handle) const;
  snapshot::ExtentTable& extents() { return core_->extents; }
  KernelTable& kernels() { return core_->kernels; }
  CopyFence& copies() { return core_->copies; }
  CodeObjects& code_objects() { return *code_objects_; }
  const Core& core() const { return *core_; }

  // --- queues ---
  uint64_t next_queue_id() { return next_queue_id_.fetch_add(1, std::memory_order_relaxed); }
  void add_queue(Queue& queue);
  /// Before the real queue is destroyed. @param destroy does it; kept for later when a window uses the queue
  /// @return true when it was kept: the caller must not destroy the queue itself
  bool take_queue(Queue& queue, std::function<void()> destroy);
  /// Undoes take_queue() after the runtime refused.
  void put_back_queue(Queue& queue) { add_queue(queue); }
  /// An escape was seen: the agent's dispatches run once from now on.
  void mark_bypassed(uint64_t agent, const char* area, const std::string& why);

  // --- dispatches ---
  bool listening() const {
    if (core_->closed.load(std::memory_order_relaxed)) return false;
    const tool_api::ReplayTool* tool = tool_();
    return tool != nullptr && tool->listening();
  }
  /// A dispatch some tool may want, before it is submitted.
  struct Candidate {
    tool_api::ReplayTool* tool = nullptr;
    Kernel* kernel = nullptr;
    tool_api::Candidate call;
  };
  /// Whether a dispatch is a candidate. If not, it has been counted and goes on untouched. Path of every
  /// dispatch while a tool listens: no lock, no allocation once the kernel was seen.
  bool wants(const Queue& queue, uint64_t kernel_object, Candidate& candidate);
  /// Submits one candidate that came alone: replayed, or once.
  /// @param queue held by the calling thread
  void submit(Queue& queue, const hsa::Packet& packet, const Candidate& candidate);
  /// Writes the record of a candidate that cannot be replayed where it stands (a batch, a graph); the caller
  /// submits it. No callback of the tool's.
  void account(Queue& queue, const hsa::Packet& packet, const Candidate& candidate, report::Reason reason);
  /// Submits a packet through the gate. @param queue held by the calling thread
  void submit_once(Queue& queue, const hsa::Packet& packet);
  /// Waits until the gate of the queue's agent is open.
  /// @return false when waiting would be a deadlock: the thread owns the window of an agent whose gate the
  ///         owner of this one waits at. That window has been broken into; the caller submits in spite of the
  ///         gate.
  bool wait_at_gate(Queue& queue);

  // --- memory ---
  /// After an allocation succeeded. @param pool_or_region the handle it came from
  void allocated(void* address, uint64_t size_bytes, uint64_t pool_or_region, uint32_t flags);
  /// Before a free: takes the extent. @param release frees the memory; kept when a window covers it
  struct Freed {
    std::optional<snapshot::Extent> extent;
    bool deferred = false;  ///< `release` runs when the window closes; the caller reports success
  };
  Freed freeing(void* address, const std::function<void()>& release);
  /// After an allocation failed: whether memory may come back soon (a window holds frees back); waits for
  /// it, for ten seconds or ten times KREPLAY_DRAIN_TIMEOUT at the most.
  bool wait_for_deferred_frees();
  /// Memory of an agent was given to other processes or devices, which may write it at any time: it is not
  /// put back from here on, and kernels that work on it are not replayed.
  /// @return what was known of it, for not_exported() when the runtime refuses
  std::optional<snapshot::Extent> exported(const void* address);
  void not_exported(const std::optional<snapshot::Extent>& before);
  /// After an allocation was moved to another pool.
  void migrated(void* address, uint64_t pool);
  /// A signal of the application: a kernel that an argument leads to it is not replayed.
  void signal_made(hsa_signal_t signal);
  /// Before it is destroyed. @return what was known, to be put back when the runtime refuses
  std::optional<snapshot::Extent> signal_ends(hsa_signal_t signal);
  VirtualMemory& virtual_memory() { return *virtual_memory_; }
  /// What memory of a pool is; empty for a pool that was not listed.
  std::optional<VirtualMemory::Backing> backing_of_pool(uint64_t pool) const;
  /// Before memory that is no longer in the table is unmapped: waits while a window covers it, since its
  /// address may be used anew at once. A thread that owns a window itself cannot wait: then `release` is
  /// kept.
  /// @return true when it was kept
  bool hold_extents(const std::vector<snapshot::Extent>& extents, const std::function<void()>& release);
  /// Shared virtual memory of GPU agents: the whole pages of [address, address + size). Not saved, but known.
  void shared(void* address, uint64_t size_bytes);
  /// Application memory became visible to agents at `agent_address`, or stops being so. Not saved, but known.
  void locked(void* host_address, void* agent_address, uint64_t size_bytes);
  void forget_host(void* host_address);
  /// Before an executable with memory on `agents` is destroyed: waits while a window covers it. A thread that
  /// owns a window itself cannot wait: then `release` is kept. @return true when it was kept
  bool hold_executable(const std::vector<Agent*>& agents, const std::function<void()>& release);
  /// GPU agents whose memory the two pointers lie in.
  CopyFence::Agents agents_of(const void* first, const void* second) const;

 private:
  /// For a thread that waits for the window open on `agent`; see WindowOwners::break_stuck().
  bool break_stuck(Agent& agent);
  uint64_t gate_slice_ns() const;
  struct Described;
  void describe(Described& out, Queue& queue, const Dispatch& dispatch, const Candidate& candidate);
  report::Reason decline_reason(const Queue& queue, Dispatch& dispatch, std::string& detail) const;
  void write(const report::DispatchRecord& record, Kernel* kernel);

  std::unique_ptr<Core> core_;
  const ToolSource tool_;
  const AgentIdOf agent_id_of_;
  std::vector<std::unique_ptr<Agent>> agents_;  // filled by start(), then constant
  MemoryMap memory_;                            // same
  std::unique_ptr<CodeObjects> code_objects_;
  std::unique_ptr<VirtualMemory> virtual_memory_;
  std::mutex locked_mutex_;             // guards locked_
  std::multimap<void*, void*> locked_;  ///< host address -> agent address where they differ
  std::atomic<uint64_t> next_queue_id_{1};
  std::atomic<uint32_t> warned_{0};  ///< one bit per Reason
};

}  // namespace kreplay::replay
