// Trends over the runs of a store.
#include "cli/history.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <random>

#include "fixtures.hpp"

using namespace kreplay::cli;
using fixtures::Folder;
using fixtures::has;
using fixtures::shell;

namespace {

const std::string kHistoryProgram = KREPLAY_PROGRAM;

std::vector<double> noisy_levels(std::mt19937& random, size_t count, double spread) {
  std::normal_distribution<double> normal(0, spread);
  std::vector<double> values;
  for (size_t i = 0; i < count; ++i) values.push_back(1e5 * std::exp(normal(random)));
  return values;
}

using Places = std::vector<size_t>;

}  // namespace

TEST_CASE("steps are found where they are") {
  CHECK(level_steps({}).empty());
  CHECK(level_steps({100, 100, 100, 100}).empty());
  CHECK(level_steps({100, 100, 120, 120}) == Places{2});  // without noise few values say enough
  CHECK(level_steps({100, 101, 120, 121}).empty());
  CHECK(level_steps({100, 101, 100, 99, 100, 120, 121, 120, 119}) == Places{5});
  CHECK(level_steps({100, 101, 100, 99, 120, 121, 120, 119, 90, 91, 90, 89}) == Places{4, 8});
  CHECK(level_steps({100, 101, 100, 99, 100, 180, 100, 101, 100}).empty());  // one run is no level
  CHECK(level_steps({100, 100, 100, 100.5, 100.5, 100.5}).empty());          // below 1 %
  CHECK(level_steps({0, 1, 2, 3, 4, 5, 6}).empty());
}

TEST_CASE("noise alone has a step in at most two of a hundred sequences; steps of ten percent are found") {
  std::mt19937 random(5);
  for (const size_t count : {6, 8, 10, 20, 50}) {
    int alarms = 0;
    int found = 0;
    for (int i = 0; i < 500; ++i) {
      std::vector<double> values = noisy_levels(random, count, 0.01);
      alarms += level_steps(values).empty() ? 0 : 1;
      for (size_t k = count - 3; k < count; ++k) values[k] *= 1.2;
      const Places steps = level_steps(values);
      found += std::find(steps.begin(), steps.end(), count - 3) != steps.end() ? 1 : 0;
    }
    INFO(count << " runs: " << alarms << " alarms, " << found << " found, of 500");
    CHECK(alarms <= 10 + 8);  // two of a hundred, and what 500 sequences can tell
    CHECK(found >= 450);
  }
}

TEST_CASE("history: a table of the trends with steps, a page with all") {
  const Folder folder;
  const std::string store = folder / "store";
  for (int run = 0; run < 8; ++run) {
    const uint64_t slow = run < 5 ? 100'000 : 130'000;
    std::string text = fixtures::read_file(fixtures::write_results(
        folder / ("r" + std::to_string(run) + ".jsonl"),
        {{"void stepped<float, a_very_long_template_argument, another_very_long_template_argument, 7>(int)",
          {slow, slow + 20, slow + 10}},
         {"steady()", {50'000, 50'010}}}));
    // Runs of one process in one second would replace each other.
    const size_t start = text.find("\"start_unix_ns\":") + 16;
    text.replace(start, 10, std::to_string(1'700'000'000 + run * 86'400));
    const size_t date = text.find("\"start\":\"") + 9;
    text.replace(date, 10, "2026-01-0" + std::to_string(run + 1));
    const std::string path = fixtures::write_file(folder / "run.jsonl", text);
    REQUIRE(shell(kHistoryProgram + " baseline update --store " + store + " " + path).code() == 0);
  }
  const auto table = shell(kHistoryProgram + " history " + store);
  INFO(table.text);
  CHECK(table.code() == 0);
  CHECK(has(table.text, "8 runs, 2 kernels and launch shapes, 1 with a step"));
  CHECK(has(table.text, "+30.0 %"));
  CHECK(has(table.text, "+30.0 % on 2026-01-06T"));
  CHECK(!has(table.text, "steady"));
  const std::string page = folder / "page.html";
  REQUIRE(shell(kHistoryProgram + " history --format html -o " + page + " " + store).code() == 0);
  const std::string html = fixtures::read_file(page);
  for (const char* part :
       {"<figure class=\"trend\">", "class=\"step\"", "steady", "steps: +30.0 % on 2026-01-06T",
        "role=\"img\" aria-label=\"median: 8 values", "</html>"}) {
    INFO(part);
    CHECK(has(html, part));
  }
  CHECK(shell(kHistoryProgram + " history " + folder.path).code() == 2);
  CHECK(has(shell(kHistoryProgram + " history " + folder.path).text, "is no store of baselines"));
  CHECK(shell(kHistoryProgram + " history " + store + " >/dev/full").code() == 2);
}
