#include "cli/run_figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <string_view>

#include "cli/effect.hpp"
#include "report/short_names.hpp"
#include "report/totals.hpp"

namespace kreplay::cli {
namespace {

/// Options that choose what is launched and measured: where they differ, the sides are not of the same whole.
constexpr std::array<std::string_view, 8> kSelections = {
    "KREPLAY_AGENTS",   "KREPLAY_ENABLE", "KREPLAY_EXCLUDE", "KREPLAY_FROM_MARKER",
    "KREPLAY_LAUNCHES", "KREPLAY_RANKS",  "KREPLAY_KERNELS", "KREPLAY_TO_MARKER"};

/// The whole run is looked at beside all kernels, so it must be surer than they.
constexpr double kShareOfAlpha = 0.1;
/// How much wider an interval of 99.5 % is than one of 95 %.
constexpr double kSurer = 1.45;

std::string differing_selection(const Results& base, const Results& fresh) {
  if (base.processes.empty() || fresh.processes.empty()) return {};
  const auto& from = base.processes.front().header.options;
  const auto& to = fresh.processes.front().header.options;
  for (const std::string_view name : kSelections) {
    const auto a = from.find(std::string(name));
    const auto b = to.find(std::string(name));
    const std::string one = a == from.end() ? "absent" : a->second;
    const std::string other = b == to.end() ? "absent" : b->second;
    if (one != other)
      return fmt::format("what was measured was chosen differently ({}: {} against {})", name, one, other);
  }
  return {};
}

/// How many launches a kernel had for each one that was timed: those that were declined cost time, too.
std::map<std::string, double> untimed_factors(const Results& side) {
  std::map<std::string, double> timed, all;
  for (const auto& [key, samples] : side.samples) timed[key.kernel] += static_cast<double>(samples.launches);
  for (const auto& [id, kernel] : side.totals.kernels)
    all[kernel.name] += static_cast<double>(kernel.sums.dispatches);
  std::map<std::string, double> factors;
  for (const auto& [name, count] : timed) factors[name] = count > 0 ? std::max(1.0, all[name] / count) : 1;
  return factors;
}

double factor_of(const std::map<std::string, double>& factors, const std::string& name) {
  const auto place = factors.find(name);
  return place == factors.end() ? 1 : place->second;
}

/// GPU time of each run, in order.
std::vector<double> times_of_runs(const std::vector<RunPart>& parts, const Results& side,
                                  const std::map<std::string, double>& factors) {
  std::map<size_t, double> sums;
  for (const RunPart& part : parts) {
    const auto place = side.samples.find(*part.key);
    if (place == side.samples.end()) continue;
    for (const auto& [run, one] : place->second.runs)
      sums[run] += one.sum_ns * factor_of(factors, part.key->kernel);
  }
  std::vector<double> times;
  times.reserve(sums.size());
  for (const auto& [run, ns] : sums) times.push_back(ns);
  return times;
}

/// From the intervals of the kernels, taken as independent; for single runs there is nothing else.
report::Interval by_parts(const std::vector<RunPart>& parts, double base_ns, double fresh_ns) {
  double below = 0;
  double above = 0;
  for (const RunPart& part : parts) {
    if (part.ratio <= 0) continue;
    const double low = part.fresh_ns * (1 - part.interval.low / part.ratio);
    const double high = part.fresh_ns * (part.interval.high / part.ratio - 1);
    below += low * low;
    above += high * high;
  }
  return {(fresh_ns - kSurer * std::sqrt(below)) / base_ns, (fresh_ns + kSurer * std::sqrt(above)) / base_ns};
}

report::Interval by_runs(const std::vector<double>& base, const std::vector<double>& fresh, bool paired,
                         double alpha) {
  Observations runs;
  runs.level = Level::run;
  runs.paired = paired;
  runs.base = base;
  runs.fresh = fresh;
  runs.base_ns = report::median(base);
  runs.fresh_ns = report::median(fresh);
  runs.base_count = base.size();
  runs.fresh_count = fresh.size();
  for (size_t i = 0; paired && i < base.size(); ++i) runs.ratios.push_back(fresh[i] / base[i]);
  return measure_effects({runs}, {1 - alpha, alpha}).front().interval;
}

void add_kernels(const std::vector<RunPart>& parts, const Policy& policy, RunFigures* out) {
  struct Sum {
    RunKernel kernel;
    double surely_ns = 0, limit = 0;
    bool both = false;
  };
  std::map<std::string, Sum> kernels;
  for (const RunPart& part : parts) {
    Sum& sum = kernels[part.key->kernel];
    sum.kernel.name = part.key->kernel;
    sum.kernel.base_launches += part.base_launches;
    sum.kernel.fresh_launches += part.fresh_launches;
    sum.kernel.base_ns += part.base_ns;
    sum.kernel.fresh_ns += part.fresh_ns;
    sum.surely_ns += part.fresh_ns * (part.ratio > 0 ? part.interval.low / part.ratio : 1);
    sum.limit = std::max(sum.limit, part.limit);
  }
  const double least_ns = policy.limit.run_ns();
  for (const auto& [name, sum] : kernels) {
    const RunKernel& kernel = sum.kernel;
    if (kernel.base_launches <= 0 || kernel.fresh_launches <= 0) continue;
    const double more = kernel.fresh_launches - kernel.base_launches;
    // Where a program runs for a fixed time, faster kernels are launched more often: that costs nothing.
    const bool launches = more > policy.run.launches * kernel.base_launches &&
                          kernel.fresh_ns > (1 + policy.run.launches) * kernel.base_ns &&
                          more * kernel.fresh_ns / kernel.fresh_launches > least_ns;
    const double limit = std::max(policy.run.kernel_time, sum.limit);
    const bool time = more > 0 && sum.surely_ns > (1 + limit) * kernel.base_ns &&
                      kernel.fresh_ns - kernel.base_ns > least_ns;
    if (launches || time) out->kernels.push_back(kernel);
  }
  std::stable_sort(out->kernels.begin(), out->kernels.end(), [](const RunKernel& a, const RunKernel& b) {
    return a.fresh_ns - a.base_ns > b.fresh_ns - b.base_ns;
  });
}

std::string signed_percent(double ratio) { return fmt::format("{:+.1f} %", 100 * (ratio - 1)); }

}  // namespace

std::string RunFigures::text() const {
  if (!unjudged.empty()) return "the run as a whole is not judged: " + unjudged;
  if (base_ns <= 0 || fresh_ns <= 0 || (base_ns == fresh_ns && kernels.empty())) return {};
  std::string out = fmt::format("GPU time of the run {} to {} ({}), geometric mean of the kernels {}",
                                report::human_time(base_ns), report::human_time(fresh_ns),
                                signed_percent(fresh_ns / base_ns), signed_percent(mean));
  constexpr size_t kNamed = 3;
  constexpr size_t kNameColumns = 60;
  std::set<std::string> names;
  for (const RunKernel& one : kernels) names.insert(one.name);
  const auto brief = report::short_names(names, kNameColumns);
  for (size_t i = 0; i < std::min(kNamed, kernels.size()); ++i) {
    const RunKernel& one = kernels[i];
    out += fmt::format("; {}: {:g} to {:g} launches, {} to {}", brief.at(one.name), one.base_launches,
                       one.fresh_launches, report::human_time(one.base_ns), report::human_time(one.fresh_ns));
  }
  if (kernels.size() > kNamed) out += fmt::format("; and {} more", kernels.size() - kNamed);
  return out;
}

RunFigures run_figures(const std::vector<RunPart>& measured, const Results& base, const Results& fresh,
                       const Policy& policy, Pairing pairing) {
  RunFigures out;
  out.unjudged = differing_selection(base, fresh);
  const auto base_factors = untimed_factors(base);
  const auto fresh_factors = untimed_factors(fresh);
  std::vector<RunPart> parts = measured;
  double logs = 0;
  double ratios = 0;
  double allowed_ns = 0;
  for (RunPart& part : parts) {
    const double from = factor_of(base_factors, part.key->kernel);
    const double to = factor_of(fresh_factors, part.key->kernel);
    part.base_launches *= from;
    part.base_ns *= from;
    part.fresh_launches *= to;
    part.fresh_ns *= to;
    out.base_ns += part.base_ns;
    out.fresh_ns += part.fresh_ns;
    allowed_ns += part.limit * part.base_ns;
    if (part.ratio <= 0) continue;
    logs += std::log(part.ratio);
    ++ratios;
  }
  if (ratios > 0) out.mean = std::exp(logs / ratios);
  if (!out.unjudged.empty() || out.base_ns <= 0) return out;
  const auto base_runs = times_of_runs(parts, base, base_factors);
  const auto fresh_runs = times_of_runs(parts, fresh, fresh_factors);
  const bool paired = pairing == Pairing::runs && base_runs.size() == fresh_runs.size();
  out.interval = std::min(base_runs.size(), fresh_runs.size()) > 1
                     ? by_runs(base_runs, fresh_runs, paired, kShareOfAlpha * policy.alpha)
                     : by_parts(parts, out.base_ns, out.fresh_ns);
  add_kernels(parts, policy, &out);
  const double ratio = out.fresh_ns / out.base_ns;
  // What each kernel may lose, all may lose together, so that a limit widened for one is not taken back here.
  const double usual = allowed_ns / out.base_ns;
  const bool costs = out.fresh_ns - out.base_ns > policy.limit.run_ns() && out.interval.low > 1;
  const bool time = ratio > 1 + policy.run.time.value_or(usual);
  const bool by_mean = out.mean > 1 + policy.run.mean.value_or(usual);
  out.regression = !out.kernels.empty() || (costs && (time || by_mean));
  return out;
}

}  // namespace kreplay::cli
