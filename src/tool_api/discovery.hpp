// Finding tools: the libraries ROCP_TOOL_LIBRARIES names, then every loaded object that exports
// rocprofiler_configure. Order and rules: docs/tool-contract.md, "Discovery".
#pragma once

#include <string_view>
#include <vector>

#include "base/status.hpp"
#include "tool_api/registry.hpp"

namespace kreplay::tool_api {

/// Entries of ROCP_TOOL_LIBRARIES in order, without empty and repeated ones. Upstream drops what follows the
/// last colon; here it counts, so a list with and without a trailing colon means the same.
std::vector<std::string> split_tool_libraries(std::string_view value);

/// Loads and searches.
/// @return each function once, in the order of discovery, and the libraries of ROCP_TOOL_LIBRARIES that are
/// no
///         tools; Error::not_found naming the library of
///         ROCP_TOOL_LIBRARIES that cannot be loaded and the loader's reason
Result<std::vector<Discovered>> discover_tools();

}  // namespace kreplay::tool_api
