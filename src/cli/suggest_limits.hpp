// Limits from what repeated runs of one build differ by.
#pragma once

#include <string>
#include <vector>

#include "cli/results.hpp"

namespace kreplay::cli {

constexpr size_t kLeastRunsForLimits = 3;

struct SuggestedLimit {
  ShapeKey key;
  size_t runs = 0;
  double spread = 0;       ///< standard deviation of the runs' medians, relative
  double relative = 0;     ///< two single runs of one build differ by more in one of a hundred cases
  double absolute_ns = 0;  ///< the same in ns; at least 10, what timestamps can tell
};

/// For each kernel and shape that at least kLeastRunsForLimits runs measured; widest first. The fewer runs,
/// the wider: the deviation is itself an estimate (Student's t at 99 %). At least 1 %, rounded up to half
/// percents.
std::vector<SuggestedLimit> suggest_limits(const Results& results);

/// As a limits file: a limit that holds for most, and one for each kernel and shape that needs a wider one.
/// @param limits not empty
std::string limits_toml(const std::vector<SuggestedLimit>& limits, size_t runs);

}  // namespace kreplay::cli
