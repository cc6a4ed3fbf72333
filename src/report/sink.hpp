// Where outcome records go: a JSON Lines file (each line one write(2), so it is whole even after a kill) and
// the totals behind the summary table.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/status.hpp"
#include "report/outcome.hpp"
#include "report/totals.hpp"

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
  bool bar_disabled = false;                                 ///< ROC_ENABLE_LARGE_BAR=0 was set by us
  std::string tool;                                          ///< "timing" or the tools' names
};

/// Threads: any. One mutex guards totals; dispatch lines are written outside it. record() allocates nothing
/// once its buffers have their size; count_skipped() touches no cache line that other threads write, unless
/// there are more than 64 threads.
class OutcomeSink {
 public:
  /// @param patience_ns how long finish() waits for lines that other threads are writing
  explicit OutcomeSink(uint64_t patience_ns = 5'000'000'000);
  ~OutcomeSink();
  OutcomeSink(const OutcomeSink&) = delete;
  OutcomeSink& operator=(const OutcomeSink&) = delete;

  /// Opens the file (never overwrites: an existing name gets ".1", ".2", ... before its extension).
  /// @param pattern KREPLAY_OUTPUT; empty = no file, totals only
  /// @return Error::io with the name and the system's reason; totals are kept all the same
  Status open(const std::string& pattern);
  /// The file's name; empty when there is none.
  std::string path() const;
  void header(const RunInfo& info);
  /// Writes the kernel's line, once per kernel id. record() does so too, before the first dispatch line.
  void kernel(const KernelInfo& kernel);
  void record(const DispatchRecord& record);
  /// A dispatch that was no candidate (filtered, runtime_internal): counted per kernel, not written.
  void count_skipped(const KernelInfo* kernel, Reason reason);
  /// Writes the trailer once; later calls do nothing, and later records are neither written nor counted. A
  /// line that does not get into the file in time would hold the trailer up, too: then there is none.
  void finish();
  /// The sums so far; those of the trailer after finish().
  Totals totals() const;
  /// The table of the run: kernel, launches, passes, median/min/max of the pass times and their spread (the
  /// middle half over the median), bytes saved and restored, declined and why; lines end in newlines. Says so
  /// when nothing was replayed. Empty when no dispatch was seen.
  std::string summary() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace kreplay::report
