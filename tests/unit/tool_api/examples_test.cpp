// The example tools, driven without a device by the host program.
#include <catch2/catch.hpp>

#include <regex>
#include <string>

#include "host_run.hpp"

using tool_test::run_host;

namespace {
const std::string kFixed = std::string("ROCP_TOOL_LIBRARIES=") + KREPLAY_TEST_FIXED_PASSES;
const std::string kEarly = std::string("ROCP_TOOL_LIBRARIES=") + KREPLAY_TEST_EARLY_EXIT;
const std::string kOptOut = std::string("ROCP_TOOL_LIBRARIES=") + KREPLAY_TEST_OPT_OUT;
}  // namespace

TEST_CASE("fixed_passes") {
  CHECK(run_host(kFixed, "1:64 2:64").output ==
        "host: kernel 1 ran 4\nhost: kernel 2 ran 4\nhost: tools 'fixed_passes', present 1, replay 1\n"
        "fixed_passes: 2 dispatches, 8 passes\n");
  CHECK(run_host(kFixed + " FIXED_PASSES=1", "1:64").output ==
        "host: kernel 1 ran 1\nhost: tools 'fixed_passes', present 1, replay 1\n"
        "fixed_passes: 1 dispatches, 0 passes\n");
  const std::string refused = run_host(kFixed + " FIXED_PASSES=many", "").output;
  CHECK(refused.find("FIXED_PASSES='many' is not a number") != std::string::npos);
  CHECK(refused.find("host: tools ''") != std::string::npos);
}

TEST_CASE("early_exit") {
  // The times are the host's, so only the bounds are certain.
  const std::string output = run_host(kEarly, "1:64 1:64 1:64").output;
  std::smatch match;
  const std::regex line("early_exit: 3 dispatches, ([0-9]+) passes, ([0-9]+) to ([0-9]+) per dispatch\n");
  REQUIRE(std::regex_search(output, match, line));
  CHECK(std::stoul(match[2]) >= 4);
  CHECK(std::stoul(match[3]) <= 32);
  // With a limit of one nothing is left to chance.
  CHECK(run_host(kEarly + " EARLY_EXIT_MAX=1", "1:64 2:64").output ==
        "host: kernel 1 ran 1\nhost: kernel 2 ran 1\nhost: tools 'early_exit', present 1, replay 1\n"
        "early_exit: 2 dispatches, 2 passes, 1 to 1 per dispatch\n");
}

TEST_CASE("opt_out") {
  CHECK(run_host(kOptOut + " OPT_OUT_MIN_WORKITEMS=64", "1:64 3:32 1:64 1:64 3:640").output ==
        "host: kernel 1 ran 3\nhost: kernel 3 ran 1\nhost: kernel 1 ran 3\nhost: kernel 1 ran 1\n"
        "host: kernel 3 ran 3\nhost: tools 'opt_out', present 1, replay 1\n"
        "opt_out: kernel 1: 2 replayed, 6 passes, 1 opted out\n"
        "opt_out: kernel 3: 1 replayed, 3 passes, 1 opted out\n");
  CHECK(run_host(kOptOut, "").output.find("opt_out: no dispatch was seen\n") != std::string::npos);
}

TEST_CASE("two_replaying_tools_the_second_is_told") {
  const std::string output = run_host(kFixed + ":" + KREPLAY_TEST_OPT_OUT, "1:64").output;
  CHECK(output.find("opt_out: kernel replay: the service is configured already\n") != std::string::npos);
  CHECK(output.find("host: kernel 1 ran 4\n") != std::string::npos);
}
