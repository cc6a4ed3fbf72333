#include "cli/suggest_limits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/pattern.hpp"
#include "report/statistics.hpp"
#include "report/student.hpp"

namespace kreplay::cli {
namespace {

constexpr double kConfidence = 0.99;
constexpr double kLeast = 0.01;
constexpr double kStep = 0.005;
/// Timestamps of GPUs count tens of ns; beyond a microsecond the relative limits say enough.
constexpr double kLeastNs = 10, kMostNs = 1000, kStepNs = 10;

SuggestedLimit limit_of(const ShapeKey& key, const Samples& samples) {
  std::vector<double> medians, logs;
  for (const auto& [run, one] : samples.runs) {
    medians.push_back(report::median(one.launches.values()));
    logs.push_back(std::log(medians.back()));
  }
  double mean = 0;
  for (const double value : logs) mean += value / static_cast<double>(logs.size());
  double squares = 0;
  for (const double value : logs) squares += (value - mean) * (value - mean);
  SuggestedLimit limit{key, logs.size(), std::sqrt(squares / static_cast<double>(logs.size() - 1)), 0, 0};
  const double t = report::student_quantile(kConfidence, static_cast<double>(logs.size() - 1));
  const double widest = std::expm1(t * std::sqrt(2.0) * limit.spread);  // a difference of two runs
  limit.relative = std::max(kLeast, std::ceil(widest / kStep) * kStep);
  limit.absolute_ns = std::max(kLeastNs, std::ceil(widest * report::median(medians) / kStepNs) * kStepNs);
  return limit;
}

std::string percent(double ratio) { return fmt::format("{:g}%", 100 * ratio); }

}  // namespace

std::vector<SuggestedLimit> suggest_limits(const Results& results) {
  std::vector<SuggestedLimit> limits;
  for (const auto& [key, samples] : results.samples)
    if (samples.runs.size() >= kLeastRunsForLimits && samples.min_ns > 0)
      limits.push_back(limit_of(key, samples));
  std::stable_sort(limits.begin(), limits.end(),
                   [](const SuggestedLimit& a, const SuggestedLimit& b) { return a.relative > b.relative; });
  return limits;
}

std::string limits_toml(const std::vector<SuggestedLimit>& limits, size_t runs) {
  const double usual = limits[limits.size() / 2].relative;
  // The least of all: where a kernel needs more, its relative limit is that much.
  double least_ns = kMostNs;
  for (const SuggestedLimit& limit : limits) least_ns = std::min(least_ns, limit.absolute_ns);
  std::string text = fmt::format(
      "# Suggested by kreplay limits from {} runs of one build. Two runs of one build differ by more than "
      "this\n"
      "# in about one of a hundred comparisons of a kernel.\n"
      "fail-over = \"{}\"\nmin-effect = \"{:g}ns\"\n",
      runs, percent(usual), least_ns);
  for (const SuggestedLimit& limit : limits) {
    if (limit.relative <= usual) break;
    text += fmt::format(
        "\n[[kernel]]\nname = '{}'\ngrid = \"{}\"\nfail-over = \"{}\"  # {:.2g} % from run to run over {} "
        "runs\n",
        Pattern::of_name(limit.key.kernel), dimensions(limit.key.grid), percent(limit.relative),
        100 * limit.spread, limit.runs);
  }
  return text;
}

}  // namespace kreplay::cli
