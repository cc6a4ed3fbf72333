#include "kfd/backing.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/safe_write.hpp"

namespace softgpu::kfd {
namespace {

using kreplay::Error;
using kreplay::Result;

constexpr uint64_t kPageBytes = 4096;
constexpr uint64_t kHugePageBytes = 2 << 20;

// Raw system calls: these are our own mappings, and mmap and close are names we export ourselves.
void* raw_mmap(uint64_t bytes, int fd) {
  return reinterpret_cast<void*>(
      syscall(SYS_mmap, nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0));
}

}  // namespace

Result<std::unique_ptr<Backing>> Backing::create(const char* name, uint64_t arena_bytes) {
  const int fd = memfd_create(name, MFD_CLOEXEC);
  if (fd < 0) return {Error::io, fmt::format("memfd_create({}): {}", name, std::strerror(errno))};
  if (const int error = kreplay::set_file_size(fd, arena_bytes); error != 0) {
    syscall(SYS_close, fd);
    return {Error::io, fmt::format("{}: size {}: {}", name, arena_bytes, std::strerror(error))};
  }
  void* mirror = raw_mmap(arena_bytes, fd);
  if (mirror == MAP_FAILED) {
    const int error = errno;
    syscall(SYS_close, fd);
    return {Error::out_of_memory, fmt::format("{}: mapping {} bytes of address space: {}", name, arena_bytes,
                                              std::strerror(error))};
  }
  // A child must neither see nor keep the parent's device memory, and a core file has no use for the arena.
  madvise(mirror, arena_bytes, MADV_DONTFORK);
  madvise(mirror, arena_bytes, MADV_DONTDUMP);
  return std::unique_ptr<Backing>(new Backing(fd, static_cast<std::byte*>(mirror), arena_bytes));
}

Backing::~Backing() {
  if (mirror_ != nullptr) syscall(SYS_munmap, mirror_, arena_bytes_);
  if (fd_ >= 0) syscall(SYS_close, fd_);
}

std::optional<uint64_t> Backing::take(uint64_t size_bytes) {
  const std::lock_guard lock(mutex_);
  return ranges_.take(size_bytes, size_bytes >= kHugePageBytes ? kHugePageBytes : kPageBytes);
}

void Backing::give_back(uint64_t offset, uint64_t size_bytes) {
  // The hole first: as soon as the range is free again, another thread may be handed it and write to it.
  if (fallocate(fd_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(offset),
                static_cast<off_t>(size_bytes)) != 0)
    std::memset(host(offset), 0, size_bytes);
  const std::lock_guard lock(mutex_);
  ranges_.give_back(offset, size_bytes);
}

void Backing::abandon_in_child() {
  if (fd_ >= 0) syscall(SYS_close, fd_);
  fd_ = -1;
  mirror_ = nullptr;
}

}  // namespace softgpu::kfd
