// Exported: the functions that open files by name.
#undef _FORTIFY_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>
#include <optional>

#include "kfd/next.hpp"
#include "kfd/resolve.hpp"

#define KR_EXPORT __attribute__((visibility("default")))

namespace softgpu::kfd {
namespace {

constinit Next<int(const char*, int, ...)> g_open("open");
constinit Next<int(const char*, int, ...)> g_open64("open64");
constinit Next<int(int, const char*, int, ...)> g_openat("openat");
constinit Next<int(int, const char*, int, ...)> g_openat64("openat64");
constinit Next<FILE*(const char*, const char*)> g_fopen("fopen");
constinit Next<FILE*(const char*, const char*)> g_fopen64("fopen64");
constinit Next<DIR*(const char*)> g_opendir("opendir");

/// In the constructor, so that no ordinary call has to look up a name.
[[gnu::constructor]] void look_up_all() {
  g_open.get();
  g_open64.get();
  g_openat.get();
  g_openat64.get();
  g_fopen.get();
  g_fopen64.get();
  g_opendir.get();
}

bool takes_mode(int flags) { return (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE; }

/// @return whether `resolved` has a value; else errno says why it has none
bool resolve(std::optional<Resolved>& resolved, const char* path) noexcept {
  try {
    resolved.emplace(path);
    return true;
  } catch (...) {  // out of memory
    errno = ENOMEM;
    return false;
  }
}

int open_device(const Resolved& resolved, int flags) noexcept {
  try {
    return open_ours(resolved, flags);
  } catch (...) {
    errno = ENOMEM;
    return -1;
  }
}

// The next function is called outside any try block, and none of these is noexcept: opening is a cancellation
// point, and a thread that is cancelled there unwinds through here.

template <typename Open>
int open_hook(const char* path, int flags, mode_t mode, const Open& next) {
  std::optional<Resolved> resolved;
  if (!resolve(resolved, path)) return -1;
  if (!resolved->passes()) return open_device(*resolved, flags);
  if (auto* function = next.get_if_known()) return function(resolved->path, flags, mode);
  return static_cast<int>(syscall(SYS_openat, AT_FDCWD, resolved->path, flags, mode));
}

template <typename Open>
int openat_hook(int directory, const char* path, int flags, mode_t mode, const Open& next) {
  std::optional<Resolved> resolved;  // relative paths are never ours
  if (!resolve(resolved, path)) return -1;
  if (!resolved->passes()) return open_device(*resolved, flags);
  if (auto* function = next.get_if_known()) return function(directory, resolved->path, flags, mode);
  return static_cast<int>(syscall(SYS_openat, directory, resolved->path, flags, mode));
}

FILE* fopen_hook(const char* path, const char* mode, Next<FILE*(const char*, const char*)>& next) {
  std::optional<Resolved> resolved;
  if (!resolve(resolved, path)) return nullptr;
  if (resolved->passes()) return next.get()(resolved->path, mode);
  const int fd = open_device(*resolved, O_CLOEXEC);
  if (fd < 0) return nullptr;
  FILE* file = fdopen(fd, mode);
  if (file == nullptr) syscall(SYS_close, fd);
  return file;
}

}  // namespace
}  // namespace softgpu::kfd

using namespace softgpu::kfd;

#define KR_READ_MODE(flags)                                  \
  mode_t mode = 0;                                           \
  if (takes_mode(flags)) {                                   \
    va_list arguments;                                       \
    va_start(arguments, flags);                              \
    mode = static_cast<mode_t>(va_arg(arguments, unsigned)); \
    va_end(arguments);                                       \
  }

extern "C" {

KR_EXPORT int open(const char* path, int flags, ...) {
  KR_READ_MODE(flags)
  return open_hook(path, flags, mode, g_open);
}
KR_EXPORT int open64(const char* path, int flags, ...) {
  KR_READ_MODE(flags)
  return open_hook(path, flags | O_LARGEFILE, mode, g_open64);
}
KR_EXPORT int openat(int directory, const char* path, int flags, ...) {
  KR_READ_MODE(flags)
  return openat_hook(directory, path, flags, mode, g_openat);
}
KR_EXPORT int openat64(int directory, const char* path, int flags, ...) {
  KR_READ_MODE(flags)
  return openat_hook(directory, path, flags | O_LARGEFILE, mode, g_openat64);
}
// The checked forms that a program built with _FORTIFY_SOURCE calls when it gives no mode.
KR_EXPORT int __open_2(const char* path, int flags) { return open_hook(path, flags, 0, g_open); }
KR_EXPORT int __open64_2(const char* path, int flags) {
  return open_hook(path, flags | O_LARGEFILE, 0, g_open64);
}
KR_EXPORT int __openat_2(int directory, const char* path, int flags) {
  return openat_hook(directory, path, flags, 0, g_openat);
}
KR_EXPORT int __openat64_2(int directory, const char* path, int flags) {
  return openat_hook(directory, path, flags | O_LARGEFILE, 0, g_openat64);
}

KR_EXPORT FILE* fopen(const char* path, const char* mode) { return fopen_hook(path, mode, g_fopen); }
KR_EXPORT FILE* fopen64(const char* path, const char* mode) { return fopen_hook(path, mode, g_fopen64); }

KR_EXPORT DIR* opendir(const char* path) {
  std::optional<Resolved> resolved;
  if (!resolve(resolved, path)) return nullptr;
  if (resolved->passes()) return g_opendir.get()(resolved->path);
  errno = resolved->kind == PathKind::absent ? ENOENT : ENOTDIR;
  return nullptr;
}

}  // extern "C"
