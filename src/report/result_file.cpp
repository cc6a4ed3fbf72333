#include "report/result_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/log.hpp"

namespace kreplay::report {
namespace {

constexpr unsigned kMaxNumber = 100'000;
/// Programs that close "all" descriptors, or expect the next free one to be small, stay below this.
constexpr int kFirstDescriptor = 200;

std::string reason(int error) {
  char text[128];
  return ::strerror_r(error, text, sizeof text);
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
  constexpr int kFlags = O_WRONLY | O_APPEND | O_CLOEXEC;
  struct stat info {};
  int fd = -1;
  if (::stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode)) {
    path_ = path;
    fd = ::open(path.c_str(), kFlags);
  } else {
    for (unsigned number = 0; number < kMaxNumber; ++number) {
      path_ = numbered_name(path, number);
      fd = ::open(path_.c_str(), kFlags | O_CREAT | O_EXCL, 0666);
      if (fd >= 0 || errno != EEXIST) break;
    }
  }
  if (fd < 0) return {Error::io, "cannot create the result file " + path_ + ": " + reason(errno)};
  const int high = ::fcntl(fd, F_DUPFD_CLOEXEC, kFirstDescriptor);
  if (high >= 0) {  // else the process has a lower limit; any descriptor will do
    ::close(fd);
    fd = high;
  }
  if (::fstat(fd, &info) != 0) {
    const int error = errno;
    ::close(fd);
    return {Error::io, "cannot look at the result file " + path_ + ": " + reason(error)};
  }
  device_ = info.st_dev;
  inode_ = info.st_ino;
  owner_ = ::getpid();
  fd_.store(fd, std::memory_order_release);
  return {};
}

bool ResultFile::write_line(std::string_view line) {
  const int fd = fd_.load(std::memory_order_acquire);
  if (fd < 0 || ::getpid() != owner_) return false;
  const int saved_errno = errno;
  struct stat info {};
  bool whole = false;
  if (::fstat(fd, &info) != 0 || info.st_dev != device_ || info.st_ino != inode_) {
    stop("its descriptor was closed by the program", 0);
  } else {
    whole = true;
    while (!line.empty()) {
      const ssize_t n = ::write(fd, line.data(), line.size());
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) {
        stop("write failed", n < 0 ? errno : ENOSPC);
        whole = false;
        break;
      }
      line.remove_prefix(static_cast<size_t>(n));
    }
  }
  errno = saved_errno;
  return whole;
}

/// Leaves the descriptor alone: it may be somebody else's by now.
void ResultFile::stop(const char* why, int error) {
  if (fd_.exchange(-1) < 0) return;  // another thread was first
  log::warn("results", "{}: {}{}{}; no further records are written", path_, why, error != 0 ? ": " : "",
            error != 0 ? reason(error) : std::string());
}

}  // namespace kreplay::report
