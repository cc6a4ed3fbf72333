#include "cli/results.hpp"

#include <nlohmann/json.hpp>

#include "fixtures.hpp"

using namespace kreplay;
using namespace kreplay::cli;
using fixtures::Folder;
using fixtures::has;

namespace {

/// Pass times of the first launch of a run.
std::vector<double> passes_of(const Samples& samples, size_t run) {
  return samples.runs.at(run).passes.at(0).values();
}

}  // namespace

TEST_CASE("files joined after a line that was cut off keep their processes apart") {
  // Cut at every byte of the first file, and joined with whole and with cut ones, as by cat(1).
  const Folder folder;
  const std::string whole =
      fixtures::read_file(fixtures::write_results(folder / "whole", {{"f()", {100, 200}}, {"g()", {5}}}));
  const size_t header = whole.find('\n') + 1;
  for (size_t cut = 20; cut < whole.size(); ++cut) {
    Results results;
    const std::string first = whole.substr(0, cut);
    const auto path = fixtures::write_file(folder / "joined", first + first + whole);
    INFO(cut);
    REQUIRE(read_results(path, &results).ok());
    const bool headless = cut + 1 < header;  // of the first two nothing is known but that they began
    REQUIRE(results.processes.size() == (headless ? 1 : 3));
    CHECK(results.processes.back().complete);
    CHECK(results.processes.back().dispatches == 2);
    const bool trailer = cut + 1 >= whole.size();
    for (size_t i = 0; !headless && i < 2; ++i) CHECK(results.processes[i].complete == trailer);
    CHECK(results.notes.size() == (trailer ? 0 : 2));
    if (cut + 1 < header) {
      Results at_end;
      REQUIRE(read_results(fixtures::write_file(folder / "joined", whole + first), &at_end).ok());
      CHECK(at_end.processes.size() == 1);
      REQUIRE(at_end.notes.size() == 1);
      CHECK(has(at_end.notes[0], "not even the first line is whole"));
      fixtures::write_file(folder / "joined", first);
      CHECK(has(read_results(path, &results).message(), "ends within its first line"));
    }
  }
}

TEST_CASE("what the library writes is read back") {
  const Folder folder;
  const auto path =
      fixtures::write_results(folder / "run.jsonl", {{"f(int)", {10, 20, 30}}, {"g()", {}}, {"h()", {5}}});
  Results results;
  REQUIRE(read_results(path, &results).ok());
  CHECK(results.notes.empty());
  CHECK(results.totals.sums.dispatches == 3);
  CHECK(results.totals.sums.of(report::Outcome::replayed) == 2);
  CHECK(results.totals.sums.declined[static_cast<size_t>(report::Reason::graph)] == 1);
  REQUIRE(results.processes.size() == 1);
  CHECK(results.processes[0].complete);
  CHECK(results.processes[0].dispatches == 3);
  const HeaderLine& header = results.processes[0].header;
  CHECK(header.machine_key.size() == 16);
  CHECK(header.machine.at("agent0") == "gfx906, Vega 20, 16384 MiB, 60 compute units");
  REQUIRE(results.samples.size() == 2);
  CHECK(results.samples.begin()->first.kernel == "f(int)");
  CHECK(results.samples.begin()->first.grid[0] == 1024);
  CHECK(passes_of(results.samples.begin()->second, 0) == std::vector<double>{10, 20, 30});
  CHECK(results.cache_modes == std::set<std::string>{"as_is"});
}

TEST_CASE("C69: kernels of several files are added up by name, passes are never merged") {
  const Folder folder;
  Results results;
  REQUIRE(read_results(fixtures::write_results(folder / "a.jsonl", {{"x()", {1}}, {"f()", {10}}}), &results)
              .ok());
  REQUIRE(read_results(fixtures::write_results(folder / "b.jsonl", {{"f()", {20, 30}}}), &results).ok());
  CHECK(results.runs == 2);
  const Samples& samples = results.samples.begin()->second;
  CHECK(samples.passes == 3);
  CHECK(passes_of(samples, 0) == std::vector<double>{10});
  CHECK(passes_of(samples, 1) == std::vector<double>{20, 30});
  CHECK(results.totals.sums.passes_run == 4);
  CHECK(results.totals.kernels.size() == 2);
}

TEST_CASE("a file cut off anywhere is read up to there and marked") {
  const Folder folder;
  const auto path =
      fixtures::write_results(folder / "run.jsonl", {{"f()", {10}}, {"g()", {20}}, {"h()", {30}}});
  std::ifstream file(path);
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  const size_t header_end = text.find('\n');
  for (size_t length = header_end + 1; length < text.size(); length += 37) {
    const std::string cut = folder / ("cut" + std::to_string(length));
    std::ofstream(cut) << text.substr(0, length);
    Results results;
    REQUIRE(read_results(cut, &results).ok());
    REQUIRE(results.notes.size() == 1);
    CHECK(has(results.notes[0], "cut off"));
    CHECK(!results.processes[0].complete);
    CHECK(results.totals.sums.dispatches <= 3);
  }
}

