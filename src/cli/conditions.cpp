#include "cli/conditions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace kreplay::cli {
namespace {

/// Options that do not change what a pass measures.
constexpr std::array<std::string_view, 22> kHarmless = {"KREPLAY_AGENTS",        "KREPLAY_BACKTRACE",
                                                        "KREPLAY_DRAIN_TIMEOUT", "KREPLAY_ENABLE",
                                                        "KREPLAY_EXCLUDE",       "KREPLAY_FROM_MARKER",
                                                        "KREPLAY_HANDSHAKE",     "KREPLAY_KERNELS",
                                                        "KREPLAY_LAUNCHES",      "KREPLAY_LOG",
                                                        "KREPLAY_MAX_PASSES",    "KREPLAY_MAX_TIME",
                                                        "KREPLAY_MIN_PASSES",    "KREPLAY_OUTPUT",
                                                        "KREPLAY_PASSES",        "KREPLAY_PASS_TIMEOUT",
                                                        "KREPLAY_PROGRESS",      "KREPLAY_ON_STUCK_DRAIN",
                                                        "KREPLAY_QUIET",         "KREPLAY_RANKS",
                                                        "KREPLAY_TO_MARKER",     "KREPLAY_UNTIL_REL_ERROR"};

std::map<std::string, std::string> weighty(const std::map<std::string, std::string>& options) {
  std::map<std::string, std::string> out;
  for (const auto& [name, value] : options)
    if (std::find(kHarmless.begin(), kHarmless.end(), name) == kHarmless.end()) out[name] = value;
  return out;
}

/// "; NAME: A against B" for every member that differs.
std::string differences(const std::map<std::string, std::string>& base,
                        const std::map<std::string, std::string>& fresh) {
  std::map<std::string, std::pair<std::string, std::string>> both;
  for (const auto& [name, value] : base) both[name] = {value, "absent"};
  for (const auto& [name, value] : fresh) {
    auto& sides = both.try_emplace(name, "absent", "").first->second;
    sides.second = value;
  }
  std::string text;
  for (const auto& [name, sides] : both)
    if (sides.first != sides.second)
      text += fmt::format("; {}: {} against {}", name, sides.first, sides.second);
  return text;
}

/// Compares one header with another of the same or the other side.
std::string header_mismatch(const HeaderLine& base, const HeaderLine& fresh, const Policy& policy) {
  if (base.schema != fresh.schema)
    return fmt::format("the result files are of schema {} and {}", base.schema, fresh.schema);
  if (!policy.ignore_machine && base.machine_key != fresh.machine_key) {
    return fmt::format("the machines differ (keys {} and {}{})", base.machine_key, fresh.machine_key,
                       differences(base.machine, fresh.machine));
  }
  if (policy.ignore_options) return {};
  if (base.tool != fresh.tool) return fmt::format("the tools differ: {} against {}", base.tool, fresh.tool);
  const std::string options = differences(weighty(base.options), weighty(fresh.options));
  return options.empty() ? "" : "the options differ" + options;
}

}  // namespace

std::string mismatch(const Results& base, const Results& fresh, const Policy& policy) {
  if (base.processes.empty() || fresh.processes.empty()) return {};
  const HeaderLine& first = base.processes.front().header;
  for (const Results* side : {&base, &fresh}) {
    for (const Process& process : side->processes) {
      std::string why = header_mismatch(first, process.header, policy);
      if (!why.empty()) return why;
    }
  }
  if (!policy.ignore_options && base.cache_modes != fresh.cache_modes && !base.samples.empty() &&
      !fresh.samples.empty())
    return "the runs treated caches differently";
  return {};
}

}  // namespace kreplay::cli
