// Functions that runtimes newer than the build headers (5.2.3) export. Arguments that we only hand on are
// opaque; what a hook reads is spelled out. Sources: the public headers of ROCr 6.4, and the symbol tables of
// the four runtimes (tests/abi/hsa_names.txt).
//
// With vendor headers that have these themselves (interface version 1.1 and later) theirs are used.
#pragma once

#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>
#include <hsa/hsa_ext_image.h>

#include <cstddef>
#include <cstdint>

#if HSA_AMD_INTERFACE_VERSION_MAJOR == 1 && HSA_AMD_INTERFACE_VERSION_MINOR == 0

extern "C" {

/// Physical memory without an address.
typedef struct hsa_amd_vmem_alloc_handle_s {
  uint64_t handle;
} hsa_amd_vmem_alloc_handle_t;

typedef struct hsa_amd_memory_access_desc_s {
  hsa_access_permission_t permissions;
  hsa_agent_t agent_handle;
} hsa_amd_memory_access_desc_t;

/// A file as the direct storage calls take it: a handle or a descriptor.
typedef union hsa_amd_ais_file_handle_u {
  void* handle;
  int fd;
  uint8_t bytes[8];
} hsa_amd_ais_file_handle_t;

hsa_status_t hsa_amd_vmem_address_reserve(void** va, size_t size, uint64_t address, uint64_t flags);
hsa_status_t hsa_amd_vmem_address_reserve_align(void** va, size_t size, uint64_t address, uint64_t alignment,
                                                uint64_t flags);
hsa_status_t hsa_amd_vmem_address_free(void* va, size_t size);
hsa_status_t hsa_amd_vmem_handle_create(hsa_amd_memory_pool_t pool, size_t size, int type, uint64_t flags,
                                        hsa_amd_vmem_alloc_handle_t* memory_handle);
hsa_status_t hsa_amd_vmem_handle_release(hsa_amd_vmem_alloc_handle_t memory_handle);
hsa_status_t hsa_amd_vmem_map(void* va, size_t size, size_t in_offset,
                              hsa_amd_vmem_alloc_handle_t memory_handle, uint64_t flags);
hsa_status_t hsa_amd_vmem_unmap(void* va, size_t size);
hsa_status_t hsa_amd_vmem_set_access(void* va, size_t size, const hsa_amd_memory_access_desc_t* desc,
                                     size_t desc_cnt);
hsa_status_t hsa_amd_vmem_get_access(void* va, hsa_access_permission_t* perms, hsa_agent_t agent_handle);
hsa_status_t hsa_amd_vmem_export_shareable_handle(int* dmabuf_fd, hsa_amd_vmem_alloc_handle_t handle,
                                                  uint64_t flags);
hsa_status_t hsa_amd_vmem_import_shareable_handle(int dmabuf_fd, hsa_amd_vmem_alloc_handle_t* handle);
hsa_status_t hsa_amd_vmem_retain_alloc_handle(hsa_amd_vmem_alloc_handle_t* memory_handle, void* addr);
hsa_status_t hsa_amd_vmem_get_alloc_properties_from_handle(hsa_amd_vmem_alloc_handle_t memory_handle,
                                                           hsa_amd_memory_pool_t* pool, int* type);

hsa_status_t hsa_amd_memory_async_copy_on_engine(void* dst, hsa_agent_t dst_agent, const void* src,
                                                 hsa_agent_t src_agent, size_t size, uint32_t num_dep_signals,
                                                 const hsa_signal_t* dep_signals,
                                                 hsa_signal_t completion_signal, int engine_id,
                                                 bool force_copy_on_sdma);
hsa_status_t hsa_amd_memory_copy_engine_status(hsa_agent_t dst_agent, hsa_agent_t src_agent,
                                               uint32_t* engine_ids_mask);
hsa_status_t hsa_amd_memory_get_preferred_copy_engine(hsa_agent_t dst_agent, hsa_agent_t src_agent,
                                                      uint32_t* recommended_ids_mask);
hsa_status_t hsa_amd_portable_export_dmabuf(const void* ptr, size_t size, int* dmabuf, uint64_t* offset);
hsa_status_t hsa_amd_portable_export_dmabuf_v2(const void* ptr, size_t size, int* dmabuf, uint64_t* offset,
                                               uint64_t flags);
hsa_status_t hsa_amd_portable_close_dmabuf(int dmabuf);
hsa_status_t hsa_amd_ais_file_read(hsa_amd_ais_file_handle_t handle, void* device_ptr, uint64_t size,
                                   int64_t file_offset, uint64_t* size_copied, int32_t* status);
hsa_status_t hsa_amd_ais_file_write(hsa_amd_ais_file_handle_t handle, void* device_ptr, uint64_t size,
                                    int64_t file_offset, uint64_t* size_copied, int32_t* status);

hsa_status_t hsa_amd_agent_set_async_scratch_limit(hsa_agent_t agent, size_t threshold);
hsa_status_t hsa_amd_queue_get_info(hsa_queue_t* queue, int attribute, void* value);
hsa_status_t hsa_amd_enable_logging(uint8_t* flags, void* file);
uint32_t hsa_amd_signal_wait_all(uint32_t signal_count, hsa_signal_t* signals, hsa_signal_condition_t* conds,
                                 hsa_signal_value_t* values, uint64_t timeout_hint,
                                 hsa_wait_state_t wait_hint, hsa_signal_value_t* satisfying_values);
hsa_status_t hsa_amd_spm_acquire(hsa_agent_t agent);
hsa_status_t hsa_amd_spm_release(hsa_agent_t agent);
hsa_status_t hsa_amd_spm_set_dest_buffer(hsa_agent_t agent, size_t size_in_bytes, uint32_t* timeout,
                                         uint32_t* size_copied, void* dest, bool* is_data_loss);
hsa_status_t hsa_ext_sampler_create_v2(hsa_agent_t agent, const void* sampler_descriptor,
                                       hsa_ext_sampler_t* sampler);

// PC sampling. A session is one 64-bit handle.
hsa_status_t hsa_ven_amd_pcs_iterate_configuration(hsa_agent_t agent, void* callback, void* callback_data);
hsa_status_t hsa_ven_amd_pcs_create(hsa_agent_t agent, int method, int units, size_t interval, size_t latency,
                                    size_t buffer_size, void* callback, void* callback_data,
                                    uint64_t* session);
hsa_status_t hsa_ven_amd_pcs_create_from_id(uint32_t id, hsa_agent_t agent, int method, int units,
                                            size_t interval, size_t latency, size_t buffer_size,
                                            void* callback, void* callback_data, uint64_t* session);
hsa_status_t hsa_ven_amd_pcs_destroy(uint64_t session);
hsa_status_t hsa_ven_amd_pcs_start(uint64_t session);
hsa_status_t hsa_ven_amd_pcs_stop(uint64_t session);
hsa_status_t hsa_ven_amd_pcs_flush(uint64_t session);

}  // extern "C"

#endif
