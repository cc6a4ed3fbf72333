#include "cli/quantity.hpp"

#include <catch2/catch.hpp>

using namespace kreplay::cli;

TEST_CASE("ratios") {
  CHECK(*parse_ratio("5%") == Approx(0.05));
  CHECK(*parse_ratio("0.05") == Approx(0.05));
  CHECK(*parse_ratio("0") == 0);
  for (const char* bad : {"", "%", "5 %", "-1%", "abc", "nan", "5%%", "2000%", "1e999", "1", "5", "1.5"}) {
    INFO(bad);
    CHECK_FALSE(parse_ratio(bad).ok());
  }
  CHECK(parse_ratio("5").status().message() ==
        "\"5\" could mean 5 % or 5 times: write 5% or a number below 1");
  CHECK(*parse_ratio("0.5") == 0.5);
  CHECK(*parse_ratio("150%") == 1.5);
}

TEST_CASE("times") {
  CHECK(*parse_time_ns("500ns") == 500);
  CHECK(*parse_time_ns("1us") == 1000);
  CHECK(*parse_time_ns("2.5ms") == 2.5e6);
  CHECK(*parse_time_ns("1s") == 1e9);
  CHECK(*parse_time_ns("0") == 0);
  for (const char* bad : {"", "5", "us", "1 us", "-1us", "1min", "nan"}) {
    INFO(bad);
    CHECK_FALSE(parse_time_ns(bad).ok());
  }
}
