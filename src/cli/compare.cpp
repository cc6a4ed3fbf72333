#include "cli/compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/conditions.hpp"
#include "cli/needed.hpp"

namespace kreplay::cli {
namespace {

using State = Row::State;
using Change = Row::Change;

double percent_of(double ratio) { return 100 * (ratio - 1); }

/// Launches that a change of one of them is lost in, per run.
double launches_of(const Row& row) { return std::max(1.0, row.fresh_launches); }

bool beyond_relative(const Row& row, double ratio) {
  return std::abs(std::log(ratio)) > std::log1p(row.limit.relative);
}
/// Of one launch, or of all of a run together.
bool beyond_absolute(const Row& row, double ratio) {
  const double change_ns = std::abs(ratio - 1) * row.effect.base_ns;
  return change_ns > row.limit.absolute_ns || change_ns * launches_of(row) > row.limit.run_ns();
}
bool beyond(const Row& row, double ratio) {
  return beyond_relative(row, ratio) && beyond_absolute(row, ratio);
}

/// Which limit a change stays within.
std::string held_by(const Row& row) {
  const double ratio = row.effect.ratio;
  if (!beyond_relative(row, ratio))
    return fmt::format("{:+.2g} % is within the relative limit of {:g} %", percent_of(ratio),
                       100 * row.limit.relative);
  const double change_ns = std::abs(ratio - 1) * row.effect.base_ns;
  return fmt::format("{} a launch and {} a run are within the absolute limits of {} and {}",
                     report::human_time(change_ns), report::human_time(change_ns * launches_of(row)),
                     report::human_time(row.limit.absolute_ns), report::human_time(row.limit.run_ns()));
}

/// The ratio beyond which both limits are exceeded.
double least_ratio(const Row& row) {
  const double absolute_ns = std::min(row.limit.absolute_ns, row.limit.run_ns() / launches_of(row));
  return 1 + std::max(row.limit.relative, absolute_ns / row.effect.base_ns);
}

/// Why there is nothing to judge; empty when there is.
std::string too_few(const Row& row) {
  const Effect& effect = row.effect;
  if (effect.test == Test::exact || effect.level == Level::run) return {};
  const bool few = effect.test == Test::none || (effect.level == Level::pass &&
                                                 std::min(row.base_passes, row.fresh_passes) < kLeastPasses);
  return few ? fmt::format("fewer than {} passes; those or {} launches on each side would do", kLeastPasses,
                           kLeastLaunches)
             : "";
}

/// A row of both sides, to be measured with the others.
Row two_sided(const ShapeKey& key, const Samples& base, const Samples& fresh) {
  Row row;
  row.key = key;
  row.base_passes = base.passes;
  row.fresh_passes = fresh.passes;
  if (base.min_ns <= 0 || fresh.min_ns <= 0) {
    row.state = State::inconclusive;
    row.why = "passes that took no time at all";
  }
  return row;
}

/// What to do about an interval that is too wide.
std::string advice(const Row& row, const Policy& policy, size_t rows) {
  const Effect& effect = row.effect;
  const std::string noisy = "too noisy to rule out a regression beyond the limits";
  if (effect.dependence > 1) {
    return fmt::format("{}: its {} drift, and groups of {} count as one observation; record several runs",
                       noisy, name_of(effect.level), effect.dependence);
  }
  const size_t needed = observations_needed(effect, least_ratio(row),
                                            policy.alpha / static_cast<double>(rows), policy.confidence);
  return noisy + ": " + what_is_needed(effect, needed);
}

void decide(Row& row, const Policy& policy, size_t rows) {
  const Effect& effect = row.effect;
  if (row.q <= policy.alpha && effect.interval.low > 1) row.change = Change::slower;
  if (row.q <= policy.alpha && effect.interval.high < 1) row.change = Change::faster;
  if (row.change != Change::none && beyond(row, effect.ratio)) {
    row.state = row.change == Change::slower ? State::regression : State::improvement;
  } else if (effect.interval.high > 1 && beyond(row, effect.interval.high)) {
    row.state = State::inconclusive;
    row.why = advice(row, policy, rows);
  } else if (row.change != Change::none) {
    row.why = held_by(row);
  }
}

/// Rows that have a test, judged together: the share of false alarms is controlled over all of them.
void judge(std::vector<Row>& rows, const Policy& policy) {
  std::vector<double> p;
  for (const Row& row : rows)
    if (row.state == State::ok) p.push_back(row.effect.p);
  const std::vector<double> q = report::benjamini_hochberg(p);
  size_t next = 0;
  for (Row& row : rows) {
    if (row.state != State::ok) continue;
    row.q = q[next++];
    decide(row, policy, p.size());
  }
}

/// What the other side knows of a kernel that it has no times of.
std::string why_unmeasured(const Results& side, const ShapeKey& key) {
  std::string reasons;
  bool launched = false;
  for (const auto& [id, kernel] : side.totals.kernels) {
    if (kernel.name != key.kernel || kernel.sums.dispatches == 0) continue;
    launched = true;
    for (size_t i = 0; i < report::kReasons; ++i)
      if (kernel.sums.declined[i] != 0)
        reasons += fmt::format("{}{} {}", reasons.empty() ? "" : ", ", kernel.sums.declined[i],
                               report::name_of(static_cast<report::Reason>(i)));
  }
  if (!reasons.empty()) return "launched, but not measured: " + reasons;
  return launched ? "launched with other shapes" : "";
}

Row one_sided(const ShapeKey& key, const Samples& samples, State state, const Results& other) {
  Row row;
  row.key = key;
  row.state = state;
  row.why = why_unmeasured(other, key);
  std::vector<double> medians;
  medians.reserve(samples.runs.size());
  for (const auto& [run, one] : samples.runs) medians.push_back(report::median(one.launches.values()));
  const double median = report::median(medians);
  (state == State::added ? row.effect.fresh_ns : row.effect.base_ns) = median;
  (state == State::added ? row.fresh_passes : row.base_passes) = samples.passes;
  return row;
}

const Samples* find(const Results& results, const ShapeKey& key) {
  const auto place = results.samples.find(key);
  return place == results.samples.end() || place->second.passes == 0 ? nullptr : &place->second;
}

/// What is known of a row beyond its times: code that is the same, under this name or another.
void explain_by_code(const Results& base, const Results& fresh, Row* row) {
  const auto add = [row](const std::string& text) { row->why += (row->why.empty() ? "" : "; ") + text; };
  const std::string& kernel = row->key.kernel;
  const std::string from = code_of(base, kernel);
  const std::string to = code_of(fresh, kernel);
  if (row->state == State::regression && !from.empty() && from == to)
    add("its code is the same in both (code_hash " + to + "), so the machine or its surroundings changed");
  if (row->state == State::removed && fresh.facts.count(kernel) == 0) {
    if (const std::string other = same_code(fresh, base, from); !other.empty())
      add("the new \"" + other + "\" has the same code; " + rename_rule(kernel, other) + " compares them");
  }
  if (row->state == State::added && base.facts.count(kernel) == 0) {
    if (const std::string other = same_code(base, fresh, to); !other.empty())
      add("the base's \"" + other + "\" has the same code");
  }
}

uint64_t impossible_of(const Results& side, const ShapeKey& key) {
  const auto found = side.impossible_passes.find(key);
  return found == side.impossible_passes.end() ? 0 : found->second;
}

double per_run(double sum, const Results& side) {
  return side.runs == 0 ? 0 : sum / static_cast<double>(side.runs);
}

void set_run(const Results& side, const ShapeKey& key, double* ns, double* launches) {
  const Samples* samples = find(side, key);
  if (samples == nullptr) return;
  *ns = per_run(samples->launch_sum_ns, side);
  *launches = per_run(static_cast<double>(samples->launches), side);
}

RunFigures figures_of(const std::vector<Row>& rows, const Results& base, const Results& fresh,
                      const Policy& policy, Pairing pairing) {
  std::vector<RunPart> parts;
  for (const Row& row : rows) {
    if (row.state == State::ignored) continue;
    const double ratio = row.has_ratio() ? row.effect.ratio : 0;
    // Where there was nothing to test, the time may be anything.
    const bool tested = row.effect.test != Test::none;
    const report::Interval interval = tested ? row.effect.interval : report::Interval{0, 2 * ratio};
    parts.push_back({&row.key, row.base_launches, row.fresh_launches, row.base_run_ns, row.fresh_run_ns,
                     ratio, interval, row.limit.relative});
  }
  return run_figures(parts, base, fresh, policy, pairing);
}

/// Which processes are cut off; empty when none is.
std::string truncated(const Results& side, const char* which) {
  size_t count = 0;
  const Process* first = nullptr;
  for (const Process& process : side.processes) {
    if (process.complete) continue;
    if (first == nullptr) first = &process;
    ++count;
  }
  if (count == 0) return {};
  return fmt::format("{} is cut off: process {} in {}{} was killed, left through _exit, or still runs", which,
                     first->header.pid, first->header.path,
                     count == 1 ? "" : fmt::format(" and {} more", count - 1));
}

std::string truncated(const Results& base, const Results& fresh) {
  const std::string from = truncated(base, "the base");
  const std::string to = truncated(fresh, "the new result");
  return to.empty() || from.empty() ? to + from : to + "; " + from;
}

size_t count_facts(const Comparison& comparison, FactChange::State state) {
  return static_cast<size_t>(std::count_if(comparison.facts.begin(), comparison.facts.end(),
                                           [state](const FactChange& one) { return one.state == state; }));
}

/// The verdict, and the sentence where it is not from rows.
void conclude(const Policy& policy, const std::string& cut, Comparison* out) {
  const auto end_with = [out](Verdict verdict, std::string why) {
    out->verdict = verdict;
    out->why = std::move(why);
  };
  const size_t rows = out->count(State::regression);
  const size_t facts = count_facts(*out, FactChange::State::regression);
  const size_t stale = count_facts(*out, FactChange::State::stale);
  if (rows != 0) return end_with(Verdict::regression, "");
  if (facts != 0)
    return end_with(Verdict::regression, fmt::format("{} of the code's facts beyond its limit", facts));
  if (out->run.regression) return end_with(Verdict::regression, out->run.text());
  if (!cut.empty() && !policy.allow_truncated)
    return end_with(Verdict::inconclusive, cut + " (--allow-truncated accepts that)");
  if (stale != 0) {
    return end_with(Verdict::inconclusive,
                    fmt::format("{} of the code's facts below its ratchet, which has to be lowered", stale));
  }
  if (out->count(State::inconclusive) != 0) return end_with(Verdict::inconclusive, "");
  if (out->count(State::removed) != 0 && !policy.allow_removed) return end_with(Verdict::inconclusive, "");
  end_with(out->count(State::improvement) != 0 ? Verdict::improvement : Verdict::ok, "");
}

}  // namespace

const char* name_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::ok:
      return "ok";
    case Verdict::regression:
      return "regression";
    case Verdict::improvement:
      return "improvement";
    case Verdict::inconclusive:
      return "inconclusive";
    case Verdict::nothing_measured:
      return "nothing measured";
    case Verdict::not_comparable:
      return "not comparable";
  }
  return "unknown";
}

