#include "cli/compare_formats.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "support/folder.hpp"
#include "synthetic.hpp"

using namespace kreplay::cli;
using fixtures::has;
using fixtures::single;

namespace {

const std::vector<double> kBefore(5, 100'000.0), kAfter(5, 110'000.0);

/// A regression with a name that means something in every format, a removed kernel, one with too few passes,
/// and a changed fact.
Comparison mixed() {
  auto base = single({{"f<a|b>(int&)", kBefore}, {"gone()", kBefore}, {"few()", {1e5}}, {"same()", kBefore}});
  auto fresh = single({{"f<a|b>(int&)", kAfter}, {"few()", {1e5}}, {"same()", kBefore}});
  base.facts["same()"]["vgprs"] = {"24"};
  fresh.facts["same()"]["vgprs"] = {"32"};
  return compare(base, fresh, {});
}

Comparison other_machine() {
  auto fresh = single({{"f", kBefore}});
  fresh.processes[0].header.machine_key = "other: 50%";
  return compare(single({{"f", kBefore}}), fresh, {});
}

}  // namespace

TEST_CASE("table: every row, the change and the verdict") {
  const std::string table = comparison_table(mixed(), {});
  CHECK(has(table, "+10.0 %"));
  CHECK(has(table, "1024x1x1 / 64x1x1"));
  CHECK(has(table, "removed"));
  CHECK(has(table, "inconclusive (fewer than 5 passes; those or 3 launches on each side would do)"));
  CHECK(has(table, "same: vgprs: 24 to 32\n"));
  CHECK(has(table,
            "kreplay: regression (1 regression, 1 inconclusive, 1 ok, 1 removed; limits: 5 % and 1.00 us; "
            "GPU time of the run "));
  CHECK(has(comparison_table(other_machine(), {}), "kreplay: not comparable: the machines differ"));
}

TEST_CASE("table: a limit of its own is shown with its row") {
  Policy policy;
  policy.rules.push_back({*Pattern::parse("f"), "", 0.2, 2000.0, false});
  const Comparison comparison = compare(single({{"f", kBefore}}), single({{"f", kAfter}}), policy);
  CHECK(has(comparison_table(comparison, policy),
            "ok (slower, within the limits) (+10 % is within the relative limit of 20 %) "
            "[limits: 20 % and 2.00 us]"));
}

TEST_CASE("a change within the limits is told in its row and in the headline") {
  const std::vector<double> little(5, 103'000.0);
  const Comparison comparison = compare(single({{"f", kBefore}}), single({{"f", little}}), {});
  CHECK(has(comparison_table(comparison, {}),
            "ok (slower, within the limits) (+3 % is within the relative limit of 5 %)\n"));
  CHECK(has(comparison_table(comparison, {}), "kreplay: ok (1 ok, 1 slower within the limits; limits: 5 %"));
  CHECK(has(comparison_markdown(comparison, {}), "ok (slower, within the limits)"));
  const auto json = nlohmann::json::parse(comparison_json(comparison, {}));
  CHECK(json.at("rows")[0].at("change") == "slower");
  CHECK(json.at("rows")[0].at("verdict") == "ok");
}

TEST_CASE("Markdown: bars in names do not end a cell") {
  const std::string text = comparison_markdown(mixed(), {});
  CHECK(has(text, "**kreplay: regression ("));
  CHECK(has(text, "| `f<a\\|b>(int&)` | 1024x1x1 / 64x1x1 | 100 us | 110 us | +10.0 % |"));
  CHECK(has(text, "| `same()` | vgprs | 24 | 32 |"));
}

TEST_CASE("JSON: every row with how it was judged") {
  const auto json = nlohmann::json::parse(comparison_json(mixed(), {}));
  CHECK(json.at("verdict") == "regression");
  REQUIRE(json.at("rows").size() == 4);
  const auto& first = json.at("rows")[0];
  CHECK(first.at("ratio") == Approx(1.1));
  CHECK(first.at("test") == "exact");
  CHECK(first.at("limits").at("relative") == 0.05);
  const auto& removed = json.at("rows")[3];
  CHECK(removed.at("verdict") == "removed");
  CHECK(removed.at("new_median_ns").is_null());
  CHECK(!removed.contains("ratio"));
  CHECK(json.at("facts")[0].at("new") == "32");
}

TEST_CASE("JUnit: regressions fail, doubts are errors, and the counts agree") {
  const std::string xml = comparison_junit(mixed(), {});
  CHECK(has(xml, R"(<testsuites tests="4" failures="1" errors="2" skipped="0">)"));
  CHECK(has(xml, R"x(classname="f&lt;a|b&gt;(int&amp;)" name="1024x1x1/64x1x1">)x"));
  CHECK(has(xml, "<failure message=\"regression: +10.0 %"));
  CHECK(has(xml, R"x(<testcase classname="same()" name="1024x1x1/64x1x1"/>)x"));
  Policy policy;
  policy.allow_removed = true;
  CHECK(has(comparison_junit(mixed(), policy), R"(errors="1" skipped="1")"));
  const std::string alone = comparison_junit(other_machine(), {});
  CHECK(has(alone, R"(tests="1" failures="0" errors="1")"));
  CHECK(has(alone, "not comparable"));
}

TEST_CASE("GitHub: annotations, escaped as its commands want it") {
  const std::string text = comparison_github(mixed(), {});
  CHECK(has(text, "::error title=Kernel is slower::f<a|b>(int&) 1024x1x1/64x1x1: +10.0 %25"));
  CHECK(has(text, "::warning title=Kernel is removed::gone()"));
  CHECK(has(text, "::warning title=Kernel is inconclusive::few()"));
  CHECK(has(text, "::notice title=Kernel's code changed::same(): vgprs: 24 to 32"));
  CHECK(has(text, "::error title=kreplay compare::kreplay: regression"));
  CHECK(has(comparison_github(other_machine(), {}), "other: 50%25"));
}
