// Expected values: from tables of Student's distribution.
#include "report/student.hpp"

#include <catch2/catch.hpp>

using namespace kreplay::report;

TEST_CASE("Student's distribution agrees with its tables") {
  struct Entry {
    unsigned freedom;
    double t;
    double p;  ///< two-sided
  };
  for (const auto& [freedom, t, p] : {Entry{1, 12.706, 0.05},
                                      {2, 4.303, 0.05},
                                      {3, 3.182, 0.05},
                                      {4, 2.776, 0.05},
                                      {7, 2.365, 0.05},
                                      {10, 2.228, 0.05},
                                      {30, 2.042, 0.05},
                                      {5, 4.032, 0.01},
                                      {8, 3.355, 0.01},
                                      {120, 2.617, 0.01}}) {
    INFO(freedom << " degrees of freedom");
    CHECK(student_p(t, freedom) == Approx(p).epsilon(0.002));
    CHECK(student_p(-t, freedom) == student_p(t, freedom));
    CHECK(student_quantile(1 - p, freedom) == Approx(t).epsilon(0.001));
  }
  CHECK(student_p(0, 5) == 1);
}

TEST_CASE("Student's tests of means") {
  // Pooled variance 2.5, standard error sqrt(2.5 * 2 / 5) = 1: t = 2 with 8 degrees of freedom.
  const StudentTest two = student_two_samples({1, 2, 3, 4, 5}, {3, 4, 5, 6, 7}, 0.95);
  CHECK(two.difference == Approx(2));
  CHECK(two.p == Approx(0.0805).epsilon(0.01));
  CHECK(two.interval.low == Approx(2 - 2.306).epsilon(0.01));
  CHECK(two.interval.high == Approx(2 + 2.306).epsilon(0.01));
  // One value against four: the spread comes from the four.
  const StudentTest single = student_two_samples({1, 2, 3, 4}, {10}, 0.95);
  CHECK(single.difference == Approx(7.5));
  CHECK(single.p == Approx(0.01385).epsilon(0.001));
  const StudentTest one = student_one_sample({1, 2, 3}, 0.95);
  CHECK(one.difference == Approx(2));
  CHECK(one.p == Approx(student_p(3.4641, 2)).epsilon(0.001));
}

TEST_CASE("without spread a difference is exact") {
  const StudentTest equal = student_two_samples({5, 5}, {5, 5}, 0.95);
  CHECK(equal.p == 1);
  CHECK(equal.interval.low == 0);
  const StudentTest apart = student_two_samples({5, 5}, {6, 6}, 0.95);
  CHECK(apart.p == 0);
  CHECK(apart.interval.high == 1);
}
