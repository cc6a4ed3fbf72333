// Memory: what was allocated where. Insert after create, take before release.

#include <optional>

#include "intercept/hook_scope.hpp"

namespace kreplay::intercept {
namespace {

using snapshot::Extent;
using snapshot::MemoryClass;

/// Memory that is not saved but known, so that it can be counted and checked.
void insert(Replayer& replayer, void* agent_address, void* host_address, uint64_t size_bytes,
            MemoryClass kind) {
  Extent extent;
  extent.base = GpuVa(agent_address);
  extent.size = size_bytes;
  extent.memory_class = kind;
  extent.host = HostPtr(host_address);
  replayer.extents().insert(extent);
}

}  // namespace
}  // namespace kreplay::intercept

using kreplay::GpuVa;
using kreplay::intercept::Extent;
using kreplay::intercept::insert;
using kreplay::intercept::MemoryClass;
using kreplay::intercept::Replayer;
using kreplay::intercept::process::real;

extern "C" {

KR_EXPORT hsa_status_t hsa_amd_memory_pool_allocate(hsa_amd_memory_pool_t memory_pool, size_t size,
                                                    uint32_t flags, void** ptr) {
  KR_SCOPE(hsa_amd_memory_pool_allocate);
  hsa_status_t status = hook.next().hsa_amd_memory_pool_allocate(memory_pool, size, flags, ptr);
  hook.observe([&](Replayer& r) {
    // Frees that wait for a window may be what is missing: without us the memory would be free by now.
    if (status == HSA_STATUS_ERROR_OUT_OF_RESOURCES && r.memory().make_room())
      status = real().hsa_amd_memory_pool_allocate(memory_pool, size, flags, ptr);
    if (status == HSA_STATUS_SUCCESS) r.memory().allocated(*ptr, size, memory_pool.handle, flags);
  });
  return status;
}

KR_EXPORT hsa_status_t hsa_amd_memory_pool_free(void* ptr) {
  KR_SCOPE(hsa_amd_memory_pool_free);
  kreplay::replay::TrackedMemory::Freed freed;
  // Before the call: as soon as it returns, another thread may be handed the same address.
  hook.observe_release([&](Replayer& r) {
    freed = r.memory().freeing(ptr, [ptr] { (void)real().hsa_amd_memory_pool_free(ptr); });
  });
  if (freed.deferred) return HSA_STATUS_SUCCESS;
  const hsa_status_t status = hook.next().hsa_amd_memory_pool_free(ptr);
  hook.observe([&](Replayer& r) {
    if (status != HSA_STATUS_SUCCESS) r.memory().not_freed(freed);
  });
  return status;
}

KR_EXPORT hsa_status_t hsa_memory_allocate(hsa_region_t region, size_t size, void** ptr) {
  KR_SCOPE(hsa_memory_allocate);
  hsa_status_t status = hook.next().hsa_memory_allocate(region, size, ptr);
  hook.observe([&](Replayer& r) {
    if (status == HSA_STATUS_ERROR_OUT_OF_RESOURCES && r.memory().make_room())
      status = real().hsa_memory_allocate(region, size, ptr);
    if (status == HSA_STATUS_SUCCESS) r.memory().allocated(*ptr, size, region.handle, 0);
  });
  return status;
}

KR_EXPORT hsa_status_t hsa_memory_free(void* ptr) {
  KR_SCOPE(hsa_memory_free);
  kreplay::replay::TrackedMemory::Freed freed;
  hook.observe_release(
      [&](Replayer& r) { freed = r.memory().freeing(ptr, [ptr] { (void)real().hsa_memory_free(ptr); }); });
  if (freed.deferred) return HSA_STATUS_SUCCESS;
  const hsa_status_t status = hook.next().hsa_memory_free(ptr);
  hook.observe([&](Replayer& r) {
    if (status != HSA_STATUS_SUCCESS) r.memory().not_freed(freed);
  });
  return status;
}

KR_EXPORT hsa_status_t hsa_memory_register(void* ptr, size_t size) {
  KR_SCOPE(hsa_memory_register);
  const hsa_status_t status = hook.next().hsa_memory_register(ptr, size);
  hook.observe([&](Replayer& r) {
    if (status == HSA_STATUS_SUCCESS) insert(r, ptr, ptr, size, MemoryClass::host_locked);
  });
  return status;
}

KR_EXPORT hsa_status_t hsa_memory_deregister(void* ptr, size_t size) {
  KR_SCOPE(hsa_memory_deregister);
  kreplay::replay::TrackedMemory::Unlocked unlocked;
  hook.observe_release([&](Replayer& r) {
    unlocked = r.memory().unlocking(ptr, [ptr, size] { (void)real().hsa_memory_deregister(ptr, size); });
  });
  if (unlocked.deferred) return HSA_STATUS_SUCCESS;
  const hsa_status_t status = hook.next().hsa_memory_deregister(ptr, size);
  hook.observe([&](Replayer& r) {
    if (status != HSA_STATUS_SUCCESS) r.memory().not_unlocked(ptr, unlocked);
  });
  return status;
}

KR_EXPORT hsa_status_t hsa_amd_memory_lock(void* host_ptr, size_t size, hsa_agent_t* agents, int num_agent,
                                           void** agent_ptr) {
  KR_SCOPE(hsa_amd_memory_lock);
  const hsa_status_t status = hook.next().hsa_amd_memory_lock(host_ptr, size, agents, num_agent, agent_ptr);
  hook.observe([&](Replayer& r) {
    if (status == HSA_STATUS_SUCCESS) r.memory().locked(host_ptr, *agent_ptr, size);
  });
  return status;
}

KR_EXPORT hsa_status_t hsa_amd_memory_lock_to_pool(void* host_ptr, size_t size, hsa_agent_t* agents,
                                                   int num_agent, hsa_amd_memory_pool_t pool, uint32_t flags,
                                                   void** agent_ptr) {
  KR_SCOPE(hsa_amd_memory_lock_to_pool);
  const hsa_status_t status =
      hook.next().hsa_amd_memory_lock_to_pool(host_ptr, size, agents, num_agent, pool, flags, agent_ptr);
  hook.observe([&](Replayer& r) {
    if (status == HSA_STATUS_SUCCESS) r.memory().locked(host_ptr, *agent_ptr, size);
  });
  return status;
}

KR_EXPORT hsa_status_t hsa_amd_memory_unlock(void* host_ptr) {
  KR_SCOPE(hsa_amd_memory_unlock);
  kreplay::replay::TrackedMemory::Unlocked unlocked;
  hook.observe_release([&](Replayer& r) {
    unlocked = r.memory().unlocking(host_ptr, [host_ptr] { (void)real().hsa_amd_memory_unlock(host_ptr); });
  });
  if (unlocked.deferred) return HSA_STATUS_SUCCESS;
  const hsa_status_t status = hook.next().hsa_amd_memory_unlock(host_ptr);
  hook.observe([&](Replayer& r) {
    if (status != HSA_STATUS_SUCCESS) r.memory().not_unlocked(host_ptr, unlocked);
  });
  return status;
}

KR_EXPORT hsa_status_t hsa_amd_interop_map_buffer(uint32_t num_agents, hsa_agent_t* agents,
                                                  int interop_handle, uint32_t flags, size_t* size,
                                                  void** ptr, size_t* metadata_size, const void** metadata) {
  KR_SCOPE(hsa_amd_interop_map_buffer);
  const hsa_status_t status = hook.next().hsa_amd_interop_map_buffer(
      num_agents, agents, interop_handle, flags, size, ptr, metadata_size, metadata);
  hook.observe([&](Replayer& r) {
    if (status == HSA_STATUS_SUCCESS) insert(r, *ptr, nullptr, *size, MemoryClass::ipc_import);
  });
  return status;
}

KR_EXPORT hsa_status_t hsa_amd_interop_unmap_buffer(void* ptr) {
  KR_SCOPE(hsa_amd_interop_unmap_buffer);
  hook.observe([&](Replayer& r) { (void)r.extents().take(GpuVa(ptr)); });
  return hook.next().hsa_amd_interop_unmap_buffer(ptr);
}

KR_EXPORT hsa_status_t hsa_amd_ipc_memory_create(void* ptr, size_t len, hsa_amd_ipc_memory_t* handle) {
  KR_SCOPE(hsa_amd_ipc_memory_create);
  std::optional<Extent> before;
  // Before the call: when it returns, another process may have the handle.
  hook.observe([&](Replayer& r) { before = r.memory().exported(ptr); });
  const hsa_status_t status = hook.next().hsa_amd_ipc_memory_create(ptr, len, handle);
  if (status != HSA_STATUS_SUCCESS) hook.observe([&](Replayer& r) { r.memory().not_exported(before); });
  return status;
}

KR_EXPORT hsa_status_t hsa_amd_portable_export_dmabuf(const void* ptr, size_t size, int* dmabuf,
                                                      uint64_t* offset) {
  KR_SCOPE(hsa_amd_portable_export_dmabuf);
  std::optional<Extent> before;
  hook.observe([&](Replayer& r) { before = r.memory().exported(ptr); });
  const hsa_status_t status = hook.next().hsa_amd_portable_export_dmabuf(ptr, size, dmabuf, offset);
  if (status != HSA_STATUS_SUCCESS) hook.observe([&](Replayer& r) { r.memory().not_exported(before); });
  return status;
}

KR_EXPORT hsa_status_t hsa_amd_portable_export_dmabuf_v2(const void* ptr, size_t size, int* dmabuf,
                                                         uint64_t* offset, uint64_t flags) {
  KR_SCOPE(hsa_amd_portable_export_dmabuf_v2);
  std::optional<Extent> before;
  hook.observe([&](Replayer& r) { before = r.memory().exported(ptr); });
  const hsa_status_t status = hook.next().hsa_amd_portable_export_dmabuf_v2(ptr, size, dmabuf, offset, flags);
  if (status != HSA_STATUS_SUCCESS) hook.observe([&](Replayer& r) { r.memory().not_exported(before); });
  return status;
}

KR_EXPORT hsa_status_t hsa_amd_memory_migrate(const void* ptr, hsa_amd_memory_pool_t memory_pool,
                                              uint32_t flags) {
  KR_SCOPE(hsa_amd_memory_migrate);
  const hsa_status_t status = hook.next().hsa_amd_memory_migrate(ptr, memory_pool, flags);
  hook.observe([&](Replayer& r) {
    if (status == HSA_STATUS_SUCCESS) r.memory().migrated(const_cast<void*>(ptr), memory_pool.handle);
  });
  return status;
}

KR_EXPORT hsa_status_t hsa_amd_ipc_memory_attach(const hsa_amd_ipc_memory_t* handle, size_t len,
                                                 uint32_t num_agents, const hsa_agent_t* mapping_agents,
                                                 void** mapped_ptr) {
  KR_SCOPE(hsa_amd_ipc_memory_attach);
  const hsa_status_t status =
      hook.next().hsa_amd_ipc_memory_attach(handle, len, num_agents, mapping_agents, mapped_ptr);
  hook.observe([&](Replayer& r) {
    if (status == HSA_STATUS_SUCCESS) insert(r, *mapped_ptr, nullptr, len, MemoryClass::ipc_import);
  });
  return status;
}

KR_EXPORT hsa_status_t hsa_amd_ipc_memory_detach(void* mapped_ptr) {
  KR_SCOPE(hsa_amd_ipc_memory_detach);
  hook.observe([&](Replayer& r) { (void)r.extents().take(GpuVa(mapped_ptr)); });
  return hook.next().hsa_amd_ipc_memory_detach(mapped_ptr);
}

}  // extern "C"
