#include "cli/run.hpp"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include "base/clock.hpp"
#include "base/options.hpp"
#include "base/progress.hpp"
#include "base/rank.hpp"
#include "cli/child.hpp"
#include "cli/output.hpp"
#include "cli/preload.hpp"
#include "cli/progress_line.hpp"
#include "cli/verdict.hpp"

namespace kreplay::cli {
namespace {

volatile sig_atomic_t g_child = 0;  ///< whom the signal handler passes signals on to

void pass_on(int signal) {
  if (g_child > 0) ::kill(g_child, signal);
}

/// Waits for the child; meanwhile shows its progress if there is a page. @return status as waitpid(2) gives
/// it
int wait_for(pid_t child, const ProgressPage* page) {
  constexpr timespec kInterval{0, 200'000'000};
  int status = 0;
  const uint64_t begin = monotonic_ns();
  sigset_t ended;
  ::sigemptyset(&ended);
  ::sigaddset(&ended, SIGCHLD);
  if (page != nullptr) ::sigprocmask(SIG_BLOCK, &ended, nullptr);
  ProgressLine line(STDERR_FILENO);
  for (;;) {
    const pid_t done = ::waitpid(child, &status, page != nullptr ? WNOHANG : 0);
    if (done == child || (done < 0 && errno != EINTR)) return status;
    if (page == nullptr) continue;
    line.paint(*page, monotonic_ns() - begin);
    ::sigtimedwait(&ended, nullptr, &kInterval);
  }
}

[[noreturn]] void end_as(int signal) {
  const rlimit none{0, 0};  // the program has left its own core file, if any
  ::setrlimit(RLIMIT_CORE, &none);
  ::signal(signal, SIG_DFL);
  sigset_t set;
  ::sigemptyset(&set);
  ::sigaddset(&set, signal);
  ::sigprocmask(SIG_UNBLOCK, &set, nullptr);
  ::raise(signal);
  ::_exit(128 + signal);
}

/// This very process is of a rank that was not asked for: then its program measures nothing, which is right.
bool left_out(const Options& options) {
  const auto rank = job_rank();
  return rank && !options.ranks.contains(*rank);
}

}  // namespace

int run(const RunRequest& request) {
  const char* search = std::getenv("PATH");
  const std::string& name = request.command.front();
  const std::string program = find_program(name, search != nullptr ? search : "/usr/bin:/bin");
  if (program.empty()) {
    const bool folder = name.find('/') != std::string::npos && ::access(name.c_str(), F_OK) == 0;
    say(name + (folder ? ": cannot be run: it is no file" : ": no such program"));
    return folder ? kCannotExecute : kNoSuchProgram;
  }
  TemporaryFile handshake("handshake", kHandshakeBytes);
  if (handshake.path().empty()) {
    say(std::string("cannot create a temporary file: ") + std::strerror(errno));
    return kRunFailed;
  }
  TemporaryFile progress("progress", request.progress ? kProgressBytes : 0);
  const ProgressPage* page = request.progress ? map_progress(progress.path()) : nullptr;
  const char* preloaded = std::getenv("LD_PRELOAD");
  const auto list = preload_list(preloaded != nullptr ? preloaded : "", request.libraries);
  if (!list) {
    say(list.status().message());
    return kRunFailed;
  }
  auto variables = request.variables;
  variables.emplace_back("LD_PRELOAD", *list);
  variables.emplace_back("KREPLAY_HANDSHAKE", handshake.path());
  if (page != nullptr) variables.emplace_back("KREPLAY_PROGRESS", progress.path());
  std::vector<std::string> environment = merged_environment(variables);
  const Options options = read_options(pointers(environment).data());
  if (!options.errors.empty()) {
    for (const std::string& error : options.errors) say(error);
    return kRunFailed;
  }

  for (const int signal : {SIGINT, SIGQUIT}) ::signal(signal, SIG_IGN);
  const pid_t child = start_program(program, request.command, environment);
  if (child < 0) {
    say(program + ": cannot be run: " + std::strerror(errno));
    return errno == ENOENT ? kNoSuchProgram : kCannotExecute;
  }
  g_child = child;
  for (const int signal : {SIGTERM, SIGHUP}) ::signal(signal, pass_on);
  const int status = wait_for(child, page);
  g_child = 0;

  const HandshakeVerdict verdict =
      judge(read_handshake(handshake.path()), program, request.allow_nothing || left_out(options));
  for (const std::string& sentence : verdict.sentences) say(sentence);
  if (WIFSIGNALED(status)) {
    handshake.remove();
    progress.remove();
    end_as(WTERMSIG(status));
  }
  const int own = WEXITSTATUS(status);
  return own == 0 && !verdict.good ? kRunFailed : own;
}

}  // namespace kreplay::cli
