#include "cli/ranks.hpp"

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <limits>
#include <numeric>

#include "report/student.hpp"

namespace kreplay::cli {
namespace {

using Values = std::vector<double>;

/// The sample's part in the variance of the difference of mean ranks, from ranks in both samples together.
double placement_variance(const Values& own, const double* together, size_t other) {
  const Values within = mid_ranks(own);
  const auto count = static_cast<double>(own.size());
  const double mean = std::accumulate(together, together + own.size(), 0.0) / count;
  double squares = 0;
  for (size_t i = 0; i < own.size(); ++i) {
    const double off = together[i] - within[i] - mean + (count + 1) / 2;
    squares += off * off;
  }
  const auto others = static_cast<double>(other);
  return squares / (count - 1) / (others * others);
}

/// Variance of the median, from two order statistics that lie about two standard errors apart.
double median_variance_of(Values values) {
  std::sort(values.begin(), values.end());
  const auto count = static_cast<double>(values.size());
  const double place = std::max(1.0, std::round((count + 1) / 2 - std::sqrt(count)));
  const double outside = boost::math::cdf(boost::math::binomial(count, 0.5), place - 1);
  const double normal = boost::math::quantile(boost::math::complement(boost::math::normal(), outside));
  const auto c = static_cast<size_t>(place);
  const double error = (values[values.size() - c] - values[c - 1]) / (2 * normal);
  return error * error;
}

}  // namespace

Values mid_ranks(const Values& values) {
  std::vector<size_t> order(values.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(), [&values](size_t a, size_t b) { return values[a] < values[b]; });
  Values ranks(values.size());
  for (size_t begin = 0; begin < order.size();) {
    size_t end = begin;
    while (end < order.size() && values[order[end]] == values[order[begin]]) ++end;
    for (size_t i = begin; i < end; ++i) ranks[order[i]] = static_cast<double>(begin + 1 + end) / 2;
    begin = end;
  }
  return ranks;
}

double brunner_munzel(const Values& base, const Values& fresh) {
  Values all = base;
  all.insert(all.end(), fresh.begin(), fresh.end());
  const Values ranks = mid_ranks(all);
  const auto n = static_cast<double>(base.size());
  const auto m = static_cast<double>(fresh.size());
  const auto middle = ranks.begin() + static_cast<long>(base.size());
  const double difference =
      std::accumulate(middle, ranks.end(), 0.0) / m - std::accumulate(ranks.begin(), middle, 0.0) / n;
  const double from_base = placement_variance(base, ranks.data(), fresh.size()) / n;
  const double from_fresh = placement_variance(fresh, ranks.data() + base.size(), base.size()) / m;
  const double variance = from_base + from_fresh;
  if (variance <= 0) return difference == 0 ? 1 : 0;
  const double freedom =
      variance * variance / (from_base * from_base / (n - 1) + from_fresh * from_fresh / (m - 1));
  return report::student_p(difference / (n + m) / std::sqrt(variance), freedom);
}

report::Interval median_interval(Values values, double confidence) {
  constexpr double kAll = std::numeric_limits<double>::infinity();
  std::sort(values.begin(), values.end());
  const boost::math::binomial heads(static_cast<double>(values.size()), 0.5);
  size_t outside = 0;  // values that may be left out at either end
  while (2 * (outside + 1) <= values.size() &&
         2 * boost::math::cdf(heads, static_cast<double>(outside)) <= 1 - confidence)
    ++outside;
  if (outside == 0) return {-kAll, kAll};
  return {values[outside - 1], values[values.size() - outside]};
}

report::Interval median_difference_interval(const Values& base, const Values& fresh, double confidence) {
  const double difference = report::median(fresh) - report::median(base);
  const double error = std::sqrt(median_variance_of(base) + median_variance_of(fresh));
  const auto freedom = static_cast<double>(std::min(base.size(), fresh.size()) - 1);
  const double half = report::student_quantile(confidence, freedom) * error;
  return {difference - half, difference + half};
}

}  // namespace kreplay::cli
