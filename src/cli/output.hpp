// What the command writes: sentences on stderr, results on stdout.
#pragma once

#include <string>

namespace kreplay::cli {

/// One sentence on stderr, with the command's name in front.
void say(const std::string& sentence);

/// Prints everything on stdout or fails.
/// @return false, after saying so, when the output could not be written
bool print(const std::string& text);

/// Writes a file, replacing what was there, or fails.
/// @return false, after saying so, when it could not be written
bool write_file(const std::string& path, const std::string& text);

}  // namespace kreplay::cli
