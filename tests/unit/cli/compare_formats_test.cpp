#include "cli/compare_formats.hpp"

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <set>

#include "cli/compare_html.hpp"
#include "support/folder.hpp"
#include "synthetic.hpp"

using namespace kreplay::cli;
using fixtures::has;
using fixtures::one_run;
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

TEST_CASE("a fact beyond its limit comes first and says why, in every format for people") {
  auto base = single({{"a()", kBefore}, {"z()", kBefore}});
  auto fresh = base;
  for (const char* kernel : {"a()", "z()"}) {
    base.facts[kernel]["vgprs"] = {"24"};
    fresh.facts[kernel]["vgprs"] = {"32"};
  }
  Policy policy;
  policy.facts.push_back({"vgprs", *Pattern::parse("z"), 28, {}, false});
  const Comparison comparison = compare(base, fresh, policy);
  REQUIRE(comparison.facts.size() == 2);
  Show one;
  one.view.top = 1;
  CHECK(
      has(comparison_table(comparison, policy, one), "z: vgprs: 24 to 32 (32 is more than the limit of 28)"));
  CHECK_FALSE(has(comparison_table(comparison, policy, one), "a: vgprs"));
  CHECK(has(comparison_markdown(comparison, policy, one), "| 24 | 32 (32 is more than the limit of 28) |"));
  CHECK(has(comparison_github(comparison, policy),
            "::error title=Kernel's code changed::z: vgprs: 24 to 32 (32 is more than the limit of 28)"));
  CHECK(has(comparison_github(comparison, policy),
            "::notice title=Kernel's code changed::a: vgprs: 24 to 32\n"));
  CHECK(has(comparison_html(comparison, policy, {}, base, fresh), "32 (32 is more than the limit of 28)"));
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
  CHECK(has(text, "| `f<a\\|b>` | 1024x1x1 / 64x1x1 | 100 us | 110 us | +10.0 % |"));
  CHECK(has(text, "| `same` | vgprs | 24 | 32 |"));
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
  CHECK(has(xml, "<system-out>f&lt;a|b&gt;(int&amp;)</system-out>"));
  CHECK(has(xml, R"(<testsuites tests="4" failures="1" errors="2" skipped="0">)"));
  CHECK(has(xml, R"x(classname="f&lt;a|b&gt;" name="1024x1x1/64x1x1">)x"));
  CHECK(has(xml, "<failure message=\"regression: +10.0 %"));
  CHECK(has(xml, R"x(<testcase classname="same" name="1024x1x1/64x1x1">)x"));
  Policy policy;
  policy.allow_removed = true;
  CHECK(has(comparison_junit(mixed(), policy), R"(errors="1" skipped="1")"));
  const std::string alone = comparison_junit(other_machine(), {});
  CHECK(has(alone, R"(tests="1" failures="0" errors="1")"));
  CHECK(has(alone, "not comparable"));
}

TEST_CASE("GitHub: annotations, escaped as its commands want it") {
  const std::string text = comparison_github(mixed(), {});
  CHECK(has(text, "::error title=Kernel is slower::f<a|b> 1024x1x1/64x1x1: +10.0 %25"));
  CHECK(has(text, "::warning title=Kernel is removed::gone "));
  CHECK(has(text, "::warning title=Kernel is inconclusive::few "));
  CHECK(has(text, "::notice title=Kernel's code changed::same: vgprs: 24 to 32"));
  CHECK(text.compare(0, 49, "::error title=kreplay compare::kreplay: regression", 0, 49) == 0);
  CHECK(has(comparison_github(other_machine(), {}), "other: 50%25"));
}

