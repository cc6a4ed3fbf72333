// A comparison as one page.
#pragma once

#include <string>

#include "cli/show.hpp"

namespace kreplay::cli {

/// A table of all rows, and pictures of those that need attention (else of those that take longest): both
/// sides' distributions over each other, and their launches in order.
/// @param base, fresh what was compared, for the pictures
std::string comparison_html(const Comparison& comparison, const Policy& policy, const Show& show,
                            const Results& base, const Results& fresh);

}  // namespace kreplay::cli
