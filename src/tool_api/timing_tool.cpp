#include "tool_api/timing_tool.hpp"

#include <string>

#include "base/log.hpp"

namespace kreplay::tool_api {

Result<std::regex> compile_filter(std::string_view variable, const std::string& expression) {
  constexpr auto kFlags = std::regex::ECMAScript | std::regex::optimize;
  try {
#ifdef __GLIBCXX__
    try {
      return std::regex(expression, kFlags | std::regex_constants::__polynomial);
    } catch (const std::regex_error& error) {
      if (error.code() != std::regex_constants::error_complexity) throw;
    }
#endif
    return std::regex(expression, kFlags);
  } catch (const std::regex_error& error) {
    return {
        Error::invalid_argument,
        fmt::format("{}='{}': not a regular expression ({}); accepted: an ECMAScript expression, searched "
                    "for in the demangled kernel name",
                    variable, expression, error.what())};
  }
}

bool is_runtime_internal(const report::KernelInfo* kernel) {
  return kernel == nullptr || kernel->symbol.starts_with("__amd_rocclr_");
}

Result<std::unique_ptr<TimingTool>> TimingTool::make(const Options& options) {
  std::unique_ptr<TimingTool> tool(new TimingTool);
  tool->passes_ = options.passes;
  tool->internal_kernels_ = options.internal_kernels;
  if (!options.kernels.empty()) {
    auto filter = compile_filter("KREPLAY_KERNELS", options.kernels);
    if (!filter) return filter.status();
    tool->kernels_ = std::move(*filter);
  }
  if (!options.exclude.empty()) {
    auto filter = compile_filter("KREPLAY_EXCLUDE", options.exclude);
    if (!filter) return filter.status();
    tool->exclude_ = std::move(*filter);
  }
  if (!options.launches.empty()) {
    auto set = LaunchSet::parse(options.launches);
    if (!set)
      return {Error::invalid_argument,
              fmt::format("KREPLAY_LAUNCHES='{}': {}", options.launches, set.status().message())};
    tool->launches_ = std::move(*set);
  }
  return tool;
}

report::Reason TimingTool::verdict(const report::KernelInfo* kernel) const {
  if (!internal_kernels_ && is_runtime_internal(kernel)) return report::Reason::runtime_internal;
  const std::string_view name = kernel != nullptr ? kernel->demangled : std::string_view("unknown");
  const auto matches = [&](const std::regex& filter) {
    return std::regex_search(name.begin(), name.end(), filter);
  };
  if (kernels_ && !matches(*kernels_)) return report::Reason::filtered;
  if (exclude_ && matches(*exclude_)) return report::Reason::filtered;
  return report::Reason::none;
}

bool TimingTool::wants(Candidate& candidate) noexcept {
  try {
    LaunchTable::Entry& entry = table_.entry(candidate.kernel, candidate.agent,
                                             [this](const report::KernelInfo* k) { return verdict(k); });
    candidate.skipped = entry.verdict;
    if (candidate.skipped != report::Reason::none) return false;
    candidate.launch = entry.launches.fetch_add(1, std::memory_order_relaxed) + 1;
    if (!launches_.contains(candidate.launch)) candidate.skipped = report::Reason::filtered;
  } catch (...) {
    log::warn("timing tool", "out of memory for a launch count; a launch of {} is not replayed",
              candidate.kernel != nullptr ? candidate.kernel->demangled : "an unknown kernel");
    candidate.skipped = report::Reason::filtered;
  }
  return candidate.skipped == report::Reason::none;
}

PassPlan TimingTool::config_enter(ReplayCall& call) noexcept {
  call.plan = passes_ > 1 ? PassPlan{PassMode::fixed, passes_} : PassPlan{};
  return call.plan;
}

bool TimingTool::continue_after(ReplayCall& call, uint64_t pass) noexcept {
  return pass + 1 < call.plan.passes;
}

}  // namespace kreplay::tool_api
