#include "kfd/temp_tree.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string_view>

#include "base/environment.hpp"
#include "base/safe_write.hpp"

namespace softgpu::kfd {
namespace {

namespace fs = std::filesystem;
using kreplay::Error;
using kreplay::Result;

constexpr std::string_view kPrefix = "kreplay-softgpu-";
constexpr const char* kLockName = "/lock";

// What is ours to remove. Written once per process image (and once more in a fork child that opens the device
// anew), read by the exit handler.
std::atomic<const std::string*> g_tree{nullptr};
std::atomic<pid_t> g_creator{0};
std::atomic<bool> g_handler_set{false};

// Raw system calls where the library function is one of our own exports.
int raw_open(const std::string& path, int flags, mode_t mode) {
  return static_cast<int>(syscall(SYS_openat, AT_FDCWD, path.c_str(), flags | O_CLOEXEC, mode));
}
void raw_close(int fd) { syscall(SYS_close, fd); }

std::string base_directory() {
  const char* directory = kreplay::own_variable("TMPDIR");
  return directory != nullptr && *directory == '/' ? directory : "/tmp";
}

/// Holds the lock as long as the process lives; the descriptor is never closed on purpose. The file gets its
/// name only once it is locked, so that nobody takes a tree that is being made for a stale one.
bool take_lock(const std::string& tree) {
  const std::string unnamed = tree + kLockName + ".new";
  const int fd = raw_open(unnamed, O_RDWR | O_CREAT, 0600);
  if (fd < 0) return false;
  if (flock(fd, LOCK_EX | LOCK_NB) == 0 && rename(unnamed.c_str(), (tree + kLockName).c_str()) == 0)
    return true;
  raw_close(fd);
  return false;
}

/// Removes trees whose process is gone: their lock can be taken. Best effort, at most a few.
void remove_stale(const std::string& base) {
  constexpr int kAtMost = 16;
  int removed = 0;
  std::error_code error;
  for (fs::directory_iterator at(base, fs::directory_options::skip_permission_denied, error), end;
       !error && at != end && removed < kAtMost; at.increment(error)) {
    const std::string path = at->path().string();
    if (!std::string_view(path).substr(base.size() + 1).starts_with(kPrefix)) continue;
    struct stat info {};
    if (syscall(SYS_newfstatat, AT_FDCWD, path.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0 ||
        !S_ISDIR(info.st_mode) || info.st_uid != geteuid())
      continue;
    const int fd = raw_open(path + kLockName, O_RDWR, 0);
    if (fd < 0) continue;  // still being made, or not ours
    if (flock(fd, LOCK_EX | LOCK_NB) == 0) {
      std::error_code ignored;
      fs::remove_all(path, ignored);
      ++removed;
    }
    raw_close(fd);
  }
}

bool write_file(const std::string& path, std::string_view text) {
  const int fd = raw_open(path, O_WRONLY | O_CREAT | O_EXCL, 0444);
  if (fd < 0) return false;
  const bool whole = kreplay::write_all(fd, text, 0) == 0;
  raw_close(fd);
  return whole;
}

}  // namespace

Result<std::string> make_temp_tree(const std::vector<TreeFile>& files) {
  const std::string base = base_directory();
  remove_stale(base);
  std::string tree = fmt::format("{}/{}{}-XXXXXX", base, kPrefix, getpid());
  if (mkdtemp(tree.data()) == nullptr)
    return {Error::io, fmt::format("no temporary directory {}: {}", tree, std::strerror(errno))};
  g_creator.store(getpid());
  g_tree.store(new std::string(tree));  // leaked: the exit handler may run after any destructor
  if (!g_handler_set.exchange(true)) std::atexit([] { remove_temp_tree(); });

  if (!take_lock(tree)) return {Error::io, fmt::format("{}: lock: {}", tree, std::strerror(errno))};
  for (const TreeFile& file : files) {
    const fs::path path = fs::path(tree) / file.path;
    std::error_code error;
    fs::create_directories(path.parent_path(), error);
    if (error) return {Error::io, fmt::format("{}: {}", path.parent_path().string(), error.message())};
    if (!write_file(path.string(), file.text))
      return {Error::io, fmt::format("{}: {}", path.string(), std::strerror(errno))};
  }
  return tree;
}

void remove_temp_tree() {
  const std::string* tree = g_tree.load();
  if (tree == nullptr || g_creator.load() != getpid()) return;
  std::error_code ignored;
  fs::remove_all(*tree, ignored);
}

}  // namespace softgpu::kfd
