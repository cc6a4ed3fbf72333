// The parts of the summary table, for tables like it.
#pragma once

#include <string>
#include <vector>

#include "report/totals.hpp"

namespace kreplay::report {

/// "kreplay: 4 candidate dispatches, 4 replayed; ..." with a newline; empty when no dispatch was seen.
std::string summary_headline(const Totals& totals);
/// "2 graph, 1 multi_packet": most frequent first; empty when all were replayed.
std::string reasons_text(const Sums& sums);
/// launches, replayed, passes, time per run, share, median, min, max, spread, bytes saved and restored
/// @param all_ns KernelTotals::run_ns of all kernels together
/// @param runs how many the totals are of
std::vector<std::string> kernel_cells(const KernelTotals& kernel, double all_ns, size_t runs);
/// Lines on what the table does not show; may be empty.
std::string summary_notes(const Totals& totals);

}  // namespace kreplay::report
