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

TEST_CASE("table: processes, then kernels by time per run") {
  const Folder folder;
  const std::string table = report_table(two_processes(folder));
  CHECK(has(table, ": 3 dispatches\n"));
  CHECK(has(table, ": 1 dispatch, cut off\n"));
  CHECK(table.find("f<a|b>") < table.find("short"));
}

TEST_CASE("Markdown: kernels and shapes by time per run, outcomes, notes") {
  const Folder folder;
  const std::string text = report_markdown(two_processes(folder));
  CHECK(has(text,
            "| `f<a\\|b>` | 1024x1x1 / 0x0x0 | 2 | 3 | 92.8 us | 99.4 % | 91.0 us | 90.0 us | 95.0 us |"));
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
  CHECK(kernel.at("run_ns") == (90'500 + 95'000) / 2);
  CHECK(kernel.at("share") == Approx(185'500.0 / (185'500 + 1'100)));
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
  CHECK(has(html, "role=\"img\" aria-label=\"launches: 2 values"));
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

TEST_CASE("kernels come by time per run, however many passes they had") {
  const Folder folder;
  Results results;
  const std::vector<uint64_t> thousand(1000, 10'000);
  REQUIRE(
      read_results(fixtures::write_results(folder / "a.jsonl", {{"many()", thousand}, {"long()", {20'000}}}),
                   &results)
          .ok());
  for (const std::string& text : {report_table(results), report_markdown(results), report_html(results)})
    CHECK(text.find("long") < text.find("many"));
  CHECK(nlohmann::json::parse(report_json(results)).at("kernels")[0].at("name") == "long()");
  View view;
  view.top = 1;
  CHECK(has(report_table(results, view), "(1 of 2 kernels shown)"));
  CHECK(!has(report_table(results, view), "many"));
  CHECK(has(report_markdown(results, view), "\n1 of 2 kernels and launch shapes shown\n"));
}

TEST_CASE("the table is no wider than asked for, and says what it has no room for") {
  const Folder folder;
  const std::string table = [&] {
    View view;
    view.columns = 80;
    return report_table(two_processes(folder), view);
  }();
  for (size_t at = table.find("kernel "); at < table.size();) {
    const size_t end = table.find('\n', at);
    CHECK(end - at <= 80);
    at = end + 1;
  }
  CHECK(has(table, "(no room at 80 columns for: replayed, "));
}

TEST_CASE("a pass that ends before it starts is counted, not shown as a time") {
  const Folder folder;
  const std::string path = fixtures::write_results(folder / "a.jsonl", {{"f()", {10, 20, 30}}});
  std::string text = fixtures::read_file(path);
  text.replace(text.find("[100,110]"), 9, "[110,100]");
  Results results;
  REQUIRE(read_results(fixtures::write_file(folder / "b.jsonl", text), &results).ok());
  REQUIRE(results.notes.size() == 1);
  CHECK(has(results.notes[0], "1 pass is left out that ends before its start"));
  CHECK(has(report_table(results), "1 impossible pass left out"));
  CHECK(nlohmann::json::parse(report_json(results)).at("kernels")[0].at("impossible_passes") == 1);
  CHECK(results.impossible_passes.begin()->second == 1);
}

TEST_CASE("a report as Markdown fits a comment, and says what it leaves out") {
  const Folder folder;
  std::vector<fixtures::KernelTimes> kernels;
  for (int i = 0; i < 1000; ++i)
    kernels.push_back(
        {"void a_kernel_of_a_library_with_long_names<float, 128, " + std::to_string(i) + ">(float*)",
         {10'000 + static_cast<uint64_t>(i)}});
  Results results;
  REQUIRE(read_results(fixtures::write_results(folder / "a.jsonl", kernels), &results).ok());
  const std::string text = report_markdown(results);
  CHECK(text.size() <= 65'536);
  CHECK(text.size() > 60'000);
  CHECK(has(text, " of 1000 kernels and launch shapes shown\n"));
  CHECK(has(text, "| replayed | none | 1000 |"));
  CHECK(has(text, ", 999>` |"));
  CHECK(!has(text, ", 0>` |"));
}
