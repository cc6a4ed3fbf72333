#include "report/student.hpp"

#include <cmath>
#include <numeric>

namespace kreplay::report {
namespace {

constexpr double kPi = 3.14159265358979323846;

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double squared_deviations(const std::vector<double>& values, double from) {
  double sum = 0;
  for (const double value : values) sum += (value - from) * (value - from);
  return sum;
}

StudentTest test_of(double difference, double standard_error, unsigned freedom, double confidence) {
  if (standard_error <= 0) return {difference, {difference, difference}, difference == 0 ? 1.0 : 0.0};
  const double half = student_quantile(confidence, freedom) * standard_error;
  return {
      difference, {difference - half, difference + half}, student_p(difference / standard_error, freedom)};
}

}  // namespace

/// The finite sums for whole degrees of freedom: Abramowitz and Stegun, 26.7.3 and 26.7.4.
double student_p(double t, unsigned freedom) {
  const double angle = std::atan(std::abs(t) / std::sqrt(static_cast<double>(freedom)));
  const double sine = std::sin(angle);
  const double cosine = std::cos(angle);
  const bool odd = freedom % 2 != 0;
  double term = odd ? cosine : 1;
  double sum = freedom > 1 ? term : 0;
  for (unsigned k = odd ? 3 : 2; k + 2 <= freedom; k += 2) {
    term *= cosine * cosine * (k - 1) / k;
    sum += term;
  }
  const double inside = odd ? 2 / kPi * (angle + sine * sum) : sine * sum;
  return inside < 1 ? 1 - inside : 0;
}

double student_quantile(double confidence, unsigned freedom) {
  double low = 0;
  double high = 1;
  while (student_p(high, freedom) > 1 - confidence) high *= 2;
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (student_p(middle, freedom) > 1 - confidence ? low : high) = middle;
  }
  return high;
}

StudentTest student_two_samples(const std::vector<double>& base, const std::vector<double>& fresh,
                                double confidence) {
  const double base_mean = mean(base);
  const double fresh_mean = mean(fresh);
  const auto n = static_cast<double>(base.size());
  const auto m = static_cast<double>(fresh.size());
  const double squares = squared_deviations(base, base_mean) + squared_deviations(fresh, fresh_mean);
  const double error = std::sqrt(squares / (n + m - 2) * (1 / n + 1 / m));
  return test_of(fresh_mean - base_mean, error, static_cast<unsigned>(base.size() + fresh.size() - 2),
                 confidence);
}

StudentTest student_one_sample(const std::vector<double>& values, double confidence) {
  const double middle = mean(values);
  const auto n = static_cast<double>(values.size());
  const double error = std::sqrt(squared_deviations(values, middle) / (n - 1) / n);
  return test_of(middle, error, static_cast<unsigned>(values.size() - 1), confidence);
}

}  // namespace kreplay::report
