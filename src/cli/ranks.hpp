// What can be said of two samples by order alone: outliers count no more than other values, and nothing is
// assumed of the spreads.
#pragma once

#include <vector>

#include "report/statistics.hpp"

namespace kreplay::cli {

/// From 1; ties share the middle of their ranks.
std::vector<double> mid_ranks(const std::vector<double>& values);

/// Whether values of one sample tend to be larger, whatever the spreads of the two (the test of Mann and
/// Whitney assumes them equal). Source: Brunner and Munzel, The nonparametric Behrens-Fisher problem (2000).
/// @param base, fresh at least two values each
/// @return two-sided p by their approximation with Student's t
double brunner_munzel(const std::vector<double>& base, const std::vector<double>& fresh);

/// Of the median of a sample, by order statistics: at least `confidence`, whatever the distribution.
/// All real numbers where the sample is too small for that.
report::Interval median_interval(std::vector<double> values, double confidence);

/// Of the difference of two medians, fresh minus base, with spreads of their own. Source: Price and Bonett,
/// Distribution-free confidence intervals for difference and ratio of medians (2002); with Student's t in
/// place of the normal quantile, since the variances are estimates.
report::Interval median_difference_interval(const std::vector<double>& base, const std::vector<double>& fresh,
                                            double confidence);

}  // namespace kreplay::cli
