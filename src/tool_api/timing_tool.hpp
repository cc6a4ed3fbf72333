// The built-in tool: with no tool library present, every selected dispatch runs KREPLAY_PASSES times and the
// pass times are the result.
#pragma once

#include <memory>
#include <optional>
#include <regex>
#include <string_view>

#include "base/launch_set.hpp"
#include "base/options.hpp"
#include "base/status.hpp"
#include "tool_api/launch_table.hpp"
#include "tool_api/replay_tool.hpp"

namespace kreplay::tool_api {

/// Compiles an ECMAScript expression for searching in demangled names. Names of templated kernels are long,
/// and the default matcher of the standard library recurses once per character: the one used here does not,
/// except for expressions with back references, which only the recursive one can do.
Result<std::regex> compile_filter(std::string_view variable, const std::string& expression);

/// Fill and copy kernels that HIP launches on its own behalf.
bool is_runtime_internal(const report::KernelInfo* kernel);

class TimingTool final : public ReplayTool {
 public:
  /// @return Error::invalid_argument with the variable's name when an expression or launch set is malformed
  static Result<std::unique_ptr<TimingTool>> make(const Options& options);

  bool listening() const noexcept override { return true; }
  bool wants(Candidate& candidate) noexcept override;
  PassPlan config_enter(ReplayCall& call) noexcept override;
  void pass_enter(ReplayCall&, uint64_t) noexcept override {}
  void pass_exit(ReplayCall&, uint64_t) noexcept override {}
  bool continue_after(ReplayCall& call, uint64_t pass) noexcept override;
  void config_exit(ReplayCall&) noexcept override {}

 private:
  TimingTool() = default;
  report::Reason verdict(const report::KernelInfo* kernel) const;

  uint64_t passes_ = 1;
  bool internal_kernels_ = false;
  std::optional<std::regex> kernels_;
  std::optional<std::regex> exclude_;
  LaunchSet launches_;
  LaunchTable table_;
};

}  // namespace kreplay::tool_api
