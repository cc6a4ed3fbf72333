// What of a comparison is shown, and in which order. Filters leave the verdict alone.
#pragma once

#include <set>

#include "cli/compare.hpp"
#include "cli/text_table.hpp"

namespace kreplay::cli {

struct Show {
  View view;
  bool changed = false;            ///< leave out rows that are plainly the same, or ignored
  std::set<Row::State> states;     ///< rows of these; empty: of all
  size_t most_characters = 65536;  ///< of Markdown: what a comment on GitHub holds
  std::string full;                ///< file with all rows, named where some are left out
};

/// The rows to show: what needs attention first (regressions, doubts, what is gone or new), then by the time
/// per run that the change costs or saves, then by time per run.
std::vector<const Row*> rows_to_show(const Comparison& comparison, const Show& show);

/// "12 of 500 rows shown; all of them: full.html"; empty when all are.
std::string left_out(const Comparison& comparison, size_t shown, const Show& show);

/// Time per run of all rows, ns.
struct RunTotals {
  double base_ns = 0, fresh_ns = 0;
};
RunTotals run_totals(const Comparison& comparison);
/// Share of a row in it, on the new side where that has the kernel; 0..1.
double run_share(const Row& row, const RunTotals& totals);

/// Names of all kernels of a comparison, short.
std::map<std::string, std::string> kernel_names(const Comparison& comparison, size_t columns);

}  // namespace kreplay::cli
