#include "report/result_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <system_error>

#include "base/cancel_guard.hpp"
#include "base/clock.hpp"
#include "base/log.hpp"
#include "base/safe_write.hpp"

namespace kreplay::report {
namespace {

constexpr unsigned kMaxNumber = 100'000;
std::string reason(int error) {
  char text[128];
  return ::strerror_r(error, text, sizeof text);
}

/// The number that a name like /dev/stdout or /proc/self/fd/5 stands for; -1: it is another name. Those names
/// are links, which are not followed otherwise.
int own_descriptor(std::string_view path) {
  if (path == "/dev/stdout") return STDOUT_FILENO;
  if (path == "/dev/stderr") return STDERR_FILENO;
  for (const std::string_view folder : {"/dev/fd/", "/proc/self/fd/"}) {
    if (!path.starts_with(folder)) continue;
    const std::string_view digits = path.substr(folder.size());
    int number = -1;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (error == std::errc() && end == digits.data() + digits.size()) return number;
  }
  return -1;
}

/// A pipe's reader may come a moment later.
int open_with_reader(const std::string& path, uint64_t patience_ns) {
  const CancelGuard whole;
  const uint64_t limit_ns = monotonic_ns() + patience_ns;
  for (;;) {
    const int fd = open_existing(path.c_str(), O_WRONLY | O_APPEND);
    if (fd != -ENXIO || monotonic_ns() > limit_ns) return fd;
    const timespec pause{0, 10'000'000};
    ::nanosleep(&pause, nullptr);
  }
}

}  // namespace

std::string expand_pattern(std::string_view pattern, pid_t pid, std::string_view host,
                           std::optional<uint64_t> rank) {
  std::string path;
  bool own = false;  // no other rank has this name
  for (size_t i = 0; i < pattern.size(); ++i) {
    const char kind = pattern[i] == '%' && i + 1 < pattern.size() ? pattern[i + 1] : '\0';
    if (kind == 'p' || (kind == 'r' && !rank))
      path += std::to_string(pid);
    else if (kind == 'r')
      path += std::to_string(*rank);
    else if (kind == 'h')
      path += host;
    else
      path += pattern[i];
    own |= kind == 'p' || kind == 'r';
    if (kind == 'p' || kind == 'h' || kind == 'r' || kind == '%') ++i;
  }
  return own || !rank ? path : with_infix(path, "r" + std::to_string(*rank));
}

std::string with_infix(const std::string& path, const std::string& infix) {
  const size_t name = path.rfind('/') == std::string::npos ? 0 : path.rfind('/') + 1;
  size_t dot = path.rfind('.');
  if (dot == std::string::npos || dot <= name) dot = path.size();  // ".hidden" has no extension
  return path.substr(0, dot) + "." + infix + path.substr(dot);
}

std::string numbered_name(const std::string& path, unsigned number) {
  return number == 0 ? path : with_infix(path, std::to_string(number));
}

std::string host_name() {
  char name[256] = {};
  if (::gethostname(name, sizeof name - 1) != 0 || name[0] == '\0') return "localhost";
  std::string host = name;
  std::replace(host.begin(), host.end(), '/', '_');
  return host;
}

ResultFile::~ResultFile() {
  const int fd = fd_.load(std::memory_order_relaxed);
  if (fd >= 0) ::close(fd);
}

Status ResultFile::open(const std::string& path) {
  struct stat info {};
  int fd = -ENOENT;
  path_ = path;
  if (const int given = own_descriptor(path); given >= 0) {
    if (FileIdentity::of(given).type == S_IFREG)
      return {Error::io,
              "cannot write results to " + path + ": it is a file that the program writes; give a name"};
    fd = open_again(given);
  } else if (::lstat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode) && !S_ISLNK(info.st_mode)) {
    fd = open_with_reader(path, patience_ns_);
  } else {
    for (unsigned number = 0; number < kMaxNumber; ++number) {
      path_ = numbered_name(path, number);
      fd = create_new(path_.c_str(), 0666);
      if (fd != -EEXIST) break;
    }
  }
  if (fd < 0) return {Error::io, "cannot create the result file " + path_ + ": " + open_failure(-fd)};
  identity_ = FileIdentity::of(fd);
  exact_identity_ = FileIdentity::exact(fd);
  std::error_code none;
  whole_path_ = std::filesystem::absolute(path_, none).string();
  owner_ = ::getpid();
  fd_.store(fd, std::memory_order_release);
  return {};
}

bool ResultFile::write_line(std::string_view line) {
  const CancelGuard whole;
  const int fd = usable();
  if (fd < 0) return false;
  // Pieces of lines must not mix where a write may take a part. A file takes all at once.
  std::unique_lock<std::mutex> lock(pieces_, std::defer_lock);
  if (identity_.type != S_IFREG) lock.lock();
  if (const int error = write_all(fd, line, patience_ns_); error != 0) {
    stop(error == ETIMEDOUT ? "nobody reads the pipe" : "write failed", error);
    return false;
  }
  return true;
}

/// The descriptor, opened again if the program closed it (daemons close all they do not know).
int ResultFile::usable() {
  const int fd = fd_.load(std::memory_order_acquire);
  if (fd < 0 || ::getpid() != owner_) return -1;
  if (FileIdentity::of(fd) == identity_) return fd;
  int fresh = -1;
  if (identity_.type == S_IFREG) fresh = open_existing(whole_path_.c_str(), O_WRONLY | O_APPEND);
  if (fresh >= 0 && FileIdentity::exact(fresh) == exact_identity_) {
    int expected = fd;
    if (fd_.compare_exchange_strong(expected, fresh)) return fresh;
    ::close(fresh);
    return expected;  // another thread was faster; negative if it gave up
  }
  if (fresh >= 0) ::close(fresh);
  stop("its descriptor was closed by the program", 0);
  return -1;
}

/// Leaves the descriptor alone: it may be somebody else's by now.
void ResultFile::stop(const char* why, int error) {
  if (fd_.exchange(-1) < 0) return;  // another thread was first
  log::warn("results", "{}: {}{}{}; no further records are written", path_, why, error != 0 ? ": " : "",
            error != 0 ? reason(error) : std::string());
}

}  // namespace kreplay::report
