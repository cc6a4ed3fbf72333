#include "cli/report_formats.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/markup.hpp"

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

OrderedJson kernel_json(const Results& results, const report::KernelTotals& kernel) {
  const report::Sums& sums = kernel.sums;
  OrderedJson shapes = OrderedJson::array();
  for (auto at = results.samples.lower_bound({kernel.name, {}, {}});
       at != results.samples.end() && at->first.kernel == kernel.name; ++at) {
    shapes.push_back({{"grid", at->first.grid},
                      {"workgroup", at->first.workgroup},
                      {"launches", at->second.launches},
                      {"pass_ns", times_json(at->second.pass_ns)}});
  }
  const auto facts = results.facts.find(kernel.name);
  return {{"name", kernel.name},
          {"dispatches", sums.dispatches},
          {"outcomes", outcomes_json(sums)},
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

}  // namespace

std::vector<ShapeSummary> shapes_by_time(const Results& results) {
  std::vector<ShapeSummary> shapes;
  shapes.reserve(results.samples.size());
  for (const auto& [key, samples] : results.samples) shapes.push_back({key, &samples});
  std::stable_sort(shapes.begin(), shapes.end(), [](const ShapeSummary& a, const ShapeSummary& b) {
    return a.samples->pass_ns.sum() > b.samples->pass_ns.sum();
  });
  return shapes;
}

std::vector<const report::KernelTotals*> kernels_by_time(const Results& results) {
  std::vector<const report::KernelTotals*> kernels;
  kernels.reserve(results.totals.kernels.size());
  for (const auto& [id, kernel] : results.totals.kernels) kernels.push_back(&kernel);
  std::stable_sort(kernels.begin(), kernels.end(),
                   [](const auto* a, const auto* b) { return a->pass_ns.sum() > b->pass_ns.sum(); });
  return kernels;
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

std::string report_table(const Results& results) {
  std::string text;
  for (const Process& process : results.processes) text += process_line(process) + "\n";
  const std::string table = report::format_summary(results.totals);
  return text + (table.empty() ? "kreplay: no dispatch was seen\n" : table);
}

std::string report_markdown(const Results& results) {
  std::string text;
  for (const Process& process : results.processes) text += "- " + markdown_text(process_line(process)) + "\n";
  for (const std::string& note : results.notes) text += "- **note**: " + markdown_text(note) + "\n";
  text +=
      "\n| kernel | grid / workgroup | launches | passes | median | min | max | spread | total |\n"
      "| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n";
  for (const ShapeSummary& shape : shapes_by_time(results)) {
    const report::TimeHistogram& times = shape.samples->pass_ns;
    text += fmt::format(
        "| {} | {} / {} | {} | {} | {} | {} | {} | {:.1f} % | {} |\n", markdown_code(shape.key.kernel),
        dimensions(shape.key.grid), dimensions(shape.key.workgroup), shape.samples->launches, times.count(),
        report::human_time(times.quantile(0.5)), report::human_time(static_cast<double>(times.min())),
        report::human_time(static_cast<double>(times.max())), 100 * spread(times),
        report::human_time(static_cast<double>(times.sum())));
  }
  text += "\n| outcome | reason | dispatches |\n| --- | --- | ---: |\n";
  for (const ReasonCount& one : outcome_counts(results.totals.sums))
    text += fmt::format("| {} | {} | {} |\n", one.outcome, one.reason, one.dispatches);
  return text;
}

std::string report_json(const Results& results) {
  OrderedJson processes = OrderedJson::array();
  for (const Process& process : results.processes) processes.push_back(process_json(process));
  OrderedJson kernels = OrderedJson::array();
  for (const report::KernelTotals* kernel : kernels_by_time(results))
    kernels.push_back(kernel_json(results, *kernel));
  const OrderedJson json = {{"processes", processes},
                            {"notes", results.notes},
                            {"outcomes", outcomes_json(results.totals.sums)},
                            {"lines_lost", results.totals.lines_lost},
                            {"kernels", kernels}};
  return json.dump(2, ' ', false, OrderedJson::error_handler_t::replace) + "\n";
}

}  // namespace kreplay::cli
