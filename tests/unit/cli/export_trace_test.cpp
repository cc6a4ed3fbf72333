// The trace against the public description of the trace event format: an object with an array of events; each
// has a phase, a process and a track; complete events (X) have a time and a duration in microseconds and nest
// on their track; metadata events (M) name processes and tracks.
#include "cli/export_trace.hpp"

#include <nlohmann/json.hpp>
#include <set>

#include "fixtures.hpp"

using namespace kreplay;
using namespace kreplay::cli;
using fixtures::Folder;
using fixtures::has;

namespace {

using Json = nlohmann::json;
const std::string kGolden = KREPLAY_SOURCE_DIR "/tests/unit/report/golden/results-1.jsonl";
const std::string kRecorded = KREPLAY_SOURCE_DIR "/tests/unit/cli/recorded.jsonl";

Json trace_of(const Folder& folder, const std::vector<std::string>& paths) {
  std::FILE* file = std::fopen((folder / "trace.json").c_str(), "w");
  REQUIRE(file != nullptr);
  Notes notes;
  const Status written = export_trace(paths, file, &notes);
  std::fclose(file);
  INFO(written.message());
  REQUIRE(written.ok());
  return Json::parse(fixtures::read_file(folder / "trace.json"));
}

/// Nanoseconds exactly: the text has three decimals.
int64_t ns(const Json& microseconds) { return std::llround(microseconds.get<double>() * 1000); }

void check_events(const Json& trace) {
  CHECK((trace.at("displayTimeUnit") == "ns" || trace.at("displayTimeUnit") == "ms"));
  std::set<std::pair<int, int>> named;
  std::map<std::pair<int, int>, int64_t> ends;
  std::set<int> processes;
  for (const Json& event : trace.at("traceEvents")) {
    INFO(event.dump());
    REQUIRE(event.at("ph").is_string());
    REQUIRE(event.at("name").is_string());
    const std::pair<int, int> track{event.at("pid").get<int>(), event.at("tid").get<int>()};
    if (event.at("ph") == "M") {
      const std::string what = event.at("name");
      CHECK(event.at("args").contains(has(what, "sort_index")    ? "sort_index"
                                      : what == "process_labels" ? "labels"
                                                                 : "name"));
      if (what == "process_name") processes.insert(track.first);
      if (what == "thread_name") CHECK(named.insert(track).second);
      continue;
    }
    REQUIRE(event.at("ph") == "X");
    CHECK(event.at("ts").get<double>() >= 0);
    CHECK(event.at("dur").get<double>() >= 0);
    CHECK(named.count(track) == 1);
    CHECK(processes.count(track.first) == 1);
    CHECK(ns(event.at("ts")) >= ends[track]);  // slices of one track follow each other
    ends[track] = ns(event.at("ts")) + ns(event.at("dur"));
  }
}

std::vector<Json> of_category(const Json& trace, const std::string& category) {
  std::vector<Json> events;
  for (const Json& event : trace.at("traceEvents"))
    if (event.value("cat", "") == category) events.push_back(event);
  return events;
}

}  // namespace

TEST_CASE("trace: passes where they were measured, the rest around them") {
  const Folder folder;
  const Json trace = trace_of(folder, {kGolden});
  check_events(trace);
  const auto passes = of_category(trace, "pass");
  REQUIRE(passes.size() == 3);
  const int64_t begin = 1000 - 500;  // the save of 500 ns ends where the first pass begins
  const std::pair<int64_t, int64_t> want[] = {{1000, 13'300}, {20'000, 32'100}, {40'000, 52'900}};
  for (size_t i = 0; i < 3; ++i) {
    CHECK(ns(passes[i].at("ts")) == want[i].first - begin);
    CHECK(ns(passes[i].at("dur")) == want[i].second - want[i].first);
    CHECK(passes[i].at("args").at("pass") == i + 1);
    CHECK(passes[i].at("name") == "void axpy<float>(float*, float*, int)");
  }
  const auto launches = of_category(trace, "launch");
  REQUIRE(launches.size() == 1);
  CHECK(ns(launches[0].at("dur")) == 52'900 - 1000);
  CHECK(launches[0].at("args").at("grid") == "1024x1x1");
  const auto saves = of_category(trace, "save");
  REQUIRE(saves.size() == 1);
  CHECK(ns(saves[0].at("ts")) == 0);
  CHECK(ns(saves[0].at("dur")) == 500);
  const auto restores = of_category(trace, "restore");
  REQUIRE(restores.size() == 2);
  CHECK(ns(restores[0].at("dur")) == 450);
  CHECK(ns(restores[0].at("ts")) + 450 == 20'000 - begin);
  const auto windows = of_category(trace, "window");
  REQUIRE(windows.size() == 1);
  CHECK(ns(windows[0].at("dur")) == 70'000);
  CHECK(has(trace.dump(), "/opt/app (pid 1234 on node7, rank 3)"));
  CHECK(has(trace.dump(), "2 dispatches without times are not shown"));
}

TEST_CASE("trace: a recorded file, several files, hosts with clocks of their own, odd names") {
  const Folder folder;
  const Json recorded = trace_of(folder, {kRecorded});
  check_events(recorded);
  CHECK(of_category(recorded, "launch").size() == 80);
  const Json both = trace_of(folder, {kRecorded, kGolden, kRecorded});
  check_events(both);
  CHECK(of_category(both, "pass").size() == 2 * of_category(recorded, "pass").size() + 3);
  const auto odd = fixtures::write_results(folder / "a.jsonl", {{"f<\"x\">\\\n(int)", {10, 20}}});
  check_events(trace_of(folder, {odd}));
  // Another host, whose clock began much earlier: its first thing is at 0 as well.
  std::string text = fixtures::read_file(odd);
  text.replace(text.find("\"host\":\"") + 8, 1, "other-");
  for (size_t at = text.find("[100,"); at != std::string::npos; at = text.find("[100,")) {
    const size_t end = text.find(']', at);
    text.replace(at, end - at + 1, "[900000000000000100,900000000000000110]");
  }
  const Json hosts = trace_of(folder, {odd, fixtures::write_file(folder / "b.jsonl", text)});
  check_events(hosts);
  for (const Json& event : of_category(hosts, "pass")) CHECK(event.at("ts").get<double>() < 1);
}

TEST_CASE("trace: standard input cannot be read twice, output that cannot be written is an error") {
  Notes notes;
  std::FILE* full = std::fopen("/dev/full", "w");
  REQUIRE(full != nullptr);
  CHECK(has(export_trace({"-"}, full, &notes).message(), "needs its input twice"));
  CHECK(export_trace({kRecorded}, full, &notes).code() == Error::io);
  std::fclose(full);
}