namespace {

/// As many kernels as a library of tuned ones has, with names as long as theirs; two of them got slower.
Comparison many(size_t kernels) {
  std::map<std::string, std::vector<double>> base, fresh;
  for (size_t i = 0; i < kernels; ++i) {
    const std::string name = fmt::format(
        "void ck::tensor_operation::device::kernel_gemm<ck::GridwiseGemm<{}, "
        "ck::tensor_layout::gemm::RowMajor, "
        "256, {}, 128, ck::Sequence<4, 64, 1>>, true>(float const*, float const*, float*, int)",
        i % 2 == 0 ? "float" : "_Float16", 8 * i);
    const double ns = 50'000.0 + 100.0 * static_cast<double>(i);
    base[name] = std::vector<double>(5, ns);
    fresh[name] = std::vector<double>(5, i % 250 == 7 ? 2 * ns : ns);
  }
  auto changed = single(fresh);
  auto before = single(base);
  for (const auto& [name, ns] : base) {
    before.facts[name]["vgprs"] = {"64"};
    changed.facts[name]["vgprs"] = {"72"};
  }
  return compare(before, changed, {});
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

}  // namespace

TEST_CASE("five hundred long names: no two rows alike, no line wider than asked for") {
  const Comparison comparison = many(500);
  for (const size_t columns : {80, 120, 200}) {
    INFO(columns);
    Show show;
    show.view.columns = columns;
    const std::vector<std::string> lines = lines_of(comparison_table(comparison, {}, show));
    REQUIRE(lines.size() > 1000);
    std::set<std::string> names;
    for (size_t i = 1; i <= 500; ++i) {
      INFO(lines[i]);
      CHECK(lines[i].size() <= columns);
      CHECK(names.insert(lines[i].substr(0, lines[i].find("  "))).second);
    }
  }
  Show full;
  full.view.full_names = true;
  CHECK(has(comparison_table(comparison, {}, full), "gemm::RowMajor, 256, 56, 128"));
}

TEST_CASE("Markdown fits a comment, says what it leaves out, and has what matters first") {
  const Comparison comparison = many(3000);
  Show show;
  show.full = "whole.json";
  const std::string text = comparison_markdown(comparison, {}, show);
  CHECK(text.size() <= 65'536);
  CHECK(text.size() > 60'000);
  const std::vector<std::string> lines = lines_of(text);
  CHECK(has(lines.at(0), "**kreplay: regression (12 regression, 2988 ok"));
  CHECK(has(lines.at(2), " of 3000 rows shown; all of them: whole.json"));
  for (size_t i = 6; i < 18; ++i) CHECK(has(lines.at(i), "| regression |"));
  CHECK(has(text, "| vgprs | 64 | 72 |"));
  CHECK(has(text, " of 3000 changes of the code shown"));
  show.most_characters = SIZE_MAX;
  const std::string whole = comparison_markdown(comparison, {}, show);
  CHECK(!has(whole, "rows shown"));
  CHECK(has(whole, "<details><summary>Full names</summary>\n\n- `"));
}

TEST_CASE("rows are filtered on request; the verdict stays") {
  const Comparison comparison = mixed();
  const auto rows_of = [&](const Show& show) {
    std::string kernels;
    for (const Row* row : rows_to_show(comparison, show)) kernels += row->key.kernel + " ";
    return kernels;
  };
  CHECK(rows_of({}) == "f<a|b>(int&) few() gone() same() ");
  Show show;
  show.changed = true;
  CHECK(rows_of(show) == "f<a|b>(int&) few() gone() ");
  show.states = {Row::State::removed, Row::State::ok};
  CHECK(rows_of(show) == "gone() ");
  show.changed = false;
  show.view.top = 1;
  CHECK(rows_of(show) == "gone() ");
  const std::string table = comparison_table(comparison, {}, show);
  CHECK(has(table, "(1 of 4 rows shown)"));
  CHECK(has(table, "kreplay: regression (1 regression"));
  CHECK(has(comparison_github(comparison, {}, show), "1 of 4 rows shown"));
}

TEST_CASE("rows of one verdict: what costs a run most comes first") {
  const std::vector<double> small(5, 10'000.0), large(5, 1e6);
  const auto base = one_run({{"rare()", {large}}, {"often()", std::vector<std::vector<double>>(400, small)}});
  const auto fresh =
      one_run({{"rare()", {std::vector<double>(5, 1.2e6)}},
               {"often()", std::vector<std::vector<double>>(400, std::vector<double>(5, 12'000.0))}});
  const Comparison comparison = compare(base, fresh, {});
  const auto rows = rows_to_show(comparison, {});
  REQUIRE(rows.size() == 2);
  CHECK(rows[0]->key.kernel == "often()");  // 800 us a run; the other 200 us
  CHECK(rows[0]->fresh_run_ns == Approx(4.8e6));
  CHECK(has(comparison_table(comparison, {}), "80.0 %  regression"));
  CHECK(has(comparison_table(comparison, {}), "20.0 %  regression"));
}

TEST_CASE("no interval and no q without a test") {
  // One pass on each side: nothing can be said, least of all that the change is 0.
  const Comparison comparison = compare(single({{"f", {1e5}}}), single({{"f", {1.3e5}}}), {});
  const std::string table = comparison_table(comparison, {});
  CHECK(has(table, "+30.0 %         -  -  100.0 %  inconclusive"));
  CHECK(!has(table, "+0.0..+0.0"));
  CHECK(!has(change_text(comparison.rows.at(0)), ".."));
  CHECK(nlohmann::json::parse(comparison_json(comparison, {})).at("rows")[0].at("interval").is_null());
}

TEST_CASE("a change that is not that of the two medians is marked, and the mark explained") {
  Comparison comparison = mixed();
  Row& row = comparison.rows.at(0);
  row.effect.paired = true;
  CHECK(!has(comparison_table(comparison, {}), "paired"));  // they agree
  row.effect.ratio = 1.08;
  const std::string table = comparison_table(comparison, {});
  CHECK(has(table, "+8.0 % paired"));
  CHECK(has(table, "(paired: the median of the changes pair by pair"));
  CHECK(has(comparison_markdown(comparison, {}), "\npaired: the median"));
  const auto json = nlohmann::json::parse(comparison_json(comparison, {})).at("rows")[0];
  CHECK(json.at("ratio") == Approx(1.08));
  CHECK(json.at("median_ratio") == Approx(1.1));
}

TEST_CASE("passes that are left out are counted in their row") {
  auto base = single({{"f()", kBefore}});
  base.impossible_passes[fixtures::key("f()")] = 2;
  const Comparison comparison = compare(base, single({{"f()", kBefore}}), {});
  CHECK(has(comparison_table(comparison, {}), "ok      (2 passes left out that end before they start)"));
  CHECK(nlohmann::json::parse(comparison_json(comparison, {})).at("rows")[0].at("impossible_passes") == 2);
}
