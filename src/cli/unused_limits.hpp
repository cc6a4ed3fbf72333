// Limits that limit nothing: a misspelt name would pass every regression of the kernel that it was meant for.
#pragma once

#include <string>
#include <vector>

#include "cli/policy.hpp"

namespace kreplay::cli {

/// @param base, fresh with the names that they were recorded with
/// @return a sentence for each rule of the limits file that matches no kernel of either side, or a fact that
/// no
///         kernel of `fresh` has
std::vector<std::string> unused_limits(const Policy& policy, const Results& base, const Results& fresh);

}  // namespace kreplay::cli
