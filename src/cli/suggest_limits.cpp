#include "cli/suggest_limits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/statistics.hpp"
#include "report/student.hpp"

namespace kreplay::cli {
namespace {

constexpr double kConfidence = 0.99;
constexpr double kLeast = 0.01;
constexpr double kStep = 0.005;

SuggestedLimit limit_of(const ShapeKey& key, const Samples& samples) {
  std::vector<double> logs;
  logs.reserve(samples.runs.size());
  for (const auto& [run, one] : samples.runs) logs.push_back(std::log(report::median(one.launches.values())));
  double mean = 0;
  for (const double value : logs) mean += value / static_cast<double>(logs.size());
  double squares = 0;
  for (const double value : logs) squares += (value - mean) * (value - mean);
  SuggestedLimit limit{key, logs.size(), std::sqrt(squares / static_cast<double>(logs.size() - 1)), 0};
  const double t = report::student_quantile(kConfidence, static_cast<double>(logs.size() - 1));
  const double widest = std::expm1(t * std::sqrt(2.0) * limit.spread);  // a difference of two runs
  limit.relative = std::max(kLeast, std::ceil(widest / kStep) * kStep);
  return limit;
}

/// A regular expression that matches this text and no other, as a TOML literal text.
std::string exactly(const std::string& text) {
  std::string out = "'^";
  for (const char c : text) {
    if (std::string_view("\\^$.|?*+()[]{}").find(c) != std::string_view::npos) out += '\\';
    out += c == '\'' ? '.' : c;  // which a literal text cannot hold
  }
  return out + "$'";
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
  std::string text = fmt::format(
      "# Suggested by kreplay limits from {} runs of one build. Two runs of one build differ by more than "
      "this\n"
      "# in about one of a hundred comparisons of a kernel.\n"
      "fail-over = \"{}\"\nmin-effect = \"1us\"\n",
      runs, percent(usual));
  for (const SuggestedLimit& limit : limits) {
    if (limit.relative <= usual) break;
    text += fmt::format(
        "\n[[kernel]]\nname = {}\ngrid = \"{}\"\nfail-over = \"{}\"  # {:.2g} % from run to run over {} "
        "runs\n",
        exactly(limit.key.kernel), dimensions(limit.key.grid), percent(limit.relative), 100 * limit.spread,
        limit.runs);
  }
  return text;
}

}  // namespace kreplay::cli
