// The lines are the result schema: a change that alters a golden file bumps kSchemaVersion, and the old file
// stays, since released schemas are read for ever.
#include "report/record_lines.hpp"

#include "fixtures.hpp"

using namespace kreplay::report;
using fixtures::has;

namespace {

std::string text_of(const LineBuffer& line) { return {line.data(), line.size()}; }

/// One line of every kind, with fixed facts.
std::string whole_file() {
  LineBuffer out;
  RunInfo info = fixtures::run_info();
  const Facts machine = {{"agent0", "gfx906, Vega 20, 16384 MiB, 60 compute units"}, {"driver", "6.8.5"}};
  append_header(out, info, {"node7", 1234, 3, "/opt/app", 1'700'000'000'123'456'789, machine});
  append_kernel(out, fixtures::compiled(fixtures::kAxpy));
  append_kernel(out, fixtures::kHistogram);
  Totals totals;
  DispatchRecord record = fixtures::replayed(fixtures::kAxpy, fixtures::kPasses);
  record.dispatch_id = 1;
  record.passes_end = PassesEnd::converged;
  record.relative_error_ppm = 4300;
  append_dispatch(out, record);
  totals.add(record);
  record = fixtures::declined(fixtures::kHistogram, Reason::budget, "needs 10 bytes; 5 are available");
  record.dispatch_id = 2;
  record.launch_site = "main at app.cpp:12\nstart";
  append_dispatch(out, record);
  totals.add(record);
  record = {};
  record.dispatch_id = 3;
  record.outcome = Outcome::opted_out;
  append_dispatch(out, record);
  totals.add(record);
  totals.sums.skipped[static_cast<size_t>(Reason::filtered)] = 4;
  append_trailer(out, totals, 1'700'000'009'000'000'000);
  return text_of(out);
}

}  // namespace

TEST_CASE("the lines of schema 1 are as they were released") {
  std::string text = whole_file();
  const std::string producer = "\"producer\":\"libkreplay ";
  const size_t version = text.find(producer) + producer.size();
  text.replace(version, text.find('"', version) - version, "VERSION");
  fixtures::check_golden(text, "results-1.jsonl");
}

TEST_CASE("every line parses, and has its type first") {
  std::istringstream lines(whole_file());
  std::vector<std::string> types;
  for (std::string line; std::getline(lines, line);) {
    CHECK(line.compare(0, 9, "{\"type\":\"") == 0);
    types.push_back(nlohmann::json::parse(line).at("type"));
  }
  CHECK(types == std::vector<std::string>{"header", "kernel", "kernel", "dispatch", "dispatch", "dispatch",
                                          "trailer"});
}

TEST_CASE("the largest values and odd names come back as they were") {
  const KernelInfo odd{UINT64_MAX - 1, "\"sym\\bol\"", "line\nbreak \xff", {}};
  DispatchRecord record = fixtures::declined(odd, Reason::snapshot_failed, "a \"detail\"");
  record.dispatch_id = record.queue_id = record.bytes_saved = UINT64_MAX;
  LineBuffer out;
  append_dispatch(out, record);
  const auto dispatch = nlohmann::json::parse(text_of(out));
  CHECK(dispatch.at("id") == UINT64_MAX);
  CHECK(dispatch.at("bytes_saved") == UINT64_MAX);
  CHECK(dispatch.at("kernel") == UINT64_MAX - 1);
  CHECK(dispatch.at("detail") == "a \"detail\"");
  out.clear();
  append_kernel(out, odd);
  const auto kernel = nlohmann::json::parse(text_of(out));
  CHECK(kernel.at("symbol") == "\"sym\\bol\"");
  CHECK(kernel.at("name") == "line\nbreak \xef\xbf\xbd");
}

TEST_CASE("every outcome and reason has a name of its own, listed in docs/results.md") {
  const std::string page = fixtures::read_file(KREPLAY_SOURCE_DIR "/docs/results.md");
  std::vector<std::string> names;
  for (size_t i = 0; i < kOutcomes; ++i) names.emplace_back(name_of(static_cast<Outcome>(i)));
  for (size_t i = 0; i < kReasons; ++i) names.emplace_back(name_of(static_cast<Reason>(i)));
  for (const PassesEnd end :
       {PassesEnd::count, PassesEnd::converged, PassesEnd::max_passes, PassesEnd::max_time, PassesEnd::tool})
    names.emplace_back(name_of(end));
  for (const auto& name : names) {
    INFO(name);
    CHECK(name != "unknown");
    CHECK(has(page, "`" + name + "`"));
  }
  std::sort(names.begin(), names.end());
  CHECK(std::adjacent_find(names.begin(), names.end()) == names.end());
}

TEST_CASE("every field of the lines is listed in docs/results.md") {
  const std::string page = fixtures::read_file(KREPLAY_SOURCE_DIR "/docs/results.md");
  std::istringstream lines(whole_file());
  for (std::string line; std::getline(lines, line);) {
    const auto json = nlohmann::json::parse(line);
    for (const auto& [name, value] : json.items()) {
      INFO(name);
      CHECK(has(page, "`" + name + "`"));
    }
  }
}
