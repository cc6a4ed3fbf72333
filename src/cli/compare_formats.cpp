// Formats for people.
#include "cli/compare_formats.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/markup.hpp"
#include "report/short_names.hpp"
#include "report/totals.hpp"

namespace kreplay::cli {
namespace {

using State = Row::State;
using Change = Row::Change;

std::string time_text(uint64_t passes, double ns) { return passes != 0 ? report::human_time(ns) : "-"; }

/// Of a ratio; without the sign of a zero that is none.
double percent(double ratio) {
  const double value = 100 * (ratio - 1);
  return std::abs(value) < 0.05 ? 0 : value;
}

std::string interval_text(const Row& row) {
  return fmt::format("{:+.1f}..{:+.1f} %", percent(row.effect.interval.low),
                     percent(row.effect.interval.high));
}

bool has_change(const Row& row) { return row.has_ratio() && row.effect.ratio > 0 && row.effect.base_ns > 0; }

/// The change is that of pairs, and of the two medians it is another.
bool by_pairs(const Row& row) {
  return has_change(row) && row.effect.paired &&
         percent_text(row.effect.fresh_ns / row.effect.base_ns) != percent_text(row.effect.ratio);
}

constexpr const char* kPairs =
    "paired: the median of the changes pair by pair, which is more precise than that of the two medians "
    "beside it";

bool any_by_pairs(const std::vector<const Row*>& rows) {
  return std::any_of(rows.begin(), rows.end(), [](const Row* row) { return by_pairs(*row); });
}

std::string verdict_text(const Row& row) {
  std::string text = name_of(row.state);
  if (row.state == State::ok && row.change != Change::none)
    text += fmt::format(" ({}, within the limits)", name_of(row.change));
  if (row.state == State::inconclusive && row.change != Change::none)
    text += fmt::format(", {}", name_of(row.change));
  return text;
}

/// What explains a row beyond its figures.
std::string note_text(const Row& row, const Policy& policy) {
  std::string text = row.why;
  std::string limits;
  const auto add = [&text](const std::string& more) { text += (text.empty() ? "" : "; ") + more; };
  if (row.impossible_passes != 0)
    add(fmt::format("{} pass{} left out that end before they start", row.impossible_passes,
                    row.impossible_passes == 1 ? "" : "es"));
  if (row.limit != policy.limit)
    limits = fmt::format("[limits: {:g} % and {}]", 100 * row.limit.relative,
                         report::human_time(row.limit.absolute_ns));
  if (!text.empty()) text = "(" + text + ")";
  return text.empty() || limits.empty() ? text + limits : text + " " + limits;
}

/// The cells of a row after kernel and launch shape.
std::vector<std::string> cells(const Row& row, const RunTotals& totals) {
  const bool tested = has_change(row) && has_test(row);
  return {time_text(row.base_passes, row.effect.base_ns),
          time_text(row.fresh_passes, row.effect.fresh_ns),
          has_change(row) ? percent_text(row.effect.ratio) + (by_pairs(row) ? " paired" : "") : "-",
          tested ? interval_text(row) : "-",
          tested ? fmt::format("{:.2g}", row.q) : "-",
          fmt::format("{:.1f} %", 100 * run_share(row, totals)),
          verdict_text(row)};
}

const std::vector<TextColumn> kTableColumns = {{"base"},
                                               {"new"},
                                               {"change"},
                                               {"interval", 40},
                                               {"q", 10},
                                               {"share", 50},
                                               {"verdict", TextColumn::kAlways, true}};

std::string shape_text(const ShapeKey& key) {
  return fmt::format("{} / {}", dimensions(key.grid), dimensions(key.workgroup));
}

std::string fact_text(const FactChange& change) {
  return fmt::format("{}: {} to {}", change.name, change.base, fresh_text(change));
}

/// The parts of a Markdown text, up to a number of characters.
class LimitedText {
 public:
  explicit LimitedText(size_t most) : most_(most) {}
  /// @return false, and nothing is added, where it does not fit
  bool add(const std::string& part) {
    if (text_.size() + part.size() > most_) return false;
    text_ += part;
    return true;
  }
  bool fits(size_t more) const { return text_.size() + more <= most_; }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
  size_t most_;
};

std::string markdown_row(const Row& row, const std::string& name, const Policy& policy,
                         const RunTotals& totals) {
  std::string text = fmt::format("| {} | {} |", markdown_code(name), shape_text(row.key));
  for (const std::string& cell : cells(row, totals)) text += " " + markdown_text(cell) + " |";
  return text + " " + markdown_text(note_text(row, policy)) + " |\n";
}

/// The table. @return how many rows there was room for
size_t add_rows(const Comparison& comparison, const std::vector<const Row*>& rows,
                const std::map<std::string, std::string>& names, const Policy& policy, LimitedText* out) {
  if (rows.empty()) return 0;
  const RunTotals totals = run_totals(comparison);
  std::string head = "\n| kernel | grid / workgroup |";
  for (const TextColumn& column : kTableColumns) head += " " + column.title + " |";
  out->add(head + " |\n| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | --- | --- |\n");
  const std::string pairs = any_by_pairs(rows) ? fmt::format("\n{}\n", kPairs) : "";
  size_t shown = 0;
  while (shown < rows.size()) {
    const Row& row = *rows[shown];
    const std::string line = markdown_row(row, names.at(row.key.kernel), policy, totals);
    if (!out->fits(line.size() + pairs.size()) || !out->add(line)) break;
    ++shown;
  }
  out->add(pairs);
  return shown;
}

void add_facts(const Comparison& comparison, const std::map<std::string, std::string>& names,
               const Show& show, LimitedText* out) {
  if (comparison.facts.empty()) return;
  constexpr size_t kReserve = 60;
  out->add("\n| kernel | what | base | new |\n| --- | --- | --- | --- |\n");
  size_t shown = 0;
  for (const FactChange& change : comparison.facts) {
    const std::string line = fmt::format("| {} | {} | {} | {} |\n", markdown_code(names.at(change.kernel)),
                                         markdown_text(change.name), markdown_text(change.base),
                                         markdown_text(fresh_text(change)));
    if ((show.view.top != 0 && shown == show.view.top) || !out->fits(line.size() + kReserve)) break;
    out->add(line);
    ++shown;
  }
  if (shown < comparison.facts.size())
    out->add(fmt::format("\n{} of {} changes of the code shown\n", shown, comparison.facts.size()));
}

/// Names that the table has in short, as long as there is room.
void add_full_names(const std::vector<const Row*>& rows, const std::map<std::string, std::string>& names,
                    LimitedText* out) {
  std::string list;
  std::set<std::string> done;
  constexpr const char* kHead = "\n<details><summary>Full names</summary>\n\n";
  constexpr const char* kTail = "\n</details>\n";
  LimitedText trial = *out;
  if (!trial.add(std::string(kHead) + kTail)) return;
  for (const Row* row : rows) {
    const std::string& brief = names.at(row->key.kernel);
    if (brief == row->key.kernel || !done.insert(brief).second) continue;
    const std::string line = fmt::format("- {}: {}\n", markdown_code(brief), markdown_code(row->key.kernel));
    if (!trial.add(line)) break;
    list += line;
  }
  if (!list.empty()) out->add(kHead + list + kTail);
}

}  // namespace

std::string percent_text(double ratio) { return fmt::format("{:+.1f} %", percent(ratio)); }

std::string fresh_text(const FactChange& change) {
  return change.why.empty() ? change.fresh : change.fresh + " (" + change.why + ")";
}

bool has_test(const Row& row) { return row.effect.test != Test::none; }

std::string change_text(const Row& row) {
  if (!row.has_ratio())
    return report::human_time(row.base_passes != 0 ? row.effect.base_ns : row.effect.fresh_ns);
  return fmt::format("{}{}{}, {} to {}", percent_text(row.effect.ratio), by_pairs(row) ? " in pairs" : "",
                     has_test(row) ? " (" + interval_text(row) + ")" : "",
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

std::string comparison_table(const Comparison& comparison, const Policy& policy, const Show& show) {
  const std::vector<const Row*> rows = rows_to_show(comparison, show);
  const RunTotals totals = run_totals(comparison);
  std::set<std::string> kernels;
  for (const Row* row : rows) kernels.insert(row->key.kernel);
  // The shape goes first only where it tells no rows apart.
  std::vector<TextColumn> columns = {
      {"grid / workgroup", kernels.size() == rows.size() ? 20 : TextColumn::kAlways}};
  columns.insert(columns.end(), kTableColumns.begin(), kTableColumns.end());
  std::vector<TextRow> lines;
  lines.reserve(rows.size());
  for (const Row* row : rows) {
    TextRow& line = lines.emplace_back(TextRow{row->key.kernel, {shape_text(row->key)}, {}});
    for (std::string& cell : cells(*row, totals)) line.cells.push_back(std::move(cell));
    line.note = note_text(*row, policy);
  }
  std::string text = text_table(columns, lines, "", show.view);
  if (any_by_pairs(rows)) text += std::string("(") + kPairs + ")\n";
  if (const std::string out = left_out(comparison, rows.size(), show); !out.empty())
    text += "(" + out + ")\n";
  const size_t facts =
      show.view.top == 0 ? comparison.facts.size() : std::min(show.view.top, comparison.facts.size());
  const auto names =
      kernel_names(comparison, show.view.full_names ? 0 : std::min<size_t>(show.view.columns / 2, 80));
  for (size_t i = 0; i < facts; ++i)
    text += fmt::format("{}: {}\n", names.at(comparison.facts[i].kernel), fact_text(comparison.facts[i]));
  if (facts < comparison.facts.size())
    text += fmt::format("({} of {} changes of the code shown)\n", facts, comparison.facts.size());
  return text + headline(comparison, policy) + "\n";
}

std::string comparison_markdown(const Comparison& comparison, const Policy& policy, const Show& show) {
  constexpr size_t kNameColumns = 80;
  const std::vector<const Row*> rows = rows_to_show(comparison, show);
  const auto names = kernel_names(comparison, show.view.full_names ? 0 : kNameColumns);
  const std::string head = "**" + markdown_text(headline(comparison, policy)) + "**\n";
  // What is said of rows that are left out has to fit as well.
  const size_t said = head.size() + show.full.size() + 200;
  LimitedText facts((show.most_characters - std::min(show.most_characters, said)) / 4);
  add_facts(comparison, names, show, &facts);
  LimitedText text(show.most_characters - std::min(show.most_characters, said + facts.text().size()));
  const size_t shown = add_rows(comparison, rows, names, policy, &text);
  std::string out = left_out(comparison, shown, show);
  if (!out.empty()) out = "\n" + markdown_text(out) + "\n";
  add_full_names({rows.begin(), rows.begin() + static_cast<long>(shown)}, names, &text);
  return head + out + text.text() + facts.text();
}

}  // namespace kreplay::cli
