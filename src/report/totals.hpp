// Sums over the records of a run, in memory that does not grow with the number of dispatches.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "report/outcome.hpp"
#include "report/time_histogram.hpp"

namespace kreplay::report {

constexpr size_t kOutcomes = 4;
constexpr size_t kReasons = static_cast<size_t>(Reason::count);

/// What is summed, for one kernel or for the run.
struct Sums {
  uint64_t dispatches = 0;  ///< records; the outcomes add up to it
  std::array<uint64_t, kOutcomes> outcomes{};
  std::array<uint64_t, kReasons> declined{};  ///< by reason; adds up to outcomes[declined]
  std::array<uint64_t, kReasons> stopped{};   ///< by reason; adds up to outcomes[stopped]
  std::array<uint64_t, kReasons> skipped{};   ///< no candidates, not recorded
  uint64_t passes_run = 0;
  uint64_t bytes_saved = 0;
  uint64_t bytes_restored = 0;
  uint64_t bytes_link = 0;
  uint64_t save_ns = 0;
  uint64_t restore_ns = 0;
  uint64_t window_ns = 0;
  uint64_t unverified_bytes = 0;

  uint64_t of(Outcome outcome) const { return outcomes[static_cast<size_t>(outcome)]; }
  uint64_t skipped_sum() const;
  void add(const DispatchRecord& record);
  void add(const Sums& other);
};

struct KernelTotals {
  std::string name;  ///< demangled
  Sums sums;
  TimeHistogram pass_ns;  ///< of dispatches that were replayed or stopped
  /// Time per run of the application, whatever the number of passes: the median pass of each measured launch,
  /// summed.
  double run_ns = 0;
  uint64_t impossible_passes = 0;  ///< that end before they start; in no figure
};

/// Times of the passes that count: without warm-up, without those that end before they start.
/// @param times_ns cleared first. @return how many end before they start
uint64_t counted_passes(const DispatchRecord& record, std::vector<uint64_t>* times_ns);

/// Id under which dispatches of unknown kernel objects are summed.
constexpr uint64_t kUnknownKernel = UINT64_MAX;

struct Totals {
  Sums sums;
  std::map<uint64_t, KernelTotals> kernels;  ///< by kernel id
  uint64_t lines_lost = 0;                   ///< records that are not in the file although one was asked for

  void add(const DispatchRecord& record);

 private:
  std::vector<uint64_t> times_ns_;  ///< kept for its memory
};

/// The summary table (see OutcomeSink::summary()).
/// @param name_columns the widest name (short_names()); 0: names are not shortened
std::string format_summary(const Totals& totals, size_t name_columns = 40);

// For tables; also used by the command line.

/// "12.3 us": three significant digits.
std::string human_time(double ns);
/// "1.25 MiB"
std::string human_bytes(uint64_t bytes);

}  // namespace kreplay::report
