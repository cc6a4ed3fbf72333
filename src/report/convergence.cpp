#include "report/convergence.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace kreplay::report {

double median_relative_error(std::vector<uint64_t>& durations_ns) {
  constexpr double kNormal95 = 1.959964;
  constexpr double kUnknown = std::numeric_limits<double>::infinity();
  const size_t count = durations_ns.size();
  if (count < kLeastForMedian) return kUnknown;
  // Rank of the lower end, from 1, by the normal approximation of the binomial distribution: never a wider
  // rank than the exact one gives from six values on, so the interval covers at least 95 %.
  const auto n = static_cast<double>(count);
  const auto rank = static_cast<size_t>((n + 1 - kNormal95 * std::sqrt(n)) / 2);
  const auto at = [&durations_ns](size_t index) {
    const auto place = durations_ns.begin() + static_cast<std::ptrdiff_t>(index);
    std::nth_element(durations_ns.begin(), place, durations_ns.end());
    return static_cast<double>(*place);
  };
  const double low = at(rank - 1);
  const double high = at(count - rank);
  const double middle = (at((count - 1) / 2) + at(count / 2)) / 2;
  return middle > 0 ? (high - low) / 2 / middle : kUnknown;
}

bool is_checkpoint(uint64_t passes, uint64_t least) {
  if (least < kLeastForMedian) least = kLeastForMedian;
  while (least < passes) least += std::max<uint64_t>(1, least / 16);
  return least == passes;
}

}  // namespace kreplay::report
