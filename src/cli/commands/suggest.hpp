// What a command line with a misspelt word was meant to be.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace kreplay::cli {

/// Looks for the first word that is no command, or no option of its command.
/// @param words the command line without the program's name
/// @return a sentence that names the word and what comes near it; empty when every word is known
std::string misspelt(const CLI::App& app, const std::vector<std::string>& words);

/// How many letters have to be inserted, removed, replaced, or swapped with their neighbour, to make one text
/// the other.
size_t edits(const std::string& from, const std::string& to);

}  // namespace kreplay::cli
