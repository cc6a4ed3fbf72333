#include "report/convergence.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <numeric>
#include <random>

#include "report/totals.hpp"

using namespace kreplay::report;

namespace {

double error_of(std::vector<uint64_t> durations) { return median_relative_error(durations); }

}  // namespace

TEST_CASE("the error of the median is half its interval over the median") {
  CHECK(error_of({100, 100, 100, 100, 100, 100}) == 0);
  // Six values: the interval is all of them.
  CHECK(error_of({90, 110, 95, 105, 100, 100}) == Approx(0.1));
  // Ten values: second smallest to second largest.
  CHECK(error_of({1, 80, 90, 95, 100, 100, 105, 110, 120, 9000}) == Approx(0.2));
}

TEST_CASE("too few values, and times of zero, have no known error") {
  CHECK(std::isinf(error_of({})));
  CHECK(std::isinf(error_of({100, 100, 100, 100, 100})));
  CHECK(std::isinf(error_of({0, 0, 0, 0, 0, 0})));
}

TEST_CASE("the interval covers the true median in at least 95 % of the cases") {
  // Skewed, as times are: the median of exp(N(0, 1)) is 1.
  std::mt19937_64 random(7);
  std::lognormal_distribution<double> skewed(0, 1);
  for (const size_t count : {6u, 7u, 11u, 30u}) {
    unsigned covered = 0;
    constexpr unsigned kRounds = 4000;
    for (unsigned round = 0; round < kRounds; ++round) {
      std::vector<uint64_t> sorted(count);
      for (uint64_t& value : sorted) value = static_cast<uint64_t>(1e6 * skewed(random));
      std::sort(sorted.begin(), sorted.end());
      std::vector<uint64_t> values = sorted;
      const double middle =
          (static_cast<double>(sorted[(count - 1) / 2]) + static_cast<double>(sorted[count / 2])) / 2;
      const double width = 2 * median_relative_error(values) * middle;
      // The interval is between two values of equal rank from both ends: find them by its width.
      size_t rank = 0;
      while (rank + 1 < count / 2 &&
             std::abs(static_cast<double>(sorted[count - 1 - rank] - sorted[rank]) - width) > 1)
        ++rank;
      covered += sorted[rank] <= 1'000'000 && sorted[count - 1 - rank] >= 1'000'000 ? 1 : 0;
    }
    INFO(count << " values");
    CHECK(covered >= kRounds * 94 / 100);  // three standard deviations below 95 %
  }
}

TEST_CASE("the error is looked at from the least number on, and then less and less often") {
  CHECK_FALSE(is_checkpoint(5, 1));
  CHECK(is_checkpoint(6, 1));
  CHECK(is_checkpoint(7, 1));
  CHECK_FALSE(is_checkpoint(9, 10));
  CHECK(is_checkpoint(10, 10));
  unsigned looks = 0;
  for (uint64_t passes = 1; passes <= 100'000; ++passes) looks += is_checkpoint(passes, 10) ? 1 : 0;
  CHECK(looks < 200);
  CHECK(looks > 100);
}

TEST_CASE("warm-up passes are summed as passes that ran, and are in no figure") {
  DispatchRecord record;
  record.outcome = Outcome::replayed;
  const std::vector<PassTime> passes = {{0, 9000}, {0, 1000}, {0, 1000}};
  record.passes = passes.data();
  record.passes_run = passes.size();
  record.warmup = 1;
  Totals totals;
  totals.add(record);
  CHECK(totals.sums.passes_run == 3);
  const TimeHistogram& times = totals.kernels.at(kUnknownKernel).pass_ns;
  CHECK(times.count() == 2);
  CHECK(times.max() == 1000);
}
