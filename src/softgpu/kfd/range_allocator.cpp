#include "kfd/range_allocator.hpp"

#include <iterator>

namespace softgpu::kfd {

std::optional<uint64_t> RangeAllocator::take(uint64_t size_bytes, uint64_t alignment) {
  for (auto at = free_.begin(); at != free_.end(); ++at) {
    const uint64_t begin = at->first;
    const uint64_t end = begin + at->second;
    const uint64_t offset = (begin + alignment - 1) & ~(alignment - 1);
    if (offset > end || size_bytes > end - offset) continue;
    free_.erase(at);
    if (offset > begin) free_[begin] = offset - begin;
    if (offset + size_bytes < end) free_[offset + size_bytes] = end - offset - size_bytes;
    return offset;
  }
  return std::nullopt;
}

void RangeAllocator::give_back(uint64_t offset, uint64_t size_bytes) {
  auto next = free_.lower_bound(offset);
  if (next != free_.end() && offset + size_bytes == next->first) {
    size_bytes += next->second;
    next = free_.erase(next);
  }
  if (next != free_.begin()) {
    const auto before = std::prev(next);
    if (before->first + before->second == offset) {
      before->second += size_bytes;
      return;
    }
  }
  free_[offset] = size_bytes;
}

}  // namespace softgpu::kfd
