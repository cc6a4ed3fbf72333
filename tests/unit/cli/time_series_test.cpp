#include "cli/time_series.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <random>

using namespace kreplay::cli;

TEST_CASE("a long sequence is kept evenly, in order and in bounded memory") {
  TimeSeries series;
  for (int i = 0; i < 300'000; ++i) {
    series.add(i);
    REQUIRE(series.values().size() <= TimeSeries::kMost);
  }
  CHECK(series.seen() == 300'000);
  CHECK(series.min() == 0);
  CHECK(series.max() == 299'999);
  const auto& values = series.values();
  CHECK(values.size() > TimeSeries::kMost / 2);
  CHECK(std::is_sorted(values.begin(), values.end()));
  double widest = 0;
  for (size_t i = 1; i < values.size(); ++i) widest = std::max(widest, values[i] - values[i - 1]);
  CHECK(widest <= 2 * 1024);  // two neighbouring strides of 1024
  // A rhythm of the program is not picked up: every second value is as frequent as the others.
  const auto odd =
      std::count_if(values.begin(), values.end(), [](double v) { return static_cast<int>(v) % 2; });
  CHECK(static_cast<double>(odd) / static_cast<double>(values.size()) == Approx(0.5).margin(0.1));
}

TEST_CASE("sequences of one length keep the same places") {
  TimeSeries first, second;
  for (int i = 0; i < 5000; ++i) {
    first.add(i);
    second.add(2 * i);
  }
  REQUIRE(first.values().size() == second.values().size());
  for (size_t i = 0; i < first.values().size(); ++i) CHECK(second.values()[i] == 2 * first.values()[i]);
}

TEST_CASE("dependence is found where there is some") {
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  int longer = 0;
  for (int round = 0; round < 100; ++round) {
    std::vector<double> noise(100);
    for (double& value : noise) value = normal(random);
    longer += dependence_length(noise) > 1 ? 1 : 0;
  }
  CHECK(longer <= 6);
  std::vector<double> ramp(60), walk(200), flat(50, 3.0);
  for (size_t i = 0; i < ramp.size(); ++i) ramp[i] = static_cast<double>(i) + normal(random);
  CHECK(dependence_length(ramp) == 20);
  double state = 0;
  for (double& value : walk) value = state = 0.8 * state + normal(random);
  CHECK(dependence_length(walk) >= 9);  // an autocorrelation time of (1 + 0.8) / (1 - 0.8)
  CHECK(dependence_length(flat) == 1);
  CHECK(dependence_length({1, 2, 3, 4, 5}) == 1);
}

TEST_CASE("blocks are of equal size and hold everything") {
  CHECK(block_medians({5, 1, 3}, 1) == std::vector<double>{5, 1, 3});
  CHECK(block_medians({1, 2, 3, 4, 5, 6, 7, 8}, 3) == std::vector<double>{2.5, 6.5});
  CHECK(block_medians({1, 2, 3}, 7) == std::vector<double>{2});
}
