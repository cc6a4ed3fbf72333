#include "replay/virtual_memory.hpp"

#include <iterator>

#include "base/check.hpp"

namespace kreplay::replay {

using snapshot::Extent;

namespace {

/// What a call grants the owner of a mapping; empty when it says nothing about it.
std::optional<hsa_access_permission_t> grant_of(uint64_t owner, const hsa_amd_memory_access_desc_t* access,
                                                size_t count) {
  std::optional<hsa_access_permission_t> out;
  for (size_t i = 0; i < count; ++i)
    if (access[i].agent_handle.handle == owner) out = access[i].permissions;  // the last one counts
  return out;
}

}  // namespace

void VirtualMemory::add_handle(uint64_t handle, std::optional<Backing> backing) {
  const std::lock_guard lock(mutex_);
  Handle& entry = handles_[handle];
  if (backing) entry.backing = *backing;
  ++entry.references;
}

uint64_t VirtualMemory::share(uint64_t handle) {
  constexpr auto kShared = snapshot::MemoryClass::device_shared;
  const std::lock_guard lock(mutex_);
  const auto it = handles_.find(handle);
  if (it == handles_.end() || it->second.backing.owner == 0) return 0;
  it->second.backing.memory_class = kShared;
  for (auto& [address, mapping] : mappings_) {
    if (mapping.handle != handle) continue;
    mapping.backing.memory_class = kShared;
    const std::optional<Extent> extent = extents_.find(GpuVa(address));
    if (mapping.live && extent) extents_.reclassify(extent->base, extent->generation, kShared);
  }
  return it->second.backing.owner;
}

void VirtualMemory::release_handle(uint64_t handle) {
  const std::lock_guard lock(mutex_);
  const auto it = handles_.find(handle);
  if (it == handles_.end()) return;
  KR_CHECK(it->second.references > 0, "a handle is kept while it is referred to");
  if (--it->second.references == 0) handles_.erase(it);
}

void VirtualMemory::mapped(void* va, uint64_t size_bytes, uint64_t handle) {
  const std::lock_guard lock(mutex_);
  const auto it = handles_.find(handle);
  if (it == handles_.end()) return;  // from before we were there
  KR_CHECK(it->second.references > 0, "what is mapped is referred to");
  mappings_[GpuVa(va).value] = {size_bytes, handle, it->second.backing, false};
}

std::vector<Extent> VirtualMemory::take(void* va, uint64_t size_bytes,
                                        const hsa_amd_memory_access_desc_t* access, size_t access_count) {
  std::vector<Extent> out;
  const std::lock_guard lock(mutex_);
  const uint64_t begin = GpuVa(va).value;
  for (auto it = mappings_.lower_bound(begin); it != mappings_.end() && it->first < begin + size_bytes;
       ++it) {
    if (!it->second.live) continue;
    if (access != nullptr) {
      const auto grant = grant_of(it->second.backing.owner, access, access_count);
      if (!grant || *grant == HSA_ACCESS_PERMISSION_RW) continue;
    }
    std::optional<Extent> extent = extents_.take(GpuVa(it->first));
    it->second.live = false;
    if (extent) out.push_back(*extent);
  }
  return out;
}

void VirtualMemory::put_back(const std::vector<Extent>& extents) {
  const std::lock_guard lock(mutex_);
  for (const Extent& extent : extents) {
    extents_.put_back(extent);
    const auto it = mappings_.find(extent.base.value);
    KR_CHECK(it != mappings_.end(), "what the runtime refused to unmap is mapped");
    if (it != mappings_.end()) it->second.live = true;
  }
}

void VirtualMemory::unmapped(void* va) {
  const std::lock_guard lock(mutex_);
  mappings_.erase(GpuVa(va).value);
}

/// Under mutex_.
void VirtualMemory::make_live(Mappings::value_type& mapping) {
  if (mapping.second.live) return;
  KR_CHECK(mapping.second.backing.owner != 0, "host memory has no owner to save it for");
  Extent extent;
  extent.base = GpuVa(mapping.first);
  extent.size = mapping.second.size;
  extent.agent = mapping.second.backing.owner;
  extent.memory_class = mapping.second.backing.memory_class;
  extents_.insert(extent);
  mapping.second.live = true;
}

void VirtualMemory::granted(void* va, uint64_t size_bytes, const hsa_amd_memory_access_desc_t* access,
                            size_t access_count) {
  const std::lock_guard lock(mutex_);
  const uint64_t begin = GpuVa(va).value;
  for (auto it = mappings_.lower_bound(begin); it != mappings_.end() && it->first < begin + size_bytes; ++it)
    if (it->second.backing.owner != 0 &&
        grant_of(it->second.backing.owner, access, access_count) == HSA_ACCESS_PERMISSION_RW)
      make_live(*it);
}

void VirtualMemory::allowed(const void* address, const hsa_agent_t* agents, size_t count) {
  const std::lock_guard lock(mutex_);
  auto it = mapping_of(address);
  for (uint64_t next = it == mappings_.end() ? 0 : it->first; it != mappings_.end() && it->first == next;
       ++it) {
    next = it->first + it->second.size;
    for (size_t i = 0; i < count; ++i)
      if (it->second.backing.owner != 0 && agents[i].handle == it->second.backing.owner) make_live(*it);
  }
}

/// Under mutex_. The mapping that holds the address; the end when none does.
VirtualMemory::Mappings::iterator VirtualMemory::mapping_of(const void* address) {
  const uint64_t at = GpuVa(address).value;
  auto it = mappings_.upper_bound(at);
  if (it == mappings_.begin()) return mappings_.end();
  it = std::prev(it);
  return at - it->first < it->second.size ? it : mappings_.end();
}

std::vector<Extent> VirtualMemory::run_around(const void* address, const Extent& extent) {
  std::vector<Extent> out;
  const std::lock_guard lock(mutex_);
  auto it = mapping_of(address);
  if (it == mappings_.end()) return {extent};
  for (uint64_t next = it->first; it != mappings_.end() && it->first == next; ++it) {
    next = it->first + it->second.size;
    if (!it->second.live) continue;
    if (const std::optional<Extent> found = extents_.find(GpuVa(it->first))) out.push_back(*found);
  }
  return out;
}

std::vector<Extent> VirtualMemory::live_in(void* va, uint64_t size_bytes) {
  std::vector<Extent> out;
  const std::lock_guard lock(mutex_);
  const uint64_t begin = GpuVa(va).value;
  for (auto it = mappings_.lower_bound(begin); it != mappings_.end() && it->first < begin + size_bytes;
       ++it) {
    if (!it->second.live) continue;
    if (const std::optional<Extent> found = extents_.find(GpuVa(it->first))) out.push_back(*found);
  }
  return out;
}

}  // namespace kreplay::replay
