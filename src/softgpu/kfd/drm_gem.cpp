#include "kfd/drm_gem.hpp"

#include <fcntl.h>
#include <libdrm/amdgpu_drm.h>
#include <libdrm/drm.h>
#include <sys/ioctl.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "base/log.hpp"

namespace softgpu::kfd {
namespace {

namespace log = kreplay::log;

constexpr uint32_t kMetadataSet = 1;
constexpr uint32_t kMetadataGet = 2;
constexpr uint64_t kAccess = AMDGPU_VM_PAGE_READABLE | AMDGPU_VM_PAGE_WRITEABLE | AMDGPU_VM_PAGE_EXECUTABLE;

int handle_of_dmabuf(Process& process, Gpu& gpu, drm_prime_handle& args) {
  auto storage = process.dmabufs().find(args.fd);
  if (storage == nullptr) {
    log::error("drm", "PRIME_FD_TO_HANDLE: descriptor {} is no dmabuf of this process", args.fd);
    return -EINVAL;
  }
  return process.gem().open(gpu, std::move(storage), args.handle);
}

int dmabuf_of_handle(Process& process, Gpu& gpu, drm_prime_handle& args) {
  auto storage = process.gem().find(gpu, args.handle);
  if (storage == nullptr) return -ENOENT;
  return process.dmabufs().export_storage(std::move(storage), (args.flags & DRM_CLOEXEC) != 0, args.fd);
}

int mmap_offset(Process& process, Gpu& gpu, drm_amdgpu_gem_mmap& args) {
  const auto storage = process.gem().find(gpu, args.in.handle);
  if (storage == nullptr) return -ENOENT;
  if (storage->gpu != &gpu) {
    log::error("drm", "GEM_MMAP: the memory is GPU {}'s, not GPU {}'s", storage->gpu->index, gpu.index);
    return -EINVAL;
  }
  args.out.addr_ptr = storage->mmap_offset();
  return 0;
}

// libdrm gives every mapping all rights; a caller that asks for fewer gets fewer. Rights of none at all are
// libdrm's "default": all.
int change_mapping(Process& process, Gpu& gpu, const drm_amdgpu_gem_va& args) {
  switch (args.operation) {
    case AMDGPU_VA_OP_MAP: {
      const bool writable = (args.flags & kAccess) == 0 || (args.flags & AMDGPU_VM_PAGE_WRITEABLE) != 0;
      return process.gem().map(gpu, args.handle,
                               {args.va_address, args.map_size, args.offset_in_bo, writable});
    }
    case AMDGPU_VA_OP_UNMAP:
      return process.gem().unmap(gpu, args.handle, args.va_address, args.map_size);
    default:
      log::error("drm", "GEM_VA: operation {}; 1 (map) and 2 (unmap) are emulated", args.operation);
      return -EINVAL;
  }
}

int metadata(Process& process, Gpu& gpu, drm_amdgpu_gem_metadata& args) {
  const auto storage = process.gem().find(gpu, args.handle);
  if (storage == nullptr) return -ENOENT;
  const std::lock_guard lock(storage->metadata_mutex);
  if (args.op == kMetadataGet) {
    args.data.flags = storage->metadata_flags;
    args.data.tiling_info = storage->tiling_info;
    args.data.data_size_bytes = static_cast<uint32_t>(storage->metadata.size());
    std::memcpy(args.data.data, storage->metadata.data(), storage->metadata.size());
    return 0;
  }
  if (args.op != kMetadataSet || args.data.data_size_bytes > sizeof args.data.data) return -EINVAL;
  storage->metadata_flags = args.data.flags;
  storage->tiling_info = args.data.tiling_info;
  const auto* bytes = reinterpret_cast<const std::byte*>(args.data.data);
  storage->metadata.assign(bytes, bytes + args.data.data_size_bytes);
  return 0;
}

int creation(Process& process, Gpu& gpu, const drm_amdgpu_gem_op& args) {
  const auto storage = process.gem().find(gpu, args.handle);
  if (storage == nullptr) return -ENOENT;
  if (args.op != AMDGPU_GEM_OP_GET_GEM_CREATE_INFO || args.value == 0) {
    log::error("drm", "GEM_OP: operation {}; 0 (how it was created) is emulated", args.op);
    return -EINVAL;
  }
  drm_amdgpu_gem_create_in info{};
  info.bo_size = storage->size_bytes;
  info.alignment = kPageBytes;
  info.domains = storage->kind == StorageKind::vram ? AMDGPU_GEM_DOMAIN_VRAM : AMDGPU_GEM_DOMAIN_GTT;
  std::memcpy(reinterpret_cast<void*>(args.value), &info, sizeof info);
  return 0;
}

}  // namespace

bool drm_gem_ioctl(Process& process, Gpu& gpu, unsigned number, void* argument, int& rc) {
  switch (number) {
    case _IOC_NR(DRM_IOCTL_PRIME_FD_TO_HANDLE):
      rc = handle_of_dmabuf(process, gpu, *static_cast<drm_prime_handle*>(argument));
      return true;
    case _IOC_NR(DRM_IOCTL_PRIME_HANDLE_TO_FD):
      rc = dmabuf_of_handle(process, gpu, *static_cast<drm_prime_handle*>(argument));
      return true;
    case _IOC_NR(DRM_IOCTL_GEM_CLOSE):
      rc = process.gem().close(gpu, static_cast<const drm_gem_close*>(argument)->handle);
      return true;
    case _IOC_NR(DRM_IOCTL_AMDGPU_GEM_MMAP):
      rc = mmap_offset(process, gpu, *static_cast<drm_amdgpu_gem_mmap*>(argument));
      return true;
    case _IOC_NR(DRM_IOCTL_AMDGPU_GEM_VA):
      rc = change_mapping(process, gpu, *static_cast<const drm_amdgpu_gem_va*>(argument));
      return true;
    case _IOC_NR(DRM_IOCTL_AMDGPU_GEM_METADATA):
      rc = metadata(process, gpu, *static_cast<drm_amdgpu_gem_metadata*>(argument));
      return true;
    case _IOC_NR(DRM_IOCTL_AMDGPU_GEM_OP):
      rc = creation(process, gpu, *static_cast<const drm_amdgpu_gem_op*>(argument));
      return true;
    default:
      return false;
  }
}

}  // namespace softgpu::kfd
