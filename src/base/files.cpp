#include "base/files.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/cancel_guard.hpp"
#include "base/fnv1a.hpp"
#include "base/safe_write.hpp"

namespace kreplay {
namespace {

/// Programs that close "all" descriptors, or expect the next free one to be small, stay below this.
constexpr int kFirstDescriptor = 200;
constexpr int kAlways = O_NOFOLLOW | O_CLOEXEC | O_NOCTTY | O_NONBLOCK;

uid_t g_user_at_start = 0;
__attribute__((constructor)) void remember_user() { g_user_at_start = ::geteuid(); }

/// @return the descriptor under a high number, or as it is where there is none
int moved_up(int fd) noexcept {
  const int high = ::fcntl(fd, F_DUPFD_CLOEXEC, kFirstDescriptor);
  if (high < 0) return fd;
  ::close(fd);
  return high;
}

/// Devices are made by root only, whoever was given them.
bool trusted(const struct stat& info) noexcept {
  return info.st_uid == 0 || info.st_uid == ::geteuid() || S_ISCHR(info.st_mode);
}

class ErrnoKept {
 public:
  ErrnoKept() = default;
  ~ErrnoKept() { errno = saved_; }
  ErrnoKept(const ErrnoKept&) = delete;
  ErrnoKept& operator=(const ErrnoKept&) = delete;

 private:
  const int saved_ = errno;
};

int closed(int fd, int error) noexcept {
  ::close(fd);
  return -error;
}

bool has_blocks(int fd, const struct stat& info, size_t bytes) noexcept {
  if (static_cast<uint64_t>(info.st_blocks) * 512 >= bytes) return true;
  WriteSignals held;
  if (::fallocate(fd, 0, 0, static_cast<off_t>(bytes)) == 0) return true;
  const int error = errno;
  held.take_back(error);
  errno = error;
  return error == EOPNOTSUPP || error == ENOSYS;
}

}  // namespace

FileIdentity FileIdentity::of(int fd) noexcept {
  const ErrnoKept kept;
  FileIdentity identity;
  struct statx more {};
  if (::statx(fd, "", AT_EMPTY_PATH, STATX_TYPE | STATX_INO | STATX_BTIME, &more) == 0) {
    identity.device = makedev(more.stx_dev_major, more.stx_dev_minor);
    identity.inode = more.stx_ino;
    identity.type = static_cast<uint32_t>(more.stx_mode & S_IFMT);
    if ((more.stx_mask & STATX_BTIME) != 0)
      identity.born_ns =
          static_cast<uint64_t>(more.stx_btime.tv_sec) * 1'000'000'000 + more.stx_btime.tv_nsec;
    return identity;
  }
  struct stat info {};  // where a filter forbids statx
  if (::fstat(fd, &info) == 0) {
    identity.device = info.st_dev;
    identity.inode = info.st_ino;
    identity.type = info.st_mode & S_IFMT;
  }
  return identity;
}

FileIdentity FileIdentity::exact(int fd) noexcept {
  FileIdentity identity = of(fd);
  const ErrnoKept kept;
  // A file's handle holds the inode's generation. Not every file system has handles.
  alignas(file_handle) char bytes[sizeof(file_handle) + MAX_HANDLE_SZ] = {};
  auto* handle = reinterpret_cast<file_handle*>(bytes);
  handle->handle_bytes = MAX_HANDLE_SZ;
  int mount = 0;
  if (::name_to_handle_at(fd, "", handle, &mount, AT_EMPTY_PATH) == 0)
    identity.life = Fnv1a().mix({bytes + sizeof(file_handle), handle->handle_bytes}).value();
  return identity;
}

int open_existing(const char* path, int access) noexcept {
  const CancelGuard whole;
  const ErrnoKept kept;
  const int fd = ::open(path, access | kAlways);
  if (fd < 0) return -errno;
  struct stat info {};
  if (::fstat(fd, &info) != 0) return closed(fd, errno);
  if (!trusted(info)) return closed(fd, EPERM);
  return moved_up(fd);
}

int create_new(const char* path, mode_t mode) noexcept {
  const CancelGuard whole;
  const ErrnoKept kept;
  const int fd = ::open(path, O_WRONLY | O_APPEND | O_CREAT | O_EXCL | kAlways, mode);
  return fd < 0 ? -errno : moved_up(fd);
}

int open_again(int fd) noexcept {
  const CancelGuard whole;
  const ErrnoKept kept;
  int mine = -1;
  if (FileIdentity::of(fd).type == S_IFIFO) {
    char name[32];
    *fmt::format_to_n(name, sizeof name - 1, "/proc/self/fd/{}", fd).out = '\0';
    // The link is the kernel's own and leads to the pipe itself: the one place where one is followed.
    mine = ::open(name, O_WRONLY | O_CLOEXEC | O_NONBLOCK);
    if (mine < 0) return -errno;
    return moved_up(mine);
  }
  mine = ::fcntl(fd, F_DUPFD_CLOEXEC, kFirstDescriptor);
  if (mine < 0) mine = ::fcntl(fd, F_DUPFD_CLOEXEC, 3);
  return mine < 0 ? -errno : mine;
}

void* map_shared(const char* path, size_t bytes, int& error) noexcept {
  const CancelGuard whole;
  const ErrnoKept kept;
  const int fd = open_existing(path, O_RDWR);
  if (fd < 0) {
    error = -fd;
    return nullptr;
  }
  struct stat info {};
  void* page = MAP_FAILED;
  // A shorter file would end the process with SIGBUS.
  if (::fstat(fd, &info) != 0)
    error = errno;
  else if (info.st_size < static_cast<off_t>(bytes))
    error = EINVAL;
  else if (!has_blocks(fd, info, bytes))
    error = errno;
  else if (page = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0); page == MAP_FAILED)
    error = errno;
  ::close(fd);
  return page == MAP_FAILED ? nullptr : page;
}

std::string open_failure(int error) {
  char text[128];
  std::string why = ::strerror_r(error, text, sizeof text);
  if (error == ELOOP) why += " (links are not followed)";
  if (error == EPERM) why += " (only files of this user or of root are opened)";
  if (error == ENXIO) why = "nobody reads the pipe";
  if ((error == EACCES || error == EPERM) && g_user_at_start != ::geteuid())
    why +=
        fmt::format(" (the program was started as user {} and is user {} now)", g_user_at_start, ::geteuid());
  return why;
}

}  // namespace kreplay
