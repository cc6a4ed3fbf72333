// Translation for the interpreter: a few ranges of Memory, kept for as long as its generation stands.
// Threads: one object per queue thread.
#pragma once

#include "gfx9/memory.hpp"

namespace softgpu::gfx9 {

class MemoryAccess {
 public:
  void attach(const Memory* memory);
  /// Drops the ranges if the generation moved. Called once at the start of each memory instruction; pointers
  /// from resolve() are good until that instruction ends.
  void begin_instruction() {
    if (memory_->generation() != generation_) refresh();
  }
  /// Host address of [va, va + size); nullptr if it is not mapped, or not writable and `write` is set.
  std::byte* resolve(uint64_t va, uint64_t size, bool write) {
    const MappedRange& r = ranges_[0];
    if (r.holds(va, size) && (r.writable || !write)) [[likely]]
      return r.host + (va - r.begin);
    return resolve_slow(va, size, write);
  }
  /// The range used by the last successful resolve(), for loops that test many addresses.
  const MappedRange& last() const { return ranges_[0]; }

 private:
  static constexpr unsigned kRanges = 8;
  void refresh();
  std::byte* resolve_slow(uint64_t va, uint64_t size, bool write);
  bool bring_to_front(uint64_t va);

  const Memory* memory_ = nullptr;
  uint64_t generation_ = 0;
  MappedRange ranges_[kRanges];  ///< most recently used first
};

}  // namespace softgpu::gfx9
