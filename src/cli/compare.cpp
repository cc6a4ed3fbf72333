#include "cli/compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/conditions.hpp"

namespace kreplay::cli {
namespace {

using State = Row::State;
using Change = Row::Change;

bool beyond(double ratio, double base_ns, const Limit& limit) {
  return std::abs(std::log(ratio)) > std::log1p(limit.relative) &&
         std::abs(ratio - 1) * base_ns > limit.absolute_ns;
}

/// Same seed for the same kernel, so a comparison can be repeated.
uint64_t seed_of(const ShapeKey& key) {
  uint64_t hash = 0xcbf29ce484222325;
  for (const char c : key.kernel) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash ^ key.grid[0];
}

/// Why there is nothing to judge; empty when there is.
std::string too_few(const Row& row) {
  const Effect& effect = row.effect;
  if (effect.test == Test::exact || effect.level == Level::run) return {};
  const bool few =
      effect.test == Test::none ||
      (effect.level == Level::pass && std::min(row.base_passes, row.fresh_passes) < kLeastObservations);
  return few ? fmt::format("fewer than {} passes", kLeastObservations) : "";
}

Row measure(const ShapeKey& key, const Samples& base, const Samples& fresh, const Policy& policy,
            Pairing pairing) {
  Row row;
  row.key = key;
  row.base_passes = base.passes;
  row.fresh_passes = fresh.passes;
  if (base.min_ns <= 0 || fresh.min_ns <= 0) {
    row.state = State::inconclusive;
    row.why = "passes that took no time at all";
    return row;
  }
  row.effect = measure_effect(base, fresh, pairing, policy.confidence, seed_of(key));
  row.why = too_few(row);
  if (!row.why.empty()) row.state = State::inconclusive;
  return row;
}

/// What to do about an interval that is too wide.
std::string advice(const Effect& effect, size_t rows) {
  if (effect.dependence > 1) {
    return fmt::format("its {} drift: groups of {} count as one observation; record several runs",
                       name_of(effect.level), effect.dependence);
  }
  if (effect.test == Test::student && rows > 1)
    return fmt::format("too few {} for {} kernels and shapes", name_of(effect.level), rows);
  return "too noisy to rule out a regression beyond the limits";
}

void decide(Row& row, const Policy& policy, size_t rows) {
  const Effect& effect = row.effect;
  if (row.q <= policy.alpha && effect.interval.low > 1) row.change = Change::slower;
  if (row.q <= policy.alpha && effect.interval.high < 1) row.change = Change::faster;
  if (row.change != Change::none && beyond(effect.ratio, effect.base_ns, row.limit)) {
    row.state = row.change == Change::slower ? State::regression : State::improvement;
  } else if (effect.interval.high > 1 && beyond(effect.interval.high, effect.base_ns, row.limit)) {
    row.state = State::inconclusive;
    row.why = advice(effect, rows);
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

uint64_t impossible_of(const Results& side, const ShapeKey& key) {
  const auto found = side.impossible_passes.find(key);
  return found == side.impossible_passes.end() ? 0 : found->second;
}

double run_ns_of(const Results& side, const ShapeKey& key) {
  const Samples* samples = find(side, key);
  return samples == nullptr || side.runs == 0 ? 0 : samples->launch_sum_ns / static_cast<double>(side.runs);
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
  for (const auto& [key, samples] : base.samples) {
    if (samples.passes == 0) continue;
    const Samples* other = find(fresh, key);
    out.rows.push_back(other != nullptr ? measure(key, samples, *other, policy, pairing)
                                        : one_sided(key, samples, State::removed, fresh));
  }
  for (const auto& [key, samples] : fresh.samples)
    if (samples.passes != 0 && find(base, key) == nullptr)
      out.rows.push_back(one_sided(key, samples, State::added, base));
  for (Row& row : out.rows) {
    const KernelLimit limit = limit_for(policy, row.key);
    row.limit = limit.limit;
    row.base_run_ns = run_ns_of(base, row.key);
    row.fresh_run_ns = run_ns_of(fresh, row.key);
    row.impossible_passes = impossible_of(base, row.key) + impossible_of(fresh, row.key);
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
