// Memory under several names: dmabufs, GEM handles, mappings of parts at chosen addresses.
#include <libdrm/amdgpu_drm.h>
#include <libdrm/drm.h>
#include <linux/kfd_ioctl.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <catch2/catch.hpp>

#include <cerrno>
#include <cstring>

#include "kfd/drm.hpp"
#include "kfd/fd_table.hpp"
#include "kfd/handlers.hpp"
#include "kfd/process.hpp"

namespace softgpu::kfd {
namespace {

constexpr uint32_t kVram = 0x90000001;
constexpr uint64_t kSize = 4 * kPageBytes;
constexpr unsigned long kExportDmabuf = _IOWR('K', 0x24, ExportDmabufArgs);

struct Fixture {
  Fixture() {
    options.gpus = 2;
    options.vram_bytes = uint64_t{256} << 20;
    auto made = Process::create(options);
    REQUIRE(made.ok());
    process = std::move(*made);
    full = vram_free();
  }
  uint64_t alloc() {
    kfd_ioctl_alloc_memory_of_gpu_args args{};
    args.size = kSize;
    args.flags = kVram;
    args.gpu_id = process->gpus()[0]->gpu_id;
    REQUIRE(process->ioctl(AMDKFD_IOC_ALLOC_MEMORY_OF_GPU, &args) == 0);
    return args.handle;
  }
  int free(uint64_t handle) {
    kfd_ioctl_free_memory_of_gpu_args args{handle};
    return process->ioctl(AMDKFD_IOC_FREE_MEMORY_OF_GPU, &args);
  }
  int export_dmabuf(uint64_t handle) {
    ExportDmabufArgs args{};
    args.handle = handle;
    REQUIRE(process->ioctl(kExportDmabuf, &args) == 0);
    return static_cast<int>(args.dmabuf_fd);
  }
  /// As the hook of close() does.
  void close_dmabuf(int fd) {
    const FdEntry was = fd_table().forget(fd);
    REQUIRE(was.kind == FdKind::dmabuf);
    if (!fd_table().holds(was.inode)) process->dmabufs().closed(was.inode);
    ::close(fd);
  }
  int drm(uint16_t gpu, unsigned long request, void* args) {
    return drm_ioctl(options, process.get(), gpu, request, args);
  }
  uint32_t gem(uint16_t gpu, int fd) {
    drm_prime_handle args{};
    args.fd = fd;
    REQUIRE(drm(gpu, DRM_IOCTL_PRIME_FD_TO_HANDLE, &args) == 0);
    return args.handle;
  }
  int va(uint16_t gpu, uint32_t operation, uint32_t handle, uint64_t address, uint64_t offset, uint64_t size,
         uint32_t flags = 0) {
    drm_amdgpu_gem_va args{};
    args.handle = handle;
    args.operation = operation;
    args.flags = flags;
    args.va_address = address;
    args.offset_in_bo = offset;
    args.map_size = size;
    return drm(gpu, DRM_IOCTL_AMDGPU_GEM_VA, &args);
  }
  int close_gem(uint16_t gpu, uint32_t handle) {
    drm_gem_close args{};
    args.handle = handle;
    return drm(gpu, DRM_IOCTL_GEM_CLOSE, &args);
  }
  gfx9::MappedRange seen(size_t gpu, uint64_t address) {
    return process->gpus()[gpu]->device->memory().find(GpuVa(address));
  }
  uint64_t vram_free() { return process->storages().vram_free(*process->gpus()[0]); }

