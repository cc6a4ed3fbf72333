// The preload list of a program that `kreplay run` starts.
#pragma once

#include <string>
#include <vector>

#include "base/status.hpp"

namespace kreplay::cli {

/// LD_PRELOAD with `libraries` in front: sanitizer runtimes that were there stay first, as they must be; what
/// else was there follows; entries named twice (by file name, for ours) appear once.
/// @param existing the variable as it is, entries separated by spaces or colons; may be empty
/// @return invalid_argument when a library's path holds a separator, which the loader cannot be told
Result<std::string> preload_list(const std::string& existing, const std::vector<std::string>& libraries);

/// Where a library of ours is: beside the program, in the build's lib folder, or in the private one of an
/// installation.
/// @param program path of the kreplay executable
/// @return Error::not_found with the places that were tried
Result<std::string> find_library(const std::string& name, const std::string& program);

/// The libraries of a run, in the order of LD_PRELOAD.
/// @param named path of libkreplay.so; empty: the one that belongs to this program
/// @param soft with the software GPU
Result<std::vector<std::string>> libraries_to_preload(const std::string& named, bool soft);

/// What can be told of a program before it starts.
enum class ProgramKind { dynamic_program, static_program, other_class, script, privileged, unknown };
/// @param path a file; looked at, never run
ProgramKind classify(const std::string& path);
/// `name` as the shell would find it: itself if it holds a slash, else searched in `search_path`. Empty if
/// absent.
std::string find_program(const std::string& name, const std::string& search_path);

}  // namespace kreplay::cli
