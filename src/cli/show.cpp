#include "cli/show.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "report/short_names.hpp"

namespace kreplay::cli {
namespace {

using State = Row::State;

/// Smaller is more urgent.
int urgency(State state) {
  switch (state) {
    case State::regression:
      return 0;
    case State::inconclusive:
      return 1;
    case State::removed:
      return 2;
    case State::added:
      return 3;
    case State::improvement:
      return 4;
    case State::ok:
      return 5;
    case State::ignored:
      return 6;
  }
  return 7;
}

bool plainly_same(const Row& row) {
  return row.state == State::ignored || (row.state == State::ok && row.change == Row::Change::none);
}

double run_ns(const Row& row) { return row.fresh_passes != 0 ? row.fresh_run_ns : row.base_run_ns; }

}  // namespace

std::vector<const Row*> rows_to_show(const Comparison& comparison, const Show& show) {
  std::vector<const Row*> rows;
  for (const Row& row : comparison.rows) {
    if (show.changed && plainly_same(row)) continue;
    if (!show.states.empty() && show.states.count(row.state) == 0) continue;
    rows.push_back(&row);
  }
  const auto key = [](const Row* row) {
    return std::tuple(urgency(row->state), -std::abs(row->fresh_run_ns - row->base_run_ns), -run_ns(*row));
  };
  std::stable_sort(rows.begin(), rows.end(), [&key](const Row* a, const Row* b) { return key(a) < key(b); });
  if (show.view.top != 0 && rows.size() > show.view.top) rows.resize(show.view.top);
  return rows;
}

std::string left_out(const Comparison& comparison, size_t shown, const Show& show) {
  if (shown == comparison.rows.size()) return {};
  return fmt::format("{} of {} rows shown{}", shown, comparison.rows.size(),
                     show.full.empty() ? "" : "; all of them: " + show.full);
}

RunTotals run_totals(const Comparison& comparison) {
  RunTotals totals;
  for (const Row& row : comparison.rows) {
    totals.base_ns += row.base_run_ns;
    totals.fresh_ns += row.fresh_run_ns;
  }
  return totals;
}

double run_share(const Row& row, const RunTotals& totals) {
  const double sum = row.fresh_passes != 0 ? totals.fresh_ns : totals.base_ns;
  return sum > 0 ? run_ns(row) / sum : 0;
}

std::map<std::string, std::string> kernel_names(const Comparison& comparison, size_t columns) {
  std::set<std::string> names;
  for (const Row& row : comparison.rows) names.insert(row.key.kernel);
  for (const FactChange& change : comparison.facts) names.insert(change.kernel);
  return report::short_names(names, columns);
}

}  // namespace kreplay::cli
