#include "cli/result_reader.hpp"

#include "fixtures.hpp"

using namespace kreplay;
using namespace kreplay::cli;
using fixtures::Folder;
using fixtures::has;

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
  CHECK(results.machine_key.size() == 16);
  CHECK(results.machine.at("agent0") == "gfx906, Vega 20, 16384 MiB, 60 compute units");
  REQUIRE(results.samples.size() == 2);
  CHECK(results.samples.begin()->first.kernel == "f(int)");
  CHECK(results.samples.begin()->first.grid[0] == 1024);
  CHECK(results.samples.begin()->second.ns == std::vector<double>{10, 20, 30});
  CHECK(results.cache_modes == std::vector<std::string>{"as_is"});
}

TEST_CASE("C69: kernels of several files are added up by name, passes are never merged") {
  const Folder folder;
  Results results;
  REQUIRE(read_results(fixtures::write_results(folder / "a.jsonl", {{"x()", {1}}, {"f()", {10}}}), &results)
              .ok());
  REQUIRE(read_results(fixtures::write_results(folder / "b.jsonl", {{"f()", {20, 30}}}), &results).ok());
  CHECK(results.samples.begin()->second.ns == std::vector<double>{10, 20, 30});
  CHECK(results.totals.sums.passes_run == 4);
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
  CHECK(results.host == "node7");
  CHECK(results.machine_key == "007a54fb27198958");
  CHECK(results.totals.sums.dispatches == 3);
  CHECK(results.totals.sums.skipped[static_cast<size_t>(report::Reason::filtered)] == 4);
  REQUIRE(results.samples.size() == 1);
  CHECK(results.samples.begin()->second.ns == std::vector<double>{12300, 12100, 12900});
}

TEST_CASE("samples of one kernel are bounded and stay representative") {
  Samples samples;
  for (int i = 0; i < 200000; ++i) samples.add(i);
  CHECK(samples.seen == 200000);
  REQUIRE(samples.ns.size() == Samples::kMost);
  double sum = 0;
  for (const double value : samples.ns) sum += value;
  CHECK(sum / static_cast<double>(samples.ns.size()) == Approx(100000).epsilon(0.05));
}
