// Exported: the functions that take a descriptor. A descriptor that is not ours goes to the next library.
#undef _FORTIFY_SOURCE
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>

#include "base/cancel_guard.hpp"
#include "kfd/drm.hpp"
#include "kfd/fd_table.hpp"
#include "kfd/next.hpp"
#include "kfd/process.hpp"
#include "kfd/settings.hpp"

#define KR_EXPORT __attribute__((visibility("default")))

namespace softgpu::kfd {
namespace {

constinit Next<int(int, unsigned long, ...)> g_ioctl("ioctl");
constinit Next<void*(void*, size_t, int, int, int, off_t)> g_mmap("mmap");
constinit Next<void*(void*, size_t, int, int, int, off64_t)> g_mmap64("mmap64");
constinit Next<int(int)> g_close("close");
constinit Next<int(int)> g_dup("dup");
constinit Next<int(int, int)> g_dup2("dup2");
constinit Next<int(int, int, int)> g_dup3("dup3");
constinit Next<int(int, int, ...)> g_fcntl("fcntl");
constinit Next<int(int, int, ...)> g_fcntl64("fcntl64");

[[gnu::constructor]] void look_up_all() {
  g_ioctl.get();
  g_mmap.get();
  g_mmap64.get();
  g_close.get();
  g_dup.get();
  g_dup2.get();
  g_dup3.get();
  g_fcntl.get();
  g_fcntl64.get();
}

/// The seam: -errno becomes -1 and errno; a success leaves errno alone.
int ioctl_ours(const FdEntry& entry, unsigned long request, void* argument) noexcept {
  const kreplay::CancelGuard whole;  // the driver's call is no cancellation point
  const int saved_errno = errno;
  int rc = -EBADF;  // a descriptor inherited over fork: the driver refuses it, too
  try {
    Process* process = Process::current();
    if (entry.kind == FdKind::kfd && process != nullptr) rc = process->ioctl(request, argument);
    if (entry.kind == FdKind::render && settings() != nullptr)
      rc = drm_ioctl(*settings(), process, entry.gpu, request, argument);
    if (entry.kind == FdKind::dmabuf) rc = dmabuf_ioctl(request);
  } catch (...) {  // out of memory
    rc = -ENOMEM;
  }
  errno = rc < 0 ? -rc : saved_errno;
  return rc < 0 ? -1 : rc;
}

void* mmap_ours(const FdEntry& entry, int fd, void* address, size_t size_bytes, int protection, int flags,
                uint64_t offset) noexcept {
  const kreplay::CancelGuard whole;
  const int saved_errno = errno;
  long result = -EBADF;
  try {
    Process* process = Process::current();
    if (process != nullptr) {
      switch (entry.kind) {
        case FdKind::kfd:
          result = process->mmap_kfd(address, size_bytes, protection, flags, offset);
          break;
        case FdKind::render:
          result = process->mmap_render(*process->gpus().at(entry.gpu), address, size_bytes, protection,
                                        flags, offset);
          break;
        case FdKind::dmabuf:
          result = process->mmap_dmabuf(fd, address, size_bytes, protection, flags, offset);
          break;
        case FdKind::none:
          break;
      }
    }
  } catch (...) {
    result = -ENOMEM;
  }
  constexpr long kMaxErrno = 4095;
  const bool failed = result < 0 && result >= -kMaxErrno;
  errno = failed ? static_cast<int>(-result) : saved_errno;
  return failed ? MAP_FAILED : reinterpret_cast<void*>(result);
}

template <typename Function>
void* mmap_hook(const Next<Function>& next, void* address, size_t size_bytes, int protection, int flags,
                int fd, off64_t offset) {
  if (fd >= 0 && (flags & MAP_ANONYMOUS) == 0) {
    const FdEntry entry = fd_table().find(fd);
    if (entry.kind != FdKind::none)
      return mmap_ours(entry, fd, address, size_bytes, protection, flags, static_cast<uint64_t>(offset));
  }
  if (auto* function = next.get_if_known())
    return function(address, size_bytes, protection, flags, fd, offset);
  return reinterpret_cast<void*>(syscall(SYS_mmap, address, size_bytes, protection, flags, fd, offset));
}

/// Before a descriptor is closed or replaced: another thread may be handed its number at once.
void forget(int fd) noexcept {
  const FdEntry was = fd_table().forget(fd);
  if (was.kind != FdKind::dmabuf || fd_table().holds(was.inode)) return;
  const int saved_errno = errno;
  if (Process* process = Process::current(); process != nullptr) process->dmabufs().closed(was.inode);
  errno = saved_errno;
}

int fcntl_hook(const Next<int(int, int, ...)>& next, int fd, int command, void* argument) {
  auto* function = next.get_if_known();
  const int result = function != nullptr ? function(fd, command, argument)
                                         : static_cast<int>(syscall(SYS_fcntl, fd, command, argument));
  if (result >= 0 && (command == F_DUPFD || command == F_DUPFD_CLOEXEC)) fd_table().duplicate(fd, result);
  return result;
}

}  // namespace
}  // namespace softgpu::kfd

