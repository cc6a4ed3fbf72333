// `kreplay run`: starts a program with the library preloaded, proves that it was, and hands on how it ended.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/handshake.hpp"
#include "base/status.hpp"

namespace kreplay::cli {

/// Statuses of `kreplay run` that are its own; every other one is the program's.
constexpr int kRunFailed = 125;      ///< kreplay could not do its part, or nothing was measured
constexpr int kCannotExecute = 126;  ///< the program is there but cannot be run
constexpr int kNoSuchProgram = 127;

struct RunRequest {
  std::vector<std::string> command;
  std::vector<std::pair<std::string, std::string>> variables;  ///< KREPLAY_* and others to set
  std::vector<std::string> libraries;                          ///< to preload, in order
  bool allow_nothing = false;  ///< a run without a replayed dispatch is no failure
};

/// What a run's notes amount to, apart from the program's own status.
struct HandshakeVerdict {
  bool good = true;
  std::vector<std::string> sentences;  ///< to say, whether good or not
};
HandshakeVerdict judge(const std::vector<HandshakeNote>& notes, const std::string& program,
                       bool allow_nothing);

/// Runs it. SIGTERM and SIGHUP are passed on; SIGINT and SIGQUIT reach the program from the terminal. When a
/// signal ended the program, the same one ends this process.
/// @return the status to exit with
int run(const RunRequest& request);

}  // namespace kreplay::cli
