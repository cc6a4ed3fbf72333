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

bool beyond(double ratio, double base_ns, const Limit& limit) {
  return std::abs(std::log(ratio)) > std::log1p(limit.relative) &&
         std::abs(ratio - 1) * base_ns > limit.absolute_ns;
}

/// The ratio beyond which both limits are exceeded.
double least_ratio(const Row& row) {
  return 1 + std::max(row.limit.relative, row.limit.absolute_ns / row.effect.base_ns);
}

/// Why there is nothing to judge; empty when there is.
std::string too_few(const Row& row) {
  const Effect& effect = row.effect;
  if (effect.test == Test::exact || effect.level == Level::run) return {};
  const bool few = effect.test == Test::none || (effect.level == Level::pass &&
                                                 std::min(row.base_passes, row.fresh_passes) < kLeastPasses);
  return few ? fmt::format("fewer than {} passes", kLeastPasses) : "";
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
  if (row.change != Change::none && beyond(effect.ratio, effect.base_ns, row.limit)) {
    row.state = row.change == Change::slower ? State::regression : State::improvement;
  } else if (effect.interval.high > 1 && beyond(effect.interval.high, effect.base_ns, row.limit)) {
    row.state = State::inconclusive;
    row.why = advice(row, policy, rows);
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

std::string listed(const std::set<std::string>& values) {
  std::string text;
  for (const std::string& value : values) text += (text.empty() ? "" : ", ") + value;
  return text;
}

/// The hash of the whole code object changes with every other kernel in it, so it counts only where there is
/// none of the kernel's own code.
bool covered(const std::string& name, const Facts& facts) {
  return name == "code_object_hash" && facts.count("code_hash") != 0;
}

std::vector<FactChange> fact_changes(const Results& base, const Results& fresh) {
  std::vector<FactChange> changes;
  for (const auto& [kernel, facts] : base.facts) {
    const auto other = fresh.facts.find(kernel);
    if (other == fresh.facts.end()) continue;
    for (const auto& [name, values] : facts) {
      if (covered(name, facts) && covered(name, other->second)) continue;
      const auto theirs = other->second.find(name);  // a fact that one side does not record has not changed
      if (theirs != other->second.end() && theirs->second != values)
        changes.push_back({kernel, name, listed(values), listed(theirs->second)});
    }
  }
  return changes;
}

Verdict overall(const Comparison& comparison, const Policy& policy) {
  if (comparison.count(State::regression) != 0) return Verdict::regression;
  if (comparison.count(State::inconclusive) != 0) return Verdict::inconclusive;
  if (comparison.count(State::removed) != 0 && !policy.allow_removed) return Verdict::inconclusive;
  return comparison.count(State::improvement) != 0 ? Verdict::improvement : Verdict::ok;
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
    if (limit.ignore) row.state = State::ignored;
  }
  judge(out.rows, policy);
  out.facts = fact_changes(base, fresh);
  std::stable_sort(out.rows.begin(), out.rows.end(), [](const Row& a, const Row& b) {
    if (a.has_ratio() != b.has_ratio()) return a.has_ratio();
    return std::abs(std::log(a.effect.ratio)) > std::abs(std::log(b.effect.ratio));
  });
  const bool judged = std::any_of(out.rows.begin(), out.rows.end(), [](const Row& row) {
    return row.has_ratio() && row.state != State::ignored;
  });
  out.verdict = judged ? overall(out, policy) : Verdict::nothing_measured;
  if (!judged) out.why = "no kernel was measured in both results";
  return out;
}

}  // namespace kreplay::cli
