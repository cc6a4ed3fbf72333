// The built-in tool: with no tool library present, every selected dispatch runs KREPLAY_PASSES times, or
// until its median time is known well enough, and the pass times are the result.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/name_pattern.hpp"
#include "base/number_set.hpp"
#include "base/options.hpp"
#include "base/status.hpp"
#include "tool_api/launch_table.hpp"
#include "tool_api/marker_gate.hpp"
#include "tool_api/replay_tool.hpp"

namespace kreplay::tool_api {

/// Fill and copy kernels that HIP launches on its own behalf.
bool is_runtime_internal(const report::KernelInfo* kernel);

class TimingTool final : public ReplayTool {
 public:
  /// @return Error::invalid_argument with the variable's name when an expression or launch set is malformed
  /// @param gate open while launches are to be replayed; outlives the tool
  static Result<std::unique_ptr<TimingTool>> make(const Options& options,
                                                  const MarkerGate& gate = marker_gate());

  bool listening() const noexcept override { return true; }
  bool wants(Candidate& candidate) noexcept override;
  PassPlan config_enter(ReplayCall& call) noexcept override;
  void pass_enter(ReplayCall&, uint64_t) noexcept override {}
  void pass_exit(ReplayCall&, uint64_t) noexcept override {}
  bool continue_after(ReplayCall& call, uint64_t pass) noexcept override;
  void config_exit(ReplayCall&) noexcept override {}

 private:
  explicit TimingTool(const MarkerGate& gate) : gate_(gate) {}
  report::Reason verdict(const report::KernelInfo* kernel, uint32_t agent_index) const;
  double relative_error(std::span<const report::PassTime> times);

  const MarkerGate& gate_;

  uint64_t passes_ = 1;
  bool internal_kernels_ = false;
  std::optional<NamePattern> kernels_;
  std::optional<NamePattern> exclude_;
  NumberSet launches_;
  NumberSet agents_;
  LaunchTable table_;

  // KREPLAY_UNTIL_REL_ERROR and what goes with it; passes are counted without warm-up.
  uint64_t warmup_ = 0;
  double until_ = 0;
  uint64_t min_passes_ = 0, max_passes_ = 0, max_time_ns_ = 0;
  std::mutex mutex_;                          ///< guards spare_
  std::vector<std::vector<uint64_t>> spare_;  ///< buffers of relative_error(), one per thread that was in it
};

}  // namespace kreplay::tool_api
