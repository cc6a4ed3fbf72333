// Where outcome records go: a JSON Lines file (each line one write(2), so it is whole even after a kill) and
// the totals behind the summary table.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/status.hpp"
#include "report/outcome.hpp"

namespace kreplay::report {

/// What the header line says about the process.
struct RunInfo {
  std::vector<std::pair<std::string, std::string>> runtime;  ///< library name -> path (and version)
  struct Agent {
    uint32_t node = 0;
    std::string name;     ///< "gfx906"
    std::string product;  ///< marketing name, may be empty
    uint64_t memory_bytes = 0;
    uint32_t compute_units = 0;
  };
  std::vector<Agent> agents;
  std::vector<std::pair<std::string, std::string>> options;  ///< KREPLAY_* as set
  bool bar_disabled = false;  ///< ROC_ENABLE_LARGE_BAR=0 was set by us
  std::string tool;           ///< "timing" or the tools' names
};

/// Threads: any. One mutex guards totals; writing happens outside it.
class OutcomeSink {
 public:
  OutcomeSink();
  ~OutcomeSink();
  OutcomeSink(const OutcomeSink&) = delete;
  OutcomeSink& operator=(const OutcomeSink&) = delete;

  /// Opens the file (never overwrites: an existing name gets ".1", ".2", ... before its extension).
  /// @param pattern KREPLAY_OUTPUT; empty = no file, totals only
  Status open(const std::string& pattern);
  void header(const RunInfo& info);
  void kernel(const KernelInfo& kernel);
  void record(const DispatchRecord& record);
  /// A dispatch that was no candidate (filtered, runtime_internal): counted per kernel, not written.
  void count_skipped(const KernelInfo* kernel, Reason reason);
  /// Writes the trailer once; later calls do nothing.
  void finish();
  /// The table of the run: kernel, launches, passes, median/min/max/spread of the pass times, bytes saved
  /// and restored, declined and why. Empty when no dispatch was seen.
  std::string summary() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace kreplay::report
