// The report as one page.
#include <fmt/format.h>

#include <algorithm>

#include "cli/markup.hpp"
#include "cli/report_formats.hpp"
#include "cli/svg_plot.hpp"

namespace kreplay::cli {
namespace {

constexpr size_t kMostPlotted = 20;  ///< kernels and shapes in a plot; the tables hold all

constexpr const char* kHead = R"html(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy"
      content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>kreplay report</title>
<style>
:root { color-scheme: light dark; --ink: #1b1f24; --paper: #fff; --pale: #d8dee4; --a: #2f6fbb; --b: #c2672c; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6edf3; --paper: #0d1117; --pale: #30363d; --a: #6cb0f5; --b: #f0a35e; }
}
body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); max-width: 60rem;
       margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.15rem; margin-top: 2.2rem; } h3 { font-size: .95rem; margin: 1rem 0 .2rem; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; font-size: .88rem; }
th, td { padding: .25rem .6rem; border-bottom: 1px solid var(--pale); text-align: right; white-space: nowrap; }
th:first-child, td:first-child { text-align: left; overflow-wrap: anywhere; white-space: normal; }
figure { margin: 0; }
th { cursor: pointer; user-select: none; } th[aria-sort=descending]::after { content: " \25be"; }
th[aria-sort=ascending]::after { content: " \25b4"; }
code { font: .88rem/1.4 ui-monospace, monospace; }
svg { display: block; max-width: 100%; height: auto; font-size: 12px; } svg text { fill: var(--ink); }
.series0, circle { fill: var(--a); } .series1 { fill: var(--b); }
polyline { fill: none; stroke: var(--a); stroke-opacity: .45; }
.axis, .whisker { stroke: var(--ink); } .grid { stroke: var(--pale); }
.note { border-left: 4px solid var(--b); padding-left: .8rem; }
</style>
</head>
<body>
<h1>kreplay report</h1>
)html";

/// Sorting by a click on a column's head; the page is complete without it.
constexpr const char* kTail = R"html(<script>
for (const head of document.querySelectorAll("th")) {
  head.addEventListener("click", () => {
    const table = head.closest("table"), column = head.cellIndex;
    const down = head.getAttribute("aria-sort") !== "descending";
    for (const other of table.querySelectorAll("th")) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", down ? "descending" : "ascending");
    const key = row => row.cells[column].dataset.value ?? row.cells[column].textContent;
    const order = (a, b) => isNaN(key(a)) || isNaN(key(b)) ? key(a).localeCompare(key(b)) : key(a) - key(b);
    const rows = [...table.tBodies[0].rows].sort((a, b) => down ? order(b, a) : order(a, b));
    table.tBodies[0].append(...rows);
  });
}
document.documentElement.dataset.ready = "yes";
</script>
</body>
</html>
)html";

std::string heading(const std::string& text) { return "<h2>" + escape_markup(text) + "</h2>\n"; }

std::string name_cell(const std::string& name) { return "<td><code>" + escape_markup(name) + "</code></td>"; }
/// A cell that sorts by `value`.
std::string cell(double value, const std::string& text) {
  return fmt::format(R"(<td data-value="{}">{}</td>)", value, escape_markup(text));
}
std::string count_cell(uint64_t value) { return cell(static_cast<double>(value), std::to_string(value)); }
std::string time_cell(double ns) { return cell(ns, report::human_time(ns)); }
std::string bytes_cell(uint64_t bytes) {
  return cell(static_cast<double>(bytes), report::human_bytes(bytes));
}

std::string table(const std::vector<std::string>& heads, const std::string& rows) {
  std::string out = "<table><thead><tr>";
  for (const std::string& head : heads) out += "<th>" + escape_markup(head) + "</th>";
  return out + "</tr></thead><tbody>\n" + rows + "</tbody></table>\n";
}

std::string shape_label(const ShapeKey& key) {
  return key.kernel + " " + dimensions(key.grid) + " / " + dimensions(key.workgroup);
}

