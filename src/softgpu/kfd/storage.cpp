#include "kfd/storage.hpp"

#include <linux/kfd_ioctl.h>

#include <cerrno>

#include "base/log.hpp"

namespace softgpu::kfd {
namespace {

namespace log = kreplay::log;

constexpr uint32_t kKindMask = KFD_IOC_ALLOC_MEM_FLAGS_VRAM | KFD_IOC_ALLOC_MEM_FLAGS_GTT |
                               KFD_IOC_ALLOC_MEM_FLAGS_USERPTR | KFD_IOC_ALLOC_MEM_FLAGS_DOORBELL |
                               KFD_IOC_ALLOC_MEM_FLAGS_MMIO_REMAP;

}  // namespace

uint64_t Storage::mmap_offset() const {
  switch (kind) {
    case StorageKind::vram:
      return offset;
    case StorageKind::gtt:
      return offset | kGttBit;
    case StorageKind::user:
      return reinterpret_cast<uint64_t>(host);
    case StorageKind::doorbell:
      return kfd_mmap_token(MmapType::doorbell, gpu->gpu_id);
    case StorageKind::mmio:
      return kfd_mmap_token(MmapType::mmio, gpu->gpu_id);
  }
  return 0;
}

int Storage::fd() const { return kind == StorageKind::vram ? gpu->vram->fd() : gpu->gtt->fd(); }

int StorageTable::make(Gpu& gpu, bool large_bar, const StorageRequest& request,
                       std::shared_ptr<Storage>& made) {
  if (request.size_bytes == 0 || request.size_bytes % kPageBytes != 0) return -EINVAL;
  auto storage = std::make_unique<Storage>();
  storage->gpu = &gpu;
  storage->size_bytes = request.size_bytes;
  storage->flags = request.flags;
  const std::lock_guard lock(mutex_);
  const int rc = place(*storage, large_bar, request.host_address);
  if (rc != 0) return rc;
  if (storage->shareable()) mapped_[{gpu.gpu_id, storage->mmap_offset()}] = storage.get();
  made = std::shared_ptr<Storage>(storage.release(), [this](Storage* last) {
    release(*last);
    delete last;
  });
  return 0;
}

/// Finds memory for a storage whose gpu, size and flags are set.
int StorageTable::place(Storage& storage, bool large_bar, uint64_t host_address) {
  Gpu& gpu = *storage.gpu;
  switch (storage.flags & kKindMask) {
    case KFD_IOC_ALLOC_MEM_FLAGS_VRAM: {
      if ((storage.flags & KFD_IOC_ALLOC_MEM_FLAGS_PUBLIC) != 0 && !large_bar) {
        log::error("kfd", "ALLOC_MEMORY_OF_GPU: host-visible device memory, but the device has no large BAR");
        return -EINVAL;
      }
      uint64_t& used = vram_used_[gpu.gpu_id];
      if (storage.size_bytes > gpu.vram_bytes - used) return -ENOMEM;
      const auto offset = gpu.vram->take(storage.size_bytes);
      if (!offset) return -ENOMEM;
      used += storage.size_bytes;
      storage.kind = StorageKind::vram;
      storage.offset = *offset;
      storage.host = gpu.vram->host(*offset);
      return 0;
    }
    case KFD_IOC_ALLOC_MEM_FLAGS_GTT: {
      const auto offset = gpu.gtt->take(storage.size_bytes);
      if (!offset) return -ENOMEM;
      storage.kind = StorageKind::gtt;
      storage.offset = *offset;
      storage.host = gpu.gtt->host(*offset);
      return 0;
    }
    case KFD_IOC_ALLOC_MEM_FLAGS_USERPTR:
      if (host_address == 0 || host_address % kPageBytes != 0) return -EINVAL;
      storage.kind = StorageKind::user;
      storage.host = reinterpret_cast<std::byte*>(host_address);
      return 0;
    case KFD_IOC_ALLOC_MEM_FLAGS_DOORBELL:
      if (storage.size_bytes != cp::kDoorbellPageBytes) return -EINVAL;
      storage.kind = StorageKind::doorbell;
      storage.offset = Gpu::kDoorbellOffset;
      storage.host = gpu.control->host(Gpu::kDoorbellOffset);
      return 0;
    case KFD_IOC_ALLOC_MEM_FLAGS_MMIO_REMAP:
      if (storage.size_bytes != Gpu::kMmioBytes) return -EINVAL;
      storage.kind = StorageKind::mmio;
      storage.offset = Gpu::kMmioOffset;
      storage.host = gpu.control->host(Gpu::kMmioOffset);
      return 0;
    default:
      return -EINVAL;
  }
}

void StorageTable::release(Storage& storage) {
  if (!storage.shareable()) return;
  {
    const std::lock_guard lock(mutex_);
    mapped_.erase({storage.gpu->gpu_id, storage.mmap_offset()});
  }
  Backing& backing = storage.kind == StorageKind::vram ? *storage.gpu->vram : *storage.gpu->gtt;
  backing.give_back(storage.offset, storage.size_bytes);
  if (storage.kind != StorageKind::vram) return;
  const std::lock_guard lock(mutex_);  // only now: what is accounted as free can be taken
  vram_used_[storage.gpu->gpu_id] -= storage.size_bytes;
}

bool StorageTable::find_mapping(const Gpu& gpu, uint64_t mmap_offset, uint64_t size_bytes, int& fd,
                                uint64_t& offset) const {
  const std::lock_guard lock(mutex_);
  auto at = mapped_.upper_bound({gpu.gpu_id, mmap_offset});
  if (at == mapped_.begin()) return false;
  --at;
  if (at->first.first != gpu.gpu_id) return false;
  const Storage& storage = *at->second;
  const uint64_t inside = mmap_offset - at->first.second;
  if (inside >= storage.size_bytes || whole_pages(size_bytes) > storage.size_bytes - inside) return false;
  fd = storage.fd();
  offset = storage.offset + inside;
  return true;
}

uint64_t StorageTable::vram_free(const Gpu& gpu) const {
  const std::lock_guard lock(mutex_);
  const auto at = vram_used_.find(gpu.gpu_id);
  return gpu.vram_bytes - (at == vram_used_.end() ? 0 : at->second);
}

}  // namespace softgpu::kfd
