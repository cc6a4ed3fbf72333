// How many more observations would decide what is in doubt.
#pragma once

#include <string>

#include "cli/effect.hpp"

namespace kreplay::cli {

constexpr size_t kMostNeeded = 10'000;

/// @param limit ratio that a regression exceeds, above 1
/// @param alpha what the p-value of this row must not exceed
/// @return observations on each side, or pairs, with which a row of this noise and this change would not be
/// in
///         doubt; 0 where more than kMostNeeded would be needed, or nothing is known of the noise
size_t observations_needed(const Effect& effect, double limit, double alpha, double confidence);

/// "about 12 launches on each side would decide at this noise; there are 5 and 5"
std::string what_is_needed(const Effect& effect, size_t needed);

}  // namespace kreplay::cli
