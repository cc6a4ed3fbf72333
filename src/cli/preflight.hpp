// What can be known before a program runs: a run that fails at its end, or measures nothing, is an hour lost.
#pragma once

#include <string>
#include <vector>

namespace kreplay::cli {

/// Looks whether the libraries and the tools of ROCP_TOOL_LIBRARIES can be loaded, and the result file be
/// made.
/// @param preloads libkreplay.so first
/// @param output value of KREPLAY_OUTPUT; empty: none
/// @param environment of the program, one "NAME=value" each
/// @return a sentence for each thing that is wrong
std::vector<std::string> preflight(const std::vector<std::string>& preloads, const std::string& output,
                                   const std::vector<std::string>& environment);

/// Why a file cannot be made anew, or written if it is there; empty when it can. Leaves nothing behind.
std::string why_not_writable(const std::string& path);

/// Why no GPU can be used, and what says more; empty when the driver's device can be opened.
/// @param root put before /dev, for tests
std::string no_device(const std::string& root);

}  // namespace kreplay::cli
