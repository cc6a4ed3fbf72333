#include "cli/effect.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "cli/ranks.hpp"
#include "cli/spread.hpp"
#include "report/student.hpp"

namespace kreplay::cli {
namespace {

using Values = std::vector<double>;
using report::Interval;

Values logarithms(const Values& values) {
  Values logs;
  logs.reserve(values.size());
  for (const double value : values) logs.push_back(std::log(value));
  return logs;
}

double mean(const Values& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

/// Of a time that is counted in whole ns, the variance of its logarithm by that alone (Sheppard).
double rounding(double ns) { return 1 / (12 * ns * ns); }

/// What is measured of one row before the others are looked at.
struct Measured {
  Values base, fresh;        ///< logarithms; of pairs: all in `fresh`
  Spread spreads[2];         ///< of base and fresh
  double least[2] = {0, 0};  ///< variances that cannot be less
};

Measured measured(const Observations& row) {
  Measured out;
  if (row.paired) {
    out.fresh = logarithms(row.ratios);
    out.least[1] = rounding(row.base_ns) + rounding(row.fresh_ns);
  } else {
    out.base = logarithms(row.base);
    out.fresh = logarithms(row.fresh);
    out.least[0] = rounding(row.base_ns);
    out.least[1] = rounding(row.fresh_ns);
  }
  const Values* const sides[2] = {&out.base, &out.fresh};
  for (size_t i = 0; i < 2; ++i) {
    out.spreads[i] = spread_of(*sides[i]);
    out.spreads[i].variance = std::max(out.spreads[i].variance, out.least[i]);
  }
  return out;
}

/// The spreads of one side of rows that count the same thing.
struct Company {
  std::vector<Spread> spreads;
  Prior prior;
  double usual = 0, freedom = 0;

  void settle() {
    prior = common_prior(spreads);
    usual = usual_variance(spreads);
    for (const Spread& one : spreads) freedom += one.freedom;
  }
  Spread judged(const Spread& own, bool guard) const {
    const Spread out = moderated(own, prior, freedom);
    return guard && own.freedom > 0 ? guarded(out, own, usual) : out;
  }
};

/// Whether the values of the smaller side can all have met one of two clock states by chance, among so many
/// rows. As long as they can, two states can look like two builds. A single value has no spread of its own.
bool states_ruled_out(const Observations& row, double alpha) {
  const size_t least = std::min(row.base_count, row.fresh_count);
  const auto count = static_cast<double>(least > 1 ? least : std::max(row.base_count, row.fresh_count));
  return (1 - count) * std::log(2.0) <= std::log(alpha);
}

/// Student's quantiles, which take long and are the same for most rows.
class Quantiles {
 public:
  double operator()(double confidence, double freedom) {
    const auto [place, added] = known_.try_emplace({confidence, freedom});
    if (added) place->second = report::student_quantile(confidence, freedom);
    return place->second;
  }

 private:
  std::map<std::pair<double, double>, double> known_;
};

/// A test and the interval that goes with it, of logarithms.
struct Finding {
  double p = 1;
  Interval interval;
};

/// Student's t with the degrees of freedom of the side that has fewer, which is never too sure, whatever the
/// spreads are. Source: Hsu (1938); Mickey and Brown, Bounds on the distribution functions of the
/// Behrens-Fisher statistic (1966).
Finding student(double difference, double variance, double freedom, double confidence, Quantiles& quantiles) {
  const double error = std::sqrt(variance);
  const double half = quantiles(confidence, freedom) * error;
  return {report::student_p(difference / error, freedom), {difference - half, difference + half}};
}

/// @param worth above this p the test is of no use, and need not be exact
Finding ranks_of_two(const Values& base, const Values& fresh, double confidence, double worth) {
  // Brunner-Munzel holds with unequal spreads, Mann-Whitney with few values; both must agree.
  double p = brunner_munzel(base, fresh);
  // Nor is it rare that all of the smaller side met one of two states that the other does not have.
  p = std::max(p, std::exp2(1 - static_cast<double>(std::min(base.size(), fresh.size()))));
  if (p < worth) p = std::max(p, report::mann_whitney(fresh, base).p);
  return {p, median_difference_interval(base, fresh, confidence)};
}

Finding ranks_of_pairs(const Values& ratios, double confidence) {
  return {report::signed_rank(ratios), median_interval(ratios, confidence)};
}

double length(const Interval& interval) { return interval.high - interval.low; }

/// Each test has its share of the errors allowed; the interval is of the test that found something, or the
/// shorter one.
void combine(const Finding& by_student, const Finding& by_ranks, Test ranks, double confidence, Finding* out,
             Test* test) {
  const double student_p = std::min(1.0, by_student.p / kShareOfStudent);
  const double ranks_p = std::min(1.0, by_ranks.p / (1 - kShareOfStudent));
  const bool found = std::min(student_p, ranks_p) <= 1 - confidence;
  const bool use_ranks =
      found ? ranks_p < student_p : length(by_ranks.interval) < length(by_student.interval);
  out->p = std::min(student_p, ranks_p);
  out->interval = use_ranks ? by_ranks.interval : by_student.interval;
  *test = use_ranks ? ranks : Test::student;
}

/// The interval of a ratio from one of logarithms, wide enough to hold the estimate.
Interval ratios(const Interval& logs, double estimate) {
  return {std::min(std::exp(logs.low), estimate), std::max(std::exp(logs.high), estimate)};
}

Effect begin_effect(const Observations& row) {
  Effect effect;
  effect.base_ns = row.base_ns;
  effect.fresh_ns = row.fresh_ns;
  effect.ratio = row.paired ? report::median(row.ratios) : row.fresh_ns / row.base_ns;
  effect.interval = {effect.ratio, effect.ratio};
  effect.level = row.level;
  effect.base_observations = row.base_count;
  effect.fresh_observations = row.fresh_count;
  effect.dependence = row.dependence;
  effect.paired = row.paired;
  if (row.exact) {
    effect.test = Test::exact;
    effect.p = effect.ratio == 1 ? 1 : 0;
  }
  return effect;
}

/// @param spreads as they are to be judged
void judge(const Observations& row, const Measured& own, const Spread (&spreads)[2], double confidence,
           Quantiles& quantiles, Effect* effect) {
  const size_t least = std::min(row.base_count, row.fresh_count);
  const bool ranks = least >= kEnoughForRanks;
  const double student_confidence = ranks ? 1 - (1 - confidence) * kShareOfStudent : confidence;
  const double ranks_confidence = 1 - (1 - confidence) * (1 - kShareOfStudent);
  Finding found;
  if (row.paired) {
    const auto pairs = static_cast<double>(row.ratios.size());
    effect->variance = spreads[1].variance;
    found =
        student(mean(own.fresh), effect->variance / pairs, spreads[1].freedom, student_confidence, quantiles);
    effect->test = Test::student;
    if (ranks) {
      combine(found, ranks_of_pairs(own.fresh, ranks_confidence), Test::signed_rank, confidence, &found,
              &effect->test);
    }
  } else {
    const auto n = static_cast<double>(row.base_count);
    const auto m = static_cast<double>(row.fresh_count);
    effect->variance = spreads[0].variance + spreads[1].variance;
    found = student(mean(own.fresh) - mean(own.base), spreads[0].variance / n + spreads[1].variance / m,
                    std::min(spreads[0].freedom, spreads[1].freedom), student_confidence, quantiles);
    effect->test = Test::student;
    if (ranks) {
      const double worth = found.p * (1 - kShareOfStudent) / kShareOfStudent;
      combine(found, ranks_of_two(own.base, own.fresh, ranks_confidence, worth), Test::rank_sum, confidence,
              &found, &effect->test);
    }
  }
  effect->p = found.p;
  effect->interval = ratios(found.interval, effect->ratio);
}

}  // namespace

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

std::vector<Effect> measure_effects(const std::vector<Observations>& rows, const Certainty& certainty) {
  std::map<std::pair<Level, bool>, Company> companies[2];
  std::vector<Measured> all(rows.size());
  for (size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].exact) continue;
    all[i] = measured(rows[i]);
    for (size_t side = 0; side < 2; ++side)
      companies[side][{rows[i].level, rows[i].paired}].spreads.push_back(all[i].spreads[side]);
  }
  for (auto& side : companies)
    for (auto& [kind, company] : side) company.settle();
  Quantiles quantiles;
  std::vector<Effect> effects;
  effects.reserve(rows.size());
  for (size_t i = 0; i < rows.size(); ++i) {
    const Observations& row = rows[i];
    Effect effect = begin_effect(row);
    const bool guard = !states_ruled_out(row, certainty.alpha / static_cast<double>(rows.size()));
    Spread spreads[2];
    for (size_t side = 0; side < 2 && !row.exact; ++side)
      spreads[side] = companies[side].at({row.level, row.paired}).judged(all[i].spreads[side], guard);
    // A single value is spread like the other side's, as far as anybody can tell.
    for (size_t side = 0; side < 2 && !row.paired; ++side) {
      if (spreads[side].freedom == 0)
        spreads[side] = {spreads[1 - side].variance * row.unrest, spreads[1 - side].freedom};
    }
    if (!row.exact && spreads[1].freedom > 0)
      judge(row, all[i], spreads, certainty.confidence, quantiles, &effect);
    effects.push_back(effect);
  }
  return effects;
}

}  // namespace kreplay::cli
