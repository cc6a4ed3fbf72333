// Expected values: by hand, or from SciPy's and R's documentation of the same functions.
#include "report/statistics.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <random>

using namespace kreplay::report;

TEST_CASE("median and its absolute deviation") {
  CHECK(median({}) == 0);
  CHECK(median({3}) == 3);
  CHECK(median({9, 1, 5}) == 5);
  CHECK(median({9, 1, 5, 7}) == 6);
  CHECK(median_absolute_deviation({1, 1, 2, 2, 4, 6, 9}) == 1);
  CHECK(median_absolute_deviation({5, 5, 5}) == 0);
  CHECK(median_absolute_deviation({1, 2, 3, 1000}) == 1);
}

TEST_CASE("rank test, exact") {
  const RankTest test = mann_whitney({19, 22, 16, 29, 24}, {20, 11, 17, 12});
  CHECK(test.u == 17);
  CHECK(test.p == Approx(0.1111111111111111));
  CHECK(test.superiority == Approx(0.85));
  const RankTest swapped = mann_whitney({20, 11, 17, 12}, {19, 22, 16, 29, 24});
  CHECK(swapped.u == 3);
  CHECK(swapped.p == Approx(test.p));
  // Five against five, wholly apart: 2 of 252 choices.
  CHECK(mann_whitney({1, 2, 3, 4, 5}, {6, 7, 8, 9, 10}).p == Approx(2.0 / 252));
}

TEST_CASE("rank test, exact with ties") {
  // {1, 2} and {2, 3}: doubled ranks 2, 5, 5, 8. Of six choices the sums are 7 7 10 10 13 13; 7 is observed.
  const RankTest test = mann_whitney({1, 2}, {2, 3});
  CHECK(test.u == 0.5);
  CHECK(test.p == Approx(4.0 / 6));
  CHECK(mann_whitney({4, 4, 4}, {4, 4, 4, 4}).p == 1);
  CHECK(mann_whitney({100, 100, 100, 100, 100}, {110, 110, 110, 110, 110}).p == Approx(2.0 / 252));
}

TEST_CASE("rank test, approximate, agrees with the exact one at its limit") {
  std::mt19937_64 random(5);
  for (int round = 0; round < 20; ++round) {
    std::vector<double> a, b;
    for (int i = 0; i < 20; ++i) a.push_back(static_cast<double>(random() % 1000));
    for (int i = 0; i < 20; ++i) b.push_back(static_cast<double>(random() % 1000 + 100));
    const double exact = mann_whitney(a, b).p;
    b.push_back(median(b));  // 41 values: one over the limit
    CHECK(mann_whitney(a, b).p == Approx(exact).margin(0.03));
  }
  std::vector<double> low(30), high(30);
  for (int i = 0; i < 30; ++i) {
    low[static_cast<size_t>(i)] = i;
    high[static_cast<size_t>(i)] = 100 + i;
  }
  CHECK(mann_whitney(low, high).p < 1e-9);
  CHECK(mann_whitney(low, low).p == Approx(1));
  CHECK(mann_whitney({}, low).p == 1);
  const std::vector<double> constant(50, 7.0);
  CHECK(mann_whitney(constant, constant).p == 1);
}

TEST_CASE("false discoveries are controlled as R's p.adjust does") {
  const auto adjusted = benjamini_hochberg({0.01, 0.04, 0.03, 0.005});
  CHECK(adjusted[0] == Approx(0.02));
  CHECK(adjusted[1] == Approx(0.04));
  CHECK(adjusted[2] == Approx(0.04));
  CHECK(adjusted[3] == Approx(0.02));
  CHECK(benjamini_hochberg({}).empty());
  CHECK(benjamini_hochberg({0.9, 1.0})[0] == Approx(1.0));
  CHECK(benjamini_hochberg({0.2})[0] == Approx(0.2));
}

TEST_CASE("the rank test raises false alarms no more often than it says") {
  std::mt19937_64 random(11);
  std::lognormal_distribution<double> times(5, 0.2);
  int alarms = 0;
  for (int round = 0; round < 1000; ++round) {
    std::vector<double> a, b;
    for (int i = 0; i < 12; ++i) a.push_back(times(random));
    for (int i = 0; i < 12; ++i) b.push_back(times(random));
    if (mann_whitney(a, b).p <= 0.05) ++alarms;
  }
  CHECK(alarms <= 70);
  CHECK(alarms >= 25);
}

TEST_CASE("signed-rank test") {
  CHECK(signed_rank({}) == 1);
  CHECK(signed_rank({0, 0, 0}) == 1);
  CHECK(signed_rank({1, 2, 3, 4, 5}) == Approx(2.0 / 32));
  // Of the sums of signs of ranks 1 to 4, those of 1 or less and of 9 or more: 0, 1, 9, 10.
  CHECK(signed_rank({-1, 2, 3, 4}) == Approx(4.0 / 16));
  CHECK(signed_rank({1, -1}) == 1);
  // Zeros take the lowest ranks and leave: 2 of 8 choices of sign are as extreme.
  CHECK(signed_rank({0, 0, 1, 2, 3}) == Approx(2.0 / 8));
  std::vector<double> exact, more;
  for (int i = 1; i <= 40; ++i) exact.push_back(i % 3 == 0 ? -i : i);
  more = exact;
  more.push_back(0);
  CHECK(signed_rank(more) == Approx(signed_rank(exact)).margin(0.01));
}
