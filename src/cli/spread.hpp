// How much single observations of a kernel scatter, from few of them and from what the other kernels show.
#pragma once

#include <cstddef>
#include <vector>

namespace kreplay::cli {

/// A variance and how well it is known.
struct Spread {
  double variance = 0;
  double freedom = 0;  ///< degrees of freedom; 0: not known
};

/// Variance of values around their mean; freedom 0 for fewer than two.
Spread spread_of(const std::vector<double>& values);

/// What the variances of many kernels have in common: they are drawn from a scaled inverse chi-square
/// distribution around `variance`, as if each were known from `freedom` values beforehand.
/// Source: Smyth, Linear models and empirical Bayes methods (2004), section 6.2: matching the first two
/// moments of the logarithms.
struct Prior {
  double variance = 0;
  double freedom = 0;  ///< 0: the kernels have nothing in common, or are too few to tell; may be infinite
};
Prior common_prior(const std::vector<Spread>& measured);

/// The prior counts as at most so many values: kernels differ in more than the model knows.
constexpr double kMostPriorFreedom = 10;
/// Each of the kernels needs this together for a prior at all.
constexpr double kLeastFreedomForPrior = 20;

/// One measured spread weighed against the prior.
Spread moderated(const Spread& measured, const Prior& prior, double freedom_of_all);

/// The variance in the middle of the kernels' variances; 0 for fewer than three.
double usual_variance(const std::vector<Spread>& measured);

/// A few values can all come from one of two clock states and then seem quieter than they are. This raises a
/// variance that is below the usual one, as if the usual one had been seen in four more values.
/// @param judged as it is without this
Spread guarded(const Spread& judged, const Spread& measured, double usual);

}  // namespace kreplay::cli
