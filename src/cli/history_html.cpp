// The history of a store for people: as a page, and as a table.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "cli/history.hpp"
#include "cli/html_page.hpp"
#include "cli/markup.hpp"
#include "cli/svg_plot.hpp"
#include "cli/text_table.hpp"
#include "report/short_names.hpp"
#include "report/statistics.hpp"
#include "report/totals.hpp"

namespace kreplay::cli {
namespace {

constexpr size_t kMostTrends = 30;  ///< pictures per machine; the table has all
constexpr size_t kTrendNameColumns = 64;

std::string shape_of(const Trend& trend) {
  return dimensions(trend.key.grid) + " / " + dimensions(trend.key.workgroup);
}

std::string change_of(double ratio) { return fmt::format("{:+.1f} %", 100 * (ratio - 1)); }

std::map<std::string, std::string> trend_names(const MachineHistory& machine, size_t columns) {
  std::set<std::string> names;
  for (const Trend& trend : machine.trends) names.insert(trend.key.kernel);
  return report::short_names(names, columns);
}

/// "+10.0 % on 2026-01-02T00:00:00Z, -3.0 % on ..."
std::string steps_text(const MachineHistory& machine, const Trend& trend) {
  std::string text;
  size_t begin = 0;
  for (size_t i = 0; i < trend.steps.size(); ++i) {
    const size_t at = trend.steps[i];
    const size_t end = i + 1 < trend.steps.size() ? trend.steps[i + 1] : trend.median_ns.size();
    const auto level = [&trend](size_t from, size_t to) {
      const auto first = trend.median_ns.begin();
      return report::median({first + static_cast<long>(from), first + static_cast<long>(to)});
    };
    text += fmt::format("{}{} on {}", text.empty() ? "" : ", ", change_of(level(at, end) / level(begin, at)),
                        machine.runs[trend.runs[at]]);
    begin = at;
  }
  return text;
}

std::string picture_of(const MachineHistory& machine, const Trend& trend) {
  Line line;
  line.name = "median";
  line.values = trend.median_ns;
  line.steps = trend.steps;
  for (size_t i = 0; i < trend.runs.size(); ++i)
    line.value_names.push_back("run of " + machine.runs[trend.runs[i]]);
  const std::string steps = steps_text(machine, trend);
  return html_figure("trend", steps.empty() ? "no step" : "steps: " + steps,
                     line_plot("run", {line}, report::human_time));
}

std::string machine_part(const MachineHistory& machine) {
  std::string out = page_heading("Machine " + machine.key);
  for (const auto& [name, value] : machine.machine)
    out += "<p><code>" + escape_markup(name + ": " + value) + "</code></p>\n";
  if (machine.runs.empty()) return out + page_note("no runs");
  out += fmt::format("<p>{} run{}, {} to {}</p>\n", machine.runs.size(), machine.runs.size() == 1 ? "" : "s",
                     escape_markup(machine.runs.front()), escape_markup(machine.runs.back()));
  const auto names = trend_names(machine, kTrendNameColumns);
  std::vector<HtmlRow> rows;
  std::string cards;
  size_t pictures = 0;
  for (const Trend& trend : machine.trends) {
    const std::string& brief = names.at(trend.key.kernel);
    const double change = level_change(trend);
    rows.push_back(
        {name_cell(brief, trend.key.kernel) + text_cell(shape_of(trend), true) +
             value_cell(static_cast<double>(trend.runs.size()), std::to_string(trend.runs.size()), true) +
             value_cell(trend.median_ns.front(), report::human_time(trend.median_ns.front())) +
             value_cell(trend.median_ns.back(), report::human_time(trend.median_ns.back())) +
             value_cell(trend.run_ns.back(), report::human_time(trend.run_ns.back()), true) +
             value_cell(change, trend.steps.empty() ? "-" : change_of(change)) +
             text_cell(steps_text(machine, trend)),
         trend.key.kernel,
         trend.steps.empty() ? "steady"
         : change > 1        ? "slower"
                             : "faster"});
    if (pictures++ < kMostTrends)
      cards += html_card(brief + "  " + shape_of(trend), trend.key.kernel + "  " + shape_of(trend),
                         picture_of(machine, trend));
  }
  return out +
         html_table("Kernels of machine " + machine.key,
                    {{"kernel"},
                     {"grid / workgroup", true, true},
                     {"runs", true},
                     {"first"},
                     {"last"},
                     {"per run", true},
                     {"change"},
                     {"steps", false, true}},
                    rows) +
         "<h3>Median per run</h3>\n" + html_cards(cards);
}

}  // namespace

std::string history_html(const std::vector<MachineHistory>& machines) {
  std::string out = page_head("kreplay history");
  for (const MachineHistory& machine : machines) out += machine_part(machine);
  return out + page_tail();
}

std::string history_table(const std::vector<MachineHistory>& machines, size_t columns, bool full_names) {
  std::string text;
  for (const MachineHistory& machine : machines) {
    std::vector<TextRow> rows;
    for (const Trend& trend : machine.trends) {
      if (trend.steps.empty()) continue;
      rows.push_back(
          {trend.key.kernel,
           {shape_of(trend), std::to_string(trend.runs.size()), report::human_time(trend.median_ns.front()),
            report::human_time(trend.median_ns.back()), change_of(level_change(trend))},
           "(" + steps_text(machine, trend) + ")"});
    }
    text += fmt::format("machine {}: {} runs, {} kernels and launch shapes, {} with a step\n", machine.key,
                        machine.runs.size(), machine.trends.size(), rows.size());
    View view;
    view.columns = columns;
    view.full_names = full_names;
    text += text_table({{"grid / workgroup"}, {"runs", 20}, {"first"}, {"last"}, {"change"}}, rows, "steps",
                       view);
  }
  return text;
}

}  // namespace kreplay::cli
