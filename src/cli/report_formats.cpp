#include "cli/report_formats.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/markup.hpp"
#include "report/short_names.hpp"
#include "report/summary.hpp"

namespace kreplay::cli {
namespace {

using report::Outcome;
using OrderedJson = nlohmann::ordered_json;

double spread(const report::TimeHistogram& times) {
  const double median = times.quantile(0.5);
  return median > 0 ? (times.quantile(0.75) - times.quantile(0.25)) / median : 0;
}

OrderedJson times_json(const report::TimeHistogram& times) {
  if (times.count() == 0) return nullptr;
  return {{"passes", times.count()},
          {"total", times.sum()},
          {"min", times.min()},
          {"quartile1", times.quantile(0.25)},
          {"median", times.quantile(0.5)},
          {"quartile3", times.quantile(0.75)},
          {"max", times.max()}};
}

OrderedJson outcomes_json(const report::Sums& sums) {
  OrderedJson counts = OrderedJson::array();
  for (const ReasonCount& one : outcome_counts(sums))
    counts.push_back({{"outcome", one.outcome}, {"reason", one.reason}, {"dispatches", one.dispatches}});
  return counts;
}

OrderedJson process_json(const Process& process) {
  const HeaderLine& header = process.header;
  return {{"file", header.path},         {"schema", header.schema},
          {"producer", header.producer}, {"host", header.host},
          {"pid", header.pid},           {"program", header.program},
          {"start", header.start},       {"start_unix_ns", header.start_unix_ns},
          {"tool", header.tool},         {"machine_key", header.machine_key},
          {"machine", header.machine},   {"options", header.options},
          {"runtime", header.runtime},   {"dispatches", process.dispatches},
          {"complete", process.complete}};
}

OrderedJson kernel_json(const Results& results, const report::KernelTotals& kernel, double all_ns) {
  const auto runs = static_cast<double>(std::max<size_t>(results.runs, 1));
  const report::Sums& sums = kernel.sums;
  OrderedJson shapes = OrderedJson::array();
  for (auto at = results.samples.lower_bound({kernel.name, {}, {}});
       at != results.samples.end() && at->first.kernel == kernel.name; ++at) {
    shapes.push_back({{"grid", at->first.grid},
                      {"workgroup", at->first.workgroup},
                      {"launches", at->second.launches},
                      {"run_ns", at->second.launch_sum_ns / runs},
                      {"pass_ns", times_json(at->second.pass_ns)}});
  }
  const auto facts = results.facts.find(kernel.name);
  return {{"name", kernel.name},
          {"dispatches", sums.dispatches},
          {"outcomes", outcomes_json(sums)},
          {"run_ns", kernel.run_ns / runs},
          {"share", all_ns > 0 ? kernel.run_ns / all_ns : 0},
          {"impossible_passes", kernel.impossible_passes},
          {"pass_ns", times_json(kernel.pass_ns)},
          {"bytes_saved", sums.bytes_saved},
          {"bytes_restored", sums.bytes_restored},
          {"save_ns", sums.save_ns},
          {"restore_ns", sums.restore_ns},
          {"window_ns", sums.window_ns},
          {"unverified_bytes", sums.unverified_bytes},
          {"facts", facts != results.facts.end() ? OrderedJson(facts->second) : OrderedJson::object()},
          {"shapes", shapes}};
}

/// @param all_ns of all kernels
std::string markdown_row(const ShapeSummary& shape, const std::string& name, size_t runs, double all_ns) {
  const report::TimeHistogram& times = shape.samples->pass_ns;
  const double sum_ns = shape.samples->launch_sum_ns;
  return fmt::format("| {} | {} / {} | {} | {} | {} | {:.1f} % | {} | {} | {} | {:.1f} % |\n",
                     markdown_code(name), dimensions(shape.key.grid), dimensions(shape.key.workgroup),
                     shape.samples->launches, times.count(),
                     report::human_time(sum_ns / static_cast<double>(std::max<size_t>(runs, 1))),
                     all_ns > 0 ? 100 * sum_ns / all_ns : 0, report::human_time(times.quantile(0.5)),
                     report::human_time(static_cast<double>(times.min())),
                     report::human_time(static_cast<double>(times.max())), 100 * spread(times));
}

}  // namespace

std::vector<ShapeSummary> shapes_by_time(const Results& results) {
  std::vector<ShapeSummary> shapes;
  shapes.reserve(results.samples.size());
  for (const auto& [key, samples] : results.samples) shapes.push_back({key, &samples});
  std::stable_sort(shapes.begin(), shapes.end(), [](const ShapeSummary& a, const ShapeSummary& b) {
    return a.samples->launch_sum_ns > b.samples->launch_sum_ns;
  });
  return shapes;
}

std::vector<const report::KernelTotals*> kernels_by_time(const Results& results) {
  std::vector<const report::KernelTotals*> kernels;
  kernels.reserve(results.totals.kernels.size());
  for (const auto& [id, kernel] : results.totals.kernels) kernels.push_back(&kernel);
  std::stable_sort(kernels.begin(), kernels.end(),
                   [](const auto* a, const auto* b) { return a->run_ns > b->run_ns; });
  return kernels;
}

double measured_ns(const Results& results) {
  double sum = 0;
  for (const auto& [id, kernel] : results.totals.kernels) sum += kernel.run_ns;
  return sum;
}

std::map<std::string, std::string> kernel_names(const Results& results, size_t columns) {
  std::set<std::string> names;
  for (const auto& [id, kernel] : results.totals.kernels) names.insert(kernel.name);
  for (const auto& [key, samples] : results.samples) names.insert(key.kernel);
  return report::short_names(names, columns);
}

std::vector<ReasonCount> outcome_counts(const report::Sums& sums) {
  std::vector<ReasonCount> counts;
  const auto add = [&counts](const char* outcome, const char* reason, uint64_t count) {
    if (count != 0) counts.push_back({outcome, reason, count});
  };
  add("replayed", "none", sums.of(Outcome::replayed));
  add("opted_out", "none", sums.of(Outcome::opted_out));
  for (size_t i = 0; i < report::kReasons; ++i)
    add("stopped", report::name_of(static_cast<report::Reason>(i)), sums.stopped[i]);
  for (size_t i = 0; i < report::kReasons; ++i)
    add("declined", report::name_of(static_cast<report::Reason>(i)), sums.declined[i]);
  for (size_t i = 0; i < report::kReasons; ++i)
    add("skipped", report::name_of(static_cast<report::Reason>(i)), sums.skipped[i]);
  return counts;
}

std::string process_line(const Process& process) {
  const HeaderLine& header = process.header;
  return fmt::format("{} (pid {}) on {}, {}: {} dispatch{}{}", header.program, header.pid, header.host,
                     header.start, process.dispatches, process.dispatches == 1 ? "" : "es",
                     process.complete ? "" : ", cut off");
}

std::string report_table(const Results& results, const View& view) {
  std::string text;
  for (const Process& process : results.processes) text += process_line(process) + "\n";
  const std::string head = report::summary_headline(results.totals);
  if (head.empty()) return text + "kreplay: no dispatch was seen\n";
  const std::vector<TextColumn> columns = {{"launches", 70}, {"replayed", 20}, {"passes", 40},  {"per run"},
                                           {"share", 80},    {"median"},       {"min", 50},     {"max", 50},
                                           {"spread", 60},   {"saved", 30},    {"restored", 30}};
  const double all_ns = measured_ns(results);
  std::vector<TextRow> rows;
  size_t kernels = 0;
  for (const report::KernelTotals* kernel : kernels_by_time(results)) {
    if (kernel->sums.dispatches == 0) continue;
    ++kernels;
    if (view.top != 0 && rows.size() == view.top) continue;
    std::string reasons = report::reasons_text(kernel->sums);
    if (kernel->impossible_passes != 0)
      reasons += fmt::format("{}{} impossible pass{} left out", reasons.empty() ? "" : ", ",
                             kernel->impossible_passes, kernel->impossible_passes == 1 ? "" : "es");
    rows.push_back(
        {kernel->name, report::kernel_cells(*kernel, all_ns, std::max<size_t>(results.runs, 1)), reasons});
  }
  text += head + text_table(columns, rows, "not replayed", view);
  if (rows.size() < kernels) text += fmt::format("({} of {} kernels shown)\n", rows.size(), kernels);
  return text + report::summary_notes(results.totals);
}

std::string report_markdown(const Results& results, const View& view) {
  constexpr size_t kNameColumns = 80;
  constexpr size_t kMostCharacters = 65'536;  // of a comment on GitHub
  std::string text;
  for (const Process& process : results.processes) text += "- " + markdown_text(process_line(process)) + "\n";
  for (const std::string& note : results.notes) text += "- **note**: " + markdown_text(note) + "\n";
  text +=
      "\n| kernel | grid / workgroup | launches | passes | per run | share | median | min | max | spread |\n"
      "| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n";
  std::string tail = "\n| outcome | reason | dispatches |\n| --- | --- | ---: |\n";
  for (const ReasonCount& one : outcome_counts(results.totals.sums))
    tail += fmt::format("| {} | {} | {} |\n", one.outcome, one.reason, one.dispatches);
  const auto names = kernel_names(results, view.full_names ? 0 : kNameColumns);
  const double all_ns = measured_ns(results);
  const std::vector<ShapeSummary> shapes = shapes_by_time(results);
  const auto shown_text = [&shapes](size_t shown) {
    return fmt::format("\n{} of {} kernels and launch shapes shown\n", shown, shapes.size());
  };
  const size_t most = view.top == 0 ? shapes.size() : std::min(view.top, shapes.size());
  size_t shown = 0;
  for (; shown < most; ++shown) {
    const ShapeSummary& shape = shapes[shown];
    const std::string row = markdown_row(shape, names.at(shape.key.kernel), results.runs, all_ns);
    if (text.size() + row.size() + shown_text(shown).size() + tail.size() > kMostCharacters) break;
    text += row;
  }
  return text + (shown < shapes.size() ? shown_text(shown) : "") + tail;
}

std::string report_json(const Results& results, const View& /*view*/) {
  OrderedJson processes = OrderedJson::array();
  for (const Process& process : results.processes) processes.push_back(process_json(process));
  OrderedJson kernels = OrderedJson::array();
  const double all_ns = measured_ns(results);
  for (const report::KernelTotals* kernel : kernels_by_time(results))
    kernels.push_back(kernel_json(results, *kernel, all_ns));
  const OrderedJson json = {{"processes", processes},
                            {"notes", results.notes},
                            {"outcomes", outcomes_json(results.totals.sums)},
                            {"lines_lost", results.totals.lines_lost},
                            {"kernels", kernels}};
  return json.dump(2, ' ', false, OrderedJson::error_handler_t::replace) + "\n";
}

}  // namespace kreplay::cli
