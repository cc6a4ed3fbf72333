// Buffer objects: what ALLOC_MEMORY_OF_GPU made, where its bytes are, and which GPUs have it mapped.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <span>
#include <string>

#include "kfd/gpu.hpp"

namespace softgpu::kfd {

/// mmap offsets. The render node: file offset in VRAM, or in GTT with kGttBit. /dev/kfd: type in bits 63:62,
/// gpu_id in bits 61:46 (the kernel's own layout).
constexpr uint64_t kGttBit = uint64_t{1} << 46;
constexpr unsigned kMmapTypeShift = 62;
constexpr unsigned kMmapGpuIdShift = 46;
enum class MmapType : uint64_t { mmio = 0, reserved = 1, events = 2, doorbell = 3 };

constexpr uint64_t kfd_mmap_token(MmapType type, uint32_t gpu_id) {
  return static_cast<uint64_t>(type) << kMmapTypeShift | uint64_t{gpu_id} << kMmapGpuIdShift;
}

struct BufferRequest {
  uint64_t va = 0;
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
  /// @return 0; -EINVAL (flags, size, alignment; named on stderr), -ENOMEM (VRAM used up, or no address
  /// space)
  int allocate(Gpu& gpu, bool large_bar, const BufferRequest& request, AllocatedBuffer& allocated);
  /// Unmaps it from every GPU first. @return 0, -EINVAL
  int free(uint64_t handle);
  /// All: 0, -EINVAL
  int map(uint64_t handle, std::span<Gpu* const> gpus);
  int unmap(uint64_t handle, std::span<Gpu* const> gpus);

  /// Host memory of a whole buffer of at least `size_bytes`; null if there is none.
  std::byte* host_of(uint64_t handle, uint64_t size_bytes) const;
  /// The file and offset behind a render-node mmap. @return false if no buffer covers the range
  bool find_mapping(const Gpu& gpu, uint64_t mmap_offset, uint64_t size_bytes, int& fd,
                    uint64_t& offset) const;
  /// VRAM of a GPU that is not allocated.
  uint64_t vram_free(const Gpu& gpu) const;

 private:
  enum class Kind { vram, gtt, user, doorbell, mmio };
  struct Buffer {
    Gpu* gpu = nullptr;
    Kind kind = Kind::vram;
    uint64_t va = 0;
    uint64_t size_bytes = 0;
    uint64_t offset = 0;  ///< in the backing; not for user memory
    std::byte* host = nullptr;
    bool writable = false;
    std::map<uint32_t, Gpu*> mapped;  ///< by gpu_id
  };
  int place(Buffer& buffer, const BufferRequest& request, bool large_bar);

  mutable std::mutex mutex_;  ///< guards what follows
  std::map<uint64_t, Buffer> buffers_;
  std::map<std::pair<uint32_t, uint64_t>, uint64_t> by_mmap_offset_;  ///< (gpu_id, mmap offset) → handle
  std::map<uint32_t, uint64_t> vram_used_;                            ///< by gpu_id
  uint64_t next_handle_ = 1;
};

}  // namespace softgpu::kfd
