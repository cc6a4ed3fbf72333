// The driver without the runtime: ioctls on a Process of its own.
#include <linux/kfd_ioctl.h>
#include <sys/mman.h>
#include <catch2/catch.hpp>

#include <cerrno>
#include <cstring>

#include "kfd/process.hpp"

namespace softgpu::kfd {
namespace {

constexpr uint32_t kVram = 0xd0000001;
constexpr uint32_t kVisibleVram = 0xf0000001;
constexpr uint32_t kGtt = 0xd6000002;
constexpr uint32_t kUser = 0xd6000004;

struct Fixture {
  explicit Fixture(bool large_bar = true) {
    Options options;
    options.gpus = 2;
    options.vram_bytes = uint64_t{256} << 20;
    options.large_bar = large_bar;
    auto made = Process::create(options);
    REQUIRE(made.ok());
    process = std::move(*made);
  }
  int alloc(kfd_ioctl_alloc_memory_of_gpu_args& args) {
    return process->ioctl(AMDKFD_IOC_ALLOC_MEMORY_OF_GPU, &args);
  }
  kfd_ioctl_alloc_memory_of_gpu_args request(uint64_t va, uint64_t size, uint32_t flags, uint64_t host = 0) {
    kfd_ioctl_alloc_memory_of_gpu_args args{};
    args.va_addr = va;
    args.size = size;
    args.flags = flags;
    args.mmap_offset = host;
    args.gpu_id = gpu(0).gpu_id;
    return args;
  }
  int map(uint64_t handle, std::vector<uint32_t> gpu_ids) {
    kfd_ioctl_map_memory_to_gpu_args args{};
    args.handle = handle;
    args.device_ids_array_ptr = reinterpret_cast<uint64_t>(gpu_ids.data());
    args.n_devices = static_cast<uint32_t>(gpu_ids.size());
    const int rc = process->ioctl(AMDKFD_IOC_MAP_MEMORY_TO_GPU, &args);
    if (rc == 0) CHECK(args.n_success == args.n_devices);
    return rc;
  }
  int unmap(uint64_t handle, std::vector<uint32_t> gpu_ids) {
    kfd_ioctl_unmap_memory_from_gpu_args args{};
    args.handle = handle;
    args.device_ids_array_ptr = reinterpret_cast<uint64_t>(gpu_ids.data());
    args.n_devices = static_cast<uint32_t>(gpu_ids.size());
    return process->ioctl(AMDKFD_IOC_UNMAP_MEMORY_FROM_GPU, &args);
  }
  int free(uint64_t handle) {
    kfd_ioctl_free_memory_of_gpu_args args{handle};
    return process->ioctl(AMDKFD_IOC_FREE_MEMORY_OF_GPU, &args);
  }
  Gpu& gpu(size_t i) { return *process->gpus()[i]; }
  /// The host's address of a byte as GPU i sees it; null if it does not.
  std::byte* seen_by(size_t i, uint64_t va) {
    const gfx9::MappedRange range = gpu(i).device->memory().find(GpuVa(va));
    return range.host == nullptr ? nullptr : range.host + (va - range.begin);
  }
  std::unique_ptr<Process> process;
};

}  // namespace

TEST_CASE("kfd: version, apertures, clocks") {
  Fixture f;
  kfd_ioctl_get_version_args version{};
  CHECK(f.process->ioctl(AMDKFD_IOC_GET_VERSION, &version) == 0);
  CHECK(version.major_version == 1);
  CHECK(version.minor_version == 17);

  kfd_process_device_apertures apertures[3] = {};
  kfd_ioctl_get_process_apertures_new_args args{};
  CHECK(f.process->ioctl(AMDKFD_IOC_GET_PROCESS_APERTURES_NEW, &args) == 0);
  CHECK(args.num_of_nodes == 2);
  args.kfd_process_device_apertures_ptr = reinterpret_cast<uint64_t>(apertures);
  args.num_of_nodes = 3;
  CHECK(f.process->ioctl(AMDKFD_IOC_GET_PROCESS_APERTURES_NEW, &args) == 0);
  CHECK(args.num_of_nodes == 2);
  CHECK(apertures[0].lds_base == 0x1000000000000);
  CHECK(apertures[1].scratch_base == 0x2000000000000);
  CHECK(apertures[0].gpu_id != apertures[1].gpu_id);

  kfd_ioctl_get_clock_counters_args clocks{};
  clocks.gpu_id = f.gpu(0).gpu_id;
  f.gpu(0).device->clock().publish(~uint64_t{0} >> 1);
  CHECK(f.process->ioctl(AMDKFD_IOC_GET_CLOCK_COUNTERS, &clocks) == 0);
  CHECK(clocks.gpu_clock_counter == ~uint64_t{0} >> 1);  // never behind a published timestamp
  CHECK(clocks.system_clock_freq == 1'000'000'000);
  clocks.gpu_id = 0;
  CHECK(f.process->ioctl(AMDKFD_IOC_GET_CLOCK_COUNTERS, &clocks) == 0);
  clocks.gpu_id = 5;
  CHECK(f.process->ioctl(AMDKFD_IOC_GET_CLOCK_COUNTERS, &clocks) == -EINVAL);
}

TEST_CASE("kfd: an unknown ioctl fails by name, a known one that is not emulated says why") {
  Fixture f;
  char argument[64] = {};
  CHECK(f.process->ioctl(_IOWR('K', 0x7e, argument), argument) == -ENOTTY);
  CHECK(f.process->ioctl(_IOWR('X', 0x01, argument), argument) == -ENOTTY);
  CHECK(f.process->ioctl(AMDKFD_IOC_SMI_EVENTS, argument) == -EPERM);
  CHECK(f.process->ioctl(_IOWR('K', 0x82, char[40]), argument) == -EINVAL);
  CHECK(f.process->ioctl(AMDKFD_IOC_GET_VERSION, nullptr) == -EFAULT);
}

TEST_CASE("kfd: structures longer and shorter than ours") {
  Fixture f;
  struct Longer {
    kfd_ioctl_get_version_args known;
    uint64_t newer;
  } longer{{}, 0x1234};
  CHECK(f.process->ioctl(_IOR('K', 0x01, Longer), &longer) == 0);
  CHECK(longer.known.major_version == 1);
  CHECK(longer.newer == 0x1234);
  uint32_t shorter[2] = {0, 0x5678};
  CHECK(f.process->ioctl(_IOR('K', 0x01, uint32_t), shorter) == 0);
  CHECK(shorter[0] == 1);
  CHECK(shorter[1] == 0x5678);
  uint64_t runtime[2] = {};
  CHECK(f.process->ioctl(_IOWR('K', 0x25, runtime), runtime) == 0);
}

TEST_CASE("kfd: memory is mapped on the GPUs named, and nowhere else") {
  Fixture f;
  auto args = f.request(0x7000000000, 0x2000, kVisibleVram);
  REQUIRE(f.alloc(args) == 0);
  CHECK(args.handle != 0);
  CHECK(f.seen_by(0, 0x7000000000) == nullptr);
  CHECK(f.map(args.handle, {f.gpu(0).gpu_id}) == 0);
  std::byte* host = f.seen_by(0, 0x7000001000);
  REQUIRE(host != nullptr);
  CHECK(f.seen_by(1, 0x7000000000) == nullptr);
  CHECK(f.map(args.handle, {f.gpu(0).gpu_id, f.gpu(1).gpu_id}) == 0);
  CHECK(f.seen_by(1, 0x7000001000) == host);  // a peer sees the same bytes
  CHECK(f.unmap(args.handle, {f.gpu(0).gpu_id}) == 0);
  CHECK(f.seen_by(0, 0x7000000000) == nullptr);
  CHECK(f.free(args.handle) == 0);
  CHECK(f.seen_by(1, 0x7000000000) == nullptr);
  CHECK(f.free(args.handle) == -EINVAL);
  CHECK(f.map(args.handle, {f.gpu(0).gpu_id}) == -EINVAL);
  CHECK(f.map(args.handle, {4711}) == -EINVAL);
}

TEST_CASE("kfd: user memory is an alias of the CPU's pages") {
  Fixture f;
  void* pages = ::mmap(nullptr, 0x2000, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  REQUIRE(pages != MAP_FAILED);
  const auto host = reinterpret_cast<uint64_t>(pages);
  auto same = f.request(host, 0x2000, kUser, host);
  auto alias = f.request(0x7000000000, 0x2000, kUser, host);
  REQUIRE(f.alloc(same) == 0);
  REQUIRE(f.alloc(alias) == 0);
  CHECK(f.map(same.handle, {f.gpu(0).gpu_id}) == 0);
  CHECK(f.map(alias.handle, {f.gpu(0).gpu_id}) == 0);
  CHECK(f.seen_by(0, host + 0x1800) == static_cast<std::byte*>(pages) + 0x1800);
  CHECK(f.seen_by(0, 0x7000001800) == static_cast<std::byte*>(pages) + 0x1800);
  const uint64_t generation = f.gpu(0).device->memory().generation();
  CHECK(f.free(alias.handle) == 0);
  CHECK(f.seen_by(0, 0x7000001800) == nullptr);
  CHECK(f.seen_by(0, host) != nullptr);
  CHECK(f.gpu(0).device->memory().generation() != generation);
  ::munmap(pages, 0x2000);
}

TEST_CASE("kfd: CPU mappings show the device's bytes; freed memory comes back zeroed") {
  Fixture f;
  auto args = f.request(0x7000000000, 0x3000, kGtt);
  REQUIRE(f.alloc(args) == 0);
  REQUIRE(f.map(args.handle, {f.gpu(0).gpu_id}) == 0);
  const long address = f.process->mmap_render(f.gpu(0), nullptr, 0x2000, PROT_READ | PROT_WRITE, MAP_SHARED,
                                              args.mmap_offset + 0x1000);
  REQUIRE(address > 0);
  auto* cpu = reinterpret_cast<std::byte*>(address);
  std::byte* device = f.seen_by(0, 0x7000001000);
  cpu[5] = std::byte{42};
  CHECK(device[5] == std::byte{42});
  // Beyond the buffer, or on the other GPU's node, there is nothing.
  CHECK(f.process->mmap_render(f.gpu(0), nullptr, 0x4000, PROT_READ, MAP_SHARED, args.mmap_offset) ==
        -EINVAL);
  CHECK(f.process->mmap_render(f.gpu(1), nullptr, 0x1000, PROT_READ, MAP_SHARED, args.mmap_offset) ==
        -EINVAL);
  CHECK(f.free(args.handle) == 0);
  auto again = f.request(0x7000000000, 0x3000, kGtt);
  REQUIRE(f.alloc(again) == 0);
  REQUIRE(f.map(again.handle, {f.gpu(0).gpu_id}) == 0);
  CHECK(f.seen_by(0, 0x7000001000) == device);
  CHECK(device[5] == std::byte{0});
  ::munmap(cpu, 0x2000);
}

TEST_CASE("kfd: a private mapping of device memory stays out of the CPU's reach") {
  Fixture f;
  auto args = f.request(0x7000000000, 0x1000, kVram);
  REQUIRE(f.alloc(args) == 0);
  const long address =
      f.process->mmap_render(f.gpu(0), nullptr, 0x1000, PROT_NONE, MAP_PRIVATE, args.mmap_offset);
  REQUIRE(address > 0);
  unsigned char resident = 0;
  CHECK(::mincore(reinterpret_cast<void*>(address), 0x1000, &resident) == 0);  // mapped, yet
  CHECK(::mprotect(reinterpret_cast<void*>(address), 0x1000, PROT_READ) == 0);
  CHECK(*reinterpret_cast<uint64_t*>(address) == 0);  // not backed by the device
  *f.gpu(0).vram->host(args.mmap_offset) = std::byte{1};
  CHECK(*reinterpret_cast<uint64_t*>(address) == 0);
  ::munmap(reinterpret_cast<void*>(address), 0x1000);
}

TEST_CASE("kfd: device memory is accounted to the byte") {
  Fixture f;
  kfd_ioctl_get_available_memory_args available{};
  available.gpu_id = f.gpu(0).gpu_id;
  CHECK(f.process->ioctl(AMDKFD_IOC_AVAILABLE_MEMORY, &available) == 0);
  CHECK(available.available == uint64_t{256} << 20);
  auto big = f.request(0x7000000000, uint64_t{200} << 20, kVram);
  REQUIRE(f.alloc(big) == 0);
  auto rest = f.request(0x7100000000, uint64_t{56} << 20, kVram);
  REQUIRE(f.alloc(rest) == 0);
  auto one_more = f.request(0x7200000000, 0x1000, kVram);
  CHECK(f.alloc(one_more) == -ENOMEM);
  CHECK(f.free(rest.handle) == 0);
  CHECK(f.alloc(one_more) == 0);
  CHECK(f.process->ioctl(AMDKFD_IOC_AVAILABLE_MEMORY, &available) == 0);
  CHECK(available.available == (uint64_t{56} << 20) - 0x1000);
}

TEST_CASE("kfd: buffers that cannot be are refused") {
  Fixture f(/*large_bar=*/false);
  auto args = f.request(0x7000000000, 0x1000, kVram);
  SECTION("host-visible without a large BAR") { args.flags = kVisibleVram; }
  SECTION("no kind") { args.flags = 0xd0000000; }
  SECTION("two kinds") { args.flags = 0xd0000003; }
  SECTION("empty") { args.size = 0; }
  SECTION("not on a page") { args.va_addr += 8; }
  SECTION("beyond the address space") { args.va_addr = uint64_t{1} << 47; }
  SECTION("user memory at zero") { args.flags = kUser; }
  SECTION("no such GPU") { args.gpu_id = 4711; }
  CHECK(f.alloc(args) == -EINVAL);
}

TEST_CASE("kfd: queues are refused by value, doorbells have distinct offsets") {
  Fixture f;
  auto memory = f.request(0x7000000000, 0x10000, kGtt);
  REQUIRE(f.alloc(memory) == 0);
  REQUIRE(f.map(memory.handle, {f.gpu(0).gpu_id}) == 0);
  std::byte* host = f.seen_by(0, 0x7000000000);
  for (size_t i = 0; i < 64; ++i) host[0x1000 + 64 * i] = std::byte{1};  // INVALID
  kfd_ioctl_create_queue_args args{};
  args.gpu_id = f.gpu(0).gpu_id;
  args.queue_type = KFD_IOC_QUEUE_TYPE_COMPUTE_AQL;
  args.ring_base_address = 0x7000001000;
  args.ring_size = 0x1000;
  args.read_pointer_address = 0x7000000080;
  args.write_pointer_address = 0x7000000038;
  args.queue_percentage = 100;
  args.queue_priority = 7;
  kfd_ioctl_create_queue_args bad = args;
  SECTION("type") { bad.queue_type = KFD_IOC_QUEUE_TYPE_COMPUTE; }
  SECTION("percentage") { bad.queue_percentage = 101; }
  SECTION("priority") { bad.queue_priority = 16; }
  SECTION("ring size") { bad.ring_size = 0x1800; }
  SECTION("ring address") { bad.ring_base_address = 0x6000000000; }
  SECTION("GPU") { bad.gpu_id = 4711; }
  CHECK(f.process->ioctl(AMDKFD_IOC_CREATE_QUEUE, &bad) == -EINVAL);
  kfd_ioctl_create_queue_args second = args;
  REQUIRE(f.process->ioctl(AMDKFD_IOC_CREATE_QUEUE, &args) == 0);
  second.read_pointer_address = 0x7000002080;
  second.ring_base_address = 0x7000003000;
  REQUIRE(f.process->ioctl(AMDKFD_IOC_CREATE_QUEUE, &second) == 0);
  CHECK(args.queue_id != second.queue_id);
  CHECK(args.doorbell_offset != second.doorbell_offset);
  CHECK((args.doorbell_offset >> 62) == 3);
  CHECK((args.doorbell_offset >> 46 & 0xffff) == f.gpu(0).gpu_id);
  kfd_ioctl_destroy_queue_args destroy{args.queue_id, 0};
  CHECK(f.process->ioctl(AMDKFD_IOC_DESTROY_QUEUE, &destroy) == 0);
  CHECK(f.process->ioctl(AMDKFD_IOC_DESTROY_QUEUE, &destroy) == -EINVAL);
  kfd_ioctl_update_queue_args update{};
  update.queue_id = second.queue_id;
  update.ring_base_address = second.ring_base_address;
  update.ring_size = second.ring_size;
  CHECK(f.process->ioctl(AMDKFD_IOC_UPDATE_QUEUE, &update) == 0);
  update.queue_id = args.queue_id;
  CHECK(f.process->ioctl(AMDKFD_IOC_UPDATE_QUEUE, &update) == -EINVAL);

  const uint32_t some[] = {0b10010, 0}, none[] = {~0xffu, ~0u};  // of eight units
  const auto set_mask = [&](uint32_t queue, const uint32_t* mask, uint32_t bits) {
    kfd_ioctl_set_cu_mask_args cu{queue, bits, reinterpret_cast<uint64_t>(mask)};
    return f.process->ioctl(AMDKFD_IOC_SET_CU_MASK, &cu);
  };
  CHECK(set_mask(second.queue_id, some, 32) == 0);
  CHECK(set_mask(second.queue_id, some, 64) == 0);
  CHECK(set_mask(second.queue_id, none, 64) == -EINVAL);
  CHECK(set_mask(second.queue_id, some, 0) == -EINVAL);
  CHECK(set_mask(second.queue_id, some, 31) == -EINVAL);
  CHECK(set_mask(args.queue_id, some, 32) == -EINVAL);  // destroyed
}

TEST_CASE("kfd: mmap of the device knows doorbells and the MMIO page") {
  Fixture f;
  const uint64_t gpu_id = f.gpu(1).gpu_id;
  const long doorbells = f.process->mmap_kfd(nullptr, 8192, PROT_READ | PROT_WRITE, MAP_SHARED,
                                             uint64_t{3} << 62 | gpu_id << 46);
  REQUIRE(doorbells > 0);
  auto* page = reinterpret_cast<uint64_t*>(doorbells);
  page[3] = 77;
  CHECK(reinterpret_cast<uint64_t*>(f.gpu(1).control->host(0))[3] == 77);
  const long mmio = f.process->mmap_kfd(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, gpu_id << 46);
  REQUIRE(mmio > 0);
  *reinterpret_cast<uint32_t*>(mmio) = 1;
  CHECK(page[3] == 77);
  CHECK(f.process->mmap_kfd(nullptr, 4096, PROT_READ, MAP_SHARED, uint64_t{2} << 62) == -EINVAL);
  CHECK(f.process->mmap_kfd(nullptr, 4096, PROT_READ, MAP_SHARED, uint64_t{4711} << 46) == -EINVAL);
  ::munmap(page, 8192);
  ::munmap(reinterpret_cast<void*>(mmio), 4096);
}

}  // namespace softgpu::kfd
