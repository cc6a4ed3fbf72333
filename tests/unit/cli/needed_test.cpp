#include "cli/needed.hpp"

#include <catch2/catch.hpp>
#include <cmath>

#include "report/student.hpp"

using namespace kreplay::cli;

namespace {

Effect effect_of(double ratio, double deviation) {
  Effect effect;
  effect.ratio = ratio;
  effect.variance = deviation * deviation;
  effect.level = Level::launch;
  effect.base_observations = effect.fresh_observations = 5;
  return effect;
}

}  // namespace

TEST_CASE("so many observations decide, and one less does not") {
  // No change: half of the interval must be below the limit.
  const auto half = [](double n) {
    return kreplay::report::student_quantile(0.96, n - 1) * 0.1 / std::sqrt(n);
  };
  const auto equal = static_cast<double>(observations_needed(effect_of(1, 0.1), 1.05, 0.05, 0.95));
  CHECK(half(equal) < std::log(1.05));
  CHECK(half(equal - 1) >= std::log(1.05));
  // A change beyond the limit: the p-value must be below what so many rows allow.
  const auto p = [](double n) {
    return kreplay::report::student_p(std::log(1.2) / (0.1 / std::sqrt(n)), n - 1) / 0.8;
  };
  const auto slower = static_cast<double>(observations_needed(effect_of(1.2, 0.1), 1.05, 0.05 / 40, 0.95));
  CHECK(p(slower) <= 0.05 / 40);
  CHECK(p(slower - 1) > 0.05 / 40);
}

TEST_CASE("what no number of observations decides is said so") {
  CHECK(observations_needed(effect_of(1.05, 0.1), 1.05, 0.05, 0.95) == 0);
  CHECK(observations_needed(effect_of(1.2, 0), 1.05, 0.05, 0.95) == 0);
  CHECK(what_is_needed(effect_of(1, 0.1), 0) ==
        "more than 10000 launches on each side would be needed at this noise: the change is about the limit");
  Effect pairs = effect_of(1, 0.1);
  CHECK(what_is_needed(pairs, 12) ==
        "about 12 launches on each side would decide at this noise; there are 5 and 5");
  pairs.paired = true;
  pairs.level = Level::run;
  CHECK(what_is_needed(pairs, 12) == "about 12 pairs of runs would decide at this noise; there are 5");
}
