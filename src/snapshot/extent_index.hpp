// Extents sorted by address: a directory of leaves, each with up to 64 (base, slot) pairs. Readers take no
// lock and write nothing shared: they read optimistically and look at a version counter afterwards. Leaves,
// slots and directories are recycled but never returned to the allocator while the index lives, so a reader
// that lost the race reads old memory of the right type and tries again.
//
// A radix map over va>>21 would need one entry per 2 MiB of every large allocation and a second structure
// inside each entry for small ones; two binary searches cost about the same and work alike for both.
//
// Threads: any number of readers with one writer; the writers' mutex is the caller's.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "snapshot/extent.hpp"

namespace kreplay::snapshot {

class ExtentIndex {
 public:
  ExtentIndex();
  ~ExtentIndex();
  ExtentIndex(const ExtentIndex&) = delete;
  ExtentIndex& operator=(const ExtentIndex&) = delete;

  enum class Lookup { found, absent, raced };

  /// The extent with the greatest base not above `va`, into *out. Lock-free.
  /// @return raced when writers interfered too often; never while the caller holds the writers' mutex
  Lookup floor(GpuVa va, Extent* out) const;
  /// The same and its neighbours. Lock-free. @return found also when all of them are absent, or raced
  Lookup around(GpuVa va, Neighbours* out) const;

  // Writers only, one at a time.

  /// @param extent no extent with its base is present
  void insert(const Extent& extent);
  /// @return false when no extent starts at `base`
  bool erase(GpuVa base);
  void clear();
  template <typename Visit>
  void each(Visit visit) const {  // by address
    for (size_t i = 0; i < leaf_count(); ++i)
      for (size_t k = 0; k < leaf_size(i); ++k) visit(load(i, k));
  }

 private:
  struct Slot;
  struct Leaf;
  struct Directory;
  class WriteScope;

  size_t leaf_count() const;
  size_t leaf_size(size_t leaf) const;
  Extent load(size_t leaf, size_t position) const;
  static void copy(const Slot& slot, Extent* out);
  /// One optimistic attempt; its result counts only if the version did not move.
  Lookup try_floor(uint64_t va, Extent* out) const;
  Lookup try_around(uint64_t va, Neighbours* out) const;
  template <typename Try>
  Lookup retry(Try&& attempt) const;
  Slot* new_slot();
  Leaf* new_leaf();
  void grow_directory();
  /// The directory has room for one more.
  void add_leaf(size_t position, Leaf* leaf);
  void drop_leaf(size_t position);

  std::atomic<uint64_t> version_{0};  ///< odd while a writer is at work
  std::atomic<Directory*> directory_{nullptr};
  // Writers only. Vectors own; the free lists borrow from them.
  std::vector<std::unique_ptr<Directory>> directories_;
  std::vector<std::unique_ptr<Leaf>> leaves_;
  std::vector<std::unique_ptr<Slot[]>> slot_blocks_;
  std::vector<Slot*> free_slots_;
  std::vector<Leaf*> free_leaves_;
};

}  // namespace kreplay::snapshot
