#include "cli/observations.hpp"

#include <algorithm>
#include <cmath>

#include "cli/spread.hpp"
#include "report/statistics.hpp"

namespace kreplay::cli {
namespace {

using Values = std::vector<double>;

constexpr size_t kLeastRuns = 4;    ///< on both sides together
constexpr size_t kLeastWithin = 5;  ///< values in a run that tell how restless it was

/// Sequences of one kind; each is of one run, in order.
using Sequences = std::vector<Values>;

Values joined(const Sequences& sequences) {
  Values all;
  for (const Values& one : sequences) all.insert(all.end(), one.begin(), one.end());
  return all;
}

bool constant(const Values& values) {
  return std::all_of(values.begin(), values.end(), [&](double value) { return value == values.front(); });
}

Values run_medians(const Samples& samples) {
  Values medians;
  medians.reserve(samples.runs.size());
  for (const auto& [run, one] : samples.runs) medians.push_back(report::median(one.launches.values()));
  return medians;
}

Sequences launch_medians(const Samples& samples) {
  Sequences sequences;
  sequences.reserve(samples.runs.size());
  for (const auto& [run, one] : samples.runs) sequences.push_back(one.launches.values());
  return sequences;
}

Values passes_of(const RunSamples& run) {
  Values all;
  for (const TimeSeries& series : run.passes)
    all.insert(all.end(), series.values().begin(), series.values().end());
  return all;
}

Sequences pass_times(const Samples& samples) {
  Sequences sequences;
  sequences.reserve(samples.runs.size());
  for (const auto& [run, one] : samples.runs) sequences.push_back(passes_of(one));
  return sequences;
}

size_t longest_dependence(const Sequences& sequences) {
  size_t most = 1;
  for (const Values& one : sequences) most = std::max(most, dependence_length(one));
  return most;
}

Values independent(const Sequences& sequences, size_t length) {
  Sequences blocks;
  blocks.reserve(sequences.size());
  for (const Values& one : sequences) blocks.push_back(block_medians(one, length));
  return joined(blocks);
}

/// Variance of the logarithms of what the runs hold: their launches, or passes where those are too few.
/// @return NaN where even those are
double variance_within(const Samples& samples) {
  Values variances;
  for (const auto& [run, one] : samples.runs) {
    Values logs = one.launches.values().size() >= kLeastWithin ? one.launches.values() : passes_of(one);
    if (logs.size() < kLeastWithin) continue;
    for (double& value : logs) value = std::log(value);
    variances.push_back(spread_of(logs).variance);
  }
  return variances.empty() ? std::nan("") : report::median(variances);
}

double unrest_of(const Samples& single, const Samples& several) {
  const double ratio = variance_within(single) / variance_within(several);
  return std::isfinite(ratio) ? std::max(1.0, ratio) : 1;
}

void set_two(Values base, Values fresh, Observations* out) {
  out->base_ns = report::median(base);
  out->fresh_ns = report::median(fresh);
  out->base_count = base.size();
  out->fresh_count = fresh.size();
  out->base = std::move(base);
  out->fresh = std::move(fresh);
}

/// @param steady nothing but what tells launches apart changes the times
void set_pairs(Values base, Values fresh, bool steady, Observations* out) {
  Values ratios;
  ratios.reserve(base.size());
  for (size_t i = 0; i < base.size(); ++i) ratios.push_back(fresh[i] / base[i]);
  // Blocks only where pairs are a sequence of one run; pairs of runs are apart already.
  if (out->level != Level::run) {
    out->dependence = dependence_length(ratios);
    ratios = block_medians(ratios, out->dependence);
  }
  set_two(std::move(base), std::move(fresh), out);
  out->paired = true;
  out->base_count = out->fresh_count = ratios.size();
  out->exact = constant(ratios) && (steady || ratios.size() >= kLeastExact);
  out->ratios = std::move(ratios);
}

bool enough_runs(const Samples& base, const Samples& fresh) {
  return base.runs.size() + fresh.runs.size() >= kLeastRuns;
}

/// Run i of one side was made next to run i of the other, and both measured the kernel.
bool same_runs(const Samples& base, const Samples& fresh) {
  return base.runs.size() > 1 &&
         std::equal(base.runs.begin(), base.runs.end(), fresh.runs.begin(), fresh.runs.end(),
                    [](const auto& a, const auto& b) { return a.first == b.first; });
}

/// Launches of one program on one input correspond to each other, so what tells them apart is no noise.
bool same_launches(const Samples& base, const Samples& fresh) {
  return base.runs.size() == 1 && fresh.runs.size() == 1 && base.launches == fresh.launches;
}

}  // namespace

const char* name_of(Level level) {
  switch (level) {
    case Level::run:
      return "runs";
    case Level::launch:
      return "launches";
    case Level::pass:
      return "passes";
  }
  return "unknown";
}

Observations observe(const Samples& base, const Samples& fresh, Pairing pairing) {
  Observations out;
  const bool few = std::min(base.passes, fresh.passes) < kLeastExact;
  if (base.constant() && fresh.constant() && !few) {
    out.exact = true;
    out.base_ns = base.min_ns;
    out.fresh_ns = fresh.min_ns;
    out.base_count = base.passes;
    out.fresh_count = fresh.passes;
    return out;
  }
  if (pairing == Pairing::runs && same_runs(base, fresh)) {
    out.level = Level::run;
    set_pairs(run_medians(base), run_medians(fresh), false, &out);
    return out;
  }
  if (enough_runs(base, fresh)) {
    out.level = Level::run;
    set_two(run_medians(base), run_medians(fresh), &out);
    if (out.base_count == 1) out.unrest = unrest_of(base, fresh);
    if (out.fresh_count == 1) out.unrest = unrest_of(fresh, base);
    return out;
  }
  const bool steady = base.steady_launches && fresh.steady_launches && !few;
  const bool launches = std::min(base.launches, fresh.launches) >= kLeastLaunches;
  out.level = launches || steady ? Level::launch : Level::pass;
  if (out.level == Level::launch && same_launches(base, fresh)) {
    set_pairs(joined(launch_medians(base)), joined(launch_medians(fresh)), steady, &out);
    return out;
  }
  const bool whole = out.level == Level::launch;
  const Sequences from = whole ? launch_medians(base) : pass_times(base);
  const Sequences to = whole ? launch_medians(fresh) : pass_times(fresh);
  out.dependence = std::max(longest_dependence(from), longest_dependence(to));
  set_two(independent(from, out.dependence), independent(to, out.dependence), &out);
  return out;
}

}  // namespace kreplay::cli
