// Expected values: SciPy 1.10.1, as told at each.
#include "cli/ranks.hpp"

#include <catch2/catch.hpp>
#include <cmath>

using namespace kreplay::cli;

TEST_CASE("ranks with ties share their middle") {
  CHECK(mid_ranks({30, 10, 20, 10}) == std::vector<double>{4, 1.5, 3, 1.5});
  CHECK(mid_ranks({}).empty());
}

TEST_CASE("Brunner and Munzel's test agrees with SciPy's") {
  // scipy.stats.brunnermunzel(base, fresh).pvalue; the first is the example of Neubert and Brunner (2007).
  struct Case {
    std::vector<double> base, fresh;
    double p;
  };
  for (const auto& [base, fresh, p] :
       {Case{{1, 2, 1, 1, 1, 1, 1, 1, 1, 1, 2, 4, 1, 1}, {3, 3, 4, 3, 1, 2, 3, 1, 1, 5, 4}, 0.005786208666},
        Case{{5.1, 4.9, 5.0, 5.2, 4.8, 5.05, 4.95, 5.15},
             {5.3, 5.9, 4.7, 5.6, 5.45, 5.0, 6.1, 5.5},
             0.05838478154},
        Case{{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, {2.5, 3.5, 11, 12, 4.5, 13, 6.5, 14}, 0.2099286079},
        Case{{100, 101, 102, 103, 104, 105, 106, 107, 100, 101},
             {103, 103, 103, 104, 102, 103, 104, 103},
             0.6911059511}}) {
    CHECK(brunner_munzel(base, fresh) == Approx(p).epsilon(1e-8));
    CHECK(brunner_munzel(fresh, base) == Approx(p).epsilon(1e-8));
  }
  CHECK(brunner_munzel({1, 2, 3}, {4, 5, 6}) == 0);
  CHECK(brunner_munzel({1, 1, 1}, {1, 1, 1}) == 1);
}

TEST_CASE("the interval of a median leaves out as many values as the binomial distribution allows") {
  // scipy.stats.binom.cdf(k - 1, n, 0.5) * 2 <= 1 - confidence, the largest k: the k-th value from each end.
  struct Case {
    int count;
    double confidence;
    int place;
  };
  for (const auto& [count, confidence, place] : {Case{8, 0.95, 1},
                                                 {8, 0.99, 1},
                                                 {10, 0.95, 2},
                                                 {10, 0.99, 1},
                                                 {20, 0.95, 6},
                                                 {20, 0.99, 4},
                                                 {40, 0.99, 12}}) {
    std::vector<double> values;
    for (int i = count; i >= 1; --i) values.push_back(i);
    const auto interval = median_interval(values, confidence);
    INFO(count << " values at " << confidence);
    CHECK(interval.low == place);
    CHECK(interval.high == count + 1 - place);
  }
  CHECK(std::isinf(median_interval({1, 2, 3, 4, 5, 6, 7}, 0.99).low));
  CHECK(std::isinf(median_interval({}, 0.95).high));
}

TEST_CASE("the interval of a difference of medians is Price and Bonett's") {
  // Of the squares of 1 to 10: order statistics 2 and 9, z = 2.299362297 (scipy.stats), error 16.74377285.
  // The other sample has no spread, so the interval is t(9) = 3.249835542 at 99 % times that error.
  const std::vector<double> squares = {1, 4, 9, 16, 25, 36, 49, 64, 81, 100}, flat(10, 5.0);
  const auto interval = median_difference_interval(flat, squares, 0.99);
  CHECK(interval.low == Approx(30.5 - 5 - 3.249835542 * 16.74377285));
  CHECK(interval.high == Approx(30.5 - 5 + 3.249835542 * 16.74377285));
}
