// Log lines, each time from a process of its own: standard error is ours to write to only if it is what it
// was when the process started.
#include "base/log.hpp"

#include <unistd.h>

#include <array>
#include <catch2/catch.hpp>
#include <cerrno>
#include <cstdio>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

using namespace kreplay;

namespace {

/// What the hidden test case writes to standard error with KREPLAY_LOG=level, by lines.
std::vector<std::string> lines_of(const std::string& test_case, const std::string& level) {
  std::array<char, 4'096> self{};
  REQUIRE(::readlink("/proc/self/exe", self.data(), self.size() - 1) > 0);
  const std::string command =
      "KREPLAY_LOG=" + level + " '" + self.data() + "' '" + test_case + "' 2>&1 >/dev/null </dev/null";
  FILE* pipe = ::popen(command.c_str(), "r");
  REQUIRE(pipe != nullptr);
  std::string text;
  for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) text.push_back(static_cast<char>(c));
  REQUIRE(::pclose(pipe) == 0);
  REQUIRE((text.empty() || text.back() == '\n'));
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

}  // namespace

TEST_CASE("log child: one line of each level", "[.]") {
  log::debug("part", "number {}", 1);
  log::info("part", "number {}", 2);
  log::warn("part", "number {}", 3);
  log::error("part", "number {}", 4);
}

TEST_CASE("log: the level decides which lines are written") {
  const std::vector<std::string> all{"kreplay: debug: part: number 1", "kreplay: info: part: number 2",
                                     "kreplay: warning: part: number 3", "kreplay: error: part: number 4"};
  const auto from = [&](size_t first) {
    return std::vector<std::string>(all.begin() + long(first), all.end());
  };
  const std::string child = "log child: one line of each level";
  CHECK(lines_of(child, "debug") == from(0));
  CHECK(lines_of(child, "info") == from(1));
  CHECK(lines_of(child, "warning") == from(2));
  CHECK(lines_of(child, "error") == from(3));
  CHECK(lines_of(child, "''") == from(2));
  // Not one of ours, though the logging library knows it.
  CHECK(lines_of(child, "off") == from(2));
}

TEST_CASE("log child: many of three kinds", "[.]") {
  for (unsigned n = 1; n <= 2 * log::kMaxPerKind; ++n) {
    log::warn("a", "first {}", n);
    log::info("a", "never limited {}", n);
  }
  log::error("b", "second");
}

TEST_CASE("log: warnings of one kind are limited, and the last of them says so") {
  const auto lines = lines_of("log child: many of three kinds", "info");
  REQUIRE(lines.size() == log::kMaxPerKind + 2 * log::kMaxPerKind + 1);
  unsigned first = 0;
  unsigned info = 0;
  for (const std::string& line : lines) {
    if (line.find("first") != std::string::npos) {
      const bool last = ++first == log::kMaxPerKind;
      CHECK(line == "kreplay: warning: a: first " + std::to_string(first) +
                        (last ? " (further messages of this kind are not shown)" : ""));
    } else if (line.find("never") != std::string::npos) {
      CHECK(line == "kreplay: info: a: never limited " + std::to_string(++info));
    }
  }
  CHECK(first == log::kMaxPerKind);
  CHECK(info == 2 * log::kMaxPerKind);
  CHECK(lines.back() == "kreplay: error: b: second");
}

TEST_CASE("log child: another product, a higher level and a kept errno", "[.]") {
  log::set_product("other");
  log::set_level(log::Level::debug);
  errno = ENOTTY;
  log::debug("part", "{}", std::string(1'000, 'x'));
  CHECK(errno == ENOTTY);
}

TEST_CASE("log: product and level can be set; long lines are whole; errno is kept") {
  const auto lines = lines_of("log child: another product*", "error");
  REQUIRE(lines.size() == 1);
  CHECK(lines[0] == "other: debug: part: " + std::string(1'000, 'x'));
}

TEST_CASE("log child: eight threads", "[.]") {
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < 8; ++t)
    threads.emplace_back([t] {
      for (unsigned n = 0; n < 50; ++n) log::info("thread", "{} says {} and {}", t, n, std::string(300, 'y'));
    });
  for (std::thread& thread : threads) thread.join();
}

TEST_CASE("log: lines of several threads do not mix") {
  const auto lines = lines_of("log child: eight threads", "info");
  CHECK(lines.size() == 8 * 50);
  const std::string end = " and " + std::string(300, 'y');
  for (const std::string& line : lines) {
    CHECK(line.compare(0, 23, "kreplay: info: thread: ") == 0);
    CHECK(line.find(end) == line.size() - end.size());
  }
}
