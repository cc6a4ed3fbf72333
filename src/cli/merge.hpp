// `kreplay merge`: the result files of one job in one file.
#pragma once

#include <string>
#include <vector>

#include "base/status.hpp"

namespace kreplay::cli {

struct Merged {
  size_t files = 0;
  std::vector<std::string> notes;  ///< one sentence per file that is cut off
};

/// Writes the files one after the other, ordered by rank and then by start; every line as it was, apart from
/// a last line that was cut off, which is left out. A header begins the next process, so nothing needs new
/// ids.
/// @param inputs plain or compressed with gzip; "-" is standard input
/// @param output made anew, not compressed; never overwritten
/// @return Error::invalid_argument when an input is empty, no result file, or of a schema this program does
///         not know; Error::io when something cannot be read or written. The output is then not there.
Result<Merged> merge_results(const std::vector<std::string>& inputs, const std::string& output);

}  // namespace kreplay::cli
