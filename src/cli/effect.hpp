// How much the times of kernels changed, and how sure that is. Kernels are judged together: what the others
// show of the noise helps where one alone has few observations.
#pragma once

#include <vector>

#include "cli/observations.hpp"
#include "report/statistics.hpp"

namespace kreplay::cli {

enum class Test {
  none,         ///< too few observations
  exact,        ///< no spread at all (a simulated clock): any difference is real
  student,      ///< Student's t of the logarithms, each side with a spread of its own
  rank_sum,     ///< Brunner-Munzel, and Mann-Whitney
  signed_rank,  ///< Wilcoxon, on pairs
};
const char* name_of(Test test);

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
  /// Variance of the logarithm of single observations, both sides (of a pair) together, as it was judged;
  /// what more observations would change.
  double variance = 0;
};

/// From so many observations on each side on, ranks have something to say beside Student's t.
constexpr size_t kEnoughForRanks = 8;

/// How sure something must be.
struct Certainty {
  double confidence = 0.95;  ///< of the intervals
  double alpha = 0.05;       ///< of all rows together
};

/// The two p-values and intervals are combined so that both together err no more often than asked for:
/// Student's t, which has power with few observations, gets most of it; ranks, which have power where there
/// are outliers, the rest.
constexpr double kShareOfStudent = 0.8;

/// One row for each element, in order.
std::vector<Effect> measure_effects(const std::vector<Observations>& rows, const Certainty& certainty);

}  // namespace kreplay::cli
