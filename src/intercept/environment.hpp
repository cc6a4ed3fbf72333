// What we put into the environment before the runtime and HIP read it.
#pragma once

#include <string>

#include "base/options.hpp"

namespace kreplay::intercept {

/// Whether ROC_ENABLE_LARGE_BAR=0 was set by us.
bool bar_disabled();

/// Appends this library to HSA_TOOLS_LIB where the runtime finds tools no other way. (ROC_ENABLE_LARGE_BAR
/// must be set earlier than any constructor of ours runs: see early_env.h.)
void prepare_environment(const Options& options);

/// `list` with `path` appended in the syntax of HSA_TOOLS_LIB (names separated by spaces, quotes understood).
/// Unchanged when the list holds the path, or its file name, already.
std::string with_tool_library(const std::string& list, const std::string& path);

}  // namespace kreplay::intercept
