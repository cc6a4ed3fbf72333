// Which file descriptors of the process are ours. Every close, dup and ioctl of the whole process asks here,
// so a look-up is one load and takes no lock.
//
// A descriptor can be closed behind our back (close_range, a raw system call) and its number come back as
// something else; the inode number kept with each entry tells. The child of a vfork shares this table with
// its parent but not the descriptors: what it closes stays in the table, and so does what a fork child
// closes.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

namespace softgpu::kfd {

enum class FdKind : uint8_t { none, kfd, render, dmabuf };

struct FdEntry {
  FdKind kind = FdKind::none;
  uint16_t gpu = 0;    ///< index; render nodes and dmabufs
  uint32_t inode = 0;  ///< low bits
};

/// Threads: any. Zero-initialised and trivially destructible: usable before any constructor, after any
/// destructor, and in a fork child.
class FdTable {
 public:
  static constexpr int kMaxFd = 1 << 16;

  /// Makes a descriptor that looks like nothing and belongs to us. @return it, or -1 and errno
  int create(FdKind kind, uint16_t gpu, bool close_on_exec);
  /// What `fd` is now; kind none if it is not ours, or no longer.
  FdEntry find(int fd);
  /// @return what `fd` was, as far as the table knows
  FdEntry forget(int fd);
  /// `copy` is a duplicate of `fd` (any entry it had is gone).
  void duplicate(int fd, int copy);
  /// Whether some descriptor in the table has this inode number. Looks at the whole table.
  bool holds(uint32_t inode) const;
  /// The low bits of a descriptor's inode number. @return false if it is not open
  static bool inode_of(int fd, uint32_t& inode);

 private:
  void set(int fd, uint64_t word);
  std::atomic<int> owner_{0};  ///< process that made the latest entry
  std::array<std::atomic<uint64_t>, kMaxFd> entries_{};
};

FdTable& fd_table();

}  // namespace softgpu::kfd
