#include "cli/time_series.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "cli/ranks.hpp"
#include "report/statistics.hpp"

namespace kreplay::cli {
namespace {

/// A fixed sequence without pattern (splitmix64), so that a file gives the same figures every time.
uint64_t scrambled(uint64_t value) {
  value *= 0x9e3779b97f4a7c15;
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9;
  value = (value ^ (value >> 27)) * 0x94d049bb133111eb;
  return value ^ (value >> 31);
}

/// Ranks minus their mean. Robust against outliers, which would hide a drift.
std::vector<double> centred_ranks(const std::vector<double>& values) {
  std::vector<double> ranks = mid_ranks(values);
  for (double& rank : ranks) rank -= static_cast<double>(values.size() + 1) / 2;
  return ranks;
}

}  // namespace

void TimeSeries::add(double value) {
  min_ = seen_ == 0 ? value : std::min(min_, value);
  max_ = seen_ == 0 ? value : std::max(max_, value);
  const uint64_t place = seen_++ % stride_;
  if (place != 0) {
    if (scrambled(seen_) % (place + 1) == 0) values_.back() = value;
    return;
  }
  if (values_.size() == kMost) {
    for (size_t i = 0; i < kMost / 2; ++i) values_[i] = values_[2 * i + scrambled(seen_ + i) % 2];
    values_.resize(kMost / 2);
    stride_ *= 2;
  }
  values_.push_back(value);
}

size_t dependence_length(const std::vector<double>& in_order) {
  const size_t count = in_order.size();
  if (count < kLeastForDependence) return 1;
  const std::vector<double> ranks = centred_ranks(in_order);
  const double variance = std::inner_product(ranks.begin(), ranks.end(), ranks.begin(), 0.0);
  if (variance <= 0) return 1;
  const double noise = 2 / std::sqrt(static_cast<double>(count));
  double correlated = 0;
  for (size_t lag = 1; lag <= count / 3; ++lag) {
    const auto shifted = ranks.begin() + static_cast<long>(lag);
    const double correlation = std::inner_product(shifted, ranks.end(), ranks.begin(), 0.0) / variance;
    if (correlation < noise) break;
    correlated += correlation;
  }
  if (correlated <= 0) return 1;
  return std::min(count / 3, static_cast<size_t>(std::ceil(2 * (1 + 2 * correlated))));
}

std::vector<double> block_medians(const std::vector<double>& in_order, size_t length) {
  if (length <= 1) return in_order;
  const size_t blocks = std::max<size_t>(1, in_order.size() / length);
  std::vector<double> medians;
  medians.reserve(blocks);
  for (size_t i = 0; i < blocks; ++i) {
    const auto begin = in_order.begin() + static_cast<long>(i * in_order.size() / blocks);
    const auto end = in_order.begin() + static_cast<long>((i + 1) * in_order.size() / blocks);
    medians.push_back(report::median({begin, end}));
  }
  return medians;
}

}  // namespace kreplay::cli
