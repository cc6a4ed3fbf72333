#include "cli/compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

namespace kreplay::cli {
namespace {

using State = Row::State;

constexpr unsigned kResamples = 2000;
constexpr size_t kLeastExact = 3;

bool constant(const std::vector<double>& values) {
  return std::all_of(values.begin(), values.end(), [&](double value) { return value == values.front(); });
}

/// Two samples without any spread: a deterministic clock.
bool exact(const Samples& base, const Samples& fresh) {
  return base.ns.size() >= kLeastExact && fresh.ns.size() >= kLeastExact && constant(base.ns) &&
         constant(fresh.ns);
}

bool beyond(double ratio, double base_ns, const Limits& limits) {
  return std::abs(std::log(ratio)) > std::log1p(limits.relative) &&
         std::abs(ratio - 1) * base_ns > limits.absolute_ns;
}

/// Same seed for the same kernel, so a comparison can be repeated.
uint64_t seed_of(const ShapeKey& key) {
  uint64_t hash = 0xcbf29ce484222325;
  for (const char c : key.kernel) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash ^ key.grid[0];
}

Row measure(const ShapeKey& key, const Samples& base, const Samples& fresh, const Limits& limits) {
  Row row;
  row.key = key;
  row.base_samples = base.ns.size();
  row.fresh_samples = fresh.ns.size();
  row.base_ns = report::median(base.ns);
  row.fresh_ns = report::median(fresh.ns);
  if (row.base_ns <= 0 || row.fresh_ns <= 0) {
    row.state = State::inconclusive;
    row.why = "times of zero";
    return row;
  }
  row.ratio = row.fresh_ns / row.base_ns;
  if (exact(base, fresh)) {
    row.interval = {row.ratio, row.ratio};
    row.p = row.ratio == 1 ? 1 : 0;
    return row;
  }
  row.interval =
      report::bootstrap_median_ratio(base.ns, fresh.ns, limits.confidence, kResamples, seed_of(key));
  row.p = report::mann_whitney(fresh.ns, base.ns).p;
  if (std::min(row.base_samples, row.fresh_samples) < limits.least_samples) {
    row.state = State::inconclusive;
    row.why = fmt::format("fewer than {} passes", limits.least_samples);
  }
  return row;
}

void decide(Row& row, const Limits& limits) {
  const bool significant = row.q <= limits.alpha;
  if (beyond(row.ratio, row.base_ns, limits) && significant && row.interval.low > 1) {
    row.state = State::regression;
  } else if (beyond(row.ratio, row.base_ns, limits) && significant && row.interval.high < 1) {
    row.state = State::improvement;
  } else if (row.interval.high > 1 && beyond(row.interval.high, row.base_ns, limits)) {
    row.state = State::inconclusive;
    row.why = "too noisy to rule out a regression beyond the limits";
  }
}

/// Reason why two results have no common ground; empty when they do.
std::string mismatch(const Results& base, const Results& fresh, const Limits& limits) {
  if (!limits.ignore_machine && base.machine_key != fresh.machine_key) {
    std::string differing;
    for (const auto& [name, value] : base.machine) {
      const auto other = fresh.machine.find(name);
      const std::string theirs = other == fresh.machine.end() ? "absent" : other->second;
      if (theirs != value) differing += fmt::format("; {}: {} against {}", name, value, theirs);
    }
    return fmt::format("the machines differ (keys {} and {}{})", base.machine_key, fresh.machine_key,
                       differing);
  }
  if (base.cache_modes != fresh.cache_modes && !base.samples.empty() && !fresh.samples.empty())
    return "the runs treated caches differently";
  return {};
}

Verdict overall(const std::vector<Row>& rows, const Limits& limits) {
  const auto any = [&rows](State state) {
    return std::any_of(rows.begin(), rows.end(), [state](const Row& row) { return row.state == state; });
  };
  if (any(State::regression)) return Verdict::regression;
  if (any(State::inconclusive) || (any(State::removed) && !limits.allow_removed))
    return Verdict::inconclusive;
  if (any(State::improvement)) return Verdict::improvement;
  return Verdict::ok;
}

bool has_ratio(const Row& row) { return row.state != State::added && row.state != State::removed; }

std::string dims(const std::array<uint32_t, 3>& d) { return fmt::format("{}x{}x{}", d[0], d[1], d[2]); }

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
  }
  return "unknown";
}

