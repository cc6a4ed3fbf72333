// Whether libraries can be loaded the way a run loads them. They are loaded in a process of its own, before
// the program starts: a preload that fails is no more than a line of the loader's, and a tool that fails ends
// the program in the middle.
#pragma once

#include <string>
#include <vector>

namespace kreplay::cli {

struct LoadProbe {
  std::vector<std::string> preloads;  ///< in order; libkreplay.so first
  std::vector<std::string> tools;     ///< as ROCP_TOOL_LIBRARIES names them
  /// Of the program that is to load them, LD_PRELOAD included; empty: as `kreplay run` would make it.
  std::vector<std::string> environment;
  bool exports = false;  ///< also look whether libkreplay.so has what the runtime and tools need
};

/// Runs a probe process, 30 seconds at the most. Constructors of the libraries run, nothing else of them.
/// @return a sentence for each thing that is wrong; empty when nothing is
std::vector<std::string> probe_loading(const LoadProbe& probe);

/// The probe process: writes what it finds to standard output, and ends without anything's destructors.
[[noreturn]] void load_and_tell(const LoadProbe& probe);

}  // namespace kreplay::cli
