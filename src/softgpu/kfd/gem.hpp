// GEM handles: memory as the render node names it. The runtime turns a dmabuf into a handle and maps parts of
// it at addresses of its choice; that is how virtual memory (hsa_amd_vmem_*) is made.
//
// A handle belongs to a GPU and not, as in the kernel, to an open file: one process, one user of the node.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>

#include "kfd/storage.hpp"

namespace softgpu::kfd {

struct GemMapping {
  uint64_t va = 0;
  uint64_t size_bytes = 0;
  uint64_t offset = 0;  ///< in the memory
  bool writable = false;
};

/// Threads: any. All functions return 0 or -errno; what is refused is named on stderr.
class GemTable {
 public:
  /// The same handle for the same memory.
  int open(Gpu& gpu, std::shared_ptr<Storage> storage, uint32_t& handle);
  /// Its mappings go, too.
  int close(Gpu& gpu, uint32_t handle);
  /// Null if there is no such handle.
  std::shared_ptr<Storage> find(const Gpu& gpu, uint32_t handle) const;
  int map(Gpu& gpu, uint32_t handle, const GemMapping& mapping);
  int unmap(Gpu& gpu, uint32_t handle, uint64_t va, uint64_t size_bytes);

 private:
  struct Object {
    std::shared_ptr<Storage> storage;
    std::map<uint64_t, GemMapping> mappings;  ///< by va
  };
  using Key = std::pair<uint32_t, uint32_t>;  ///< gpu_id, handle

  mutable std::mutex mutex_;  ///< guards what follows
  std::map<Key, Object> objects_;
  uint32_t next_handle_ = 1;
};

}  // namespace softgpu::kfd