using namespace softgpu::kfd;

/// Declares `argument`: the pointer behind the last named argument.
#define KR_READ_ARGUMENT(last)               \
  va_list arguments;                         \
  va_start(arguments, last);                 \
  void* argument = va_arg(arguments, void*); \
  va_end(arguments);

extern "C" {

KR_EXPORT int ioctl(int fd, unsigned long request, ...) noexcept {
  KR_READ_ARGUMENT(request)
  const FdEntry entry = fd_table().find(fd);
  if (entry.kind != FdKind::none) return ioctl_ours(entry, request, argument);
  if (auto* function = g_ioctl.get_if_known()) return function(fd, request, argument);
  return static_cast<int>(syscall(SYS_ioctl, fd, request, argument));
}

KR_EXPORT void* mmap(void* address, size_t size_bytes, int protection, int flags, int fd,
                     off_t offset) noexcept {
  return mmap_hook(g_mmap, address, size_bytes, protection, flags, fd, offset);
}
KR_EXPORT void* mmap64(void* address, size_t size_bytes, int protection, int flags, int fd,
                       off64_t offset) noexcept {
  return mmap_hook(g_mmap64, address, size_bytes, protection, flags, fd, offset);
}

KR_EXPORT int close(int fd) {
  forget(fd);
  if (auto* function = g_close.get_if_known()) return function(fd);
  return static_cast<int>(syscall(SYS_close, fd));
}

KR_EXPORT int dup(int fd) noexcept {
  auto* function = g_dup.get_if_known();
  const int copy = function != nullptr ? function(fd) : static_cast<int>(syscall(SYS_dup, fd));
  if (copy >= 0) fd_table().duplicate(fd, copy);
  return copy;
}
KR_EXPORT int dup2(int fd, int target) noexcept {
  auto* function = g_dup2.get_if_known();
  const int copy =
      function != nullptr ? function(fd, target) : static_cast<int>(syscall(SYS_dup2, fd, target));
  if (copy >= 0) fd_table().duplicate(fd, copy);
  return copy;
}
KR_EXPORT int dup3(int fd, int target, int flags) noexcept {
  auto* function = g_dup3.get_if_known();
  const int copy = function != nullptr ? function(fd, target, flags)
                                       : static_cast<int>(syscall(SYS_dup3, fd, target, flags));
  if (copy >= 0) fd_table().duplicate(fd, copy);
  return copy;
}

KR_EXPORT int fcntl(int fd, int command, ...) {
  KR_READ_ARGUMENT(command)
  return fcntl_hook(g_fcntl, fd, command, argument);
}
KR_EXPORT int fcntl64(int fd, int command, ...) {
  KR_READ_ARGUMENT(command)
  return fcntl_hook(g_fcntl64, fd, command, argument);
}

}  // extern "C"
