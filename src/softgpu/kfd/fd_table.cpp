#include "kfd/fd_table.hpp"

#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

namespace softgpu::kfd {
namespace {

constexpr unsigned kKindShift = 48;
constexpr unsigned kGpuShift = 32;

uint64_t pack(const FdEntry& entry) {
  return static_cast<uint64_t>(entry.kind) << kKindShift | uint64_t{entry.gpu} << kGpuShift | entry.inode;
}
FdEntry unpack(uint64_t word) {
  return {static_cast<FdKind>(word >> kKindShift), static_cast<uint16_t>(word >> kGpuShift),
          static_cast<uint32_t>(word)};
}

const char* name_of(FdKind kind) {
  switch (kind) {
    case FdKind::kfd:
      return "softgpu-kfd";
    case FdKind::render:
      return "softgpu-render";
    case FdKind::dmabuf:
      return "softgpu-dmabuf";
    case FdKind::none:
      break;
  }
  return "softgpu";
}

}  // namespace

/// Raw: fstat is a name we export, and it asks this table.
bool FdTable::inode_of(int fd, uint32_t& inode) {
  struct stat info {};
  if (syscall(SYS_fstat, fd, &info) != 0) return false;
  inode = static_cast<uint32_t>(info.st_ino);
  return true;
}

int FdTable::create(FdKind kind, uint16_t gpu, bool close_on_exec) {
  const int fd = memfd_create(name_of(kind), close_on_exec ? MFD_CLOEXEC : 0);
  if (fd < 0) return -1;
  FdEntry entry{kind, gpu, 0};
  if (fd >= kMaxFd || !inode_of(fd, entry.inode)) {
    syscall(SYS_close, fd);
    errno = EMFILE;
    return -1;
  }
  owner_.store(getpid(), std::memory_order_relaxed);
  set(fd, pack(entry));
  return fd;
}

FdEntry FdTable::find(int fd) {
  if (fd < 0 || fd >= kMaxFd) return {};
  const uint64_t word = entries_[static_cast<size_t>(fd)].load(std::memory_order_acquire);
  if (word == 0) return {};
  const FdEntry entry = unpack(word);
  const int saved_errno = errno;
  uint32_t inode = 0;
  const bool same = inode_of(fd, inode) && inode == entry.inode;
  errno = saved_errno;
  if (same) return entry;
  uint64_t expected = word;
  entries_[static_cast<size_t>(fd)].compare_exchange_strong(expected, 0);
  return {};
}

FdEntry FdTable::forget(int fd) {
  if (fd < 0 || fd >= kMaxFd) return {};
  const FdEntry was = unpack(entries_[static_cast<size_t>(fd)].load(std::memory_order_acquire));
  set(fd, 0);
  return was;
}

bool FdTable::holds(uint32_t inode) const {
  for (const std::atomic<uint64_t>& entry : entries_) {
    const uint64_t word = entry.load(std::memory_order_acquire);
    if (word != 0 && unpack(word).inode == inode) return true;
  }
  return false;
}

void FdTable::duplicate(int fd, int copy) {
  if (copy < 0 || copy >= kMaxFd || copy == fd) return;
  const FdEntry entry = find(fd);
  set(copy, entry.kind == FdKind::none ? 0 : pack(entry));
}

void FdTable::set(int fd, uint64_t word) {
  std::atomic<uint64_t>& entry = entries_[static_cast<size_t>(fd)];
  if (entry.load(std::memory_order_relaxed) == 0 && word == 0) return;  // the common case: never was ours
  if (word == 0 && owner_.load(std::memory_order_relaxed) != getpid()) return;
  entry.store(word, std::memory_order_release);
}

FdTable& fd_table() {
  static constinit FdTable table;
  return table;
}

}  // namespace softgpu::kfd
