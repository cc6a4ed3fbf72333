// Discovery with real libraries: by ROCP_TOOL_LIBRARIES, by symbol, and both. Each run is a process of its
// own.
#include <catch2/catch.hpp>

#include <sys/wait.h>

#include <csignal>
#include <string>

#include "host_run.hpp"
#include "tool_api/discovery.hpp"

using namespace kreplay::tool_api;  // NOLINT(google-build-using-namespace): test code
using tool_test::run_host;

namespace {

const std::string kA = KREPLAY_TEST_TOOL_A;
const std::string kB = KREPLAY_TEST_TOOL_B;
const std::string kNone = KREPLAY_TEST_NOT_A_TOOL;

std::string two_tools() {
  return "a: configure version 10401 (1.4.1) priority 0\nb: configure version 10401 (1.4.1) priority 1\n"
         "a: initialize 0\nb: initialize 0\nhost: tools 'a, b', present 1, replay 0\na: finalize\nb: "
         "finalize\n";
}
std::string one_tool() {
  return "a: configure version 10401 (1.4.1) priority 0\na: initialize 0\nhost: tools 'a', present 1, replay "
         "0\n"
         "a: finalize\n";
}

}  // namespace

TEST_CASE("the_list_is_split_and_the_last_entry_counts") {
  using List = std::vector<std::string>;
  CHECK(split_tool_libraries("").empty());
  CHECK(split_tool_libraries("a.so") == List{"a.so"});
  CHECK(split_tool_libraries("a.so:b.so") == List{"a.so", "b.so"});
  CHECK(split_tool_libraries("a.so:b.so:") == List{"a.so", "b.so"});
  CHECK(split_tool_libraries(":a.so::a.so:b.so") == List{"a.so", "b.so"});
}

TEST_CASE("no_tool_starts_the_timing_tool") {
  const tool_test::Ran ran = run_host("");
  CHECK(ran.output == "host: tools 'timing', present 0, replay 1\n");
  CHECK(ran.status == 0);
}

TEST_CASE("tools_by_variable") {
  CHECK(run_host("ROCP_TOOL_LIBRARIES=" + kA).output == one_tool());
  CHECK(run_host("ROCP_TOOL_LIBRARIES=" + kA + ":" + kB).output == two_tools());
  CHECK(run_host("ROCP_TOOL_LIBRARIES=" + kA + ":" + kB + ":").output == two_tools());
  CHECK(run_host("ROCP_TOOL_LIBRARIES=" + kA + ":" + kA).output == one_tool());
}

TEST_CASE("tools_by_symbol") {
  CHECK(run_host("LD_PRELOAD=" + kA).output == one_tool());
  CHECK(run_host("LD_PRELOAD=" + kA + ":" + kB).output == two_tools());
}

TEST_CASE("a_tool_found_both_ways_is_configured_once_and_the_variable_goes_first") {
  CHECK(run_host("LD_PRELOAD=" + kA + " ROCP_TOOL_LIBRARIES=" + kA).output == one_tool());
  const std::string both = run_host("LD_PRELOAD=" + kA + " ROCP_TOOL_LIBRARIES=" + kB).output;
  CHECK(
      both.find(
          "b: configure version 10401 (1.4.1) priority 0\na: configure version 10401 (1.4.1) priority 1\n") ==
      0);
}

TEST_CASE("a_named_library_that_cannot_be_loaded_ends_the_process_with_its_name") {
  const tool_test::Ran ran = run_host("ROCP_TOOL_LIBRARIES=/nonexistent/libtool.so");
  CHECK(ran.output.find("'/nonexistent/libtool.so' cannot be loaded") != std::string::npos);
  CHECK(ran.output.find("host:") == std::string::npos);
  // popen's shell reports the signal as 128 + SIGABRT, or dies of it itself.
  CHECK((WIFSIGNALED(ran.status) ? WTERMSIG(ran.status) : WEXITSTATUS(ran.status) - 128) == SIGABRT);
}

TEST_CASE("a_named_library_that_is_no_tool_is_named_and_the_built_in_tool_does_not_take_its_place") {
  const tool_test::Ran ran = run_host("ROCP_TOOL_LIBRARIES=" + kNone);
  CHECK(ran.output.find("tool " + kNone + ": it exports no rocprofiler_configure, so it is no tool") !=
        std::string::npos);
  CHECK(ran.output.find("host: tools '', present 0, replay 0\n") != std::string::npos);
  CHECK(ran.status == 0);
}
