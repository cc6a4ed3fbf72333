#include "cli/history.hpp"

#include <algorithm>
#include <cmath>

#include "cli/results.hpp"
#include "report/statistics.hpp"

namespace kreplay::cli {
namespace {

using Values = std::vector<double>;

constexpr size_t kLeastValues = 6;
constexpr long kLeastSide = 2;
constexpr double kNoises = 5;        ///< a step is so many times what noise explains
constexpr double kLeastStep = 0.01;  ///< relative

/// Standard deviation of single values, from the differences of neighbours.
double noise_of(const Values& logs) {
  Values differences;
  for (size_t i = 1; i < logs.size(); ++i) differences.push_back(std::abs(logs[i] - logs[i - 1]));
  return 1.4826 * report::median(differences) / std::sqrt(2);
}

double median_between(const Values& values, long begin, long end) {
  return report::median({values.begin() + begin, values.begin() + end});
}

/// How far values lie from their median, summed.
double distance_from_median(const Values& values, long begin, long end) {
  const double median = median_between(values, begin, end);
  double sum = 0;
  for (long i = begin; i < end; ++i) sum += std::abs(values[static_cast<size_t>(i)] - median);
  return sum;
}

/// Where two levels explain the values best.
long best_split(const Values& logs, long begin, long end) {
  double least = HUGE_VAL;
  long where = begin + kLeastSide;
  for (long i = begin + kLeastSide; i + kLeastSide <= end; ++i) {
    const double distance = distance_from_median(logs, begin, i) + distance_from_median(logs, i, end);
    if (distance >= least) continue;
    least = distance;
    where = i;
  }
  return where;
}

/// Finds the clearest step between two places, then looks on both sides of it.
void find_steps(const Values& logs, double noise, long begin, long end, std::vector<size_t>* steps) {
  constexpr double kOfMedian = 1.2533;  // a median's standard deviation over a mean's
  if (end - begin < 2 * kLeastSide) return;
  const long where = best_split(logs, begin, end);
  const double size = std::abs(median_between(logs, where, end) - median_between(logs, begin, where));
  const double parts = 1.0 / static_cast<double>(where - begin) + 1.0 / static_cast<double>(end - where);
  if (size < std::log1p(kLeastStep) || size < kNoises * noise * kOfMedian * std::sqrt(parts)) return;
  find_steps(logs, noise, begin, where, steps);
  steps->push_back(static_cast<size_t>(where));
  find_steps(logs, noise, where, end, steps);
}

double run_median(const RunSamples& run) { return report::median(run.launches.values()); }

void add_run(const Results& results, size_t place, std::map<ShapeKey, Trend>* trends) {
  for (const auto& [key, samples] : results.samples) {
    Trend& trend = (*trends)[key];
    trend.key = key;
    trend.runs.push_back(place);
    trend.median_ns.push_back(run_median(samples.runs.begin()->second));
    trend.run_ns.push_back(samples.launch_sum_ns);
  }
}

Status read_machine(const BaselineStore::Machine& stored, MachineHistory* machine) {
  std::map<ShapeKey, Trend> trends;
  for (const std::string& path : stored.runs) {
    Results results;
    if (Status read = read_results(path, &results); !read) return read;
    const HeaderLine& header = results.processes.front().header;
    machine->machine = header.machine;
    machine->runs.push_back(header.start);
    add_run(results, machine->runs.size() - 1, &trends);
  }
  for (auto& [key, trend] : trends) {
    trend.steps = level_steps(trend.median_ns);
    machine->trends.push_back(std::move(trend));
  }
  std::stable_sort(machine->trends.begin(), machine->trends.end(), [](const Trend& a, const Trend& b) {
    const double step_a = std::abs(std::log(level_change(a)));
    const double step_b = std::abs(std::log(level_change(b)));
    return step_a != step_b ? step_a > step_b : a.run_ns.back() > b.run_ns.back();
  });
  return {};
}

}  // namespace

std::vector<size_t> level_steps(const Values& values) {
  std::vector<size_t> steps;
  const bool positive = std::all_of(values.begin(), values.end(), [](double value) { return value > 0; });
  if (values.size() < 2 * kLeastSide || !positive) return steps;
  Values logs;
  logs.reserve(values.size());
  for (const double value : values) logs.push_back(std::log(value));
  const double noise = noise_of(logs);
  if (values.size() < kLeastValues && noise > 0) return steps;
  find_steps(logs, noise, 0, static_cast<long>(logs.size()), &steps);
  return steps;
}

double level_change(const Trend& trend) {
  if (trend.steps.empty()) return 1;
  const auto count = static_cast<long>(trend.median_ns.size());
  return median_between(trend.median_ns, static_cast<long>(trend.steps.back()), count) /
         median_between(trend.median_ns, 0, static_cast<long>(trend.steps.front()));
}

Result<std::vector<MachineHistory>> read_history(const BaselineStore& store) {
  const auto stored = store.machines();
  if (!stored) return stored.status();
  std::vector<MachineHistory> machines;
  for (const BaselineStore::Machine& one : *stored) {
    MachineHistory& machine = machines.emplace_back();
    machine.key = one.key;
    if (Status read = read_machine(one, &machine); !read) return read;
  }
  return machines;
}

}  // namespace kreplay::cli
