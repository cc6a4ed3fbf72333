// The page table of one GPU: which GPU addresses are mapped, and to which host memory. Most ranges are
// identical on both sides; registered host memory has a GPU address of its own (an alias).
//
// Readers take no lock: entries sit in a sorted array of atomics behind a sequence counter, and a reader that
// overlaps a writer looks again. An outgrown array is kept until the table dies, since a reader may still be
// inside it; arrays double, so that costs at most the size of the current one.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "base/types.hpp"
#include "gfx9/memory.hpp"

namespace softgpu::cp {

using kreplay::GpuVa;
using kreplay::HostPtr;

class VaTable final : public gfx9::Memory {
 public:
  VaTable();
  ~VaTable() override;
  VaTable(const VaTable&) = delete;
  VaTable& operator=(const VaTable&) = delete;

  gfx9::MappedRange find(GpuVa va) const override;
  /// Moves on when a range goes away, not when one is added.
  uint64_t generation() const override { return generation_.load(std::memory_order_acquire); }

  /// Maps [va, va + size_bytes) to host memory.
  /// @return how many older ranges overlapped it; they are gone. The caller says whether that is an error.
  size_t map(GpuVa va, uint64_t size_bytes, HostPtr host, bool writable);
  /// Maps [va, va + size_bytes) to host memory, or to nothing when `host` is null. What older ranges have
  /// outside stays as it is, at any moment.
  void put(GpuVa va, uint64_t size_bytes, HostPtr host, bool writable);
  /// Removes the range that begins at `va` and is backed by `host`: a newer range that took its place stays.
  /// @return false if there is none
  bool unmap(GpuVa va, HostPtr host);
  size_t size() const;

 private:
  struct Entry {
    std::atomic<uint64_t> begin{0};
    std::atomic<uint64_t> end{0};
    std::atomic<std::byte*> host{nullptr};
    std::atomic<bool> writable{false};
  };
  struct Array {
    explicit Array(size_t entries) : slots(entries) {}
    std::atomic<size_t> used{0};
    std::vector<Entry> slots;
  };

  void publish(const std::vector<gfx9::MappedRange>& ranges);

  std::atomic<uint64_t> sequence_{0};  ///< odd while a writer is inside
  std::atomic<Array*> current_;
  std::atomic<uint64_t> generation_{0};

  mutable std::mutex write_mutex_;              ///< guards the two below; serialises writers
  std::vector<gfx9::MappedRange> ranges_;       ///< the truth, sorted by begin
  std::vector<std::unique_ptr<Array>> arrays_;  ///< the current one last
};

}  // namespace softgpu::cp
