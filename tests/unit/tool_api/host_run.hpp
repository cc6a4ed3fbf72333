// Runs the host program of the discovery and example tests.
#pragma once

#include <catch2/catch.hpp>

#include <cstdio>
#include <string>

namespace tool_test {

struct Ran {
  std::string output;  ///< stdout and stderr
  int status = -1;     ///< as wait(2) gives it
};

/// @param environment "NAME=value" words for env(1)
inline Ran run_host(const std::string& environment, const std::string& arguments = "") {
  const std::string command =
      "env -u LD_PRELOAD -u ROCP_TOOL_LIBRARIES ASAN_OPTIONS=verify_asan_link_order=0 " + environment + " " +
      KREPLAY_TEST_HOST + " " + arguments + " 2>&1";
  Ran ran;
  FILE* pipe = popen(command.c_str(), "r");
  REQUIRE(pipe != nullptr);
  char text[512];
  while (fgets(text, sizeof(text), pipe) != nullptr) ran.output += text;
  ran.status = pclose(pipe);
  return ran;
}

}  // namespace tool_test
