// The pass times of one kernel and launch shape, in bounded memory, with their structure: runs hold launches,
// launches hold passes. Passes of a launch share its drift and launches share their process, so a comparison
// must know which belong together.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "cli/time_series.hpp"
#include "report/time_histogram.hpp"

namespace kreplay::cli {

/// Kernels are compared per launch shape.
struct ShapeKey {
  std::string kernel;  ///< demangled
  std::array<uint32_t, 3> grid{};
  std::array<uint32_t, 3> workgroup{};
  auto operator<=>(const ShapeKey&) const = default;
};
/// "1024x1x1"
std::string dimensions(const std::array<uint32_t, 3>& sizes);
std::string dimensions(const uint32_t (&sizes)[3]);

/// Of one run (one result file).
struct RunSamples {
  static constexpr size_t kPassesOf = 8;  ///< single passes are kept of this many launches

  TimeSeries launches;             ///< median pass time of each launch, ns, in order
  std::vector<TimeSeries> passes;  ///< pass times of the first launches, ns, in order
};

struct Samples {
  std::map<size_t, RunSamples> runs;  ///< by number of the file
  uint64_t launches = 0;
  uint64_t passes = 0;
  double min_ns = 0, max_ns = 0;  ///< of all passes
  report::TimeHistogram pass_ns;  ///< of all passes
  double launch_sum_ns = 0;       ///< median passes of all launches, summed: the time of all runs
  bool steady_launches = true;    ///< the passes of each launch took the same time

  /// One launch. @param times_ns of its passes; ignored when empty
  void add(size_t run, const std::vector<double>& times_ns);
  /// Adds the launches of another shape that takes the same name. Runs of one number become one run.
  void add(const Samples& other);
  /// Every pass took the same time.
  bool constant() const { return passes != 0 && min_ns == max_ns; }
};

}  // namespace kreplay::cli
