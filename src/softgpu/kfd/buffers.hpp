// KFD buffers: what ALLOC_MEMORY_OF_GPU and IMPORT_DMABUF made, and which GPUs have it mapped where.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>

#include "kfd/storage.hpp"

namespace softgpu::kfd {

struct BufferRequest {
  uint64_t va = 0;  ///< zero: memory without an address
  uint64_t size_bytes = 0;
  uint32_t flags = 0;         ///< KFD_IOC_ALLOC_MEM_FLAGS_*
  uint64_t host_address = 0;  ///< user memory: where the CPU has it
};

struct AllocatedBuffer {
  uint64_t handle = 0;
  uint64_t mmap_offset = 0;
};

/// Threads: any.
class BufferTable {
 public:
  explicit BufferTable(StorageTable& storages) : storages_(storages) {}

  /// @return 0; -EINVAL (flags, size, alignment; named on stderr), -ENOMEM (VRAM used up, or no address
  /// space)
  int allocate(Gpu& gpu, bool large_bar, const BufferRequest& request, AllocatedBuffer& allocated);
  /// A buffer of memory that exists. @return 0, -EINVAL
  int import(std::shared_ptr<Storage> storage, uint64_t va, uint64_t& handle);
  /// Unmaps it from every GPU first. @return 0, -EINVAL
  int free(uint64_t handle);
  /// All: 0, -EINVAL
  int map(uint64_t handle, std::span<Gpu* const> gpus);
  int unmap(uint64_t handle, std::span<Gpu* const> gpus);

  /// Whether a buffer is mapped anywhere in [va, va + size_bytes).
  bool overlaps(uint64_t va, uint64_t size_bytes) const;
  /// Null if there is no such buffer.
  std::shared_ptr<Storage> storage_of(uint64_t handle) const;

 private:
  struct Buffer {
    std::shared_ptr<Storage> storage;
    uint64_t va = 0;
    bool writable = false;
    std::map<uint32_t, Gpu*> mapped;  ///< by gpu_id
  };

  StorageTable& storages_;
  mutable std::mutex mutex_;  ///< guards what follows
  std::map<uint64_t, Buffer> buffers_;
  uint64_t next_handle_ = 1;
};

}  // namespace softgpu::kfd
