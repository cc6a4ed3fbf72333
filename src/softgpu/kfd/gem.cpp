#include "kfd/gem.hpp"

#include <cerrno>
#include <utility>

#include "base/log.hpp"

namespace softgpu::kfd {
namespace {

namespace log = kreplay::log;
using kreplay::GpuVa;
using kreplay::HostPtr;

bool overlaps(const GemMapping& a, const GemMapping& b) {
  return a.va < b.va + b.size_bytes && b.va < a.va + a.size_bytes;
}

}  // namespace

int GemTable::open(Gpu& gpu, std::shared_ptr<Storage> storage, uint32_t& handle) {
  const std::lock_guard lock(mutex_);
  for (const auto& [key, object] : objects_) {
    if (key.first != gpu.gpu_id || object.storage != storage) continue;
    handle = key.second;
    return 0;
  }
  handle = next_handle_++;
  objects_[{gpu.gpu_id, handle}].storage = std::move(storage);
  return 0;
}

int GemTable::close(Gpu& gpu, uint32_t handle) {
  std::shared_ptr<Storage> last;  // let go outside the lock
  const std::lock_guard lock(mutex_);
  const auto at = objects_.find({gpu.gpu_id, handle});
  if (at == objects_.end()) return -EINVAL;
  Object& object = at->second;
  for (const auto& [va, mapping] : object.mappings)
    gpu.device->memory().unmap(GpuVa(va), HostPtr(object.storage->host + mapping.offset));
  last = std::move(object.storage);
  objects_.erase(at);
  return 0;
}

std::shared_ptr<Storage> GemTable::find(const Gpu& gpu, uint32_t handle) const {
  const std::lock_guard lock(mutex_);
  const auto at = objects_.find({gpu.gpu_id, handle});
  return at != objects_.end() ? at->second.storage : nullptr;
}

int GemTable::map(Gpu& gpu, uint32_t handle, const GemMapping& mapping) {
  const std::lock_guard lock(mutex_);
  const auto at = objects_.find({gpu.gpu_id, handle});
  if (at == objects_.end()) return -ENOENT;
  Object& object = at->second;
  const uint64_t bytes = object.storage->size_bytes;
  if (((mapping.va | mapping.size_bytes | mapping.offset) % kPageBytes) != 0 || mapping.size_bytes == 0 ||
      mapping.va == 0 || mapping.va >= kGpuvmLimit || mapping.size_bytes > kGpuvmLimit - mapping.va ||
      mapping.offset > bytes || mapping.size_bytes > bytes - mapping.offset) {
    log::error("drm", "GEM_VA: {} bytes at offset {:#x} of memory of {} bytes, to {:#x}: refused",
               mapping.size_bytes, mapping.offset, bytes, mapping.va);
    return -EINVAL;
  }
  for (const auto& [key, other] : objects_) {
    if (key.first != gpu.gpu_id) continue;
    for (const auto& [va, present] : other.mappings) {
      if (!overlaps(present, mapping)) continue;
      log::error("drm", "GEM_VA: {:#x}, {} bytes: mapped already ({:#x}, {} bytes)", mapping.va,
                 mapping.size_bytes, present.va, present.size_bytes);
      return -EINVAL;
    }
  }
  gpu.device->memory().map(GpuVa(mapping.va), mapping.size_bytes,
                           HostPtr(object.storage->host + mapping.offset), mapping.writable);
  object.mappings[mapping.va] = mapping;
  return 0;
}

int GemTable::unmap(Gpu& gpu, uint32_t handle, uint64_t va, uint64_t size_bytes) {
  const std::lock_guard lock(mutex_);
  const auto at = objects_.find({gpu.gpu_id, handle});
  if (at == objects_.end()) return -ENOENT;
  Object& object = at->second;
  const auto mapping = object.mappings.find(va);
  if (mapping == object.mappings.end() || mapping->second.size_bytes != size_bytes) {
    log::error("drm", "GEM_VA: unmapping {:#x}, {} bytes: no such mapping", va, size_bytes);
    return -ENOENT;
  }
  gpu.device->memory().unmap(GpuVa(va), HostPtr(object.storage->host + mapping->second.offset));
  object.mappings.erase(mapping);
  return 0;
}

}  // namespace softgpu::kfd
