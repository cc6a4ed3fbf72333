// `kreplay run`: starts a program with the library preloaded, proves that it was, and hands on how it ended.
#pragma once

#include <string>
#include <vector>

#include "cli/child.hpp"

namespace kreplay::cli {

/// Statuses of `kreplay run` that are its own; every other one is the program's.
constexpr int kRunFailed = 125;      ///< kreplay could not do its part, or nothing was measured
constexpr int kCannotExecute = 126;  ///< the program is there but cannot be run
constexpr int kNoSuchProgram = 127;

struct RunRequest {
  std::vector<std::string> command;
  Variables variables;                 ///< KREPLAY_* and others to set
  std::vector<std::string> libraries;  ///< to preload, in order
  bool progress = false;               ///< show on stderr how far the program is
  bool soft = false;                   ///< on the software GPU: no device is needed
  bool allow_nothing = false;          ///< a run without a replayed dispatch is no failure
};

/// Runs it. Signals are the program's (Supervisor). When one ended the program, the same one ends this
/// process.
/// @return the status to exit with
int run(const RunRequest& request);

}  // namespace kreplay::cli