TEST_CASE("what is no result file is refused with a sentence") {
  const Folder folder;
  Results results;
  CHECK(has(read_results(folder / "absent", &results).message(), "No such file"));
  CHECK(has(read_results(folder.path, &results).message(), "is a directory"));
  std::ofstream(folder / "empty") << "";
  CHECK(has(read_results(folder / "empty", &results).message(), "is empty"));
  for (const char* text :
       {"hello\n", "{}\n", "[1]\n", "{\"type\":\"dispatch\"}\n", "{\"type\":\"header\"}\n"}) {
    std::ofstream(folder / "bad") << text;
    INFO(text);
    CHECK(has(read_results(folder / "bad", &results).message(), "is not a result file"));
  }
  std::ofstream(folder / "newer") << "{\"type\":\"header\",\"schema\":999}\n";
  CHECK(has(read_results(folder / "newer", &results).message(), "schema 999"));
}

TEST_CASE("lines that make no sense are counted, unknown types are passed over") {
  const Folder folder;
  const auto path = fixtures::write_results(folder / "run.jsonl", {{"f()", {10}}});
  std::ofstream(path, std::ios::app)
      << "garbage\n{\"type\":\"dispatch\",\"kernel\":77}\n{\"type\":\"later\"}\n";
  Results results;
  REQUIRE(read_results(path, &results).ok());
  REQUIRE(results.notes.size() == 1);
  CHECK(has(results.notes[0], "2 lines"));
  CHECK(results.totals.sums.dispatches == 1);
}

TEST_CASE("released schemas stay readable") {
  Results results;
  REQUIRE(read_results(KREPLAY_SOURCE_DIR "/tests/unit/report/golden/results-1.jsonl", &results).ok());
  CHECK(results.notes.empty());
  REQUIRE(results.processes.size() == 1);
  CHECK(results.processes[0].header.host == "node7");
  CHECK(results.processes[0].header.machine_key == "007a54fb27198958");
  CHECK(results.totals.sums.dispatches == 3);
  CHECK(results.totals.sums.skipped[static_cast<size_t>(report::Reason::filtered)] == 4);
  REQUIRE(results.samples.size() == 1);
  CHECK(passes_of(results.samples.begin()->second, 0) == std::vector<double>{12300, 12100, 12900});
}

TEST_CASE("one file may hold several processes, whose kernels have ids of their own") {
  const Folder folder;
  const auto first =
      fixtures::write_results(folder / "a.jsonl", {{"f()", {10}}, {"g()", {20}}}, "Vega 20", false);
  const auto second = fixtures::write_results(folder / "b.jsonl", {{"g()", {30}}});
  const auto both =
      fixtures::write_file(folder / "both.jsonl", fixtures::read_file(first) + fixtures::read_file(second));
  Results results;
  REQUIRE(read_results(both, &results).ok());
  REQUIRE(results.processes.size() == 2);
  CHECK(!results.processes[0].complete);
  CHECK(results.processes[1].complete);
  CHECK(results.runs == 1);
  REQUIRE(results.notes.size() == 1);
  CHECK(has(results.notes[0], "cut off"));
  CHECK(results.samples.rbegin()->first.kernel == "g()");
  CHECK(results.samples.rbegin()->second.launches == 2);
}

TEST_CASE("what a kernel line says of the code is kept as facts") {
  const Folder folder;
  const auto path = fixtures::write_results(folder / "run.jsonl", {{"f()", {10}}}, "Vega 20", false);
  const nlohmann::json kernel = {{"type", "kernel"}, {"id", 9},        {"symbol", "_Z1gv"}, {"name", "g()"},
                                 {"vgprs", 24},      {"hash", "ab12"}, {"later", {1, 2}}};
  std::ofstream(path, std::ios::app) << kernel.dump() << "\n";
  Results results;
  REQUIRE(read_results(path, &results).ok());
  CHECK(results.facts.at("g()") == Facts{{"vgprs", {"24"}}, {"hash", {"ab12"}}});
}

TEST_CASE("very many dispatches are kept in bounded memory") {
  // Through the same visitor that files feed; a file of this length would only be slow to write.
  const Folder folder;
  const auto path = fixtures::write_results(folder / "run.jsonl", {{"f()", {10, 20, 30}}});
  std::string text = fixtures::read_file(path);
  const size_t begin = text.find("{\"type\":\"dispatch\"");
  const std::string line = text.substr(begin, text.find('\n', begin) + 1 - begin);
  {
    std::ofstream more(path, std::ios::app);
    for (int i = 0; i < 50'000; ++i) more << line;
  }
  Results results;
  REQUIRE(read_results(path, &results).ok());
  CHECK(results.totals.sums.dispatches == 50'001);
  const Samples& samples = results.samples.begin()->second;
  CHECK(samples.launches == 50'001);
  CHECK(samples.passes == 150'003);
  const RunSamples& run = samples.runs.at(0);
  CHECK(run.launches.values().size() <= TimeSeries::kMost);
  CHECK(run.passes.size() == RunSamples::kPassesOf);
  CHECK(results.totals.kernels.size() == 1);
}
