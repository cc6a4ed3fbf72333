// Expected values: from tables of Student's distribution; the last case from R 4.2, as told there.
#include "report/student.hpp"

#include <catch2/catch.hpp>
#include <cmath>

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

TEST_CASE("Student's distribution far out, and with degrees of freedom that are no whole number") {
  // print(2*pt(t, f, lower.tail=FALSE), digits=12) in R.
  struct Entry {
    double freedom, t, p;
  };
  for (const auto& [freedom, t, p] : {Entry{1, 98, 0.0064958946745},
                                      {2.5, 7, 0.0105723695276},
                                      {3.7, 0.4, 0.711162461102},
                                      {5, 120, 7.62209838067e-10},
                                      {9.3, 66, 9.63401806226e-14},
                                      {12, 15, 3.88643213866e-09},
                                      {1.01, 1000, 0.00059529668597},
                                      {400, 5, 8.59482512912e-07}}) {
    INFO(freedom << " degrees of freedom, t = " << t);
    CHECK(student_p(t, freedom) == Approx(p).epsilon(1e-8));
    CHECK(student_quantile(1 - p, freedom) == Approx(t).epsilon(1e-3).margin(1e-9));
  }
  CHECK(student_p(HUGE_VAL, 3) == 0);
}
