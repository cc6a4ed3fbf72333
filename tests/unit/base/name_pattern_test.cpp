#include "base/name_pattern.hpp"

#include <pthread.h>

#include <catch2/catch.hpp>
#include <random>
#include <regex>
#include <string>

using kreplay::NamePattern;

namespace {

std::string refusal(std::string_view expression) {
  const auto pattern = NamePattern::compile(expression);
  return pattern ? "accepted" : pattern.status().message();
}

bool matches(std::string_view expression, std::string_view name) {
  const auto pattern = NamePattern::compile(expression);
  INFO(expression);
  REQUIRE(pattern.ok());
  return pattern->matches(name);
}

/// Runs `body` with a stack of 64 KiB.
template <typename Body>
void on_small_stack(Body body) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, 64 * 1024);
  pthread_t thread;
  REQUIRE(pthread_create(
              &thread, &attributes,
              [](void* p) -> void* {
                (*static_cast<Body*>(p))();
                return nullptr;
              },
              &body) == 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
}

/// A random expression over a and b, of what both engines have.
std::string random_expression(std::mt19937& random, int depth) {
  switch (random() % (depth > 0 ? 9 : 4)) {
    case 0:
      return "a";
    case 1:
      return "b";
    case 2:
      return ".";
    case 3:
      return "[^a]";
    case 4:
      return "(" + random_expression(random, depth - 1) + "|" + random_expression(random, depth - 1) + ")";
    case 5:
      return "(" + random_expression(random, depth - 1) + ")" + std::string(1, "*+?"[random() % 3]);
    case 6:
      return "(" + random_expression(random, depth - 1) + "){1,2}";
    case 7:
      return "(?:^" + random_expression(random, depth - 1) + "|" + random_expression(random, depth - 1) +
             "$)";
    default:
      return random_expression(random, depth - 1) + random_expression(random, depth - 1);
  }
}

}  // namespace

TEST_CASE("patterns match anywhere in a name") {
  CHECK(matches("", "anything"));
  CHECK(matches("sum<float", "void reduce::sum<float>(float*)"));
  CHECK_FALSE(matches("^sum", "void sum(int)"));
  CHECK(matches("^void \\w+::sum<\\w+>\\(.*\\)$", "void reduce::sum<float>(float*)"));
  CHECK(matches("(axpy|scale)\\b", "my_scale(int)"));
}

TEST_CASE("names are bytes, valid in no encoding") {
  CHECK(matches("^a.b$",
                "a\xff"
                "b"));
  CHECK(matches("k\xc3\xa4se", "k\xc3\xa4se"));
  CHECK(matches("^a.c$", std::string_view("a\0c", 3)));
}

TEST_CASE("what is not supported is named") {
  CHECK(refusal("(k)ernel.*\\1") == "not a regular expression (back-references are not supported)");
  CHECK(refusal("a(?=b)") == "not a regular expression (assertions that look ahead are not supported)");
  CHECK(refusal("a(?!b)") == "not a regular expression (assertions that look ahead are not supported)");
  CHECK(refusal("(?<=a)b") == "not a regular expression (assertions that look behind are not supported)");
  CHECK(refusal("(?<!a)b") == "not a regular expression (assertions that look behind are not supported)");
  CHECK(refusal("(").find("missing") != std::string::npos);
  CHECK(refusal("[a(?=]x(").find("missing") != std::string::npos);
  CHECK(refusal(std::string(2001, 'a')) == "longer than 2000 characters");
  CHECK(refusal(std::string(2000, 'a')) == "accepted");
}

TEST_CASE("neither name nor expression decides about the stack") {
  const std::string name = "kernel_with_long_name<" + std::string(1'000'000, 'T') + ">(int*)";
  int matched = 0;
  int refused = 0;
  on_small_stack([&] {
    for (const char* expression :
         {"kernel.*long_name.*", "<.*>", "(T|x)*>", "(T*)*>", "(.*)(.*)(.*)(.*)\\)$"})
      if (const auto pattern = NamePattern::compile(expression); pattern)
        matched += pattern->matches(name) ? 1 : 0;
    for (const auto& expression : {std::string(1900, '('), "(((x{100}){100}){100})" + std::string(900, '|')})
      refused += NamePattern::compile(expression).ok() ? 0 : 1;
  });
  CHECK(matched == 5);
  CHECK(refused == 2);
}

TEST_CASE("random patterns match what std::regex matches") {
  std::mt19937 random(20261130);
  int yes = 0;
  constexpr int kRounds = 3000;
  for (int round = 0; round < kRounds; ++round) {
    const std::string expression = random_expression(random, 3);
    std::string name;
    for (unsigned i = 0, n = random() % 9; i < n; ++i) name += "abc"[random() % 3];
    const bool expected = std::regex_search(name, std::regex(expression));
    yes += expected ? 1 : 0;
    INFO(expression << " in \"" << name << "\"");
    REQUIRE(matches(expression, name) == expected);
  }
  CHECK(yes > kRounds / 10);
  CHECK(yes < kRounds * 9 / 10);
}
