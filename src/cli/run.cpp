#include "cli/run.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include "base/options.hpp"
#include "cli/output.hpp"
#include "cli/preload.hpp"

extern char** environ;

namespace kreplay::cli {
namespace {

volatile sig_atomic_t g_child = 0;  ///< whom the signal handler passes signals on to

void pass_on(int signal) {
  if (g_child > 0) ::kill(g_child, signal);
}

/// A file that goes away with its owner.
struct HandshakeFile {
  HandshakeFile() {
    const char* folder = std::getenv("TMPDIR");
    path = std::string(folder != nullptr && *folder != '\0' ? folder : "/tmp") + "/kreplay-handshake-XXXXXX";
    const int fd = ::mkostemp(path.data(), O_CLOEXEC);
    if (fd >= 0)
      ::close(fd);
    else
      path.clear();
  }
  ~HandshakeFile() {
    if (!path.empty()) ::unlink(path.c_str());
  }
  HandshakeFile(const HandshakeFile&) = delete;
  HandshakeFile& operator=(const HandshakeFile&) = delete;
  std::string path;
};

/// The program's environment: ours, with `set` on top.
std::vector<std::string> merged_environment(const std::vector<std::pair<std::string, std::string>>& set) {
  std::vector<std::string> merged;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    const std::string name = text.substr(0, text.find('='));
    const bool replaced =
        std::any_of(set.begin(), set.end(), [&](const auto& pair) { return pair.first == name; });
    if (!replaced) merged.push_back(text);
  }
  for (const auto& [name, value] : set) {
    merged.push_back(name);
    merged.back().append("=").append(value);
  }
  return merged;
}

std::vector<char*> pointers(std::vector<std::string>& strings) {
  std::vector<char*> out;
  out.reserve(strings.size() + 1);
  for (std::string& text : strings) out.push_back(text.data());
  out.push_back(nullptr);
  return out;
}

/// Starts the program. @return its pid, or -1 with errno of the failed step
pid_t start(const std::string& path, std::vector<std::string> command, std::vector<std::string> environment) {
  int report[2];
  if (::pipe2(report, O_CLOEXEC) != 0) return -1;
  std::vector<char*> arguments = pointers(command);
  std::vector<char*> variables = pointers(environment);
  const pid_t child = ::fork();
  if (child == 0) {
    for (const int signal : {SIGINT, SIGQUIT, SIGTERM, SIGHUP}) ::signal(signal, SIG_DFL);
    ::execve(path.c_str(), arguments.data(), variables.data());
    const int error = errno;
    ssize_t ignored = ::write(report[1], &error, sizeof error);
    (void)ignored;
    ::_exit(kNoSuchProgram);
  }
  ::close(report[1]);
  int error = child < 0 ? errno : 0;
  if (child > 0 && ::read(report[0], &error, sizeof error) == static_cast<ssize_t>(sizeof error)) {
    ::waitpid(child, nullptr, 0);
  } else if (child > 0) {
    error = 0;
  }
  ::close(report[0]);
  errno = error;
  return error == 0 ? child : -1;
}

int wait_for(pid_t child) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
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

}  // namespace

HandshakeVerdict judge(const std::vector<HandshakeNote>& notes, const std::string& program,
                       bool allow_nothing) {
  HandshakeVerdict verdict;
  const auto count = [&notes](std::string_view event) {
    return std::count_if(notes.begin(), notes.end(),
                         [event](const auto& note) { return note.event == event; });
  };
  if (count(handshake_event::loaded) == 0) {
    verdict.good = false;
    std::string why = "the loader passed over it (is the path right, is it built for this machine?)";
    switch (classify(program)) {
      case ProgramKind::static_program:
        why = "the program is linked statically, so nothing can be preloaded";
        break;
      case ProgramKind::privileged:
        why = "the program is set-uid or set-gid, so the loader ignores preloads";
        break;
      case ProgramKind::other_class:
        why = "the program is for another kind of processor";
        break;
      default:
        break;
    }
    verdict.sentences.push_back("libkreplay.so was not loaded: " + why);
    return verdict;
  }
  for (const auto& note : notes) {
    if (note.event == handshake_event::results) verdict.sentences.push_back("results in " + note.detail);
    if (note.event == handshake_event::passive)
      verdict.sentences.push_back(fmt::format("process {} ran without replay: {}", note.pid, note.detail));
  }
  uint64_t dispatches = 0;
  uint64_t replayed = 0;
  for (const auto& note : notes) {
    if (note.event != handshake_event::ended) continue;
    char* rest = nullptr;
    dispatches += std::strtoull(note.detail.c_str(), &rest, 10);
    replayed += std::strtoull(rest, nullptr, 10);
  }
  if (replayed > 0 || allow_nothing) return verdict;
  if (count(handshake_event::runtime) == 0) {
    verdict.good = false;
    verdict.sentences.push_back(count(handshake_event::passive) != 0
                                    ? "nothing was measured"
                                    : "nothing was measured: no process of the program used an HSA runtime");
  } else if (count(handshake_event::ended) == 0) {
    verdict.sentences.push_back("the program did not end through exit, so its counts are not known");
  } else {
    verdict.good = false;
    verdict.sentences.push_back(
        fmt::format("nothing was measured: of {} candidate dispatches none was replayed", dispatches));
  }
  return verdict;
}

int run(const RunRequest& request) {
  const char* search = std::getenv("PATH");
  const std::string& name = request.command.front();
  const std::string program = find_program(name, search != nullptr ? search : "/usr/bin:/bin");
  if (program.empty()) {
    say(name + ": no such program");
    return kNoSuchProgram;
  }
  const HandshakeFile handshake;
  if (handshake.path.empty()) {
    say(std::string("cannot create a temporary file: ") + std::strerror(errno));
    return kRunFailed;
  }
  const char* preloaded = std::getenv("LD_PRELOAD");
  const auto list = preload_list(preloaded != nullptr ? preloaded : "", request.libraries);
  if (!list) {
    say(list.status().message());
    return kRunFailed;
  }
  auto variables = request.variables;
  variables.emplace_back("LD_PRELOAD", *list);
  variables.emplace_back("KREPLAY_HANDSHAKE", handshake.path);
  std::vector<std::string> environment = merged_environment(variables);
  const Options options = read_options(pointers(environment).data());
  if (!options.errors.empty()) {
    for (const std::string& error : options.errors) say(error);
    return kRunFailed;
  }

  for (const int signal : {SIGINT, SIGQUIT}) ::signal(signal, SIG_IGN);
  const pid_t child = start(program, request.command, environment);
  if (child < 0) {
    say(program + ": cannot be run: " + std::strerror(errno));
    return errno == ENOENT ? kNoSuchProgram : kCannotExecute;
  }
  g_child = child;
  for (const int signal : {SIGTERM, SIGHUP}) ::signal(signal, pass_on);
  const int status = wait_for(child);
  g_child = 0;

  const HandshakeVerdict verdict = judge(read_handshake(handshake.path), program, request.allow_nothing);
  for (const std::string& sentence : verdict.sentences) say(sentence);
  if (WIFSIGNALED(status)) {
    ::unlink(handshake.path.c_str());
    end_as(WTERMSIG(status));
  }
  const int own = WEXITSTATUS(status);
  return own == 0 && !verdict.good ? kRunFailed : own;
}

}  // namespace kreplay::cli
