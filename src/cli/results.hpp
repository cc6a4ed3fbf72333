// What reports and comparisons keep of result files: sums per kernel, bounded samples per launch shape, the
// conditions of the runs.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/status.hpp"
#include "cli/result_reader.hpp"
#include "cli/samples.hpp"
#include "report/totals.hpp"

namespace kreplay::cli {

/// A process of a run: one header and what follows it.
struct Process {
  HeaderLine header;
  uint64_t dispatches = 0;
  bool complete = false;  ///< has its trailer
};

using Facts = std::map<std::string, std::set<std::string>>;  ///< name to the values that occur

struct Results {
  std::vector<Process> processes;
  size_t runs = 0;                    ///< files
  std::set<std::string> cache_modes;  ///< of the dispatches that were timed
  report::Totals totals;              ///< kernels of one name under one id
  std::map<ShapeKey, Samples> samples;
  /// Passes that end before they start, which is impossible: they are in no sample.
  std::map<ShapeKey, uint64_t> impossible_passes;
  std::map<std::string, Facts> facts;  ///< by kernel name
  Notes notes;
};

/// Adds one file to `results`, as one run. Status as of read_result_file; what was read before a failure
/// stays.
Status read_results(const std::string& path, Results* results);
/// Adds the files of the processes of one run.
Status read_run(const std::vector<std::string>& paths, Results* results);

}  // namespace kreplay::cli
