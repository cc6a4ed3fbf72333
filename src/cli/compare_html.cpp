#include "cli/compare_html.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cli/compare_formats.hpp"
#include "cli/html_page.hpp"
#include "cli/html_samples.hpp"
#include "cli/markup.hpp"
#include "report/totals.hpp"

namespace kreplay::cli {
namespace {

constexpr size_t kMostCards = 20;
constexpr size_t kPageNameColumns = 64;

std::string shape_label(const ShapeKey& key) {
  return dimensions(key.grid) + " / " + dimensions(key.workgroup);
}

std::string side_cell(uint64_t passes, double ns) {
  return passes != 0 ? value_cell(ns, report::human_time(ns)) : value_cell(-1, "-");
}

/// A cell for what only rows of both sides have.
std::string tested_cell(bool there, double value, const std::string& text, bool minor = false) {
  return there ? value_cell(value, text, minor) : value_cell(-1e300, "-", minor);
}

HtmlRow html_row(const Row& row, const std::string& brief, const RunTotals& totals) {
  const Effect& effect = row.effect;
  const bool change = row.has_ratio() && effect.ratio > 0;
  const bool tested = change && has_test(row);
  const double share = run_share(row, totals);
  std::string verdict = name_of(row.state);
  if (row.change != Row::Change::none && row.state == Row::State::ok)
    verdict += fmt::format(" ({}, within the limits)", name_of(row.change));
  if (!row.why.empty()) verdict += ": " + row.why;
  return {
      name_cell(brief, row.key.kernel) + text_cell(shape_label(row.key), true) +
          side_cell(row.base_passes, effect.base_ns) + side_cell(row.fresh_passes, effect.fresh_ns) +
          tested_cell(change, effect.ratio, percent_text(effect.ratio)) +
          tested_cell(tested, effect.interval.low,
                      percent_text(effect.interval.low) + " to " + percent_text(effect.interval.high), true) +
          tested_cell(tested, row.q, fmt::format("{:.2g}", row.q), true) +
          value_cell(share, fmt::format("{:.1f} %", 100 * share)) + text_cell(verdict),
      row.key.kernel, name_of(row.state)};
}

const Samples* samples_of(const Results& results, const ShapeKey& key) {
  const auto found = results.samples.find(key);
  return found == results.samples.end() || found->second.passes == 0 ? nullptr : &found->second;
}

std::string card_of(const Row& row, const std::string& brief, const Results& base, const Results& fresh) {
  std::vector<Distribution> sets;
  std::vector<Line> lines;
  std::string unit;
  for (const auto& [name, side] : {std::pair<const char*, const Results&>{"base", base}, {"new", fresh}}) {
    // A side that is missing keeps its place, so that colours mean the same on all cards.
    static const Samples kNone{};
    const Samples* samples = samples_of(side, row.key);
    sets.push_back(sample_distribution(name, samples != nullptr ? *samples : kNone));
    lines.push_back(launch_line(name, samples != nullptr ? *samples : kNone));
    if (samples != nullptr) unit = distribution_unit(*samples);
  }
  const std::string shape = "  " + shape_label(row.key);
  return html_card(
      brief + shape, row.key.kernel + shape,
      html_figure("overlay", fmt::format("{}: {}; {}", name_of(row.state), change_text(row), unit),
                  distribution_plot(sets, report::human_time)) +
          html_figure("launches", "median pass of each launch, in order",
                      line_plot("launch", lines, report::human_time)));
}

/// Rows with pictures.
std::vector<const Row*> pictured(const Comparison& comparison) {
  Show show;
  show.changed = true;
  show.view.top = kMostCards;
  std::vector<const Row*> rows = rows_to_show(comparison, show);
  if (!rows.empty()) return rows;
  show.changed = false;
  return rows_to_show(comparison, show);
}

std::string facts_part(const Comparison& comparison, const std::map<std::string, std::string>& names) {
  if (comparison.facts.empty()) return {};
  std::vector<HtmlRow> rows;
  for (const FactChange& change : comparison.facts)
    rows.push_back({name_cell(names.at(change.kernel), change.kernel) + text_cell(change.name) +
                        text_cell(change.base) + text_cell(fresh_text(change)),
                    change.kernel,
                    {}});
  return page_heading("Changes of the code") +
         html_table("Changes of the code",
                    {{"kernel"}, {"what", false, true}, {"base", false, true}, {"new", false, true}}, rows);
}

}  // namespace

std::string comparison_html(const Comparison& comparison, const Policy& policy, const Show& show,
                            const Results& base, const Results& fresh) {
  const auto names = kernel_names(comparison, show.view.full_names ? 0 : kPageNameColumns);
  const RunTotals totals = run_totals(comparison);
  std::string out = page_head("kreplay compare");
  out += "<p class=\"verdict\">" + escape_markup(headline(comparison, policy)) + "</p>\n";
  for (const Results* side : {&base, &fresh})
    for (const std::string& note : side->notes) out += page_note(note);
  if (!comparison.rows.empty()) {
    std::vector<HtmlRow> rows;
    for (const Row* row : rows_to_show(comparison, {}))
      rows.push_back(html_row(*row, names.at(row->key.kernel), totals));
    out += page_heading("Kernels and launch shapes") + html_table("Kernels and launch shapes",
                                                                  {{"kernel"},
                                                                   {"grid / workgroup", true, true},
                                                                   {"base"},
                                                                   {"new"},
                                                                   {"change"},
                                                                   {"interval", true},
                                                                   {"q", true},
                                                                   {"share"},
                                                                   {"verdict", false, true}},
                                                                  rows);
    const std::vector<const Row*> rows_with_cards = pictured(comparison);
    std::string cards;
    for (const Row* row : rows_with_cards) cards += card_of(*row, names.at(row->key.kernel), base, fresh);
    const std::string some =
        rows_with_cards.size() < comparison.rows.size()
            ? fmt::format(" ({} of {} rows)", rows_with_cards.size(), comparison.rows.size())
            : "";
    out += page_heading("Times on both sides" + some) + html_cards(cards);
  }
  return out + facts_part(comparison, names) + page_tail();
}

}  // namespace kreplay::cli
