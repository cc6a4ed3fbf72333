#include "cli/samples.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/statistics.hpp"

namespace kreplay::cli {

std::string dimensions(const std::array<uint32_t, 3>& sizes) {
  return fmt::format("{}x{}x{}", sizes[0], sizes[1], sizes[2]);
}

std::string dimensions(const uint32_t (&sizes)[3]) {
  return fmt::format("{}x{}x{}", sizes[0], sizes[1], sizes[2]);
}

void Samples::add(size_t run, const std::vector<double>& times_ns) {
  if (times_ns.empty()) return;
  const auto [least, most] = std::minmax_element(times_ns.begin(), times_ns.end());
  min_ns = passes == 0 ? *least : std::min(min_ns, *least);
  max_ns = passes == 0 ? *most : std::max(max_ns, *most);
  steady_launches = steady_launches && *least == *most;
  ++launches;
  passes += times_ns.size();
  for (const double ns : times_ns) pass_ns.add(static_cast<uint64_t>(std::llround(ns)));
  RunSamples& samples = runs[run];
  const double median = report::median(times_ns);
  samples.launches.add(median);
  launch_sum_ns += median;
  if (samples.passes.size() == RunSamples::kPassesOf) return;
  TimeSeries& series = samples.passes.emplace_back();
  for (const double ns : times_ns) series.add(ns);
}

void Samples::add(const Samples& other) {
  if (other.passes == 0) return;
  min_ns = passes == 0 ? other.min_ns : std::min(min_ns, other.min_ns);
  max_ns = passes == 0 ? other.max_ns : std::max(max_ns, other.max_ns);
  steady_launches = steady_launches && other.steady_launches;
  launches += other.launches;
  passes += other.passes;
  pass_ns.merge(other.pass_ns);
  launch_sum_ns += other.launch_sum_ns;
  for (const auto& [run, samples] : other.runs) {
    RunSamples& into = runs[run];
    for (const double ns : samples.launches.values()) into.launches.add(ns);
    for (const TimeSeries& series : samples.passes)
      if (into.passes.size() < RunSamples::kPassesOf) into.passes.push_back(series);
  }
}

}  // namespace kreplay::cli
