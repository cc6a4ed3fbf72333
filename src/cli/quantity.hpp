// Quantities as a command line takes them.
#pragma once

#include <string>

#include "base/status.hpp"

namespace kreplay::cli {

/// "5%" or "0.05": 0 or more, at most 1000 %. Without the sign it must be below 1, since "5" is read both
/// ways.
Result<double> parse_ratio(const std::string& text);
/// "500ns", "1us", "2.5ms", "1s": 0 or more. A unit is required unless the number is 0.
Result<double> parse_time_ns(const std::string& text);

}  // namespace kreplay::cli
