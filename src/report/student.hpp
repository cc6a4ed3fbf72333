// Student's t, for samples too small for ranks and resampling to say anything.
#pragma once

#include <vector>

#include "report/statistics.hpp"

namespace kreplay::report {

/// Two-sided: how often a t of that many degrees of freedom (at least 1) is larger in magnitude.
double student_p(double t, unsigned freedom);
/// The t that |t| stays below with probability `confidence`, 0 < confidence < 1.
double student_quantile(double confidence, unsigned freedom);

struct StudentTest {
  double difference = 0;  ///< of the means, or the mean itself
  Interval interval;      ///< of the difference
  double p = 1;           ///< two-sided, that it is 0
};

/// Difference of means, fresh minus base. The variances are pooled, so one side may have a single value;
/// there must be three values in all. Without any spread the difference is taken as exact.
StudentTest student_two_samples(const std::vector<double>& base, const std::vector<double>& fresh,
                                double confidence);
/// Mean of at least two values against 0.
StudentTest student_one_sample(const std::vector<double>& values, double confidence);

}  // namespace kreplay::report
