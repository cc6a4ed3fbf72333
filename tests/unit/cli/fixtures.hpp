// Result files and runs of the kreplay program.
#pragma once

#include <sys/wait.h>

#include <catch2/catch.hpp>
#include <cstdio>
#include <string>
#include <vector>

#include "report/sink.hpp"
#include "support/folder.hpp"

namespace fixtures {

struct Ended {
  int status = 0;    ///< as waitpid gives it
  std::string text;  ///< stdout and stderr
  int code() const { return WIFEXITED(status) ? WEXITSTATUS(status) : -1; }
};

/// Runs a shell command line.
inline Ended shell(const std::string& line) {
  Ended ended;
  FILE* pipe = ::popen(("exec 2>&1; " + line).c_str(), "r");
  REQUIRE(pipe != nullptr);
  char part[4096];
  for (size_t n = 0; (n = std::fread(part, 1, sizeof part, pipe)) > 0;) ended.text.append(part, n);
  ended.status = ::pclose(pipe);
  return ended;
}

struct KernelTimes {
  std::string name;
  std::vector<uint64_t> pass_ns;
};

/// Writes a result file through the library's own writer.
inline std::string write_results(const std::string& path, const std::vector<KernelTimes>& kernels,
                                 const std::string& product = "Vega 20", bool whole = true) {
  using namespace kreplay::report;
  OutcomeSink sink;
  REQUIRE(sink.open(path).ok());
  RunInfo info;
  info.agents = {{1, "gfx906", product, uint64_t{16} << 30, 60}};
  info.tool = "timing";
  sink.header(info);
  uint64_t id = 0;
  for (const auto& kernel : kernels) {
    const KernelInfo kernel_info{++id, kernel.name, kernel.name, {}};
    DispatchRecord record;
    record.dispatch_id = id;
    record.kernel = &kernel_info;
    record.grid[0] = 1024;
    record.grid[1] = record.grid[2] = 1;
    record.outcome = kernel.pass_ns.empty() ? Outcome::declined : Outcome::replayed;
    record.reason = kernel.pass_ns.empty() ? Reason::graph : Reason::none;
    std::vector<PassTime> passes;
    for (const uint64_t ns : kernel.pass_ns) passes.push_back({100, 100 + ns});
    record.passes = passes.data();
    record.passes_run = passes.size();
    sink.record(record);
  }
  if (whole) sink.finish();
  return sink.path();
}

}  // namespace fixtures
