#include "kfd/buffers.hpp"

#include <fmt/format.h>
#include <linux/kfd_ioctl.h>

#include <cerrno>
#include <iterator>

#include "base/log.hpp"

namespace softgpu::kfd {
namespace {

namespace log = kreplay::log;
using kreplay::GpuVa;
using kreplay::HostPtr;

constexpr uint64_t kPageBytes = 4096;
constexpr uint32_t kWritable = 1u << 31;  // KFD_IOC_ALLOC_MEM_FLAGS_WRITABLE overflows int in the header
constexpr uint32_t kKindMask = KFD_IOC_ALLOC_MEM_FLAGS_VRAM | KFD_IOC_ALLOC_MEM_FLAGS_GTT |
                               KFD_IOC_ALLOC_MEM_FLAGS_USERPTR | KFD_IOC_ALLOC_MEM_FLAGS_DOORBELL |
                               KFD_IOC_ALLOC_MEM_FLAGS_MMIO_REMAP;

uint64_t pages(uint64_t bytes) { return (bytes + kPageBytes - 1) & ~(kPageBytes - 1); }

}  // namespace

/// Finds memory for a buffer whose gpu, va and size are set.
int BufferTable::place(Buffer& buffer, const BufferRequest& request, bool large_bar) {
  Gpu& gpu = *buffer.gpu;
  switch (request.flags & kKindMask) {
    case KFD_IOC_ALLOC_MEM_FLAGS_VRAM: {
      if ((request.flags & KFD_IOC_ALLOC_MEM_FLAGS_PUBLIC) != 0 && !large_bar) {
        log::error("kfd", "ALLOC_MEMORY_OF_GPU: host-visible device memory, but the device has no large BAR");
        return -EINVAL;
      }
      uint64_t& used = vram_used_[gpu.gpu_id];
      if (buffer.size_bytes > gpu.vram_bytes - used) return -ENOMEM;
      const auto offset = gpu.vram->take(buffer.size_bytes);
      if (!offset) return -ENOMEM;
      used += buffer.size_bytes;
      buffer.kind = Kind::vram;
      buffer.offset = *offset;
      buffer.host = gpu.vram->host(*offset);
      return 0;
    }
    case KFD_IOC_ALLOC_MEM_FLAGS_GTT: {
      const auto offset = gpu.gtt->take(buffer.size_bytes);
      if (!offset) return -ENOMEM;
      buffer.kind = Kind::gtt;
      buffer.offset = *offset;
      buffer.host = gpu.gtt->host(*offset);
      return 0;
    }
    case KFD_IOC_ALLOC_MEM_FLAGS_USERPTR:
      if (request.host_address == 0 || request.host_address % kPageBytes != 0) return -EINVAL;
      buffer.kind = Kind::user;
      buffer.host = reinterpret_cast<std::byte*>(request.host_address);
      return 0;
    case KFD_IOC_ALLOC_MEM_FLAGS_DOORBELL:
      if (buffer.size_bytes != cp::kDoorbellPageBytes) return -EINVAL;
      buffer.kind = Kind::doorbell;
      buffer.offset = Gpu::kDoorbellOffset;
      buffer.host = gpu.control->host(Gpu::kDoorbellOffset);
      return 0;
    case KFD_IOC_ALLOC_MEM_FLAGS_MMIO_REMAP:
      if (buffer.size_bytes != Gpu::kMmioBytes) return -EINVAL;
      buffer.kind = Kind::mmio;
      buffer.offset = Gpu::kMmioOffset;
      buffer.host = gpu.control->host(Gpu::kMmioOffset);
      return 0;
    default:
      return -EINVAL;
  }
}

int BufferTable::allocate(Gpu& gpu, bool large_bar, const BufferRequest& request,
                          AllocatedBuffer& allocated) {
  const std::lock_guard lock(mutex_);
  Buffer buffer;
  buffer.gpu = &gpu;
  buffer.va = request.va;
  buffer.size_bytes = pages(request.size_bytes);
  buffer.writable = (request.flags & kWritable) != 0;
  int rc = -EINVAL;
  if (buffer.size_bytes != 0 && buffer.va % kPageBytes == 0 && buffer.va < kGpuvmLimit)
    rc = place(buffer, request, large_bar);
  if (rc == -EINVAL)
    log::error("kfd", "ALLOC_MEMORY_OF_GPU: va {:#x}, {} bytes, flags {:#x}, host {:#x}: refused", request.va,
               request.size_bytes, request.flags, request.host_address);
  if (rc != 0) return rc;

  allocated.handle = next_handle_++;
  switch (buffer.kind) {
    case Kind::vram:
      allocated.mmap_offset = buffer.offset;
      break;
    case Kind::gtt:
      allocated.mmap_offset = buffer.offset | kGttBit;
      break;
    case Kind::user:
      allocated.mmap_offset = request.host_address;
      break;
    case Kind::doorbell:
      allocated.mmap_offset = kfd_mmap_token(MmapType::doorbell, gpu.gpu_id);
      break;
    case Kind::mmio:
      allocated.mmap_offset = kfd_mmap_token(MmapType::mmio, gpu.gpu_id);
      break;
  }
  if (buffer.kind == Kind::vram || buffer.kind == Kind::gtt)
    by_mmap_offset_[{gpu.gpu_id, allocated.mmap_offset}] = allocated.handle;
  buffers_[allocated.handle] = std::move(buffer);
  return 0;
}

int BufferTable::free(uint64_t handle) {
  const std::lock_guard lock(mutex_);
  const auto at = buffers_.find(handle);
  if (at == buffers_.end()) return -EINVAL;
  Buffer& buffer = at->second;
  for (const auto& [id, gpu] : buffer.mapped)
    gpu->device->memory().unmap(GpuVa(buffer.va), HostPtr(buffer.host));
  if (buffer.kind == Kind::vram) {
    vram_used_[buffer.gpu->gpu_id] -= buffer.size_bytes;
    by_mmap_offset_.erase({buffer.gpu->gpu_id, buffer.offset});
    buffer.gpu->vram->give_back(buffer.offset, buffer.size_bytes);
  } else if (buffer.kind == Kind::gtt) {
    by_mmap_offset_.erase({buffer.gpu->gpu_id, buffer.offset | kGttBit});
    buffer.gpu->gtt->give_back(buffer.offset, buffer.size_bytes);
  }
  buffers_.erase(at);
  return 0;
}

int BufferTable::map(uint64_t handle, std::span<Gpu* const> gpus) {
  const std::lock_guard lock(mutex_);
  const auto at = buffers_.find(handle);
  if (at == buffers_.end()) return -EINVAL;
  Buffer& buffer = at->second;
  for (Gpu* gpu : gpus) {
    if (!buffer.mapped.emplace(gpu->gpu_id, gpu).second) continue;
    const size_t replaced =
        gpu->device->memory().map(GpuVa(buffer.va), buffer.size_bytes, HostPtr(buffer.host), buffer.writable);
    // The runtime drops addresses without telling the driver when it shuts down; what it maps next is right.
    if (replaced != 0)
      log::debug("kfd", "MAP_MEMORY_TO_GPU: {:#x} replaces {} stale mapping(s)", buffer.va, replaced);
  }
  return 0;
}

int BufferTable::unmap(uint64_t handle, std::span<Gpu* const> gpus) {
  const std::lock_guard lock(mutex_);
  const auto at = buffers_.find(handle);
  if (at == buffers_.end()) return -EINVAL;
  Buffer& buffer = at->second;
  for (Gpu* gpu : gpus) {
    if (buffer.mapped.erase(gpu->gpu_id) != 0)
      gpu->device->memory().unmap(GpuVa(buffer.va), HostPtr(buffer.host));
  }
  return 0;
}

std::byte* BufferTable::host_of(uint64_t handle, uint64_t size_bytes) const {
  const std::lock_guard lock(mutex_);
  const auto at = buffers_.find(handle);
  return at != buffers_.end() && at->second.size_bytes >= size_bytes ? at->second.host : nullptr;
}

bool BufferTable::find_mapping(const Gpu& gpu, uint64_t mmap_offset, uint64_t size_bytes, int& fd,
                               uint64_t& offset) const {
  const std::lock_guard lock(mutex_);
  auto at = by_mmap_offset_.upper_bound({gpu.gpu_id, mmap_offset});
  if (at == by_mmap_offset_.begin()) return false;
  --at;
  if (at->first.first != gpu.gpu_id) return false;
  const Buffer& buffer = buffers_.at(at->second);
  const uint64_t inside = mmap_offset - at->first.second;
  if (inside >= buffer.size_bytes || pages(size_bytes) > buffer.size_bytes - inside) return false;
  fd = buffer.kind == Kind::vram ? gpu.vram->fd() : gpu.gtt->fd();
  offset = buffer.offset + inside;
  return true;
}

uint64_t BufferTable::vram_free(const Gpu& gpu) const {
  const std::lock_guard lock(mutex_);
  const auto at = vram_used_.find(gpu.gpu_id);
  return gpu.vram_bytes - (at == vram_used_.end() ? 0 : at->second);
}

}  // namespace softgpu::kfd
