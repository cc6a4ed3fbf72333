// What of a kernel's times counts as one observation.
#pragma once

#include <cstddef>
#include <vector>

#include "cli/samples.hpp"

namespace kreplay::cli {

/// The largest unit of which there are enough, because smaller ones share their run's or launch's conditions.
enum class Level {
  run,     ///< the median of a run; four or more on the two sides together, and more than one on some side
  launch,  ///< the median of a launch; three or more on each side
  pass,    ///< a single pass
};
const char* name_of(Level level);

/// How two sides belong together.
enum class Pairing {
  none,  ///< separate recordings; launches are paired when both are of one run with as many launches
  runs,  ///< run i of one side was made next to run i of the other
};

/// The least number of passes without spread, and of launches, that say something.
constexpr size_t kLeastExact = 3;
constexpr size_t kLeastLaunches = 3;
/// The least number of single passes, where nothing larger counts.
constexpr size_t kLeastPasses = 5;

/// Of one kernel and launch shape on two sides, independent of each other.
struct Observations {
  Level level = Level::pass;
  bool paired = false;
  bool exact = false;                ///< no spread at all (a simulated clock): any difference is real
  size_t dependence = 1;             ///< how many neighbours were taken as one observation
  double base_ns = 0, fresh_ns = 0;  ///< medians
  std::vector<double> base, fresh;   ///< times in ns, above 0; of pairs and exact ones: only what was kept
  std::vector<double> ratios;        ///< of pairs: fresh over base
  size_t base_count = 0, fresh_count = 0;
  /// Of a single run against several: how many times the variance within it is that within one of the others,
  /// at least 1. There is nothing else to tell how much its median would scatter.
  double unrest = 1;
};

/// @param base, fresh not empty, all times above 0
Observations observe(const Samples& base, const Samples& fresh, Pairing pairing);

}  // namespace kreplay::cli
