#include "report/json_text.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <random>

using namespace kreplay::report;

namespace {

std::string json_of(std::string_view text) {
  LineBuffer out;
  append_string(out, text);
  return {out.data(), out.size()};
}

}  // namespace

TEST_CASE("strings are quoted and escaped") {
  CHECK(json_of("") == "\"\"");
  CHECK(json_of("a\"b\\c\nd\te\x01") == "\"a\\\"b\\\\c\\nd\\te\\u0001\"");
  CHECK(json_of("\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80") == "\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\"");
}

TEST_CASE("bytes that are not UTF-8 become the replacement character") {
  for (const char* bad : {"\x80", "\xc0\x80", "\xc3", "\xe0\x80\x80", "\xed\xa0\x80", "\xf5\x80\x80\x80",
                          "\xf4\x90\x80\x80", "\xf0\x9f\x98"}) {
    const std::string text = json_of(bad);
    CHECK(nlohmann::json::accept(text));
    CHECK(text.find("\\ufffd") == 1);
  }
}

TEST_CASE("any bytes give text that a JSON parser reads, and ASCII comes back as it was") {
  std::mt19937 random(7);
  for (int round = 0; round < 3000; ++round) {
    std::string bytes, ascii;
    for (unsigned i = 0, n = random() % 12; i < n; ++i) {
      bytes += static_cast<char>(random());
      ascii += static_cast<char>(random() % 128);
    }
    REQUIRE(nlohmann::json::accept(json_of(bytes)));
    REQUIRE(nlohmann::json::parse(json_of(ascii)).get<std::string>() == ascii);
  }
}
