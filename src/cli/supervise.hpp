// Waiting for a program as if it had been started without us: whoever signals this process means the program.
#pragma once

#include <sys/types.h>

#include <csignal>
#include <functional>

#include "cli/child.hpp"

namespace kreplay::cli {

/// Between the start of a program and its end all signals of this process belong to it. Make one before the
/// program is started, with start_program; the program itself begins with the mask and the actions that this
/// process had.
///
/// A signal sent to this process alone is sent on. One sent to the whole process group (the terminal's keys,
/// a shell's kill %1, timeout(1)) reaches the program without us, and is not sent a second time: a witness, a
/// process of the group that does nothing but note its signals, tells the two apart.
/// A program that job control stops stops this process too, so that the shell sees it; both go on together.
class Supervisor {
 public:
  Supervisor();
  ~Supervisor();
  Supervisor(const Supervisor&) = delete;
  Supervisor& operator=(const Supervisor&) = delete;

  /// Waits until the program ends.
  /// @param tick called about five times a second; may be empty
  /// @return status as of waitpid(2)
  int wait(pid_t program, const std::function<void()>& tick);

  /// The last signal to end a program that came for it; 0: none.
  int asked_to_end() const { return asked_to_end_; }
  /// What the program is to begin with.
  const SignalState& begin() const { return begin_; }
  /// This process only hands on a status from now on: a signal that comes too late changes nothing any more.
  void keep() { kept_ = true; }

 private:
  void take(pid_t program, const siginfo_t& info);
  bool seen_by_witness(const siginfo_t& info) const;
  static void stop_with(int signal);

  sigset_t taken_{};
  SignalState begin_{};
  pid_t witness_ = -1;
  int witness_fd_ = -1;  ///< each signal of the group as a siginfo_t
  int asked_to_end_ = 0;
  bool kept_ = false;
};

/// Ends this process by the signal that ended the program, without a core file of its own.
[[noreturn]] void end_as(int signal);

}  // namespace kreplay::cli
