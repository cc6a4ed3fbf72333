// Records and files for the tests of this folder.
#pragma once

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "report/sink.hpp"
#include "support/folder.hpp"

namespace fixtures {

using kreplay::report::DispatchRecord;
using kreplay::report::KernelInfo;
using kreplay::report::Outcome;
using kreplay::report::PassTime;
using kreplay::report::Reason;

/// Compares with a committed file; what differs is kept for a look, or to take over.
inline void check_golden(const std::string& text, const std::string& name) {
  const std::string path = std::string(KREPLAY_GOLDEN_DIR "/") + name;
  const bool same = text == read_file(path);
  const std::string kept = (std::filesystem::temp_directory_path() / ("actual-" + name)).string();
  if (!same) std::ofstream(kept) << text;
  INFO("diff " << path << " " << kept);
  CHECK(same);
}

inline std::vector<nlohmann::json> read_lines(const std::string& path) {
  std::vector<nlohmann::json> lines;
  std::istringstream text(read_file(path));
  for (std::string line; std::getline(text, line);) lines.push_back(nlohmann::json::parse(line));
  return lines;
}

inline const KernelInfo kAxpy{1, "_Z4axpyIfEvPT_S1_i", "void axpy<float>(float*, float*, int)", {}};
inline const KernelInfo kHistogram{2, "_Z9histogramPjS_", "histogram(unsigned int*, unsigned int*)", {}};

/// The same kernel as from a code object with metadata.
inline KernelInfo compiled(KernelInfo kernel) {
  kernel.resources = {36, 4, 22, 1, 2, 4096, 16, 280, 0xcafe, 0xdecade, 1536};
  return kernel;
}

inline const std::vector<PassTime> kPasses = {{1000, 13300}, {20000, 32100}, {40000, 52900}};

inline DispatchRecord replayed(const KernelInfo& kernel, const std::vector<PassTime>& passes) {
  DispatchRecord record;
  record.kernel = &kernel;
  record.launch = 1;
  record.agent_node = 1;
  record.queue_id = 3;
  record.thread_id = 4242;
  record.correlation_id = 17;
  record.grid[0] = 1024;
  record.grid[1] = record.grid[2] = 1;
  record.lds_bytes = 4352;
  record.workgroup[0] = 256;
  record.workgroup[1] = record.workgroup[2] = 1;
  record.outcome = Outcome::replayed;
  record.tier = "T3";
  record.passes = passes.data();
  record.passes_requested = record.passes_run = passes.size();
  record.extents = 2;
  record.bytes_saved = 1 << 20;
  record.bytes_restored = passes.empty() ? 0 : (passes.size() - 1) << 20;
  record.save_ns = 500;
  record.restore_ns = 900;
  record.window_ns = 70000;
  return record;
}

inline DispatchRecord declined(const KernelInfo& kernel, Reason reason, std::string_view detail) {
  DispatchRecord record;
  record.kernel = &kernel;
  record.outcome = Outcome::declined;
  record.reason = reason;
  record.detail = detail;
  record.passes_requested = 3;
  record.passes_run = 1;
  return record;
}

inline kreplay::report::RunInfo run_info() {
  kreplay::report::RunInfo info;
  info.runtime = {{"libhsa-runtime64.so.1", "/usr/lib/libhsa-runtime64.so.1.5.50203"},
                  {"libamdhip64.so.5", "/usr/lib/libamdhip64.so.5"}};
  info.agents = {{1, "gfx906", "Vega 20", uint64_t{16} << 30, 60}};
  info.options = {{"KREPLAY_OUTPUT", "run-%p.jsonl"}, {"KREPLAY_PASSES", "3"}};
  info.bar_disabled = true;
  info.tool = "timing";
  return info;
}

}  // namespace fixtures
