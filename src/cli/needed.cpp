#include "cli/needed.hpp"

#include <fmt/format.h>

#include <cmath>

#include "report/student.hpp"

namespace kreplay::cli {

size_t observations_needed(const Effect& effect, double limit, double alpha, double confidence) {
  const double change = std::log(effect.ratio);
  const double allowed = std::log(limit);
  if (effect.variance <= 0) return 0;
  const auto decided = [&](size_t count) {
    const auto n = static_cast<double>(count);
    const double error = std::sqrt(effect.variance / n);
    if (change > allowed) return report::student_p(change / error, n - 1) / kShareOfStudent <= alpha;
    const double surely = 1 - (1 - confidence) * kShareOfStudent;
    return change + report::student_quantile(surely, n - 1) * error < allowed;
  };
  size_t high = 2;
  while (high < kMostNeeded && !decided(high)) high *= 2;
  if (!decided(high)) return 0;
  size_t low = high / 2;  // not enough, or 1
  while (high - low > 1) {
    const size_t middle = (low + high) / 2;
    (middle > 1 && decided(middle) ? high : low) = middle;
  }
  return high > kMostNeeded ? 0 : high;
}

std::string what_is_needed(const Effect& effect, size_t needed) {
  const char* const unit = effect.paired ? "pairs of " : "";
  const char* const sides = effect.paired ? "" : " on each side";
  if (needed == 0) {
    return fmt::format("more than {} {}{}{} would be needed at this noise: the change is about the limit",
                       kMostNeeded, unit, name_of(effect.level), sides);
  }
  const std::string there =
      effect.paired ? fmt::format("{}", effect.base_observations)
                    : fmt::format("{} and {}", effect.base_observations, effect.fresh_observations);
  return fmt::format("about {} {}{}{} would decide at this noise; there are {}", needed, unit,
                     name_of(effect.level), sides, there);
}

}  // namespace kreplay::cli
