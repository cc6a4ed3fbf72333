// What the command writes: sentences on stderr, results on stdout.
#pragma once

#include <string>

namespace kreplay::cli {

/// One sentence on stderr, with the command's name in front.
void say(const std::string& sentence);

/// Prints everything on stdout or fails.
/// @return false, after saying so, when the output could not be written
bool print(const std::string& text);

}  // namespace kreplay::cli
