// Virtual memory of newer runtimes: handles, mappings, access. What counts as memory of an agent is decided
// in replay/virtual_memory.

#include "intercept/hook_scope.hpp"

namespace kreplay::intercept {
namespace {

using replay::VirtualMemory;

/// What an imported handle's memory is.
std::optional<VirtualMemory::Backing> backing_of(Replayer& replayer, hsa_amd_vmem_alloc_handle_t handle) {
  hsa_amd_memory_pool_t pool = {0};
  int type = 0;
  const auto ask = process::real().hsa_amd_vmem_get_alloc_properties_from_handle;
  if (ask == nullptr || ask(handle, &pool, &type) != HSA_STATUS_SUCCESS) return std::nullopt;
  return replayer.memory().backing_of_pool(pool.handle);
}

}  // namespace
}  // namespace kreplay::intercept

using kreplay::intercept::Replayer;
using kreplay::intercept::process::real;
using kreplay::snapshot::Extent;

extern "C" {

KR_EXPORT hsa_status_t hsa_amd_vmem_handle_create(hsa_amd_memory_pool_t pool, size_t size, int type,
                                                  uint64_t flags,
                                                  hsa_amd_vmem_alloc_handle_t* memory_handle) {
  KR_SCOPE(hsa_amd_vmem_handle_create);
  hsa_status_t status = hook.next().hsa_amd_vmem_handle_create(pool, size, type, flags, memory_handle);
  hook.observe([&](Replayer& r) {
    if (status == HSA_STATUS_ERROR_OUT_OF_RESOURCES && r.memory().make_room())
      status = real().hsa_amd_vmem_handle_create(pool, size, type, flags, memory_handle);
    if (status == HSA_STATUS_SUCCESS)
      r.memory().virtual_memory().add_handle(memory_handle->handle, r.memory().backing_of_pool(pool.handle));
  });
  return status;
}

KR_EXPORT hsa_status_t hsa_amd_vmem_export_shareable_handle(int* dmabuf_fd,
                                                            hsa_amd_vmem_alloc_handle_t handle,
                                                            uint64_t flags) {
  KR_SCOPE(hsa_amd_vmem_export_shareable_handle);
  // Before the call: when it returns, another process may have the descriptor.
  hook.observe([&](Replayer& r) { r.memory().handle_exported(handle.handle); });
  return hook.next().hsa_amd_vmem_export_shareable_handle(dmabuf_fd, handle, flags);
}

KR_EXPORT hsa_status_t hsa_amd_vmem_import_shareable_handle(int dmabuf_fd,
                                                            hsa_amd_vmem_alloc_handle_t* handle) {
  KR_SCOPE(hsa_amd_vmem_import_shareable_handle);
  const hsa_status_t status = hook.next().hsa_amd_vmem_import_shareable_handle(dmabuf_fd, handle);
  hook.observe([&](Replayer& r) {
    if (status == HSA_STATUS_SUCCESS) {
      r.memory().virtual_memory().add_handle(handle->handle, kreplay::intercept::backing_of(r, *handle));
      r.memory().virtual_memory().share(handle->handle);
    }
  });
  return status;
}

KR_EXPORT hsa_status_t hsa_amd_vmem_retain_alloc_handle(hsa_amd_vmem_alloc_handle_t* memory_handle,
                                                        void* addr) {
  KR_SCOPE(hsa_amd_vmem_retain_alloc_handle);
  const hsa_status_t status = hook.next().hsa_amd_vmem_retain_alloc_handle(memory_handle, addr);
  hook.observe([&](Replayer& r) {
    if (status == HSA_STATUS_SUCCESS)
      r.memory().virtual_memory().add_handle(memory_handle->handle,
                                             kreplay::intercept::backing_of(r, *memory_handle));
  });
  return status;
}

KR_EXPORT hsa_status_t hsa_amd_vmem_handle_release(hsa_amd_vmem_alloc_handle_t memory_handle) {
  KR_SCOPE(hsa_amd_vmem_handle_release);
  // Before the call: the handle may come back in another thread at once.
  hook.observe([&](Replayer& r) { r.memory().virtual_memory().release_handle(memory_handle.handle); });
  const hsa_status_t status = hook.next().hsa_amd_vmem_handle_release(memory_handle);
  return status;
}

KR_EXPORT hsa_status_t hsa_amd_vmem_map(void* va, size_t size, size_t in_offset,
                                        hsa_amd_vmem_alloc_handle_t memory_handle, uint64_t flags) {
  KR_SCOPE(hsa_amd_vmem_map);
  const hsa_status_t status = hook.next().hsa_amd_vmem_map(va, size, in_offset, memory_handle, flags);
  hook.observe([&](Replayer& r) {
    if (status == HSA_STATUS_SUCCESS) r.memory().virtual_memory().mapped(va, size, memory_handle.handle);
  });
  return status;
}

KR_EXPORT hsa_status_t hsa_amd_vmem_unmap(void* va, size_t size) {
  KR_SCOPE(hsa_amd_vmem_unmap);
  std::vector<Extent> gone;
  bool kept = false;
  hook.observe_release([&](Replayer& r) {
    gone = r.memory().virtual_memory().take(va, size, nullptr, 0);
    kept = r.memory().hold_extents(gone, [va, size] { (void)real().hsa_amd_vmem_unmap(va, size); });
    if (kept) r.memory().virtual_memory().unmapped(va);
  });
  if (kept) return HSA_STATUS_SUCCESS;
  const hsa_status_t status = hook.next().hsa_amd_vmem_unmap(va, size);
  hook.observe([&](Replayer& r) {
    if (status == HSA_STATUS_SUCCESS)
      r.memory().virtual_memory().unmapped(va);
    else
      r.memory().virtual_memory().put_back(gone);
  });
  return status;
}

KR_EXPORT hsa_status_t hsa_amd_vmem_set_access(void* va, size_t size,
                                               const hsa_amd_memory_access_desc_t* desc, size_t desc_cnt) {
  KR_SCOPE(hsa_amd_vmem_set_access);
  std::vector<Extent> gone;
  bool kept = false;
  hook.observe_release([&](Replayer& r) {
    if (desc == nullptr) return;
    gone = r.memory().virtual_memory().take(va, size, desc, desc_cnt);
    if (gone.empty()) return;
    std::vector<hsa_amd_memory_access_desc_t> copy(desc, desc + desc_cnt);
    kept = r.memory().hold_extents(
        gone, [va, size, copy] { (void)real().hsa_amd_vmem_set_access(va, size, copy.data(), copy.size()); });
  });
  if (kept) return HSA_STATUS_SUCCESS;
  const hsa_status_t status = hook.next().hsa_amd_vmem_set_access(va, size, desc, desc_cnt);
  hook.observe([&](Replayer& r) {
    if (status != HSA_STATUS_SUCCESS)
      r.memory().virtual_memory().put_back(gone);
    else if (desc != nullptr)
      r.memory().access_set(va, size, desc, desc_cnt);
  });
  return status;
}

KR_EXPORT hsa_status_t hsa_amd_agents_allow_access(uint32_t num_agents, const hsa_agent_t* agents,
                                                   const uint32_t* flags, const void* ptr) {
  KR_SCOPE(hsa_amd_agents_allow_access);
  const hsa_status_t status = hook.next().hsa_amd_agents_allow_access(num_agents, agents, flags, ptr);
  hook.observe([&](Replayer& r) {
    if (status == HSA_STATUS_SUCCESS) r.memory().access_allowed(ptr, agents, num_agents);
  });
  return status;
}

}  // extern "C"
