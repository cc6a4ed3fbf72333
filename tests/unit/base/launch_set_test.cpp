#include "base/launch_set.hpp"

#include <catch2/catch.hpp>
#include <random>

using kreplay::LaunchSet;

TEST_CASE("an empty launch set holds every launch") {
  const auto set = LaunchSet::parse("");
  REQUIRE(set.ok());
  CHECK(set->all());
  CHECK(set->contains(1));
  CHECK(set->contains(UINT64_MAX));
  CHECK(set->last() == UINT64_MAX);
}

TEST_CASE("launch ranges are inclusive, may overlap and come in any order") {
  const auto set = LaunchSet::parse("20-,7,2-5,4-6");
  REQUIRE(set.ok());
  CHECK_FALSE(set->all());
  for (uint64_t launch = 0; launch < 40; ++launch) {
    const bool expected = (launch >= 2 && launch <= 7) || launch >= 20;
    INFO("launch " << launch);
    CHECK(set->contains(launch) == expected);
  }
  CHECK(set->contains(UINT64_MAX));
  CHECK(LaunchSet::parse("3,9")->last() == 9);
  CHECK(LaunchSet::parse("1-,5-9")->contains(12));
}

TEST_CASE("malformed launch ranges are refused and named") {
  for (const char* bad : {"0", "a", "-", "-3", "5-2", "1,,2", "1,", ",1", " 1", "1 -2", "1-2-3", "0-4", "1.5",
                          "99999999999999999999", "+1"}) {
    INFO(bad);
    CHECK(LaunchSet::parse(bad).error() == kreplay::Error::invalid_argument);
  }
  CHECK(LaunchSet::parse("1,5-2").status().message().find("\"5-2\"") != std::string::npos);
}

TEST_CASE("a launch set agrees with its ranges taken one by one") {
  std::mt19937 random(20260101);
  for (int round = 0; round < 200; ++round) {
    std::string text;
    std::vector<bool> expected(64);
    for (unsigned i = 0, n = 1 + random() % 6; i < n; ++i) {
      const unsigned first = 1 + random() % 50;
      const unsigned last = first + random() % 8;
      for (unsigned launch = first; launch <= last; ++launch) expected[launch] = true;
      text += (i != 0 ? "," : "") + std::to_string(first) + "-" + std::to_string(last);
    }
    const auto set = LaunchSet::parse(text);
    REQUIRE(set.ok());
    INFO(text);
    for (unsigned launch = 0; launch < expected.size(); ++launch)
      REQUIRE(set->contains(launch) == expected[launch]);
  }
}
