#include "cli/html_samples.hpp"

namespace kreplay::cli {
namespace {

constexpr size_t kManyLaunches = 20;

bool by_launch(const Samples& samples) { return samples.launches >= kManyLaunches; }

}  // namespace

Line launch_line(const std::string& name, const Samples& samples) {
  Line line;
  line.name = name;
  for (const auto& [run, one] : samples.runs) {
    if (!line.values.empty()) line.borders.push_back(line.values.size());
    line.values.insert(line.values.end(), one.launches.values().begin(), one.launches.values().end());
  }
  return line;
}

Distribution sample_distribution(const std::string& name, const Samples& samples) {
  Distribution set;
  set.name = name;
  for (const auto& [run, one] : samples.runs) {
    if (by_launch(samples)) {
      set.values.insert(set.values.end(), one.launches.values().begin(), one.launches.values().end());
      continue;
    }
    for (const TimeSeries& series : one.passes)
      set.values.insert(set.values.end(), series.values().begin(), series.values().end());
  }
  return set;
}

std::string distribution_unit(const Samples& samples) {
  return by_launch(samples) ? "median passes of launches" : "passes";
}

}  // namespace kreplay::cli
