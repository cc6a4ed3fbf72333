// One handler per KFD ioctl; ioctl_table.cpp lists them. Each takes the kernel's own argument structure, read
// and written in place, and returns 0 or -errno.
#pragma once

#include <linux/kfd_ioctl.h>

#include <cstdint>

#include "kfd/process.hpp"

namespace softgpu::kfd {

/// AMDKFD_IOC_RUNTIME_ENABLE, newer than the build header. Source: the kernel's kfd_ioctl.h, version 1.13.
struct RuntimeEnableArgs {
  uint64_t r_debug;
  uint32_t mode_mask;
  uint32_t capabilities_mask;
};
static_assert(sizeof(RuntimeEnableArgs) == 16);

/// AMDKFD_IOC_EXPORT_DMABUF, newer than the build header. Source: the kernel's kfd_ioctl.h, version 1.12.
struct ExportDmabufArgs {
  uint64_t handle;
  uint32_t flags;
  uint32_t dmabuf_fd;
};
static_assert(sizeof(ExportDmabufArgs) == 16);

// handlers_device.cpp
int get_version(Process&, kfd_ioctl_get_version_args&);
int get_process_apertures_new(Process&, kfd_ioctl_get_process_apertures_new_args&);
int acquire_vm(Process&, kfd_ioctl_acquire_vm_args&);
int set_memory_policy(Process&, kfd_ioctl_set_memory_policy_args&);
int get_clock_counters(Process&, kfd_ioctl_get_clock_counters_args&);
int get_tile_config(Process&, kfd_ioctl_get_tile_config_args&);
int set_trap_handler(Process&, kfd_ioctl_set_trap_handler_args&);
int set_scratch_backing_va(Process&, kfd_ioctl_set_scratch_backing_va_args&);
int set_xnack_mode(Process&, kfd_ioctl_set_xnack_mode_args&);
int runtime_enable(Process&, RuntimeEnableArgs&);

// handlers_memory.cpp
int alloc_memory_of_gpu(Process&, kfd_ioctl_alloc_memory_of_gpu_args&);
int free_memory_of_gpu(Process&, kfd_ioctl_free_memory_of_gpu_args&);
int map_memory_to_gpu(Process&, kfd_ioctl_map_memory_to_gpu_args&);
int unmap_memory_from_gpu(Process&, kfd_ioctl_unmap_memory_from_gpu_args&);
int svm(Process&, kfd_ioctl_svm_args&);
int available_memory(Process&, kfd_ioctl_get_available_memory_args&);
int export_dmabuf(Process&, ExportDmabufArgs&);
int import_dmabuf(Process&, kfd_ioctl_import_dmabuf_args&);
int get_dmabuf_info(Process&, kfd_ioctl_get_dmabuf_info_args&);

// handlers_queue.cpp
int create_queue(Process&, kfd_ioctl_create_queue_args&);
int destroy_queue(Process&, kfd_ioctl_destroy_queue_args&);
int update_queue(Process&, kfd_ioctl_update_queue_args&);
int set_cu_mask(Process&, kfd_ioctl_set_cu_mask_args&);
int alloc_queue_gws(Process&, kfd_ioctl_alloc_queue_gws_args&);

// handlers_event.cpp
int create_event(Process&, kfd_ioctl_create_event_args&);
int destroy_event(Process&, kfd_ioctl_destroy_event_args&);
int set_event(Process&, kfd_ioctl_set_event_args&);
int reset_event(Process&, kfd_ioctl_reset_event_args&);
int wait_events(Process&, kfd_ioctl_wait_events_args&);

}  // namespace softgpu::kfd
