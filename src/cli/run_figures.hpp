// What a whole run costs: kernels can all be as fast as before and the run slower, because there are more
// launches, or more kernels.
#pragma once

#include <string>
#include <vector>

#include "cli/observations.hpp"
#include "cli/policy.hpp"
#include "report/statistics.hpp"

namespace kreplay::cli {

/// One kernel and launch shape, all per run.
struct RunPart {
  const ShapeKey* key = nullptr;
  double base_launches = 0, fresh_launches = 0;
  double base_ns = 0, fresh_ns = 0;  ///< of all launches
  double ratio = 0;                  ///< of one launch; 0 where only one side has it
  report::Interval interval{1, 1};   ///< of the ratio
  double limit = 0;                  ///< Limit::relative that holds for it
};

/// A kernel whose launches cost more than they may, over all its shapes.
struct RunKernel {
  std::string name;
  double base_launches = 0, fresh_launches = 0;
  double base_ns = 0, fresh_ns = 0;
};

struct RunFigures {
  std::string unjudged;              ///< why nothing can be said of the run; empty when something can
  double base_ns = 0, fresh_ns = 0;  ///< GPU time per run
  report::Interval interval{1, 1};   ///< of their ratio
  double mean = 1;                   ///< geometric mean of the ratios of kernels and shapes of both sides
  std::vector<RunKernel> kernels;    ///< those with too many launches or too much time, worst first
  bool regression = false;
  /// Empty where nothing changed, else
  /// "GPU time of the run 110 us to 210 us (+90.9 %), geometric mean of the kernels +0.0 %; f: 1 to 10
  /// launches"
  std::string text() const;
};

/// @param parts without those that a rule ignores
RunFigures run_figures(const std::vector<RunPart>& parts, const Results& base, const Results& fresh,
                       const Policy& policy, Pairing pairing);

}  // namespace kreplay::cli
