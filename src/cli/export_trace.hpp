// Result files as a trace for viewers of Chrome's trace event format, such as Perfetto's.
#pragma once

#include <cstdio>
#include <string>
#include <vector>

#include "base/status.hpp"
#include "cli/result_reader.hpp"

namespace kreplay::cli {

/// Writes a JSON object in the trace event format: one process per process, and per agent and queue a track
/// each for launches, passes, windows, and saves and restores. Passes are where they were measured. Of
/// windows, saves and restores a record has only how long they took, so they are put where they must have
/// been: the save ends where the first pass begins, a restore ends where a later pass begins, the window
/// begins with the save. Times are in us from the first thing of the host. Memory does not grow with the
/// number of dispatches.
/// @return a failed read of a file, or Error::io when `out` cannot be written
Status export_trace(const std::vector<std::string>& paths, std::FILE* out, Notes* notes);

}  // namespace kreplay::cli
