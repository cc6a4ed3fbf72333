#include "cli/effect.hpp"

#include <catch2/catch.hpp>

#include "synthetic.hpp"

using namespace kreplay::cli;
using fixtures::Launches;
using fixtures::Noise;
using fixtures::noisy;

namespace {

Samples samples_of(const std::vector<Launches>& runs) {
  Samples samples;
  for (size_t run = 0; run < runs.size(); ++run)
    for (const auto& passes : runs[run]) samples.add(run, passes);
  return samples;
}

Effect measure(const std::vector<Launches>& base, const std::vector<Launches>& fresh,
               Pairing pairing = Pairing::none) {
  return measure_effects({observe(samples_of(base), samples_of(fresh), pairing)}, {}).front();
}

/// Times `factor` as long, in whole ns as files have them.
Launches scaled(const Launches& launches, double factor) {
  Launches out = launches;
  for (auto& passes : out)
    for (double& ns : passes) ns = std::round(ns * factor);
  return out;
}

const Launches kUneven = {{100, 100, 100}, {300, 300, 300}, {200, 200, 200}, {100, 100, 100}};

}  // namespace

TEST_CASE("without spread a difference is exact, whatever its size") {
  const Effect same = measure({{{100, 100, 100}}}, {{{100, 100, 100}}});
  CHECK(same.test == Test::exact);
  CHECK(same.ratio == 1);
  CHECK(same.p == 1);
  const Effect slower = measure({{{1000, 1000, 1000}}}, {{{1001, 1001, 1001}}});
  CHECK(slower.p == 0);
  CHECK(slower.interval.low == Approx(1.001));
  CHECK(measure({{{100, 100}}}, {{{101, 101}}}).test != Test::exact);  // two passes are no evidence
}

TEST_CASE("launches that differ among themselves but not from pass to pass are paired") {
  const Effect same = measure({kUneven}, {kUneven});
  CHECK(same.test == Test::exact);
  CHECK(same.paired);
  CHECK(same.interval.high == 1);
  const Effect slower = measure({kUneven}, {scaled(kUneven, 1.1)});
  CHECK(slower.test == Test::exact);
  CHECK(slower.ratio == Approx(1.1));
  Launches more = kUneven;
  more.push_back({100, 100, 100});
  CHECK(!measure({kUneven}, {more}).paired);
}

TEST_CASE("the observation is the largest unit of which there are enough") {
  std::mt19937_64 random(3);
  const auto run = [&random](size_t launches) { return noisy(random, 1e5, {}, launches, 5); };
  CHECK(measure({run(1)}, {run(1)}).level == Level::pass);
  CHECK(measure({run(2)}, {run(6)}).level == Level::pass);
  CHECK(measure({run(3)}, {run(6)}).level == Level::launch);
  const Effect launches = measure({run(12)}, {run(9)});
  CHECK(launches.level == Level::launch);
  CHECK(launches.base_observations == 12);
  CHECK(measure({run(12)}, {run(12)}).paired);
  CHECK(measure({run(6)}, {run(6), run(6)}).level == Level::launch);
  const Effect baseline = measure({run(6), run(6), run(6)}, {run(6)});
  CHECK(baseline.level == Level::run);
  CHECK(baseline.test == Test::student);
  CHECK(baseline.base_observations == 3);
  CHECK(baseline.fresh_observations == 1);
  const Effect pairs = measure({run(3), run(3), run(3)}, {run(3), run(3), run(3)}, Pairing::runs);
  CHECK(pairs.paired);
  CHECK(pairs.level == Level::run);
}

TEST_CASE("neighbours that move together count as one observation") {
  std::mt19937_64 random(4);
  Noise drifting;
  drifting.spread = 0.003;
  drifting.drift = 0.1;
  const Effect effect = measure({noisy(random, 1e5, drifting, 60, 3)}, {noisy(random, 1e5, drifting, 50, 3)});
  CHECK(effect.dependence > 5);
  CHECK(effect.base_observations < 12);
  CHECK(measure({noisy(random, 1e5, {}, 60, 3)}, {noisy(random, 1e5, {}, 50, 3)}).dependence == 1);
}
