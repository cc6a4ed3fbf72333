#include "report/student.hpp"

#include <boost/math/distributions/students_t.hpp>
#include <cmath>

namespace kreplay::report {
namespace {

using boost::math::policies::policy;
/// Overflow gives infinity instead of an exception; double is precise enough.
using Quiet = policy<boost::math::policies::overflow_error<boost::math::policies::ignore_error>,
                     boost::math::policies::promote_double<false>>;
using Distribution = boost::math::students_t_distribution<double, Quiet>;

}  // namespace

double student_p(double t, double freedom) {
  if (std::isinf(t)) return 0;
  return 2 * boost::math::cdf(boost::math::complement(Distribution(freedom), std::abs(t)));
}

double student_quantile(double confidence, double freedom) {
  return boost::math::quantile(boost::math::complement(Distribution(freedom), (1 - confidence) / 2));
}

}  // namespace kreplay::report
