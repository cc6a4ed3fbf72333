#include "report/time_histogram.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <random>

using kreplay::report::TimeHistogram;

namespace {

double exact_quantile(std::vector<uint64_t> values, double q) {
  std::sort(values.begin(), values.end());
  const double position = q * static_cast<double>(values.size() - 1);
  const auto rank = static_cast<size_t>(position);
  if (rank + 1 >= values.size()) return static_cast<double>(values[rank]);
  const double low = static_cast<double>(values[rank]), high = static_cast<double>(values[rank + 1]);
  return low + (high - low) * (position - static_cast<double>(rank));
}

}  // namespace

TEST_CASE("an empty histogram answers zero") {
  const TimeHistogram empty;
  CHECK(empty.count() == 0);
  CHECK(empty.min() == 0);
  CHECK(empty.max() == 0);
  CHECK(empty.quantile(0.5) == 0);
}

TEST_CASE("few values are exact") {
  TimeHistogram times;
  for (const uint64_t value : {5u, 1u, 4u, 1000000u}) times.add(value);
  CHECK(times.quantile(0.5) == 4.5);
  CHECK(times.quantile(0) == 1);
  CHECK(times.quantile(1) == 1000000);
  CHECK(times.quantile(0.25) == 3.25);
  CHECK(times.sum() == 1000010);
}

TEST_CASE("many values are within the stated error of 1/128") {
  const unsigned seed = GENERATE(1u, 2u, 3u);
  std::mt19937_64 random(seed);
  std::lognormal_distribution<double> shape(10.0, 2.5);
  std::vector<uint64_t> values;
  TimeHistogram times;
  for (int i = 0; i < 20000; ++i) {
    values.push_back(static_cast<uint64_t>(shape(random)));
    times.add(values.back());
  }
  CHECK(times.min() == *std::min_element(values.begin(), values.end()));
  CHECK(times.max() == *std::max_element(values.begin(), values.end()));
  for (const double q : {0.0, 0.01, 0.25, 0.5, 0.75, 0.99, 1.0}) {
    const double expected = exact_quantile(values, q);
    INFO("q " << q << ", expected " << expected);
    CHECK(std::abs(times.quantile(q) - expected) <= expected / 128 + 0.5);
  }
}

TEST_CASE("single values over the whole range keep the error bound after spilling") {
  for (unsigned bit = 0; bit < 64; ++bit) {
    for (const uint64_t value :
         {uint64_t{1} << bit, (uint64_t{1} << bit) | 1, ((uint64_t{1} << bit) - 1) | (uint64_t{1} << bit)}) {
      TimeHistogram times;
      for (size_t i = 0; i <= TimeHistogram::kExact; ++i) times.add(value);
      times.add(0);
      times.add(UINT64_MAX);
      const auto expected = static_cast<double>(value);
      REQUIRE(std::abs(times.quantile(0.5) - expected) <= expected / 128);
    }
  }
}

TEST_CASE("merging is the same as adding everything to one") {
  std::mt19937_64 random(9);
  for (const size_t size : {3u, 200u, 255u, 256u, 257u, 5000u}) {
    TimeHistogram left, right, all;
    for (size_t i = 0; i < size; ++i) {
      const uint64_t value = random() % 1000000;
      (i % 3 == 0 ? left : right).add(value);
      all.add(value);
    }
    left.merge(right);
    CHECK(left.count() == all.count());
    CHECK(left.sum() == all.sum());
    for (const double q : {0.0, 0.1, 0.5, 0.9, 1.0}) CHECK(left.quantile(q) == Approx(all.quantile(q)));
  }
}
