// Exported: the functions that say what a file is. libdrm checks that a render node is a DRM character
// device.
#undef _FORTIFY_SOURCE
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cerrno>

#include "kfd/fd_table.hpp"
#include "kfd/next.hpp"
#include "kfd/resolve.hpp"
#include "kfd/topology.hpp"

#define KR_EXPORT __attribute__((visibility("default")))

namespace softgpu::kfd {
namespace {

constinit Next<int(const char*, struct stat*)> g_stat("stat");
constinit Next<int(const char*, struct stat64*)> g_stat64("stat64");
constinit Next<int(int, struct stat*)> g_fstat("fstat");
constinit Next<int(int, struct stat64*)> g_fstat64("fstat64");
constinit Next<int(const char*, int)> g_access("access");

[[gnu::constructor]] void look_up_all() {
  g_stat.get();
  g_stat64.get();
  g_fstat.get();
  g_fstat64.get();
  g_access.get();
}

constexpr uint32_t kKfdMajor = 511;

template <typename Stat>
void fill_device(Stat* out, uint32_t major, uint32_t minor) {
  *out = {};
  out->st_mode = S_IFCHR | 0666;
  out->st_nlink = 1;
  out->st_rdev = makedev(major, minor);
  out->st_blksize = 4096;
}

/// @return 0, or -1 and errno
template <typename Stat>
int stat_ours(const Resolved& resolved, Stat* out) {
  switch (resolved.kind) {
    case PathKind::kfd:
      fill_device(out, kKfdMajor, 0);
      return 0;
    case PathKind::render:
      fill_device(out, kDrmMajor, render_minor_of(resolved.gpu));
      return 0;
    case PathKind::modules:
    case PathKind::initstate:
      *out = {};
      out->st_mode = S_IFREG | 0444;
      out->st_nlink = 1;
      return 0;
    default:
      errno = ENOENT;
      return -1;
  }
}

// On x86-64 the two structures have the same layout, and so have the kernel's.
static_assert(sizeof(struct stat) == sizeof(struct stat64));

template <typename Stat>
int stat_hook(const char* path, Stat* out, const Next<int(const char*, Stat*)>& next) noexcept {
  try {
    const Resolved resolved(path);
    if (!resolved.passes()) return stat_ours(resolved, out);
    if (auto* function = next.get_if_known()) return function(resolved.path, out);
    return static_cast<int>(syscall(SYS_stat, resolved.path, out));
  } catch (...) {
    errno = ENOMEM;
    return -1;
  }
}

template <typename Stat>
int fstat_hook(int fd, Stat* out, const Next<int(int, Stat*)>& next) noexcept {
  const FdEntry entry = fd_table().find(fd);
  if (entry.kind == FdKind::kfd) {
    fill_device(out, kKfdMajor, 0);
    return 0;
  }
  if (entry.kind == FdKind::render) {
    fill_device(out, kDrmMajor, render_minor_of(entry.gpu));
    return 0;
  }
  if (auto* function = next.get_if_known()) return function(fd, out);
  return static_cast<int>(syscall(SYS_fstat, fd, out));
}

}  // namespace
}  // namespace softgpu::kfd

using namespace softgpu::kfd;

extern "C" {

KR_EXPORT int stat(const char* path, struct stat* out) noexcept { return stat_hook(path, out, g_stat); }
KR_EXPORT int stat64(const char* path, struct stat64* out) noexcept { return stat_hook(path, out, g_stat64); }
KR_EXPORT int fstat(int fd, struct stat* out) noexcept { return fstat_hook(fd, out, g_fstat); }
KR_EXPORT int fstat64(int fd, struct stat64* out) noexcept { return fstat_hook(fd, out, g_fstat64); }

// What programs linked before glibc 2.33 call; the version argument has one value on x86-64.
KR_EXPORT int __xstat(int, const char* path, struct stat* out) noexcept {
  return stat_hook(path, out, g_stat);
}
KR_EXPORT int __xstat64(int, const char* path, struct stat64* out) noexcept {
  return stat_hook(path, out, g_stat64);
}
KR_EXPORT int __fxstat(int, int fd, struct stat* out) noexcept { return fstat_hook(fd, out, g_fstat); }
KR_EXPORT int __fxstat64(int, int fd, struct stat64* out) noexcept { return fstat_hook(fd, out, g_fstat64); }

KR_EXPORT int access(const char* path, int mode) noexcept {
  try {
    const Resolved resolved(path);
    if (resolved.passes()) {
      if (auto* function = g_access.get_if_known()) return function(resolved.path, mode);
      return static_cast<int>(syscall(SYS_access, resolved.path, mode));
    }
    struct stat ignored;
    return stat_ours(resolved, &ignored);
  } catch (...) {
    errno = ENOMEM;
    return -1;
  }
}

}  // extern "C"
