// A report as text.
#pragma once

#include <string>

#include "cli/results.hpp"
#include "cli/text_table.hpp"

namespace kreplay::cli {

/// For a terminal: kernels by time per run, below a line per process.
std::string report_table(const Results& results, const View& view = {});
/// GitHub-flavoured Markdown: kernels and launch shapes by time per run, dispatches that were not replayed,
/// notes.
std::string report_markdown(const Results& results, const View& view = {});
/// One JSON object (docs/results.md); it has everything, whatever is asked to be shown.
std::string report_json(const Results& results, const View& view = {});
/// One self-contained page: tables, and plots of the time per launch, the distribution of pass times, bytes
/// saved and restored, outcomes by reason. Loads nothing and forbids itself to.
std::string report_html(const Results& results, const View& view = {});

// What the formats have in common.

struct ShapeSummary {
  ShapeKey key;
  const Samples* samples = nullptr;
};
/// Kernels and launch shapes, longest time per run first.
std::vector<ShapeSummary> shapes_by_time(const Results& results);
/// Kernels by name, longest time per run first.
std::vector<const report::KernelTotals*> kernels_by_time(const Results& results);

/// Launches of the application, times the median pass of each, over all kernels, ns. Of all runs together.
double measured_ns(const Results& results);
/// Names of all kernels, short.
std::map<std::string, std::string> kernel_names(const Results& results, size_t columns);

struct ReasonCount {
  std::string outcome, reason;
  uint64_t dispatches = 0;
};
/// Outcomes with their reasons, skipped launches last; those that did not occur are left out.
std::vector<ReasonCount> outcome_counts(const report::Sums& sums);

/// "/opt/app (pid 12) on node7, 2026-01-01T00:00:00Z: 10 dispatches", and "cut off" where it is.
std::string process_line(const Process& process);

}  // namespace kreplay::cli
