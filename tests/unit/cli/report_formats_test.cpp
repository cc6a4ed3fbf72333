#include "cli/report_formats.hpp"

#include <nlohmann/json.hpp>

#include "fixtures.hpp"

using namespace kreplay::cli;
using fixtures::Folder;
using fixtures::has;

namespace {

/// Three kernels of which one was declined, one with markup in its name; a second process that was killed.
Results two_processes(const Folder& folder) {
  Results results;
  const auto first = fixtures::write_results(
      folder / "a.jsonl", {{"short(int)", {1000, 1100, 1200}}, {"f<a|b>()", {90'000, 91'000}}, {"g()", {}}});
  const auto second = fixtures::write_results(folder / "b.jsonl", {{"f<a|b>()", {95'000}}}, "Vega 20", false);
  REQUIRE(read_results(first, &results).ok());
  REQUIRE(read_results(second, &results).ok());
  return results;
}

}  // namespace

TEST_CASE("table: processes, then kernels by total time") {
  const Folder folder;
  const std::string table = report_table(two_processes(folder));
  CHECK(has(table, ": 3 dispatches\n"));
  CHECK(has(table, ": 1 dispatch, cut off\n"));
  CHECK(table.find("f<a|b>") < table.find("short"));
}

TEST_CASE("Markdown: kernels and shapes by total time, outcomes, notes") {
  const Folder folder;
  const std::string text = report_markdown(two_processes(folder));
  CHECK(has(text, "| `f<a\\|b>()` | 1024x1x1 / 0x0x0 | 2 | 3 | 91.0 us | 90.0 us | 95.0 us |"));
  CHECK(text.find("f<a") < text.find("short"));
  CHECK(has(text, "| replayed | none | 3 |"));
  CHECK(has(text, "| declined | graph | 1 |"));
  CHECK(has(text, "- **note**: "));
}

TEST_CASE("JSON: everything the table has, as numbers") {
  const Folder folder;
  const auto json = nlohmann::json::parse(report_json(two_processes(folder)));
  REQUIRE(json.at("processes").size() == 2);
  CHECK(json.at("processes")[1].at("complete") == false);
  CHECK(json.at("notes").size() == 1);
  const auto& kernel = json.at("kernels")[0];
  CHECK(kernel.at("name") == "f<a|b>()");
  CHECK(kernel.at("pass_ns").at("median") == 91'000);
  CHECK(kernel.at("shapes")[0].at("launches") == 2);
  CHECK(kernel.at("shapes")[0].at("grid")[0] == 1024);
  CHECK(json.at("kernels").back().at("pass_ns").is_null());
  CHECK(json.at("outcomes").back().at("reason") == "graph");
}

TEST_CASE("HTML: all plots, names escaped, nothing loaded") {
  const Folder folder;
  const std::string html = report_html(two_processes(folder));
  for (const char* plot : {"launches", "distribution", "bytes", "outcomes"}) {
    INFO(plot);
    CHECK(has(html, std::string("<figure class=\"") + plot + "\">"));
  }
  CHECK(has(html, "f&lt;a|b&gt;()"));
  CHECK(!has(html, "f<a|b>"));
  CHECK(has(html, "default-src 'none'"));
  for (const char* loading : {"http:", "https:", "src=", "@import", "url(", "<link"}) {
    INFO(loading);
    CHECK(!has(html, loading));
  }
}

TEST_CASE("a report of nothing is a report") {
  const Folder folder;
  Results results;
  REQUIRE(read_results(fixtures::write_results(folder / "none.jsonl", {}), &results).ok());
  CHECK(has(report_table(results), "no dispatch was seen"));
  CHECK(has(report_markdown(results), "0 dispatches"));
  CHECK(nlohmann::json::parse(report_json(results)).at("kernels").empty());
  CHECK(has(report_html(results), "</html>"));
}
