#include "base/number_set.hpp"

#include <catch2/catch.hpp>
#include <random>

using kreplay::NumberSet;

TEST_CASE("an empty launch set holds every launch") {
  const auto set = NumberSet::parse("", 1);
  REQUIRE(set.ok());
  CHECK(set->all());
  CHECK(set->contains(1));
  CHECK(set->contains(UINT64_MAX));
  CHECK(set->last() == UINT64_MAX);
}

TEST_CASE("launch ranges are inclusive, may overlap and come in any order") {
  const auto set = NumberSet::parse("20-,7,2-5,4-6", 1);
  REQUIRE(set.ok());
  CHECK_FALSE(set->all());
  for (uint64_t launch = 0; launch < 40; ++launch) {
    const bool expected = (launch >= 2 && launch <= 7) || launch >= 20;
    INFO("launch " << launch);
    CHECK(set->contains(launch) == expected);
  }
  CHECK(set->contains(UINT64_MAX));
  CHECK(NumberSet::parse("3,9", 1)->last() == 9);
  CHECK(NumberSet::parse("1-,5-9", 1)->contains(12));
}

TEST_CASE("malformed launch ranges are refused and named") {
  for (const char* bad : {"0", "a", "-", "-3", "5-2", "1,,2", "1,", ",1", " 1", "1 -2", "1-2-3", "0-4", "1.5",
                          "99999999999999999999", "+1"}) {
    INFO(bad);
    CHECK(NumberSet::parse(bad, 1).error() == kreplay::Error::invalid_argument);
  }
  CHECK(NumberSet::parse("1,5-2", 1).status().message().find("\"5-2\"") != std::string::npos);
}

TEST_CASE("ranks and agents are counted from 0") {
  const auto set = NumberSet::parse("0,2-3,0-", 0);
  REQUIRE(set.ok());
  CHECK(set->contains(0));
  CHECK(set->contains(7));
  const auto some = NumberSet::parse("2,0", 0);
  REQUIRE(some.ok());
  CHECK(some->contains(0));
  CHECK_FALSE(some->contains(1));
  CHECK(some->contains(2));
  CHECK_FALSE(NumberSet::parse("-1", 0).ok());
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
    const auto set = NumberSet::parse(text, 1);
    REQUIRE(set.ok());
    INFO(text);
    for (unsigned launch = 0; launch < expected.size(); ++launch)
      REQUIRE(set->contains(launch) == expected[launch]);
  }
}
