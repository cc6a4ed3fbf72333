// Kernels by kernel object, the one key a dispatch packet has. Entries live for ever (records name them);
// unloading only takes them out of the table, because an address may come back as another kernel.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/check.hpp"
#include "base/mutex.hpp"
#include "hsa/code_object.hpp"
#include "report/outcome.hpp"

namespace kreplay::replay {

struct Kernel {
  uint64_t kernel_object = 0;
  report::KernelInfo info;  ///< views into the strings below
  std::string symbol;
  std::string demangled;
  hsa::KernelMetadata metadata;
  bool described = false;        ///< its code object said so; else `metadata` is empty and means nothing
  bool waits_on_memory = false;  ///< HIP's stream wait: spins until somebody writes a value (not by a signal)
  std::atomic<bool> learned{false};    ///< did not end in time once: never replayed again
  std::atomic<bool> announced{false};  ///< the result file has its line
};

/// Threads: find() takes no lock and writes nothing; the others serialise on one mutex.
class KernelTable {
 public:
  KernelTable();
  ~KernelTable();
  KernelTable(const KernelTable&) = delete;
  KernelTable& operator=(const KernelTable&) = delete;

  /// @param symbol name of the descriptor; a trailing ".kd" is dropped
  Kernel& insert(uint64_t kernel_object, const std::string& symbol, const hsa::KernelMetadata* metadata);
  void erase(uint64_t kernel_object);
  Kernel* find(uint64_t kernel_object) const;
  size_t size() const;

  /// Ids go on where another table's end. Before the first insert.
  void continue_ids(const KernelTable& before) {
    const std::scoped_lock lock(mutex_, before.mutex_);
    KR_CHECK(kernels_.empty(), "no kernel has an id yet");
    next_id_ = before.next_id_;
  }

 private:
  struct Slots {
    explicit Slots(size_t count) : mask(count - 1), slot(new std::atomic<Kernel*>[count]()) {}
    size_t mask;
    std::unique_ptr<std::atomic<Kernel*>[]> slot;
  };
  static size_t hash(uint64_t key);
  void place(Slots& slots, Kernel* kernel);
  void grow();

  std::atomic<Slots*> current_;
  mutable Mutex mutex_;                         // guards everything below
  std::vector<std::unique_ptr<Slots>> tables_;  // old ones stay: a reader may be inside
  std::vector<std::unique_ptr<Kernel>> kernels_;
  uint64_t next_id_ = 1;
  size_t used_ = 0;  // slots that are not null, tombstones included
  size_t live_ = 0;
  Kernel tombstone_;
};

}  // namespace kreplay::replay
