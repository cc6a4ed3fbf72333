// Whether two sides were measured under the same conditions.
#pragma once

#include <string>

#include "cli/policy.hpp"

namespace kreplay::cli {

/// Why the results have no common ground, as one sentence; empty when they have. Looked at: schema, machine
/// key (also within a side), tool, options other than those that only choose kernels, passes, waiting times
/// and output, and what was done to caches.
std::string mismatch(const Results& base, const Results& fresh, const Policy& policy);

}  // namespace kreplay::cli
