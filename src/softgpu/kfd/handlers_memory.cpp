// Buffers: allocate, free, map to and unmap from GPUs; share as dmabufs. Shared virtual memory.
#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include "base/log.hpp"
#include "kfd/handlers.hpp"

namespace softgpu::kfd {
namespace {

namespace log = kreplay::log;

constexpr uint32_t kMaxDevices = 64;

/// The GPUs behind an array of gpu_ids. @return false if one is not ours
bool gpus_of(Process& process, uint64_t ids_address, uint32_t count, std::vector<Gpu*>& gpus) {
  if (count == 0 || count > kMaxDevices || ids_address == 0) return false;
  const auto* ids = reinterpret_cast<const uint32_t*>(ids_address);
  for (uint32_t i = 0; i < count; ++i) {
    gpus.push_back(process.gpu_by_id(ids[i]));
    if (gpus.back() == nullptr) return false;
  }
  return true;
}

}  // namespace

int alloc_memory_of_gpu(Process& process, kfd_ioctl_alloc_memory_of_gpu_args& args) {
  Gpu* gpu = process.gpu_by_id(args.gpu_id);
  if (gpu == nullptr) return -EINVAL;
  BufferRequest request;
  request.va = args.va_addr;
  request.size_bytes = args.size;
  request.flags = args.flags;
  request.host_address = args.mmap_offset;
  AllocatedBuffer allocated;
  const int rc = process.buffers().allocate(*gpu, process.options().large_bar, request, allocated);
  if (rc != 0) return rc;
  args.handle = allocated.handle;
  args.mmap_offset = allocated.mmap_offset;
  return 0;
}

int free_memory_of_gpu(Process& process, kfd_ioctl_free_memory_of_gpu_args& args) {
  return process.buffers().free(args.handle);
}

int map_memory_to_gpu(Process& process, kfd_ioctl_map_memory_to_gpu_args& args) {
  std::vector<Gpu*> gpus;
  if (!gpus_of(process, args.device_ids_array_ptr, args.n_devices, gpus)) return -EINVAL;
  const int rc = process.buffers().map(args.handle, gpus);
  if (rc == 0) args.n_success = args.n_devices;
  return rc;
}

int unmap_memory_from_gpu(Process& process, kfd_ioctl_unmap_memory_from_gpu_args& args) {
  std::vector<Gpu*> gpus;
  if (!gpus_of(process, args.device_ids_array_ptr, args.n_devices, gpus)) return -EINVAL;
  const int rc = process.buffers().unmap(args.handle, gpus);
  if (rc == 0) args.n_success = args.n_devices;
  return rc;
}

int svm(Process& process, kfd_ioctl_svm_args& args) {
  const std::span<kfd_ioctl_svm_attribute> attributes(args.attrs, args.nattr);
  switch (args.op) {
    case KFD_IOCTL_SVM_OP_SET_ATTR:
      return process.svm().set(args.start_addr, args.size, attributes);
    case KFD_IOCTL_SVM_OP_GET_ATTR:
      return process.svm().get(args.start_addr, args.size, attributes);
    default:
      log::error("kfd", "SVM: operation {} is not known", args.op);
      return -EINVAL;
  }
}

int available_memory(Process& process, kfd_ioctl_get_available_memory_args& args) {
  const Gpu* gpu = process.gpu_by_id(args.gpu_id);
  if (gpu == nullptr) return -EINVAL;
  args.available = process.storages().vram_free(*gpu);
  return 0;
}

int export_dmabuf(Process& process, ExportDmabufArgs& args) {
  auto storage = process.buffers().storage_of(args.handle);
  if (storage == nullptr) return -EINVAL;
  int fd = -1;
  const int rc = process.dmabufs().export_storage(std::move(storage), (args.flags & O_CLOEXEC) != 0, fd);
  if (rc == 0) args.dmabuf_fd = static_cast<uint32_t>(fd);
  return rc;
}

int import_dmabuf(Process& process, kfd_ioctl_import_dmabuf_args& args) {
  if (process.gpu_by_id(args.gpu_id) == nullptr) return -EINVAL;
  auto storage = process.dmabufs().find(static_cast<int>(args.dmabuf_fd));
  if (storage == nullptr) {
    log::error("kfd",
               "IMPORT_DMABUF: descriptor {} is no dmabuf of this process; another process's memory "
               "cannot be reached",
               args.dmabuf_fd);
    return -EINVAL;
  }
  uint64_t handle = 0;
  const int rc = process.buffers().import(std::move(storage), args.va_addr, handle);
  if (rc == 0) args.handle = handle;
  return rc;
}

int get_dmabuf_info(Process& process, kfd_ioctl_get_dmabuf_info_args& args) {
  const auto storage = process.dmabufs().find(static_cast<int>(args.dmabuf_fd));
  if (storage == nullptr) {
    log::error("kfd", "GET_DMABUF_INFO: descriptor {} is no dmabuf of this process", args.dmabuf_fd);
    return -EINVAL;
  }
  args.size = storage->size_bytes;
  args.gpu_id = storage->gpu->gpu_id;
  args.flags = storage->flags;
  const std::lock_guard lock(storage->metadata_mutex);
  const auto present = static_cast<uint32_t>(storage->metadata.size());
  const bool fits = present <= args.metadata_size;
  if (fits && present != 0 && args.metadata_ptr != 0)
    std::memcpy(reinterpret_cast<void*>(args.metadata_ptr), storage->metadata.data(), present);
  args.metadata_size = present;
  return fits ? 0 : -EINVAL;
}

}  // namespace softgpu::kfd