Comparison compare(const Results& base, const Results& fresh, const Limits& limits) {
  Comparison out;
  out.why = mismatch(base, fresh, limits);
  if (!out.why.empty()) {
    out.verdict = Verdict::not_comparable;
    return out;
  }
  size_t common = 0;
  for (const auto& [key, samples] : base.samples) {
    if (samples.ns.empty()) continue;
    const auto other = fresh.samples.find(key);
    if (other != fresh.samples.end() && !other->second.ns.empty()) {
      out.rows.push_back(measure(key, samples, other->second, limits));
      ++common;
      continue;
    }
    Row row;
    row.key = key;
    row.state = State::removed;
    row.base_samples = samples.ns.size();
    row.base_ns = report::median(samples.ns);
    out.rows.push_back(row);
  }
  for (const auto& [key, samples] : fresh.samples) {
    const auto other = base.samples.find(key);
    if (samples.ns.empty() || (other != base.samples.end() && !other->second.ns.empty())) continue;
    Row row;
    row.key = key;
    row.state = State::added;
    row.fresh_samples = samples.ns.size();
    row.fresh_ns = report::median(samples.ns);
    out.rows.push_back(row);
  }
  if (common == 0) {
    out.verdict = Verdict::nothing_measured;
    out.why = "no kernel was measured in both runs";
    return out;
  }
  std::vector<double> p;
  for (const Row& row : out.rows)
    if (row.state == State::ok) p.push_back(row.p);
  const std::vector<double> q = report::benjamini_hochberg(p);
  size_t next = 0;
  for (Row& row : out.rows) {
    if (row.state != State::ok) continue;
    row.q = q[next++];
    decide(row, limits);
  }
  std::stable_sort(out.rows.begin(), out.rows.end(), [](const Row& a, const Row& b) {
    if (has_ratio(a) != has_ratio(b)) return has_ratio(a);
    return std::abs(std::log(a.ratio)) > std::abs(std::log(b.ratio));
  });
  out.verdict = overall(out.rows, limits);
  return out;
}

std::string format_table(const Comparison& comparison, const Limits& limits) {
  std::string text;
  if (!comparison.rows.empty()) {
    text += fmt::format("{:<40}  {:>16}  {:>9}  {:>9}  {:>8}  {:>17}  {:>7}  verdict\n", "kernel", "grid",
                        "base", "new", "change", "interval", "q");
  }
  for (const Row& row : comparison.rows) {
    const auto percent = [](double ratio) { return fmt::format("{:+.1f} %", 100 * (ratio - 1)); };
    const bool both = has_ratio(row);
    text += fmt::format(
        "{:<40}  {:>16}  {:>9}  {:>9}  {:>8}  {:>17}  {:>7}  {}{}\n", report::short_name(row.key.kernel, 40),
        dims(row.key.grid), row.base_samples != 0 ? report::human_time(row.base_ns) : "-",
        row.fresh_samples != 0 ? report::human_time(row.fresh_ns) : "-", both ? percent(row.ratio) : "-",
        both ? fmt::format("{:+.1f}..{:+.1f} %", 100 * (row.interval.low - 1), 100 * (row.interval.high - 1))
             : "-",
        both ? fmt::format("{:.2g}", row.q) : "-", name_of(row.state),
        row.why.empty() ? "" : " (" + row.why + ")");
  }
  text += fmt::format("kreplay: {}", name_of(comparison.verdict));
  if (!comparison.why.empty()) text += ": " + comparison.why;
  text += fmt::format(" (limits: {:g} % and {})\n", 100 * limits.relative,
                      report::human_time(limits.absolute_ns));
  return text;
}

std::string format_json(const Comparison& comparison, const Limits& limits) {
  using Json = nlohmann::ordered_json;
  Json rows = Json::array();
  for (const Row& row : comparison.rows) {
    rows.push_back({{"kernel", row.key.kernel},
                    {"grid", row.key.grid},
                    {"workgroup", row.key.workgroup},
                    {"verdict", name_of(row.state)},
                    {"why", row.why},
                    {"base_samples", row.base_samples},
                    {"new_samples", row.fresh_samples},
                    {"base_median_ns", row.base_ns},
                    {"new_median_ns", row.fresh_ns},
                    {"ratio", row.ratio},
                    {"interval", {row.interval.low, row.interval.high}},
                    {"p", row.p},
                    {"q", row.q}});
  }
  const Json json = {{"verdict", name_of(comparison.verdict)},
                     {"why", comparison.why},
                     {"limits",
                      {{"relative", limits.relative},
                       {"absolute_ns", limits.absolute_ns},
                       {"alpha", limits.alpha},
                       {"confidence", limits.confidence}}},
                     {"rows", rows}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace kreplay::cli
