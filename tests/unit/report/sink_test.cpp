#include "report/sink.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "fixtures.hpp"

using namespace kreplay::report;
using fixtures::Folder;

TEST_CASE("a run gives a header, each kernel once before its first dispatch, the dispatches, and a trailer") {
  const Folder folder;
  OutcomeSink sink;
  REQUIRE(sink.open(folder / "run-%p.jsonl").ok());
  CHECK(sink.path() == folder / ("run-" + std::to_string(::getpid()) + ".jsonl"));
  sink.header(fixtures::run_info());
  sink.kernel(fixtures::kAxpy);
  sink.kernel(fixtures::kAxpy);
  sink.record(fixtures::replayed(fixtures::kAxpy, fixtures::kPasses));
  sink.record(fixtures::declined(fixtures::kHistogram, Reason::graph, ""));
  sink.record(fixtures::replayed(fixtures::kHistogram, fixtures::kPasses));
  DispatchRecord unknown;
  sink.record(unknown);
  sink.finish();
  sink.finish();
  sink.record(unknown);

  const auto lines = fixtures::read_lines(sink.path());
  std::vector<std::string> types;
  types.reserve(lines.size());
  for (const auto& line : lines) types.push_back(line.at("type"));
  CHECK(types == std::vector<std::string>{"header", "kernel", "dispatch", "kernel", "dispatch", "dispatch",
                                          "dispatch", "trailer"});
  CHECK(lines[0].at("pid") == ::getpid());
  CHECK(lines[0].at("schema") == kSchemaVersion);
  CHECK(lines.back().at("dispatches") == 4);
  CHECK(sink.totals().sums.dispatches == 4);
}

TEST_CASE("without a file there are totals all the same") {
  OutcomeSink sink;
  REQUIRE(sink.open("").ok());
  sink.header({});
  sink.record(fixtures::replayed(fixtures::kAxpy, fixtures::kPasses));
  sink.finish();
  CHECK(sink.totals().sums.passes_run == 3);
  CHECK(sink.totals().lines_lost == 0);
  CHECK(sink.path().empty());
}

TEST_CASE("records that could not be written are counted") {
  OutcomeSink sink;
  CHECK(sink.open("/proc/no/such/file").code() == kreplay::Error::io);
  sink.record(fixtures::replayed(fixtures::kAxpy, fixtures::kPasses));
  CHECK(sink.totals().lines_lost == 1);
  CHECK(fixtures::has(sink.summary(), "1 record could not be written"));
}

TEST_CASE("the trailer is the sum of the records, from many threads") {
  const Folder folder;
  constexpr int kThreads = 6;
  constexpr int kPerThread = 300;
  OutcomeSink sink;
  REQUIRE(sink.open(folder / "run.jsonl").ok());
  sink.header(fixtures::run_info());
  std::vector<std::thread> threads;
  threads.reserve(kThreads);
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&sink, t] {
      const KernelInfo kernel{static_cast<uint64_t>(10 + t % 3), "symbol", "name", {}};
      for (int i = 0; i < kPerThread; ++i) {
        DispatchRecord record = i % 4 == 0 ? fixtures::declined(kernel, Reason::graph, "why")
                                           : fixtures::replayed(kernel, fixtures::kPasses);
        if (i % 4 == 1) {
          record.outcome = Outcome::stopped;
          record.reason = Reason::host_write;
        }
        record.unverified_bytes = static_cast<uint64_t>(i);
        sink.record(record);
        sink.count_skipped(&kernel, Reason::filtered);
        sink.count_skipped(nullptr, Reason::runtime_internal);
      }
    });
  }
  for (auto& thread : threads) thread.join();
  sink.finish();

  const auto lines = fixtures::read_lines(folder / "run.jsonl");
  std::map<std::string, uint64_t> outcomes, sums;
  std::map<uint64_t, bool> kernels;
  uint64_t declined = 0;
  for (const auto& line : lines) {
    if (line.at("type") == "kernel") {
      CHECK_FALSE(kernels[line.at("id")]);
      kernels[line.at("id")] = true;
    }
    if (line.at("type") != "dispatch") continue;
    CHECK(kernels[line.at("kernel")]);
    ++outcomes[line.at("outcome")];
    if (line.at("outcome") == "declined" && line.at("reason") == "graph") ++declined;
    ++sums["dispatches"];
    for (const char* field : {"passes_run", "bytes_saved", "bytes_restored", "save_ns", "restore_ns",
                              "window_ns", "unverified_bytes"})
      sums[field] += line.at(field).get<uint64_t>();
  }
  const auto& trailer = lines.back();
  REQUIRE(trailer.at("type") == "trailer");
  for (const auto& [field, sum] : sums) {
    INFO(field);
    CHECK(trailer.at(field) == sum);
  }
  CHECK(sums["dispatches"] == kThreads * kPerThread);
  CHECK(trailer.at("outcomes").at("replayed") == outcomes["replayed"]);
  CHECK(trailer.at("outcomes").at("stopped") == outcomes["stopped"]);
  CHECK(trailer.at("outcomes").at("declined") == outcomes["declined"]);
  CHECK(trailer.at("outcomes").at("opted_out") == 0);
  CHECK(trailer.at("declined") == nlohmann::json{{"graph", declined}});
  CHECK(trailer.at("stopped") == nlohmann::json{{"host_write", outcomes["stopped"]}});
  CHECK(trailer.at("skipped") ==
        nlohmann::json{{"filtered", kThreads * kPerThread}, {"runtime_internal", kThreads * kPerThread}});
  CHECK(trailer.at("kernels") == 3);
  CHECK(trailer.at("lines_lost") == 0);
  CHECK(sink.totals().kernels.at(10).sums.skipped[static_cast<size_t>(Reason::filtered)] == 2 * kPerThread);
}

TEST_CASE("finishing does not wait for ever for a line that does not get into the file") {
  const Folder folder;
  const std::string pipe = folder / "pipe";
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  const int reader = ::open(pipe.c_str(), O_RDONLY | O_NONBLOCK);
  REQUIRE(reader >= 0);
  OutcomeSink sink(20'000'000);
  REQUIRE(sink.open(pipe).ok());
  sink.header({});
  std::atomic<unsigned> written{0};
  constexpr unsigned kLines = 5000;  // more than a pipe holds
  std::thread writer([&] {
    for (; written < kLines; ++written) sink.record({});
  });
  // The writer is stuck when it gets no further; had it only been slow, finishing would wait for it.
  for (unsigned before = 0, same = 0; same < 50; before = written) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    same = written == before ? same + 1 : 0;
  }
  sink.finish();  // comes back
  CHECK(written < kLines);
  std::string text;
  for (bool over = false; !over;) {
    over = written == kLines;  // asked before the look: what was written by then is read
    char bytes[4096];
    for (ssize_t n = 0; (n = ::read(reader, bytes, sizeof bytes)) > 0;)
      text.append(bytes, static_cast<size_t>(n));
  }
  writer.join();
  ::close(reader);
  CHECK(fixtures::has(text, "\"header\""));
  CHECK_FALSE(fixtures::has(text, "\"trailer\""));
}
