#include "cli/pattern.hpp"

#include <regex>

#include "support/folder.hpp"

using namespace kreplay;
using namespace kreplay::cli;
using fixtures::has;

TEST_CASE("patterns and replacements mean what ECMAScript's do") {
  // The oracle is the standard library's engine, on names that are short enough for it.
  const std::string names[] = {"",
                               "f",
                               "void gemm<float, 4>(float*)",
                               "axpy_0123abcd",
                               "k.kd",
                               "aaa",
                               "a\nb",
                               "caf\xc3\xa9()",
                               "\xff\xfe",
                               "$1&$$"};
  const std::string patterns[] = {
      "f",          "^f$",    "<.*>",    "<.*?>",  "_[0-9a-f]{8}$", "(g)(e)(m)", "a*",       "a|ax",   "\\d+",
      "\\bgemm\\b", "[^a-z]", "(a)|(x)", "\\.kd$", "[[:alpha:]]",   "(?:a)+",    "\xc3\xa9", "x{0,2}", ""};
  const std::string replacements[] = {"",    "-", "<$&>", "$1", "$2$1", "$$",
                                      "$12", "$", "a$",   "$9", "$01",  "$&$&"};
  for (const std::string& text : patterns) {
    const Result<Pattern> pattern = Pattern::parse(text);
    INFO(text);
    REQUIRE(pattern.ok());
    const std::regex oracle(text);
    for (const std::string& name : names) {
      INFO(name);
      CHECK(pattern->found_in(name) == std::regex_search(name, oracle));
      for (const std::string& by : replacements) {
        INFO(by);
        CHECK(pattern->replaced_in(name, by) == std::regex_replace(name, oracle, by));
      }
    }
  }
}

TEST_CASE("a name of megabytes is matched, replaced and refused like any other") {
  std::string name = "kernel<";
  for (int i = 0; i < 200'000; ++i) name += "Nested<int, ";
  name += ">";
  CHECK(Pattern::parse("kernel.*Nested.*>$")->found_in(name));
  CHECK_FALSE(Pattern::parse("(k|e|r|n|l|<.*)*!$")->found_in(name));
  CHECK(Pattern::parse("<.*>")->replaced_in(name, "<..>") == "kernel<..>");
  CHECK(Pattern::parse("^kernel<(Nested<int, ){2}")->replaced_in("kernel<Nested<int, Nested<int, x", "") ==
        "x");
}

TEST_CASE("what the engine lacks is said with the pattern and what to do") {
  const auto why = [](const std::string& text) { return Pattern::parse(text).status().message(); };
  for (const char* text : {"(a)\\1", "(?P<n>a)\\k"}) {
    INFO(why(text));
    CHECK(has(why(text), std::string("\"") + text + "\" is not a regular expression: the back-reference \\"));
  }
  for (const char* text : {"a(?=b)", "a(?!b)", "(?<=a)b", "(?<!a)b"}) {
    INFO(why(text));
    CHECK(has(why(text), std::string("\"") + text + "\" is not a regular expression: the look-around (?"));
    CHECK(has(why(text), "use several rules"));
  }
  CHECK(has(why("("), "\"(\" is not a regular expression: missing )"));
  CHECK(why(std::string(100'000, '(')).size() < 500);
  CHECK_FALSE(Pattern::parse("((((a{100}){100}){100}){100})").ok());  // refused, not tried
}
