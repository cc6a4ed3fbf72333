#include "kfd/buffers.hpp"

#include <algorithm>
#include <cerrno>
#include <utility>

#include "base/log.hpp"

namespace softgpu::kfd {
namespace {

namespace log = kreplay::log;
using kreplay::GpuVa;
using kreplay::HostPtr;

constexpr uint32_t kWritable = 1u << 31;  // KFD_IOC_ALLOC_MEM_FLAGS_WRITABLE overflows int in the header

}  // namespace

int BufferTable::allocate(Gpu& gpu, bool large_bar, const BufferRequest& request,
                          AllocatedBuffer& allocated) {
  const bool placeable = request.va % kPageBytes == 0 && request.va < kGpuvmLimit;
  std::shared_ptr<Storage> storage;
  const int rc =
      placeable
          ? storages_.make(gpu, large_bar,
                           {whole_pages(request.size_bytes), request.flags, request.host_address}, storage)
          : -EINVAL;
  if (rc == -EINVAL)
    log::error("kfd", "ALLOC_MEMORY_OF_GPU: va {:#x}, {} bytes, flags {:#x}, host {:#x}: refused", request.va,
               request.size_bytes, request.flags, request.host_address);
  if (rc != 0) return rc;
  allocated.mmap_offset = storage->mmap_offset();
  return import(std::move(storage), request.va, allocated.handle);
}

int BufferTable::import(std::shared_ptr<Storage> storage, uint64_t va, uint64_t& handle) {
  if (va % kPageBytes != 0 || va >= kGpuvmLimit) return -EINVAL;
  Buffer buffer;
  buffer.va = va;
  buffer.writable = (storage->flags & kWritable) != 0;
  buffer.storage = std::move(storage);
  const std::lock_guard lock(mutex_);
  handle = next_handle_++;
  buffers_[handle] = std::move(buffer);
  return 0;
}

int BufferTable::free(uint64_t handle) {
  std::shared_ptr<Storage> last;  // let go outside the lock
  const std::lock_guard lock(mutex_);
  const auto at = buffers_.find(handle);
  if (at == buffers_.end()) return -EINVAL;
  Buffer& buffer = at->second;
  for (const auto& [id, gpu] : buffer.mapped)
    gpu->device->memory().unmap(GpuVa(buffer.va), HostPtr(buffer.storage->host));
  last = std::move(buffer.storage);
  buffers_.erase(at);
  return 0;
}

int BufferTable::map(uint64_t handle, std::span<Gpu* const> gpus) {
  const std::lock_guard lock(mutex_);
  const auto at = buffers_.find(handle);
  if (at == buffers_.end()) return -EINVAL;
  Buffer& buffer = at->second;
  if (buffer.va == 0) {
    log::error("kfd", "MAP_MEMORY_TO_GPU: buffer {} has no address", handle);
    return -EINVAL;
  }
  for (Gpu* gpu : gpus) {
    if (!buffer.mapped.emplace(gpu->gpu_id, gpu).second) continue;
    const size_t replaced = gpu->device->memory().map(GpuVa(buffer.va), buffer.storage->size_bytes,
                                                      HostPtr(buffer.storage->host), buffer.writable);
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
      gpu->device->memory().unmap(GpuVa(buffer.va), HostPtr(buffer.storage->host));
  }
  return 0;
}

bool BufferTable::overlaps(uint64_t va, uint64_t size_bytes) const {
  const std::lock_guard lock(mutex_);
  return std::any_of(buffers_.begin(), buffers_.end(), [&](const auto& entry) {
    const Buffer& buffer = entry.second;
    return !buffer.mapped.empty() && buffer.va < va + size_bytes &&
           va < buffer.va + buffer.storage->size_bytes;
  });
}

std::shared_ptr<Storage> BufferTable::storage_of(uint64_t handle) const {
  const std::lock_guard lock(mutex_);
  const auto at = buffers_.find(handle);
  return at != buffers_.end() ? at->second.storage : nullptr;
}

}  // namespace softgpu::kfd
