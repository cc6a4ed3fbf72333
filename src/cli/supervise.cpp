#include "cli/supervise.hpp"

#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <ctime>

namespace kreplay::cli {
namespace {

constexpr timespec kTick{0, 200'000'000};
/// A signal to a group is delivered to its members one after the other, without a pause; this is a pause.
constexpr timespec kOneToAnother{0, 2'000'000};
constexpr int kWitnessMs = 1000;

bool ends_programs(int signal) {
  return signal == SIGINT || signal == SIGTERM || signal == SIGHUP || signal == SIGQUIT;
}
bool job_control(int signal) { return signal == SIGTSTP || signal == SIGTTIN || signal == SIGTTOU; }

/// Answers each byte with the signals noted since the one before, and an empty one. Ends with its asker.
[[noreturn]] void bear_witness(int fd, const sigset_t& all) {
  ::dup2(fd, STDIN_FILENO);
  ::close_range(STDIN_FILENO + 1, ~0U, 0);  // no pipe of somebody else stays open for our sake
  for (char asked = 0; ::read(STDIN_FILENO, &asked, 1) == 1;) {
    constexpr timespec kNow{0, 0};
    siginfo_t info{};
    while (::sigtimedwait(&all, &info, &kNow) > 0)
      if (::send(STDIN_FILENO, &info, sizeof info, MSG_NOSIGNAL) < 0) ::_exit(0);
    info = {};
    if (::send(STDIN_FILENO, &info, sizeof info, MSG_NOSIGNAL) < 0) ::_exit(0);
  }
  ::_exit(0);
}

}  // namespace

Supervisor::Supervisor() {
  ::sigfillset(&taken_);
  ::sigprocmask(SIG_SETMASK, &taken_, &begin_.mask);
  // Where SIGCHLD is ignored, as some launchers leave it, the status of a child is lost.
  struct sigaction action {};
  action.sa_handler = SIG_DFL;
  ::sigaction(SIGCHLD, &action, &begin_.child_action);
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) return;
  witness_ = ::fork();
  if (witness_ == 0) {
    ::close(ends[0]);
    bear_witness(ends[1], taken_);
  }
  ::close(ends[1]);
  witness_fd_ = ends[0];
}

Supervisor::~Supervisor() {
  if (witness_fd_ >= 0) ::close(witness_fd_);
  if (witness_ > 0) {
    ::kill(witness_, SIGKILL);
    ::waitpid(witness_, nullptr, 0);
  }
  if (kept_) return;
  ::sigaction(SIGCHLD, &begin_.child_action, nullptr);
  ::sigprocmask(SIG_SETMASK, &begin_.mask, nullptr);
}

bool Supervisor::seen_by_witness(const siginfo_t& info) const {
  ::nanosleep(&kOneToAnother, nullptr);
  if (witness_fd_ < 0 || ::send(witness_fd_, "", 1, MSG_NOSIGNAL) != 1) return info.si_code == SI_KERNEL;
  bool seen = false;
  pollfd answer{witness_fd_, POLLIN, 0};
  while (::poll(&answer, 1, kWitnessMs) == 1) {
    siginfo_t noted{};
    if (::recv(witness_fd_, &noted, sizeof noted, 0) != sizeof noted || noted.si_signo == 0) break;
    seen = seen || (noted.si_signo == info.si_signo && noted.si_pid == info.si_pid);
  }
  return seen;
}

void Supervisor::take(pid_t program, const siginfo_t& info) {
  const bool sent = info.si_code <= 0;
  // What this process brings about itself (SIGPIPE), and what the program tells its parent, is not for it.
  if (info.si_signo == SIGCHLD || (sent && (info.si_pid == ::getpid() || info.si_pid == program))) return;
  if (ends_programs(info.si_signo)) asked_to_end_ = info.si_signo;
  if (seen_by_witness(info) && ::getpgid(program) == ::getpgrp()) return;
  if (info.si_code == SI_QUEUE)
    ::sigqueue(program, info.si_signo, info.si_value);
  else
    ::kill(program, info.si_signo);
}

void Supervisor::stop_with(int signal) {
  if (!job_control(signal)) return;  // SIGSTOP came for the program alone; nobody would continue this process
  sigset_t one;
  ::sigemptyset(&one);
  ::sigaddset(&one, signal);
  ::raise(signal);
  ::sigprocmask(SIG_UNBLOCK, &one, nullptr);  // stops here, unless nobody is left to continue the group
  ::sigprocmask(SIG_BLOCK, &one, nullptr);
}

int Supervisor::wait(pid_t program, const std::function<void()>& tick) {
  for (;;) {
    int status = 0;
    const pid_t done = ::waitpid(program, &status, WNOHANG | WUNTRACED);
    if (done < 0 && errno != EINTR) return status;
    if (done == program && !WIFSTOPPED(status)) return status;
    if (done == program) stop_with(WSTOPSIG(status));
    if (tick) tick();
    siginfo_t info{};
    const int signal = tick ? ::sigtimedwait(&taken_, &info, &kTick) : ::sigwaitinfo(&taken_, &info);
    if (signal > 0) take(program, info);
  }
}

void end_as(int signal) {
  const rlimit none{0, 0};  // the program has left its own core file, if any
  ::setrlimit(RLIMIT_CORE, &none);
  struct sigaction action {};
  action.sa_handler = SIG_DFL;
  ::sigaction(signal, &action, nullptr);
  sigset_t set;
  ::sigemptyset(&set);
  ::sigaddset(&set, signal);
  ::raise(signal);
  ::sigprocmask(SIG_UNBLOCK, &set, nullptr);
  ::_exit(128 + signal);
}

}  // namespace kreplay::cli
