// Hands out pieces of one address range, first fit, and merges what comes back.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

namespace softgpu::kfd {

/// Threads: the caller serialises.
class RangeAllocator {
 public:
  explicit RangeAllocator(uint64_t size_bytes) { free_[0] = size_bytes; }
  /// @param alignment a power of two
  std::optional<uint64_t> take(uint64_t size_bytes, uint64_t alignment);
  /// @param offset, size_bytes as taken
  void give_back(uint64_t offset, uint64_t size_bytes);

 private:
  std::map<uint64_t, uint64_t> free_;  ///< offset → bytes; neighbours are always merged
};

}  // namespace softgpu::kfd
