// When have enough passes been measured? Used while the passes run, so it must be cheap and needs no model of
// how times are distributed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace kreplay::report {

/// Half the width of the 95 % interval of the median, relative to the median. The interval is between two
/// order statistics, which holds for any distribution; it needs at least kLeastForMedian values.
/// @param durations_ns reordered
/// @return infinity when there are too few values or their median is 0
double median_relative_error(std::vector<uint64_t>& durations_ns);
constexpr size_t kLeastForMedian = 6;

/// Whether the error should be computed after so many passes: at `least`, and then each time their number has
/// grown by a sixteenth. Looking after every pass would cost more with each one and would stop on a lucky
/// streak more often.
bool is_checkpoint(uint64_t passes, uint64_t least);

}  // namespace kreplay::report
