// Starting another program from the command.
#pragma once

#include <sys/types.h>

#include <csignal>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/status.hpp"

namespace kreplay::cli {

using Variables = std::vector<std::pair<std::string, std::string>>;

/// A file in TMPDIR that goes away with its owner.
class TemporaryFile {
 public:
  /// @param size_bytes its length, all zero
  explicit TemporaryFile(const char* kind, size_t size_bytes = 0);
  ~TemporaryFile() { remove(); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  /// Empty when it could not be made; errno then says why.
  const std::string& path() const { return path_; }
  /// Before a process ends without destructors.
  void remove();

 private:
  std::string path_;
};

/// Path of this executable.
std::string own_path();

/// This process's environment with `set` on top, one "NAME=value" each.
std::vector<std::string> merged_environment(const Variables& set);

/// For exec and for readers of environments; valid as long as the strings are.
std::vector<char*> pointers(std::vector<std::string>& strings);

/// What a process inherits of signals and we may have changed meanwhile.
struct SignalState {
  sigset_t mask;
  struct sigaction child_action;  ///< of SIGCHLD
};

/// Starts a program, which ends with this process if that is killed.
/// @param output descriptor its standard output goes to; -1: ours
/// @param errors_too its standard error goes there as well
/// @param begin the signal mask and action it starts with; null: as this process has them
/// @return its pid, or -1 with errno of the step that failed, exec included
pid_t start_program(const std::string& path, std::vector<std::string> command,
                    std::vector<std::string> environment, int output = -1, const SignalState* begin = nullptr,
                    bool errors_too = false);

/// A program that was run to its end.
struct RanAside {
  std::string text;  ///< its standard output
  int status = 0;    ///< as waitpid(2) gives it; SIGKILL when it took too long
};
/// Runs a program and reads what it writes.
/// @param words its path, and arguments
/// @param errors_too standard error is part of the text
/// @param limit_ns after that it is killed
Result<RanAside> run_aside(const std::vector<std::string>& words, std::vector<std::string> environment,
                           bool errors_too, uint64_t limit_ns);

}  // namespace kreplay::cli
