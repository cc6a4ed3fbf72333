// How the times of kernels went over the runs of a store of baselines.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/status.hpp"
#include "cli/baseline_store.hpp"
#include "cli/samples.hpp"

namespace kreplay::cli {

/// One kernel and launch shape over the runs of a machine.
struct Trend {
  ShapeKey key;
  std::vector<size_t> runs;       ///< those that measured it, as places in MachineHistory::runs
  std::vector<double> median_ns;  ///< in each of them, the median of its launches' median passes
  std::vector<double> run_ns;     ///< in each of them, the time per run
  std::vector<size_t> steps;      ///< places in `median_ns` from which on the level is another
};

struct MachineHistory {
  std::string key;                             ///< of the machine
  std::map<std::string, std::string> machine;  ///< facts behind it
  std::vector<std::string> runs;               ///< when each began, oldest first
  std::vector<Trend> trends;                   ///< those that step by most first, then by time per run
};

/// Steps of a level in noise: where the medians before and after differ by more than five times what noise
/// would explain, and by 1 % at least. Noise is taken from differences of neighbours, which a step hardly
/// touches. Both sides of a step have two values or more; fewer than six values have none, unless the rest is
/// without noise. Of noise alone, at most two of a hundred sequences have a step.
std::vector<size_t> level_steps(const std::vector<double>& values);

/// @return Error::not_found where there is no store, or as read_result_file()
Result<std::vector<MachineHistory>> read_history(const BaselineStore& store);

/// As one page: per machine a table of all kernels, and trends as pictures with their steps marked.
std::string history_html(const std::vector<MachineHistory>& machines);
/// For a terminal: the trends with steps.
std::string history_table(const std::vector<MachineHistory>& machines, size_t columns, bool full_names);

/// Last level over the first one, from the medians of both; 1 without a step.
double level_change(const Trend& trend);

}  // namespace kreplay::cli
