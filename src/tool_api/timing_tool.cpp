#include "tool_api/timing_tool.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <new>
#include <string>

#include "base/clock.hpp"
#include "base/log.hpp"
#include "report/convergence.hpp"

namespace kreplay::tool_api {

namespace {

Status compile_filter(const char* variable, const std::string& expression,
                      std::optional<NamePattern>& filter) {
  if (expression.empty()) return {};
  auto compiled = NamePattern::compile(expression);
  if (!compiled)
    return {Error::invalid_argument,
            fmt::format("{}='{}': {}; accepted: a regular expression in RE2 syntax, searched for in the "
                        "demangled kernel name",
                        variable, expression, compiled.status().message())};
  filter.emplace(std::move(*compiled));
  return {};
}

}  // namespace

bool is_runtime_internal(const report::KernelInfo* kernel) {
  return kernel == nullptr || kernel->symbol.starts_with("__amd_rocclr_");
}

Result<std::unique_ptr<TimingTool>> TimingTool::make(const Options& options, const MarkerGate& gate) {
  std::unique_ptr<TimingTool> tool(new TimingTool(gate));
  tool->warmup_ = options.warmup;
  tool->until_ = options.until_rel_error;
  tool->min_passes_ = options.min_passes;
  tool->max_passes_ = options.max_passes;
  tool->max_time_ns_ = options.max_time_ns;
  tool->agents_ = options.agents;
  tool->passes_ = options.passes;
  tool->internal_kernels_ = options.internal_kernels;
  if (Status status = compile_filter("KREPLAY_KERNELS", options.kernels, tool->kernels_); !status.ok())
    return status;
  if (Status status = compile_filter("KREPLAY_EXCLUDE", options.exclude, tool->exclude_); !status.ok())
    return status;
  if (!options.launches.empty()) {
    auto set = NumberSet::parse(options.launches, 1);
    if (!set)
      return {Error::invalid_argument,
              fmt::format("KREPLAY_LAUNCHES='{}': {}", options.launches, set.status().message())};
    tool->launches_ = std::move(*set);
  }
  return tool;
}

report::Reason TimingTool::verdict(const report::KernelInfo* kernel, uint32_t agent_index) const {
  if (!internal_kernels_ && is_runtime_internal(kernel)) return report::Reason::runtime_internal;
  const std::string_view name = kernel != nullptr ? kernel->demangled : std::string_view("unknown");
  if (!agents_.contains(agent_index)) return report::Reason::filtered;
  if (kernels_ && !kernels_->matches(name)) return report::Reason::filtered;
  if (exclude_ && exclude_->matches(name)) return report::Reason::filtered;
  return report::Reason::none;
}

bool TimingTool::wants(Candidate& candidate) noexcept {
  try {
    LaunchTable::Entry& entry =
        table_.entry(candidate.kernel, candidate.agent,
                     [&](const report::KernelInfo* k) { return verdict(k, candidate.agent_index); });
    candidate.skipped = entry.verdict;
    if (candidate.skipped != report::Reason::none) return false;
    candidate.launch = entry.launches.fetch_add(1, std::memory_order_relaxed) + 1;
    if (!launches_.contains(candidate.launch) || !gate_.open()) candidate.skipped = report::Reason::filtered;
  } catch (...) {
    log::warn("timing tool", "out of memory for a launch count; a launch of {} is not replayed",
              candidate.kernel != nullptr ? candidate.kernel->demangled : "an unknown kernel");
    candidate.skipped = report::Reason::filtered;
  }
  return candidate.skipped == report::Reason::none;
}

PassPlan TimingTool::config_enter(ReplayCall& call) noexcept {
  call.warmup = warmup_;
  call.started_ns = monotonic_ns();
  const uint64_t passes = warmup_ + passes_;
  if (until_ > 0)
    call.plan = {PassMode::until_stopped, 0};
  else
    call.plan = passes > 1 ? PassPlan{PassMode::fixed, passes} : PassPlan{};
  return call.plan;
}

bool TimingTool::continue_after(ReplayCall& call, uint64_t pass) noexcept {
  using report::PassesEnd;
  if (call.plan.mode != PassMode::until_stopped) return pass + 1 < call.plan.passes;
  if (pass + 1 < warmup_ + min_passes_) return true;
  const uint64_t counted = pass + 1 - warmup_;
  const bool out_of_time = monotonic_ns() - call.started_ns >= max_time_ns_;
  const bool last = counted >= max_passes_ || out_of_time;
  if (!last && !report::is_checkpoint(counted, min_passes_)) return true;
  const double error =
      relative_error(call.pass_times.subspan(std::min<size_t>(warmup_, call.pass_times.size())));
  call.relative_error_ppm =
      std::isfinite(error) ? static_cast<uint64_t>(std::llround(error * 1e6)) : report::kUnknownError;
  if (error <= until_)
    call.passes_end = PassesEnd::converged;
  else if (last)
    call.passes_end = out_of_time ? PassesEnd::max_time : PassesEnd::max_passes;
  return call.passes_end == PassesEnd::none;
}

double TimingTool::relative_error(std::span<const report::PassTime> times) {
  std::vector<uint64_t> durations;
  {
    const std::lock_guard lock(mutex_);
    if (!spare_.empty()) {
      durations = std::move(spare_.back());
      spare_.pop_back();
    }
  }
  durations.clear();
  double error = std::numeric_limits<double>::infinity();
  try {
    for (const report::PassTime& time : times)
      if (time.end_ns >= time.start_ns) durations.push_back(time.end_ns - time.start_ns);
    error = report::median_relative_error(durations);
    const std::lock_guard lock(mutex_);
    spare_.push_back(std::move(durations));
  } catch (const std::bad_alloc&) {
    log::warn("timing tool", "out of memory for the times of {} passes; their error is not known",
              times.size());
  }
  return error;
}

}  // namespace kreplay::tool_api
