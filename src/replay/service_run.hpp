// One run of a kernel with what services want around it (tool_api/services/kernel_run.hpp): the packets
// before and after, the signal that tells its end, and who is told. Used by the forward path and by the
// passes of a window.
#pragma once

#include <hsa/hsa.h>

#include <memory>
#include <vector>

#include "hsa/aql.hpp"
#include "report/outcome.hpp"
#include "tool_api/tools.hpp"

namespace kreplay::replay {

class Agent;
class Queue;
class Window;
struct Core;

/// Lets the services enter that are enabled; null when none has anything to do. Calls tools.
/// @param pass_of the replay whose pass this is, or null for a run outside of one
std::shared_ptr<tool_api::KernelRun> begin_run(Core& core, Agent& agent, const tool_api::ReplayCall& call,
                                               const tool_api::ReplayCall* pass_of);
/// The same for a pass: a tool callback inside the window.
std::shared_ptr<tool_api::KernelRun> begin_run(Core& core, Window& window, const tool_api::ReplayCall& call);

/// For a run without packets, outside of a window: lets `packet` complete a signal of ours. When it does, the
/// application's signal follows and `run` is completed, on a thread of the runtime.
/// @return false when there is no signal or no handler: nothing has changed
bool follow(Core& core, Agent& agent, hsa::Packet& packet, const std::shared_ptr<tool_api::KernelRun>& run);

/// For a run inside a window. Lives on the stack of the window's owner.
class ServiceRun {
 public:
  /// @param run may be null: the kernel stands alone
  ServiceRun(Core& core, Window& window, std::shared_ptr<tool_api::KernelRun> run);
  /// Gives up what may still be written.
  ~ServiceRun();
  ServiceRun(const ServiceRun&) = delete;
  ServiceRun& operator=(const ServiceRun&) = delete;

  /// @param kernel with the signal of the pass
  /// @param applications whether it stands for the application's packet in the ring's accounts
  void submit(const hsa::Packet& kernel, bool applications);
  void enqueued();
  /// What to wait for: the last packet's signal. @param kernels the kernel's own
  hsa_signal_t last_of(hsa_signal_t kernels) const { return last_.handle != 0 ? last_ : kernels; }
  /// That signal has come down. Returns when the services have been told, or after KREPLAY_DRAIN_TIMEOUT.
  void completed(const std::vector<report::PassTime>& times);

 private:
  Core& core_;
  Window& window_;
  Agent& agent_;
  Queue& queue_;
  std::shared_ptr<tool_api::KernelRun> run_;
  hsa_signal_t last_ = {0};
};

}  // namespace kreplay::replay
