// Robust statistics of pass times, for comparing two runs: order statistics, resampling and ranks, since
// times are neither normal nor free of outliers. No global state; every random choice takes a seed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace kreplay::report {

/// Mean of the two middle values for even counts. @return 0 for none
double median(std::vector<double> values);
/// Median distance from the median, unscaled (times 1.4826 it estimates a normal distribution's sigma).
double median_absolute_deviation(const std::vector<double>& values);

struct Interval {
  double low = 0;
  double high = 0;
};

struct RankTest {
  double u = 0;              ///< pairs in which the first sample's value is larger, ties counting half
  double p = 1;              ///< two-sided
  double superiority = 0.5;  ///< u over the number of pairs: how often the first sample is larger
};

/// Mann-Whitney. Exact, ties included, up to kExactRankTest values in all; beyond, the normal approximation
/// with correction for ties and continuity. Samples without any values give p = 1.
constexpr size_t kExactRankTest = 40;
RankTest mann_whitney(const std::vector<double>& first, const std::vector<double>& second);

/// Wilcoxon's signed-rank test of values that should be centred on 0 (differences of pairs). Zeros are ranked
/// and then left out (Pratt). Exact up to kExactRankTest values, the normal approximation beyond.
/// @return two-sided p; 1 without any value other than 0
double signed_rank(const std::vector<double>& values);

/// Adjusted p-values: calling those at most q significant keeps the expected share of false ones below q.
std::vector<double> benjamini_hochberg(const std::vector<double>& p);

}  // namespace kreplay::report
