// The report as one page.
#include <fmt/format.h>

#include <algorithm>

#include "cli/html_page.hpp"
#include "cli/html_samples.hpp"
#include "cli/markup.hpp"
#include "cli/report_formats.hpp"
#include "report/short_names.hpp"

namespace kreplay::cli {
namespace {

constexpr size_t kMostPlotted = 20;  ///< kernels and shapes with pictures; the tables hold all
constexpr size_t kHtmlNameColumns = 64;
constexpr size_t kBarNameColumns = 44;

std::string count_cell(uint64_t value, bool minor = false) {
  return value_cell(static_cast<double>(value), std::to_string(value), minor);
}
std::string time_cell(double ns, bool minor = false) { return value_cell(ns, report::human_time(ns), minor); }
std::string bytes_cell(uint64_t bytes) {
  return value_cell(static_cast<double>(bytes), report::human_bytes(bytes));
}

std::string page_shape(const ShapeKey& key) {
  return dimensions(key.grid) + " / " + dimensions(key.workgroup);
}

std::string time_table(const std::vector<ShapeSummary>& shapes, const Results& results, const View& view) {
  const auto names = kernel_names(results, view.full_names ? 0 : kHtmlNameColumns);
  const double all_ns = measured_ns(results);
  const auto runs = static_cast<double>(std::max<size_t>(results.runs, 1));
  std::vector<HtmlRow> rows;
  rows.reserve(shapes.size());
  for (const ShapeSummary& shape : shapes) {
    const report::TimeHistogram& times = shape.samples->pass_ns;
    const double share = all_ns > 0 ? shape.samples->launch_sum_ns / all_ns : 0;
    rows.push_back({name_cell(names.at(shape.key.kernel), shape.key.kernel) +
                        text_cell(page_shape(shape.key), true) + count_cell(shape.samples->launches) +
                        count_cell(times.count(), true) + time_cell(shape.samples->launch_sum_ns / runs) +
                        value_cell(share, fmt::format("{:.1f} %", 100 * share)) +
                        time_cell(times.quantile(0.5)) + time_cell(static_cast<double>(times.min()), true) +
                        time_cell(static_cast<double>(times.max()), true),
                    shape.key.kernel,
                    {}});
  }
  return html_table("Kernels and launch shapes",
                    {{"kernel"},
                     {"grid / workgroup", true, true},
                     {"launches"},
                     {"passes", true},
                     {"per run"},
                     {"share"},
                     {"median"},
                     {"min", true},
                     {"max", true}},
                    rows);
}

std::string cards(const std::vector<ShapeSummary>& shapes, const Results& results, const View& view) {
  const auto names = kernel_names(results, view.full_names ? 0 : kHtmlNameColumns);
  std::string out;
  for (size_t i = 0; i < std::min(shapes.size(), kMostPlotted); ++i) {
    const ShapeSummary& shape = shapes[i];
    const std::string pictures =
        html_figure("launches", "median pass of each launch, in order",
                    line_plot("launch", {launch_line("launches", *shape.samples)}, report::human_time)) +
        html_figure(
            "distribution", "distribution of " + distribution_unit(*shape.samples),
            distribution_plot({sample_distribution(distribution_unit(*shape.samples), *shape.samples)},
                              report::human_time));
    out += html_card(names.at(shape.key.kernel) + "  " + page_shape(shape.key),
                     shape.key.kernel + "  " + page_shape(shape.key), pictures);
  }
  return html_cards(out);
}

std::string bytes_part(const Results& results) {
  const auto names = kernel_names(results, kBarNameColumns);
  std::vector<HtmlRow> rows;
  std::vector<Bar> bars;
  for (const report::KernelTotals* kernel : kernels_by_time(results)) {
    const report::Sums& sums = kernel->sums;
    rows.push_back({name_cell(names.at(kernel->name), kernel->name) + count_cell(sums.dispatches) +
                        bytes_cell(sums.bytes_saved) + bytes_cell(sums.bytes_restored) +
                        time_cell(static_cast<double>(sums.save_ns)) +
                        time_cell(static_cast<double>(sums.restore_ns)),
                    kernel->name,
                    {}});
    if (bars.size() < kMostPlotted)
      bars.push_back({names.at(kernel->name),
                      {static_cast<double>(sums.bytes_saved), static_cast<double>(sums.bytes_restored)},
                      {report::human_bytes(sums.bytes_saved), report::human_bytes(sums.bytes_restored)}});
  }
  const report::Sums& all = results.totals.sums;
  const std::string name =
      fmt::format("bytes by kernel: {} saved and {} restored in all", report::human_bytes(all.bytes_saved),
                  report::human_bytes(all.bytes_restored));
  return html_figure("bytes", "by kernel", bar_plot(name, bars, {"saved", "restored"})) +
         html_table(
             "Bytes saved and restored",
             {{"kernel"}, {"dispatches"}, {"saved"}, {"restored"}, {"time to save"}, {"time to restore"}},
             rows);
}

std::string outcomes_part(const report::Sums& sums) {
  std::vector<Bar> bars;
  std::string name = "dispatches by outcome";
  for (const ReasonCount& one : outcome_counts(sums)) {
    const std::string label = one.reason == "none" ? one.outcome : one.outcome + ": " + one.reason;
    bars.push_back({label, {static_cast<double>(one.dispatches)}, {std::to_string(one.dispatches)}});
    name += fmt::format(", {} {}", one.dispatches, label);
  }
  return html_figure("outcomes", "dispatches", bar_plot(name, bars, {"dispatches"}));
}

}  // namespace

std::string report_html(const Results& results, const View& view) {
  std::string out = page_head("kreplay report");
  for (const Process& process : results.processes)
    out += "<p><code>" + escape_markup(process_line(process)) + "</code></p>\n";
  for (const std::string& note : results.notes) out += page_note(note);
  const std::vector<ShapeSummary> shapes = shapes_by_time(results);
  const std::string most = shapes.size() > kMostPlotted
                               ? fmt::format(" (the {} with the longest time per run)", kMostPlotted)
                               : "";
  out += page_heading("Kernels and launch shapes") + time_table(shapes, results, view);
  out += page_heading("Times of launches and their distribution" + most) + cards(shapes, results, view);
  out += page_heading("Bytes saved and restored") + bytes_part(results);
  out += page_heading("Outcomes by reason") + outcomes_part(results.totals.sums);
  return out + page_tail();
}

}  // namespace kreplay::cli
