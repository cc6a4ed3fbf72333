#include "cli/child.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include "base/clock.hpp"

extern char** environ;

namespace kreplay::cli {

TemporaryFile::TemporaryFile(const char* kind, size_t size_bytes) {
  const char* folder = std::getenv("TMPDIR");
  path_ =
      std::string(folder != nullptr && *folder != '\0' ? folder : "/tmp") + "/kreplay-" + kind + "-XXXXXX";
  const int fd = ::mkostemp(path_.data(), O_CLOEXEC);
  if (fd < 0) {
    path_.clear();
    return;
  }
  const bool sized = ::ftruncate(fd, static_cast<off_t>(size_bytes)) == 0;
  const int error = errno;
  ::close(fd);
  if (!sized) remove();
  errno = error;
}

void TemporaryFile::remove() {
  if (!path_.empty()) ::unlink(path_.c_str());
  path_.clear();
}

std::string own_path() {
  std::array<char, PATH_MAX> path{};
  const ssize_t n = ::readlink("/proc/self/exe", path.data(), path.size());
  return n > 0 ? std::string(path.data(), static_cast<size_t>(n)) : "kreplay";
}

std::vector<std::string> merged_environment(const Variables& set) {
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

pid_t start_program(const std::string& path, std::vector<std::string> command,
                    std::vector<std::string> environment, int output, const SignalState* begin,
                    bool errors_too) {
  int report[2];
  if (::pipe2(report, O_CLOEXEC) != 0) return -1;
  std::vector<char*> arguments = pointers(command);
  std::vector<char*> variables = pointers(environment);
  const pid_t self = ::getpid();
  const pid_t child = ::fork();
  if (child == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != self) ::_exit(127);  // it went before that
    if (begin != nullptr) {
      ::sigaction(SIGCHLD, &begin->child_action, nullptr);
      ::sigprocmask(SIG_SETMASK, &begin->mask, nullptr);
    }
    const bool led = output < 0 || (::dup2(output, STDOUT_FILENO) >= 0 &&
                                    (!errors_too || ::dup2(output, STDERR_FILENO) >= 0));
    if (led) ::execve(path.c_str(), arguments.data(), variables.data());
    const int error = errno;
    ssize_t ignored = ::write(report[1], &error, sizeof error);
    (void)ignored;
    ::_exit(127);
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

namespace {

/// Everything the child writes, until it closes its end or the limit has passed; then it is killed.
std::string read_until_end(int fd, pid_t child, uint64_t limit_ns) {
  std::string text;
  std::array<char, 4096> part{};
  const uint64_t limit = monotonic_ns() + limit_ns;
  for (;;) {
    const uint64_t now = monotonic_ns();
    pollfd wait{fd, POLLIN, 0};
    const int ready = now < limit ? ::poll(&wait, 1, static_cast<int>((limit - now) / 1'000'000) + 1) : 0;
    if (ready < 0 && errno == EINTR) continue;
    const ssize_t n = ready > 0 ? ::read(fd, part.data(), part.size()) : -1;
    if (n < 0 && ready <= 0) ::kill(child, SIGKILL);
    if (n <= 0) return text;
    text.append(part.data(), static_cast<size_t>(n));
  }
}

}  // namespace

Result<RanAside> run_aside(const std::vector<std::string>& words, std::vector<std::string> environment,
                           bool errors_too, uint64_t limit_ns) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0)
    return {Error::runtime, std::string("no pipe can be made: ") + std::strerror(errno)};
  const pid_t child =
      start_program(words.front(), words, std::move(environment), ends[1], nullptr, errors_too);
  const int error = errno;
  ::close(ends[1]);
  if (child < 0) {
    ::close(ends[0]);
    return {Error::runtime, words.front() + ": " + std::strerror(error)};
  }
  RanAside ran;
  ran.text = read_until_end(ends[0], child, limit_ns);
  ::close(ends[0]);
  while (::waitpid(child, &ran.status, 0) < 0 && errno == EINTR) {
  }
  return ran;
}

}  // namespace kreplay::cli
