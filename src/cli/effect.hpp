// How much the times of one kernel and launch shape changed, and how sure that is.
#pragma once

#include <string>

#include "cli/samples.hpp"
#include "report/statistics.hpp"

namespace kreplay::cli {

/// What counts as one observation: the largest unit of which there are enough, because smaller ones share
/// their run's or launch's conditions.
enum class Level {
  run,     ///< the median of a run; four or more on the two sides together, and more than one on some side
  launch,  ///< the median of a launch; five or more on each side
  pass,    ///< a single pass
};
const char* name_of(Level level);

enum class Test {
  none,         ///< too few observations
  exact,        ///< no spread at all (a simulated clock): any difference is real
  student,      ///< fewer than eight observations on a side: Student's t of the logarithms
  rank_sum,     ///< Mann-Whitney
  signed_rank,  ///< Wilcoxon, on pairs
};
const char* name_of(Test test);

/// How two sides belong together.
enum class Pairing {
  none,  ///< separate recordings; launches are paired when both are of one run with as many launches
  runs,  ///< run i of one side was made next to run i of the other
};

struct Effect {
  double base_ns = 0, fresh_ns = 0;  ///< medians of the observations
  double ratio = 1;                  ///< fresh over base; of pairs: the median of their ratios
  report::Interval interval{1, 1};   ///< of the ratio
  double p = 1;                      ///< that the ratio is 1, two-sided
  Level level = Level::pass;
  Test test = Test::none;
  size_t base_observations = 0, fresh_observations = 0;  ///< independent ones
  size_t dependence = 1;  ///< how many neighbours were taken as one observation
  bool paired = false;
};

/// The least number of observations, or of passes without spread, that say something.
constexpr size_t kLeastObservations = 5;
constexpr size_t kLeastExact = 3;
/// From here on ranks and resampling are used.
constexpr size_t kEnoughForRanks = 8;

/// @param base, fresh not empty, all times above 0
/// @param seed for the resampling
Effect measure_effect(const Samples& base, const Samples& fresh, Pairing pairing, double confidence,
                      uint64_t seed);

}  // namespace kreplay::cli
