// Memory of the emulated GPU: an anonymous file (memfd), mapped once as a whole for the device's own use. The
// application maps slices of the same file when it asks for them, so both see the same pages, and a slice
// that it did not map it cannot touch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>

#include "base/status.hpp"
#include "kfd/range_allocator.hpp"

namespace softgpu::kfd {

/// Threads: any.
class Backing {
 public:
  /// @param arena_bytes address space for slices; pages cost memory only once touched
  /// Errors: io, out_of_memory
  static kreplay::Result<std::unique_ptr<Backing>> create(const char* name, uint64_t arena_bytes);
  ~Backing();
  Backing(const Backing&) = delete;
  Backing& operator=(const Backing&) = delete;

  /// @return offset of a zero-filled slice, or nothing when the arena is full
  std::optional<uint64_t> take(uint64_t size_bytes);
  /// The pages go back to the system at once; whoever still maps them reads zeros.
  void give_back(uint64_t offset, uint64_t size_bytes);

  std::byte* host(uint64_t offset) const { return mirror_ + offset; }
  int fd() const { return fd_; }
  /// In a fork child, which has no use for the parent's device memory. The mirror was not inherited.
  void abandon_in_child();

 private:
  Backing(int fd, std::byte* mirror, uint64_t arena_bytes)
      : fd_(fd), mirror_(mirror), arena_bytes_(arena_bytes), ranges_(arena_bytes) {}

  int fd_;
  std::byte* mirror_;
  const uint64_t arena_bytes_;
  std::mutex mutex_;  ///< guards ranges_
  RangeAllocator ranges_;
};

}  // namespace softgpu::kfd