std::string time_table(const std::vector<ShapeSummary>& shapes) {
  std::string rows;
  for (const ShapeSummary& shape : shapes) {
    const report::TimeHistogram& times = shape.samples->pass_ns;
    rows += "<tr>" + name_cell(shape.key.kernel) +
            fmt::format("<td>{} / {}</td>", dimensions(shape.key.grid), dimensions(shape.key.workgroup)) +
            count_cell(shape.samples->launches) + count_cell(times.count()) + time_cell(times.quantile(0.5)) +
            time_cell(static_cast<double>(times.min())) + time_cell(static_cast<double>(times.max())) +
            time_cell(static_cast<double>(times.sum())) + "</tr>\n";
  }
  return table({"kernel", "grid / workgroup", "launches", "passes", "median", "min", "max", "total"}, rows);
}

std::string launch_plots(const std::vector<ShapeSummary>& shapes) {
  std::string out;
  for (const ShapeSummary& shape : shapes) {
    std::vector<double> launches;
    for (const auto& [run, samples] : shape.samples->runs)
      launches.insert(launches.end(), samples.launches.values().begin(), samples.launches.values().end());
    out += "<figure class=\"launches\"><h3><code>" + escape_markup(shape_label(shape.key)) + "</code></h3>" +
           line_plot(launches, report::human_time) + "</figure>\n";
  }
  return out;
}

std::string distribution_plot(const std::vector<ShapeSummary>& shapes) {
  std::vector<Box> boxes;
  boxes.reserve(shapes.size());
  for (const ShapeSummary& shape : shapes) {
    const report::TimeHistogram& times = shape.samples->pass_ns;
    boxes.push_back({shape.key.kernel, report::human_time(times.quantile(0.5)),
                     static_cast<double>(times.min()), times.quantile(0.25), times.quantile(0.5),
                     times.quantile(0.75), static_cast<double>(times.max())});
  }
  return "<figure class=\"distribution\">" + box_plot(boxes) + "</figure>\n";
}

std::string bytes_part(const std::vector<const report::KernelTotals*>& kernels) {
  std::string rows;
  std::vector<Bar> bars;
  for (const report::KernelTotals* kernel : kernels) {
    const report::Sums& sums = kernel->sums;
    rows += "<tr>" + name_cell(kernel->name) + count_cell(sums.dispatches) + bytes_cell(sums.bytes_saved) +
            bytes_cell(sums.bytes_restored) + time_cell(static_cast<double>(sums.save_ns)) +
            time_cell(static_cast<double>(sums.restore_ns)) + "</tr>\n";
    if (bars.size() < kMostPlotted)
      bars.push_back({kernel->name,
                      {static_cast<double>(sums.bytes_saved), static_cast<double>(sums.bytes_restored)},
                      {report::human_bytes(sums.bytes_saved), report::human_bytes(sums.bytes_restored)}});
  }
  return "<figure class=\"bytes\">" + bar_plot(bars, {"saved", "restored"}) + "</figure>\n" +
         table({"kernel", "dispatches", "saved", "restored", "time to save", "time to restore"}, rows);
}

std::string outcomes_part(const report::Sums& sums) {
  std::vector<Bar> bars;
  for (const ReasonCount& one : outcome_counts(sums)) {
    const std::string label = one.reason == "none" ? one.outcome : one.outcome + ": " + one.reason;
    bars.push_back({label, {static_cast<double>(one.dispatches)}, {std::to_string(one.dispatches)}});
  }
  return "<figure class=\"outcomes\">" + bar_plot(bars, {"dispatches"}) + "</figure>\n";
}

}  // namespace

std::string report_html(const Results& results, const View& /*view*/) {
  std::string out = kHead;
  for (const Process& process : results.processes)
    out += "<p><code>" + escape_markup(process_line(process)) + "</code></p>\n";
  for (const std::string& note : results.notes) out += "<p class=\"note\">" + escape_markup(note) + "</p>\n";
  const std::vector<ShapeSummary> shapes = shapes_by_time(results);
  const std::vector<ShapeSummary> plotted(
      shapes.begin(), shapes.begin() + static_cast<long>(std::min(shapes.size(), kMostPlotted)));
  const std::string most =
      shapes.size() > plotted.size() ? fmt::format(" (the {} longest in total)", kMostPlotted) : "";
  out += heading("Kernels and launch shapes") + time_table(shapes);
  out += heading("Distribution of pass times around their median" + most) + distribution_plot(plotted);
  out += heading("Time per launch: median of its passes" + most) + launch_plots(plotted);
  out += heading("Bytes saved and restored") + bytes_part(kernels_by_time(results));
  out += heading("Outcomes by reason") + outcomes_part(results.totals.sums);
  return out + kTail;
}

}  // namespace kreplay::cli