const char* name_of(Row::State state) {
  switch (state) {
    case State::ok:
      return "ok";
    case State::regression:
      return "regression";
    case State::improvement:
      return "improvement";
    case State::inconclusive:
      return "inconclusive";
    case State::added:
      return "added";
    case State::removed:
      return "removed";
    case State::ignored:
      return "ignored";
  }
  return "unknown";
}

const char* name_of(Row::Change change) {
  switch (change) {
    case Change::none:
      return "none";
    case Change::slower:
      return "slower";
    case Change::faster:
      return "faster";
  }
  return "unknown";
}

size_t Comparison::count(Row::State state) const {
  return static_cast<size_t>(
      std::count_if(rows.begin(), rows.end(), [state](const Row& row) { return row.state == state; }));
}

size_t Comparison::count(Row::State state, Row::Change change) const {
  return static_cast<size_t>(std::count_if(
      rows.begin(), rows.end(), [=](const Row& row) { return row.state == state && row.change == change; }));
}

Comparison compare(const Results& base, const Results& fresh, const Policy& policy, Pairing pairing) {
  Comparison out;
  out.why = mismatch(base, fresh, policy);
  if (!out.why.empty()) {
    out.verdict = Verdict::not_comparable;
    return out;
  }
  std::vector<Observations> observations;
  for (const auto& [key, samples] : base.samples) {
    if (samples.passes == 0) continue;
    const Samples* other = find(fresh, key);
    out.rows.push_back(other != nullptr ? two_sided(key, samples, *other)
                                        : one_sided(key, samples, State::removed, fresh));
    if (out.rows.back().state == State::ok) observations.push_back(observe(samples, *other, pairing));
  }
  const std::vector<Effect> effects = measure_effects(observations, {policy.confidence, policy.alpha});
  size_t next = 0;
  for (Row& row : out.rows) {
    if (row.state != State::ok) continue;
    row.effect = effects[next++];
    row.why = too_few(row);
    if (!row.why.empty()) row.state = State::inconclusive;
  }
  for (const auto& [key, samples] : fresh.samples)
    if (samples.passes != 0 && find(base, key) == nullptr)
      out.rows.push_back(one_sided(key, samples, State::added, base));
  for (Row& row : out.rows) {
    const KernelLimit limit = limit_for(policy, row.key);
    row.limit = limit.limit;
    set_run(base, row.key, &row.base_run_ns, &row.base_launches);
    set_run(fresh, row.key, &row.fresh_run_ns, &row.fresh_launches);
    row.impossible_passes = impossible_of(base, row.key) + impossible_of(fresh, row.key);
    if (limit.ignore) row.state = State::ignored;
  }
  judge(out.rows, policy);
  for (Row& row : out.rows) explain_by_code(base, fresh, &row);
  out.facts = fact_changes(base, fresh, policy);
  out.run = figures_of(out.rows, base, fresh, policy, pairing);
  const std::string cut = truncated(base, fresh);
  if (!cut.empty()) out.run.unjudged = cut;
  out.run.regression = out.run.regression && cut.empty();
  std::stable_sort(out.rows.begin(), out.rows.end(), [](const Row& a, const Row& b) {
    if (a.has_ratio() != b.has_ratio()) return a.has_ratio();
    return std::abs(std::log(a.effect.ratio)) > std::abs(std::log(b.effect.ratio));
  });
  const bool judged = std::any_of(out.rows.begin(), out.rows.end(), [](const Row& row) {
    return row.has_ratio() && row.state != State::ignored;
  });
  conclude(policy, cut, &out);
  if (judged) return out;
  out.verdict = Verdict::nothing_measured;
  out.why = "no kernel was measured in both results" + (cut.empty() ? "" : "; " + cut);
  return out;
}

}  // namespace kreplay::cli
