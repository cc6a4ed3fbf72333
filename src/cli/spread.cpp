#include "cli/spread.hpp"

#include <algorithm>
#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/special_functions/digamma.hpp>
#include <boost/math/special_functions/trigamma.hpp>
#include <cmath>
#include <limits>
#include <numeric>

#include "report/statistics.hpp"

namespace kreplay::cli {
namespace {

constexpr size_t kLeastKernels = 3;
constexpr double kGuard = 4;  ///< values that the usual variance counts for

double polygamma_2(double x) {  // the derivative of trigamma; a difference is exact enough for Newton's step
  const double step = 1e-4 * x;
  return (boost::math::trigamma(x + step) - boost::math::trigamma(x - step)) / (2 * step);
}

/// The x with trigamma(x) = value, by Newton's method from the right side (Smyth 2004, appendix).
double inverse_trigamma(double value) {
  double x = 0.5 + 1 / value;
  for (int i = 0; i < 60; ++i) {
    const double at = boost::math::trigamma(x);
    const double step = at * (1 - at / value) / polygamma_2(x);
    x += step;
    if (std::abs(step) < 1e-9 * x) break;
  }
  return x;
}

std::vector<Spread> known(const std::vector<Spread>& measured) {
  std::vector<Spread> out;
  for (const Spread& one : measured)
    if (one.freedom > 0) out.push_back(one);
  return out;
}

double median_variance(const std::vector<Spread>& measured) {
  std::vector<double> variances;
  variances.reserve(measured.size());
  for (const Spread& one : measured) variances.push_back(one.variance);
  return report::median(variances);
}

}  // namespace

Spread spread_of(const std::vector<double>& values) {
  if (values.size() < 2) return {};
  const auto count = static_cast<double>(values.size());
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / count;
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return {squares / (count - 1), count - 1};
}

Prior common_prior(const std::vector<Spread>& measured) {
  const std::vector<Spread> kernels = known(measured);
  double all = 0;
  for (const Spread& one : kernels) all += one.freedom;
  const double least = 1e-5 * median_variance(kernels);  // the logarithm of 0 would be all that counts
  if (kernels.size() < kLeastKernels || all < kLeastFreedomForPrior || least <= 0) return {};
  const auto count = static_cast<double>(kernels.size());
  std::vector<double> logs;
  logs.reserve(kernels.size());
  double expected = 0;  // variance of the logarithms where the true variances are all equal
  for (const Spread& one : kernels) {
    const double half = one.freedom / 2;
    logs.push_back(std::log(std::max(one.variance, least)) - boost::math::digamma(half) + std::log(half));
    expected += boost::math::trigamma(half) / count;
  }
  const double mean = std::accumulate(logs.begin(), logs.end(), 0.0) / count;
  const double excess = spread_of(logs).variance - expected;
  if (excess <= 0) {  // they all are the same
    double pooled = 0;
    for (const Spread& one : kernels) pooled += one.freedom * one.variance / all;
    return {pooled, std::numeric_limits<double>::infinity()};
  }
  const double half = inverse_trigamma(excess);
  return {std::exp(mean + boost::math::digamma(half) - std::log(half)), 2 * half};
}

Spread moderated(const Spread& measured, const Prior& prior, double freedom_of_all) {
  const double weight = std::min(prior.freedom, kMostPriorFreedom);
  if (weight <= 0 || measured.freedom <= 0) return measured;
  const double freedom = weight + measured.freedom;
  return {(weight * prior.variance + measured.freedom * measured.variance) / freedom,
          std::min(freedom, freedom_of_all)};
}

double usual_variance(const std::vector<Spread>& measured) {
  std::vector<double> variances;
  for (const Spread& one : known(measured)) {
    const double middle = boost::math::median(boost::math::chi_squared(one.freedom)) / one.freedom;
    variances.push_back(one.variance / middle);
  }
  return variances.size() < kLeastKernels ? 0 : report::median(variances);
}

Spread guarded(const Spread& judged, const Spread& measured, double usual) {
  const double freedom = kGuard + measured.freedom;
  const double variance = (kGuard * usual + measured.freedom * measured.variance) / freedom;
  if (variance <= judged.variance) return judged;
  return {variance, std::min(judged.freedom, freedom)};
}

}  // namespace kreplay::cli
