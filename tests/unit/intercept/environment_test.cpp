#include <catch2/catch.hpp>

#include "intercept/environment.hpp"

using kreplay::intercept::with_tool_library;

TEST_CASE("C66: the tools variable keeps what others put there, ours is appended once") {
  CHECK(with_tool_library("", "/opt/libkreplay.so") == "/opt/libkreplay.so");
  CHECK(with_tool_library("/x/a.so", "/opt/libkreplay.so") == "/x/a.so /opt/libkreplay.so");
  CHECK(with_tool_library("/x/a.so  b.so", "/opt/libkreplay.so") == "/x/a.so  b.so /opt/libkreplay.so");
  CHECK(with_tool_library("/opt/libkreplay.so /x/a.so", "/opt/libkreplay.so") ==
        "/opt/libkreplay.so /x/a.so");
  CHECK(with_tool_library("libkreplay.so", "/opt/libkreplay.so") == "libkreplay.so");
}

TEST_CASE("paths with spaces and quotes survive the variable's syntax") {
  const std::string path = "/my dir/\"lib\".so";
  const std::string list = with_tool_library("a.so", path);
  CHECK(list == "a.so \"/my dir/\\\"lib\\\".so\"");
  CHECK(with_tool_library(list, path) == list);
  CHECK(with_tool_library("\"/my dir/libkreplay.so\"", "/my dir/libkreplay.so") ==
        "\"/my dir/libkreplay.so\"");
}
