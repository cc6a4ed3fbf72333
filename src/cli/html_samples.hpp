// Pictures of samples, as reports and comparisons have them.
#pragma once

#include <string>

#include "cli/samples.hpp"
#include "cli/svg_plot.hpp"

namespace kreplay::cli {

/// Median pass of each launch that is kept, in order, with borders between runs.
Line launch_line(const std::string& name, const Samples& samples);

/// Median passes of the launches where there are many, else single passes: what shows more than one state.
Distribution sample_distribution(const std::string& name, const Samples& samples);
/// What its values are: "median passes of launches" or "passes".
std::string distribution_unit(const Samples& samples);

}  // namespace kreplay::cli
