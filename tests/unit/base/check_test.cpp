// Assertions of release builds: one that holds costs nothing, one that does not is told and acted on.
#include <catch2/catch.hpp>

#include <string>

#include "base/check.hpp"

namespace {
std::string g_told;
}

TEST_CASE("a condition that holds does nothing, one that does not calls the action and goes on") {
  g_told.clear();
  kreplay::set_check_action([](const char* what) noexcept { g_told = what; });
  int evaluated = 0;
  KR_CHECK(++evaluated == 1, "it is evaluated once");
  CHECK(g_told.empty());
  KR_CHECK(evaluated == 2, "one is two");
  CHECK(g_told == "one is two");
  kreplay::set_check_action(nullptr);
  KR_CHECK(evaluated == 2, "without an action it is only told");
  CHECK(evaluated == 1);
}

TEST_CASE("what the next line needs is asked for by value") {
  g_told.clear();
  kreplay::set_check_action([](const char* what) noexcept { g_told = what; });
  int calls = 0;
  CHECK(KR_HOLDS(++calls == 1, "the first"));
  CHECK(g_told.empty());
  CHECK_FALSE(KR_HOLDS(++calls == 1, "the second"));
  CHECK(g_told == "the second");
  CHECK(calls == 2);
  kreplay::set_check_action(nullptr);
}
