#include "cli/child.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdlib>

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
                    std::vector<std::string> environment, int output, const SignalState* begin) {
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
    if (output < 0 || ::dup2(output, STDOUT_FILENO) >= 0)
      ::execve(path.c_str(), arguments.data(), variables.data());
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

}  // namespace kreplay::cli