  Options options;
  std::unique_ptr<Process> process;
  uint64_t full = 0;
};

}  // namespace

TEST_CASE("sharing: one memory at two addresses, in parts, on two GPUs") {
  Fixture f;
  const uint64_t handle = f.alloc();
  const int fd = f.export_dmabuf(handle);
  CHECK(lseek(fd, 0, SEEK_END) == static_cast<off_t>(kSize));  // libdrm takes the size from there
  const uint32_t first = f.gem(0, fd);
  CHECK(f.gem(0, fd) == first);
  const uint32_t second = f.gem(1, fd);
  f.close_dmabuf(fd);

  constexpr uint64_t kA = 0x10000000;
  constexpr uint64_t kB = 0x20000000;
  CHECK(f.va(0, AMDGPU_VA_OP_MAP, first, kA, 0, kSize) == 0);
  CHECK(f.va(0, AMDGPU_VA_OP_MAP, first, kB, kPageBytes, kPageBytes, AMDGPU_VM_PAGE_READABLE) == 0);
  CHECK(f.va(1, AMDGPU_VA_OP_MAP, second, kA, 0, kSize) == 0);
  REQUIRE(f.seen(0, kA).host != nullptr);
  CHECK(f.seen(0, kA).writable);
  CHECK_FALSE(f.seen(0, kB).writable);
  CHECK(f.seen(0, kB).host == f.seen(0, kA).host + kPageBytes);
  CHECK(f.seen(0, kB).end == kB + kPageBytes);
  CHECK(f.seen(1, kA).host == f.seen(0, kA).host);

  // What does not fit is refused and changes nothing.
  CHECK(f.va(0, AMDGPU_VA_OP_MAP, first, kA + kPageBytes, 0, kPageBytes) == -EINVAL);
  CHECK(f.va(0, AMDGPU_VA_OP_MAP, first, 0x30000000, kPageBytes, kSize) == -EINVAL);
  CHECK(f.va(0, AMDGPU_VA_OP_MAP, first, 0x30000001, 0, kSize) == -EINVAL);
  CHECK(f.va(0, AMDGPU_VA_OP_MAP, first + 100, 0x30000000, 0, kSize) == -ENOENT);
  CHECK(f.va(0, AMDGPU_VA_OP_UNMAP, first, kA, 0, kPageBytes) == -ENOENT);
  CHECK(f.va(0, AMDGPU_VA_OP_REPLACE, first, kA, 0, kSize) == -EINVAL);
  CHECK(f.seen(0, kA).end == kA + kSize);

  CHECK(f.va(0, AMDGPU_VA_OP_UNMAP, first, kA, 0, kSize) == 0);
  CHECK(f.seen(0, kA).host == nullptr);
  CHECK(f.seen(0, kB).host != nullptr);
  CHECK(f.seen(1, kA).host != nullptr);
  CHECK(f.close_gem(0, first) == 0);  // and its mappings with it
  CHECK(f.seen(0, kB).host == nullptr);
  CHECK(f.close_gem(0, first) == -EINVAL);
}

TEST_CASE("sharing: memory goes back when its last name does") {
  Fixture f;
  const uint64_t handle = f.alloc();
  CHECK(f.vram_free() == f.full - kSize);
  const int fd = f.export_dmabuf(handle);
  const int copy = dup(fd);
  fd_table().duplicate(fd, copy);
  CHECK(f.free(handle) == 0);
  CHECK(f.vram_free() == f.full - kSize);
  f.close_dmabuf(fd);
  CHECK(f.vram_free() == f.full - kSize);  // there is a duplicate
  const uint32_t gem = f.gem(0, copy);
  f.close_dmabuf(copy);
  CHECK(f.vram_free() == f.full - kSize);
  CHECK(f.close_gem(0, gem) == 0);
  CHECK(f.vram_free() == f.full);
}

TEST_CASE("sharing: a dmabuf comes back as a buffer") {
  Fixture f;
  const uint64_t handle = f.alloc();
  const int fd = f.export_dmabuf(handle);

  kfd_ioctl_get_dmabuf_info_args info{};
  info.dmabuf_fd = static_cast<uint32_t>(fd);
  info.metadata_size = 64;
  CHECK(f.process->ioctl(AMDKFD_IOC_GET_DMABUF_INFO, &info) == 0);
  CHECK(info.size == kSize);
  CHECK(info.flags == kVram);
  CHECK(info.gpu_id == f.process->gpus()[0]->gpu_id);
  CHECK(info.metadata_size == 0);

  kfd_ioctl_import_dmabuf_args args{};
  args.va_addr = 0x40000000;
  args.gpu_id = info.gpu_id;
  args.dmabuf_fd = static_cast<uint32_t>(fd);
  REQUIRE(f.process->ioctl(AMDKFD_IOC_IMPORT_DMABUF, &args) == 0);
  CHECK(args.handle != handle);
  kfd_ioctl_map_memory_to_gpu_args map{};
  map.handle = args.handle;
  map.device_ids_array_ptr = reinterpret_cast<uint64_t>(&info.gpu_id);
  map.n_devices = 1;
  CHECK(f.process->ioctl(AMDKFD_IOC_MAP_MEMORY_TO_GPU, &map) == 0);
  CHECK(f.seen(0, 0x40000000).host == f.process->buffers().storage_of(handle)->host);
  map.handle = handle;  // allocated without an address
  CHECK(f.process->ioctl(AMDKFD_IOC_MAP_MEMORY_TO_GPU, &map) == -EINVAL);

  args.dmabuf_fd = 0;  // a descriptor that is none
  CHECK(f.process->ioctl(AMDKFD_IOC_IMPORT_DMABUF, &args) == -EINVAL);
  f.close_dmabuf(fd);
}

TEST_CASE("sharing: metadata, and where the CPU maps it") {
  Fixture f;
  const int fd = f.export_dmabuf(f.alloc());
  const uint32_t handle = f.gem(0, fd);
  drm_amdgpu_gem_metadata metadata{};
  metadata.handle = handle;
  metadata.op = 1;
  metadata.data.tiling_info = 77;
  metadata.data.data_size_bytes = 4;
  metadata.data.data[0] = 0x12345678;
  CHECK(f.drm(0, DRM_IOCTL_AMDGPU_GEM_METADATA, &metadata) == 0);
  drm_amdgpu_gem_metadata back{};
  back.handle = handle;
  back.op = 2;
  CHECK(f.drm(0, DRM_IOCTL_AMDGPU_GEM_METADATA, &back) == 0);
  CHECK(back.data.tiling_info == 77);
  CHECK(back.data.data_size_bytes == 4);
  CHECK(back.data.data[0] == 0x12345678);

  drm_amdgpu_gem_mmap map{};
  map.in.handle = handle;
  CHECK(f.drm(0, DRM_IOCTL_AMDGPU_GEM_MMAP, &map) == 0);
  int file = -1;
  uint64_t offset = 0;
  CHECK(f.process->storages().find_mapping(*f.process->gpus()[0], map.out.addr_ptr, kSize, file, offset));
  f.close_dmabuf(fd);
}

}  // namespace softgpu::kfd
