// Memory as a shader sees it: GPU virtual addresses, mapped in ranges. The interpreter never holds a raw
// pointer across an instruction; it asks for the range of an address and caches it under a generation.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/types.hpp"

namespace softgpu::gfx9 {

using kreplay::GpuVa;

/// A run of GPU addresses [begin, end) backed by host memory at `host` (the byte for `begin`).
struct MappedRange {
  uint64_t begin = 0;
  uint64_t end = 0;
  std::byte* host = nullptr;
  bool writable = false;
  bool holds(uint64_t va, uint64_t size) const { return va >= begin && va < end && size <= end - va; }
};

/// Threads: find() and generation() are called by any number of queue threads without locks.
class Memory {
 public:
  virtual ~Memory() = default;
  /// The range that holds `va`; an empty range (host == nullptr) when the address is not mapped.
  virtual MappedRange find(GpuVa va) const = 0;
  /// Changes whenever a range found earlier may no longer be used (unmapped or replaced).
  virtual uint64_t generation() const = 0;
};

}  // namespace softgpu::gfx9
