#include "gfx9/memory_access.hpp"

#include <algorithm>
#include <iterator>

namespace softgpu::gfx9 {

void MemoryAccess::attach(const Memory* memory) {
  memory_ = memory;
  refresh();
}

void MemoryAccess::refresh() {
  std::fill(std::begin(ranges_), std::end(ranges_), MappedRange{});
  generation_ = memory_->generation();
}

bool MemoryAccess::bring_to_front(uint64_t va) {
  for (unsigned n = 0; n < kRanges; ++n) {
    if (!ranges_[n].holds(va, 1)) continue;
    std::rotate(ranges_, ranges_ + n, ranges_ + n + 1);
    return true;
  }
  const MappedRange found = memory_->find(GpuVa(va));
  if (!found.host || !found.holds(va, 1)) return false;
  std::rotate(ranges_, ranges_ + kRanges - 1, ranges_ + kRanges);
  ranges_[0] = found;
  return true;
}

std::byte* MemoryAccess::resolve_slow(uint64_t va, uint64_t size, bool write) {
  if (!bring_to_front(va)) return nullptr;
  const MappedRange first = ranges_[0];
  if (write && !first.writable) return nullptr;
  std::byte* host = first.host + (va - first.begin);
  if (first.holds(va, size)) return host;
  // The access runs into the next range: fine if that one follows in host memory, too.
  if (!bring_to_front(first.end)) return nullptr;
  const MappedRange& second = ranges_[0];
  if (write && !second.writable) return nullptr;
  const std::byte* next = second.host + (first.end - second.begin);
  const bool joined =
      next == first.host + (first.end - first.begin) && second.holds(first.end, va + size - first.end);
  return joined ? host : nullptr;
}

}  // namespace softgpu::gfx9
