// Memory behind buffer objects. One storage may be known under several names: a KFD buffer, a dmabuf, a GEM
// handle of the render node. Its bytes go back when the last of them lets go.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

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

constexpr uint64_t kPageBytes = 4096;
constexpr uint64_t whole_pages(uint64_t bytes) { return (bytes + kPageBytes - 1) & ~(kPageBytes - 1); }

struct StorageRequest {
  uint64_t size_bytes = 0;    ///< whole pages
  uint32_t flags = 0;         ///< KFD_IOC_ALLOC_MEM_FLAGS_*
  uint64_t host_address = 0;  ///< user memory: where the CPU has it
};

enum class StorageKind { vram, gtt, user, doorbell, mmio };

struct Storage {
  Gpu* gpu = nullptr;
  StorageKind kind = StorageKind::vram;
  uint64_t size_bytes = 0;
  uint32_t flags = 0;   ///< as it was asked for
  uint64_t offset = 0;  ///< in the backing; not for user memory
  std::byte* host = nullptr;

  std::mutex metadata_mutex;  ///< guards what follows
  std::vector<std::byte> metadata;
  uint64_t metadata_flags = 0;
  uint64_t tiling_info = 0;

  /// What the runtime passes to mmap. VRAM and GTT: of the render node.
  uint64_t mmap_offset() const;
  /// Whether it can be shared under another name.
  bool shareable() const { return kind == StorageKind::vram || kind == StorageKind::gtt; }
  /// The file that holds it; shareable() only.
  int fd() const;
};

/// Makes storages and finds them by mmap offset. Outlives every storage. Threads: any.
class StorageTable {
 public:
  /// @return 0; -EINVAL (flags, size, alignment; named on stderr), -ENOMEM (VRAM used up, or no address
  /// space)
  int make(Gpu& gpu, bool large_bar, const StorageRequest& request, std::shared_ptr<Storage>& made);
  /// The file and offset behind a render-node mmap. @return false if no storage covers the range
  bool find_mapping(const Gpu& gpu, uint64_t mmap_offset, uint64_t size_bytes, int& fd,
                    uint64_t& offset) const;
  /// VRAM of a GPU that is not taken.
  uint64_t vram_free(const Gpu& gpu) const;

 private:
  int place(Storage& storage, bool large_bar, uint64_t host_address);
  void release(Storage& storage);

  mutable std::mutex mutex_;                                        ///< guards what follows
  std::map<std::pair<uint32_t, uint64_t>, const Storage*> mapped_;  ///< (gpu_id, mmap offset)
  std::map<uint32_t, uint64_t> vram_used_;                          ///< by gpu_id
};

}  // namespace softgpu::kfd
