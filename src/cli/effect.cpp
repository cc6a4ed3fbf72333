#include "cli/effect.hpp"

#include <algorithm>
#include <cmath>

#include "report/student.hpp"

namespace kreplay::cli {
namespace {

using Values = std::vector<double>;

constexpr unsigned kResamples = 1000;
constexpr size_t kLeastRuns = 4;  ///< on both sides together

/// Sequences of one kind; each is of one run, in order.
using Sequences = std::vector<Values>;

Values joined(const Sequences& sequences) {
  Values all;
  for (const Values& one : sequences) all.insert(all.end(), one.begin(), one.end());
  return all;
}

Values logarithms(const Values& values) {
  Values logs;
  logs.reserve(values.size());
  for (const double value : values) logs.push_back(std::log(value));
  return logs;
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

Sequences pass_times(const Samples& samples) {
  Sequences sequences;
  for (const auto& [run, one] : samples.runs) {
    Values& all = sequences.emplace_back();
    for (const TimeSeries& series : one.passes)
      all.insert(all.end(), series.values().begin(), series.values().end());
  }
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

/// The interval of a ratio from one of logarithms, wide enough to hold the estimate.
report::Interval ratios(const report::Interval& logs, double estimate) {
  return {std::min(std::exp(logs.low), estimate), std::max(std::exp(logs.high), estimate)};
}

void judge_two(const Values& base, const Values& fresh, double confidence, uint64_t seed, Effect* effect) {
  effect->base_observations = base.size();
  effect->fresh_observations = fresh.size();
  effect->base_ns = report::median(base);
  effect->fresh_ns = report::median(fresh);
  effect->ratio = effect->fresh_ns / effect->base_ns;
  if (std::min(base.size(), fresh.size()) >= kEnoughForRanks) {
    effect->test = Test::rank_sum;
    effect->interval = report::bootstrap_median_ratio(base, fresh, confidence, kResamples, seed);
    effect->p = report::mann_whitney(fresh, base).p;
    return;
  }
  if (base.size() + fresh.size() < 3) return;
  const auto test = report::student_two_samples(logarithms(base), logarithms(fresh), confidence);
  effect->test = Test::student;
  effect->interval = ratios(test.interval, effect->ratio);
  effect->p = test.p;
}

/// @param steady nothing but what tells launches apart changes the times
void judge_pairs(const Values& base, const Values& fresh, bool steady, double confidence, uint64_t seed,
                 Effect* effect) {
  Values pairs;
  pairs.reserve(base.size());
  for (size_t i = 0; i < base.size(); ++i) pairs.push_back(fresh[i] / base[i]);
  // Blocks only where pairs are a sequence of one run; pairs of runs are apart already.
  if (effect->level != Level::run) {
    effect->dependence = dependence_length(pairs);
    pairs = block_medians(pairs, effect->dependence);
  }
  effect->paired = true;
  effect->base_observations = effect->fresh_observations = pairs.size();
  effect->base_ns = report::median(base);
  effect->fresh_ns = report::median(fresh);
  effect->ratio = report::median(pairs);
  if (constant(pairs) && (steady || pairs.size() >= kLeastExact)) {
    effect->test = Test::exact;
    effect->interval = {effect->ratio, effect->ratio};
    effect->p = effect->ratio == 1 ? 1 : 0;
  } else if (pairs.size() >= kEnoughForRanks) {
    effect->test = Test::signed_rank;
    effect->interval = report::bootstrap_median(pairs, confidence, kResamples, seed);
    effect->p = report::signed_rank(logarithms(pairs));
  } else if (pairs.size() >= 2) {
    const auto test = report::student_one_sample(logarithms(pairs), confidence);
    effect->test = Test::student;
    effect->interval = ratios(test.interval, effect->ratio);
    effect->p = test.p;
  }
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

const char* name_of(Test test) {
  switch (test) {
    case Test::none:
      return "none";
    case Test::exact:
      return "exact";
    case Test::student:
      return "student";
    case Test::rank_sum:
      return "rank_sum";
    case Test::signed_rank:
      return "signed_rank";
  }
  return "unknown";
}

Effect measure_effect(const Samples& base, const Samples& fresh, Pairing pairing, double confidence,
                      uint64_t seed) {
  Effect effect;
  if (base.constant() && fresh.constant() && std::min(base.passes, fresh.passes) >= kLeastExact) {
    effect.base_ns = base.min_ns;
    effect.fresh_ns = fresh.min_ns;
    effect.ratio = effect.fresh_ns / effect.base_ns;
    effect.interval = {effect.ratio, effect.ratio};
    effect.p = effect.ratio == 1 ? 1 : 0;
    effect.test = Test::exact;
    effect.base_observations = base.passes;
    effect.fresh_observations = fresh.passes;
    return effect;
  }
  if (pairing == Pairing::runs && same_runs(base, fresh)) {
    effect.level = Level::run;
    judge_pairs(run_medians(base), run_medians(fresh), false, confidence, seed, &effect);
    return effect;
  }
  if (enough_runs(base, fresh)) {
    effect.level = Level::run;
    judge_two(run_medians(base), run_medians(fresh), confidence, seed, &effect);
    return effect;
  }
  const bool steady =
      base.steady_launches && fresh.steady_launches && std::min(base.passes, fresh.passes) >= kLeastExact;
  const bool launches = std::min(base.launches, fresh.launches) >= kLeastObservations;
  effect.level = launches || steady ? Level::launch : Level::pass;
  if (effect.level == Level::launch && same_launches(base, fresh)) {
    judge_pairs(joined(launch_medians(base)), joined(launch_medians(fresh)), steady, confidence, seed,
                &effect);
    return effect;
  }
  const bool whole = effect.level == Level::launch;
  const Sequences from = whole ? launch_medians(base) : pass_times(base);
  const Sequences to = whole ? launch_medians(fresh) : pass_times(fresh);
  effect.dependence = std::max(longest_dependence(from), longest_dependence(to));
  judge_two(independent(from, effect.dependence), independent(to, effect.dependence), confidence, seed,
            &effect);
  return effect;
}

}  // namespace kreplay::cli
