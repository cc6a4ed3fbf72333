// The dispatch side of a Replayer: which dispatches are candidates, what becomes of each, and the record of
// it.
#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "replay/core.hpp"
#include "replay/kernels.hpp"
#include "replay/queue.hpp"
#include "report/outcome.hpp"
#include "tool_api/replay_tool.hpp"
#include "tool_api/tools.hpp"

namespace kreplay::replay {

class Agent;
struct Dispatch;

/// Threads: any; a queue is held by the thread that submits to it.
class Dispatcher {
 public:
  /// Where the decision comes from; asked per dispatch. May return null.
  using ToolSource = tool_api::ReplayTool* (*)();

  Dispatcher(Core& core, ToolSource tool) : core_(core), tool_(tool) {}

  bool listening() const {
    if (core_.closed.load(std::memory_order_relaxed)) return false;
    if (tool_api::kernel_services_listen()) return true;
    const tool_api::ReplayTool* tool = tool_();
    return tool != nullptr && tool->listening();
  }
  /// A dispatch some tool may want, before it is submitted.
  struct Candidate {
    tool_api::ReplayTool* tool = nullptr;  ///< null: not to be replayed; services act around it
    Kernel* kernel = nullptr;
    tool_api::Candidate call;
  };
  /// Whether a dispatch is a candidate. If not, it has been counted and goes on untouched. Path of every
  /// dispatch while a tool listens: no lock, no allocation once the kernel was seen.
  bool wants(const Queue& queue, uint64_t kernel_object, Candidate& candidate);
  /// Submits one candidate: replayed, or once, with what services do around each run.
  /// @param queue held by the calling thread
  /// @param declined why it cannot be replayed where it stands (a batch, a graph): its record is written, no
  ///        callback of the replay's comes
  void submit(Queue& queue, const hsa::Packet& packet, const Candidate& candidate,
              report::Reason declined = report::Reason::none);
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

 private:
  struct Described;
  void describe(Described& out, Queue& queue, const Dispatch& dispatch, const Candidate& candidate);
  report::Reason decline_reason(const Queue& queue, Dispatch& dispatch, std::string& detail) const;
  report::Reason replay(Queue& queue, Dispatch& dispatch, tool_api::ReplayTool& tool, Described& described,
                        const tool_api::PassPlan& plan, std::string& detail);
  void write(const report::DispatchRecord& record, Kernel* kernel);
  void submit_served(Queue& queue, Dispatch& dispatch, const tool_api::ReplayCall& call);
  bool submit_alone(Queue& queue, Dispatch& dispatch, const tool_api::ReplayCall& call,
                    const std::shared_ptr<tool_api::KernelRun>& run);

  Core& core_;
  const ToolSource tool_;
  std::atomic<uint32_t> warned_{0};     ///< one bit per Reason
  std::atomic<uint32_t> not_alone_{0};  ///< the same, of dispatches without the packets around them
};

}  // namespace kreplay::replay
