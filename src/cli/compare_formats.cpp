// Formats for people.
#include "cli/compare_formats.hpp"

#include <fmt/format.h>

#include "cli/markup.hpp"
#include "report/totals.hpp"

namespace kreplay::cli {
namespace {

using State = Row::State;
using Change = Row::Change;

std::string time_text(uint64_t passes, double ns) { return passes != 0 ? report::human_time(ns) : "-"; }

std::string interval_text(const Row& row) {
  return fmt::format("{:+.1f}..{:+.1f} %", 100 * (row.effect.interval.low - 1),
                     100 * (row.effect.interval.high - 1));
}

std::string verdict_text(const Row& row, const Policy& policy) {
  std::string text = name_of(row.state);
  if (row.state == State::ok && row.change != Change::none)
    text += fmt::format(" ({}, within the limits)", name_of(row.change));
  if (row.state == State::inconclusive && row.change != Change::none)
    text += fmt::format(", {}", name_of(row.change));
  if (!row.why.empty()) text += " (" + row.why + ")";
  if (row.limit == policy.limit) return text;
  return text + fmt::format(" [limits: {:g} % and {}]", 100 * row.limit.relative,
                            report::human_time(row.limit.absolute_ns));
}

/// The cells of a row after kernel and launch shape; the last is free text.
std::vector<std::string> cells(const Row& row, const Policy& policy) {
  const bool both = row.has_ratio() && row.effect.ratio > 0;
  return {time_text(row.base_passes, row.effect.base_ns), time_text(row.fresh_passes, row.effect.fresh_ns),
          both ? percent_text(row.effect.ratio) : "-",    both ? interval_text(row) : "-",
          both ? fmt::format("{:.2g}", row.q) : "-",      verdict_text(row, policy)};
}

const std::vector<std::string> kTitles = {"base", "new", "change", "interval", "q", "verdict"};

std::string shape_text(const ShapeKey& key) {
  return fmt::format("{} / {}", dimensions(key.grid), dimensions(key.workgroup));
}

std::string fact_text(const FactChange& change) {
  return fmt::format("{}: {} to {}{}", change.name, change.base, change.fresh,
                     change.why.empty() ? "" : " (" + change.why + ")");
}

}  // namespace

std::string percent_text(double ratio) { return fmt::format("{:+.1f} %", 100 * (ratio - 1)); }

std::string change_text(const Row& row) {
  if (!row.has_ratio())
    return report::human_time(row.base_passes != 0 ? row.effect.base_ns : row.effect.fresh_ns);
  return fmt::format("{} ({}), {} to {}", percent_text(row.effect.ratio), interval_text(row),
                     report::human_time(row.effect.base_ns), report::human_time(row.effect.fresh_ns));
}

std::string headline(const Comparison& comparison, const Policy& policy) {
  std::string text = fmt::format("kreplay: {}", name_of(comparison.verdict));
  if (!comparison.why.empty()) text += ": " + comparison.why;
  std::string counts;
  for (const State state : {State::regression, State::improvement, State::inconclusive, State::ok,
                            State::added, State::removed, State::ignored})
    if (const size_t count = comparison.count(state); count != 0)
      counts += fmt::format("{} {}, ", count, name_of(state));
  for (const Change change : {Change::slower, Change::faster})
    if (const size_t count = comparison.count(State::ok, change); count != 0)
      counts += fmt::format("{} {} within the limits, ", count, name_of(change));
  if (!counts.empty()) counts.replace(counts.size() - 2, 2, "; ");
  // What the verdict's sentence says already is not said twice.
  const std::string& unjudged = comparison.run.unjudged;
  const bool said = !unjudged.empty() && comparison.why.find(unjudged) != std::string::npos;
  const std::string run = said ? "" : comparison.run.text();
  return text + fmt::format(" ({}limits: {:g} % and {}{})", counts, 100 * policy.limit.relative,
                            report::human_time(policy.limit.absolute_ns),
                            run.empty() || run == comparison.why ? "" : "; " + run);
}

std::string comparison_table(const Comparison& comparison, const Policy& policy) {
  constexpr size_t kNameColumns = 40;
  std::vector<std::vector<std::string>> lines;
  if (!comparison.rows.empty()) {
    lines.push_back({"kernel", "grid / workgroup"});
    lines.back().insert(lines.back().end(), kTitles.begin(), kTitles.end());
  }
  for (const Row& row : comparison.rows) {
    lines.push_back({report::short_name(row.key.kernel, kNameColumns), shape_text(row.key)});
    for (std::string& cell : cells(row, policy)) lines.back().push_back(std::move(cell));
  }
  std::vector<size_t> widths(kTitles.size() + 2);
  for (const auto& line : lines)
    for (size_t i = 0; i < line.size(); ++i) widths[i] = std::max(widths[i], line[i].size());
  std::string text;
  for (const auto& line : lines) {
    text += fmt::format("{:<{}}", line[0], widths[0]);
    for (size_t i = 1; i + 1 < line.size(); ++i) text += fmt::format("  {:>{}}", line[i], widths[i]);
    text += "  " + line.back() + "\n";
  }
  for (const FactChange& change : comparison.facts)
    text += fmt::format("{}: {}\n", report::short_name(change.kernel, kNameColumns), fact_text(change));
  return text + headline(comparison, policy) + "\n";
}

std::string comparison_markdown(const Comparison& comparison, const Policy& policy) {
  std::string text = "**" + markdown_text(headline(comparison, policy)) + "**\n";
  if (!comparison.rows.empty()) {
    text += "\n| kernel | grid / workgroup |";
    for (const std::string& title : kTitles) text += " " + title + " |";
    text += "\n| --- | --- | ---: | ---: | ---: | ---: | ---: | --- |\n";
  }
  for (const Row& row : comparison.rows) {
    text += fmt::format("| {} | {} |", markdown_code(row.key.kernel), shape_text(row.key));
    for (const std::string& cell : cells(row, policy)) text += " " + markdown_text(cell) + " |";
    text += "\n";
  }
  if (!comparison.facts.empty()) text += "\n| kernel | what | base | new |\n| --- | --- | --- | --- |\n";
  for (const FactChange& change : comparison.facts) {
    text += fmt::format("| {} | {} | {} | {} |\n", markdown_code(change.kernel), markdown_text(change.name),
                        markdown_text(change.base), markdown_text(change.fresh));
  }
  return text;
}

}  // namespace kreplay::cli
