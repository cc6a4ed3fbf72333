// Result files as one table with a row per pass, for spreadsheets and data frames.
#pragma once

#include <cstdio>
#include <string>
#include <vector>

#include "cli/result_reader.hpp"

namespace kreplay::cli {

/// Writes RFC 4180 CSV with a header line. A row is identified by process (host, pid, start_unix_ns),
/// dispatch and pass; a dispatch without timed passes has one row with these columns empty. Nothing is
/// summed. Memory does not grow with the number of dispatches.
/// @return a failed read of a file, or Error::io when `out` cannot be written
Status export_csv(const std::vector<std::string>& paths, std::FILE* out, Notes* notes);

}  // namespace kreplay::cli
