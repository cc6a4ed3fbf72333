// The table a person reads at the end of a run.
#include "report/summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <vector>

#include "report/short_names.hpp"

namespace kreplay::report {
namespace {

const char* plural(uint64_t count) { return count == 1 ? "" : "s"; }

struct Line {
  std::string name;
  double run_ns = 0;
  std::vector<std::string> cells;
  std::string reasons;
};

/// Kernels of one name, whatever code object and agent they came from.
std::map<std::string, KernelTotals> by_name(const Totals& totals) {
  std::map<std::string, KernelTotals> merged;
  for (const auto& [id, kernel] : totals.kernels) {
    if (kernel.sums.dispatches == 0) continue;  // only ever skipped: in the last line
    KernelTotals& into = merged[kernel.name];
    into.name = kernel.name;
    into.sums.add(kernel.sums);
    into.pass_ns.merge(kernel.pass_ns);
    into.run_ns += kernel.run_ns;
    into.impossible_passes += kernel.impossible_passes;
  }
  return merged;
}

}  // namespace

std::string reasons_text(const Sums& sums) {
  std::vector<std::pair<uint64_t, std::string>> parts;
  for (size_t i = 0; i < kReasons; ++i) {
    const auto reason = static_cast<Reason>(i);
    if (sums.declined[i] != 0) parts.emplace_back(sums.declined[i], name_of(reason));
    if (sums.stopped[i] != 0) parts.emplace_back(sums.stopped[i], std::string("stopped: ") + name_of(reason));
    if (sums.skipped[i] != 0) parts.emplace_back(sums.skipped[i], name_of(reason));
  }
  if (sums.of(Outcome::opted_out) != 0) parts.emplace_back(sums.of(Outcome::opted_out), "opted_out");
  std::stable_sort(parts.begin(), parts.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::string text;
  for (const auto& [count, what] : parts)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, what);
  return text;
}

std::vector<std::string> kernel_cells(const KernelTotals& kernel, double all_ns, size_t runs) {
  const Sums& sums = kernel.sums;
  const TimeHistogram& times = kernel.pass_ns;
  const bool timed = times.count() != 0;
  const double median = times.quantile(0.5);
  const double middle_half = times.quantile(0.75) - times.quantile(0.25);
  return {std::to_string(sums.dispatches + sums.skipped_sum()),
          std::to_string(sums.of(Outcome::replayed)),
          std::to_string(times.count()),
          timed ? human_time(kernel.run_ns / static_cast<double>(runs)) : "-",
          timed && all_ns > 0 ? fmt::format("{:.1f} %", 100 * kernel.run_ns / all_ns) : "-",
          timed ? human_time(median) : "-",
          timed ? human_time(static_cast<double>(times.min())) : "-",
          timed ? human_time(static_cast<double>(times.max())) : "-",
          timed && median > 0 ? fmt::format("{:.1f} %", 100 * middle_half / median) : "-",
          human_bytes(sums.bytes_saved),
          human_bytes(sums.bytes_restored)};
}

std::string summary_headline(const Totals& totals) {
  const Sums& sums = totals.sums;
  if (sums.dispatches == 0 && sums.skipped_sum() == 0) return {};
  std::string text = "kreplay: ";
  const uint64_t replayed = sums.of(Outcome::replayed);
  if (replayed == 0) text += "nothing was replayed: ";
  text += fmt::format("{} candidate dispatch{}, {} replayed", sums.dispatches,
                      sums.dispatches == 1 ? "" : "es", replayed);
  for (const Outcome outcome : {Outcome::stopped, Outcome::declined, Outcome::opted_out})
    if (sums.of(outcome) != 0)
      text += fmt::format(", {} {}", sums.of(outcome),
                          outcome == Outcome::opted_out ? "opted out" : name_of(outcome));
  text +=
      fmt::format("; {} pass{}, {} saved, {} restored\n", sums.passes_run, sums.passes_run == 1 ? "" : "es",
                  human_bytes(sums.bytes_saved), human_bytes(sums.bytes_restored));
  return text;
}

std::string summary_notes(const Totals& totals) {
  const Sums& sums = totals.sums;
  const uint64_t skipped = sums.skipped_sum();
  uint64_t impossible = 0;
  for (const auto& [id, kernel] : totals.kernels) impossible += kernel.impossible_passes;
  std::string text;
  if (skipped != 0) {
    text += fmt::format("kreplay: {} launch{} no candidate{}:", skipped, skipped == 1 ? " was" : "es were",
                        plural(skipped));
    bool first = true;
    for (size_t i = 0; i < kReasons; ++i) {
      if (sums.skipped[i] == 0) continue;
      text += fmt::format("{} {} {}", first ? "" : ",", sums.skipped[i], name_of(static_cast<Reason>(i)));
      first = false;
    }
    text += "\n";
  }
  if (sums.unverified_bytes != 0) {
    text += fmt::format(
        "kreplay: host and managed memory in reach was not checked for writes ({} summed over the "
        "dispatches)\n",
        human_bytes(sums.unverified_bytes));
  }
  if (impossible != 0) {
    text += fmt::format("kreplay: {} pass{} left out that end{} before {} start\n", impossible,
                        impossible == 1 ? " was" : "es were", impossible == 1 ? "s" : "",
                        impossible == 1 ? "its" : "their");
  }
  if (totals.lines_lost != 0) {
    text += fmt::format("kreplay: {} record{} could not be written to the result file\n", totals.lines_lost,
                        plural(totals.lines_lost));
  }
  return text;
}

std::string human_time(double ns) {
  constexpr const char* kUnits[] = {"ns", "us", "ms", "s"};
  size_t unit = 0;
  while (unit < 3 && ns >= 999.5) {
    ns /= 1000;
    ++unit;
  }
  const int decimals = ns >= 99.95 || (unit == 0 && ns == std::floor(ns)) ? 0 : ns >= 9.995 ? 1 : 2;
  return fmt::format("{:.{}f} {}", ns, decimals, kUnits[unit]);
}

std::string human_bytes(uint64_t bytes) {
  constexpr const char* kUnits[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  if (bytes < 1024) return fmt::format("{} B", bytes);
  auto value = static_cast<double>(bytes);
  size_t unit = 0;
  while (unit < 6 && value >= 1023.5) {
    value /= 1024;
    ++unit;
  }
  return fmt::format("{:.{}f} {}", value, value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2, kUnits[unit]);
}

std::string format_summary(const Totals& totals, size_t name_columns) {
  std::string text = summary_headline(totals);
  if (text.empty()) return text;

  const auto kernels = by_name(totals);
  std::set<std::string> names;
  for (const auto& [name, kernel] : kernels) names.insert(name);
  const auto brief = short_names(names, name_columns);
  std::vector<Line> lines;
  double all_ns = 0;
  for (const auto& [name, kernel] : kernels) all_ns += kernel.run_ns;
  for (const auto& [name, kernel] : kernels)
    lines.push_back(
        {brief.at(name), kernel.run_ns, kernel_cells(kernel, all_ns, 1), reasons_text(kernel.sums)});
  std::stable_sort(lines.begin(), lines.end(),
                   [](const Line& a, const Line& b) { return a.run_ns > b.run_ns; });

  const std::vector<std::string> titles = {"launches", "replayed", "passes", "per run", "share",   "median",
                                           "min",      "max",      "spread", "saved",   "restored"};
  size_t name_width = 6;
  std::vector<size_t> widths;
  widths.reserve(titles.size());
  for (const auto& title : titles) widths.push_back(title.size());
  for (const Line& line : lines) {
    name_width = std::max(name_width, line.name.size());
    for (size_t i = 0; i < widths.size(); ++i) widths[i] = std::max(widths[i], line.cells[i].size());
  }
  if (!lines.empty()) {
    text += fmt::format("{:<{}}", "kernel", name_width);
    for (size_t i = 0; i < titles.size(); ++i) text += fmt::format("  {:>{}}", titles[i], widths[i]);
    text += "  not replayed\n";
  }
  for (const Line& line : lines) {
    text += fmt::format("{:<{}}", line.name, name_width);
    for (size_t i = 0; i < widths.size(); ++i) text += fmt::format("  {:>{}}", line.cells[i], widths[i]);
    text += "  " + (line.reasons.empty() ? std::string("-") : line.reasons) + "\n";
  }
  return text + summary_notes(totals);
}

}  // namespace kreplay::report
