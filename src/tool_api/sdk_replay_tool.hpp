// The replay tool behind rocprofiler_configure_callback_tracing_service(KERNEL_REPLAY): turns the window's
// calls into callback records. Statements K4..K24 of docs/tool-contract.md.
#pragma once

#include "tool_api/launch_table.hpp"
#include "tool_api/registry.hpp"
#include "tool_api/replay_tool.hpp"

namespace kreplay::tool_api {

/// Whether a context's services take part in the pass of `call` that runs now: active when the loop began,
/// not stopped for this loop. For services that act inside a pass.
bool enabled_in_loop(const ReplayCall& call, const Context& context);

class SdkReplayTool final : public ReplayTool {
 public:
  explicit SdkReplayTool(Registry& registry) : registry_(registry) {}

  bool listening() const noexcept override;
  bool wants(Candidate& candidate) noexcept override;
  PassPlan config_enter(ReplayCall& call) noexcept override;
  void pass_enter(ReplayCall& call, uint64_t pass) noexcept override;
  void pass_exit(ReplayCall& call, uint64_t pass) noexcept override;
  bool continue_after(ReplayCall& call, uint64_t pass) noexcept override;
  void config_exit(ReplayCall& call) noexcept override;

 private:
  using Payload = rocprofiler_callback_tracing_kernel_replay_data_t;

  bool deliver(ReplayCall& call, rocprofiler_kernel_replay_operation_t operation,
               rocprofiler_callback_phase_t phase, Payload& payload, rocprofiler_user_data_t& data) noexcept;
  Payload payload_of(const ReplayCall& call) const noexcept;
  void threw(ReplayCall& call, const char* where) noexcept;

  Registry& registry_;
  LaunchTable table_;
};

}  // namespace kreplay::tool_api
