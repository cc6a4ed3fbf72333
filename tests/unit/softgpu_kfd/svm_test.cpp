// Shared virtual memory: attributes of address ranges.
#include <linux/kfd_ioctl.h>
#include <catch2/catch.hpp>

#include <cerrno>
#include <cstring>
#include <vector>

#include "kfd/process.hpp"

namespace softgpu::kfd {
namespace {

constexpr uint64_t kBase = 0x10'0000;  // any address: nothing reads there
constexpr uint32_t kNowhere = KFD_IOCTL_SVM_LOCATION_UNDEFINED;
using Attributes = std::vector<kfd_ioctl_svm_attribute>;

struct Fixture {
  Fixture() {
    Options options;
    options.gpus = 2;
    options.vram_bytes = uint64_t{256} << 20;
    auto made = Process::create(options);
    REQUIRE(made.ok());
    process = std::move(*made);
  }
  int call(uint32_t operation, uint64_t page, uint64_t pages, Attributes& attributes) {
    const size_t tail = attributes.size() * sizeof(kfd_ioctl_svm_attribute);
    std::vector<uint64_t> words((sizeof(kfd_ioctl_svm_args) + tail) / sizeof(uint64_t));
    auto* args = reinterpret_cast<kfd_ioctl_svm_args*>(words.data());
    args->start_addr = kBase + page * kPageBytes;
    args->size = pages * kPageBytes;
    args->op = operation;
    args->nattr = static_cast<uint32_t>(attributes.size());
    if (tail != 0) std::memcpy(args->attrs, attributes.data(), tail);
    // The number as the runtime makes it: the size in it is that of the structure with its array.
    const int rc = process->ioctl(AMDKFD_IOC_SVM + (tail << _IOC_SIZESHIFT), args);
    if (tail != 0) std::memcpy(attributes.data(), args->attrs, tail);
    return rc;
  }
  int set(uint64_t page, uint64_t pages, Attributes attributes) {
    return call(KFD_IOCTL_SVM_OP_SET_ATTR, page, pages, attributes);
  }
  /// @return (type, value) after asking for one attribute
  std::pair<uint32_t, uint32_t> get(uint64_t page, uint64_t pages, uint32_t type, uint32_t value = 0) {
    Attributes one{{type, value}};
    REQUIRE(call(KFD_IOCTL_SVM_OP_GET_ATTR, page, pages, one) == 0);
    return {one[0].type, one[0].value};
  }
  /// A page of VRAM at `page`, mapped on the first GPU. @return its handle
  uint64_t mapped_buffer(uint64_t page) {
    kfd_ioctl_alloc_memory_of_gpu_args alloc{};
    alloc.va_addr = kBase + page * kPageBytes;
    alloc.size = kPageBytes;
    alloc.flags = 0x90000001;
    alloc.gpu_id = id(0);
    REQUIRE(process->ioctl(AMDKFD_IOC_ALLOC_MEMORY_OF_GPU, &alloc) == 0);
    const uint32_t gpu = id(0);
    kfd_ioctl_map_memory_to_gpu_args map{};
    map.handle = alloc.handle;
    map.device_ids_array_ptr = reinterpret_cast<uint64_t>(&gpu);
    map.n_devices = 1;
    REQUIRE(process->ioctl(AMDKFD_IOC_MAP_MEMORY_TO_GPU, &map) == 0);
    return alloc.handle;
  }
  uint32_t id(size_t gpu) const { return process->gpus()[gpu]->gpu_id; }
  gfx9::MappedRange seen(size_t gpu, uint64_t page) const {
    return process->gpus()[gpu]->device->memory().find(GpuVa(kBase + page * kPageBytes));
  }
  std::unique_ptr<Process> process;
};

}  // namespace

TEST_CASE("svm: a GPU with access sees the CPU's bytes, another does not") {
  Fixture f;
  CHECK(f.set(0, 8, {{KFD_IOCTL_SVM_ATTR_ACCESS_IN_PLACE, f.id(0)}}) == 0);
  CHECK(f.seen(0, 7).host == reinterpret_cast<std::byte*>(f.seen(0, 7).begin));
  CHECK(f.seen(0, 7).writable);
  CHECK(f.seen(0, 8).host == nullptr);
  CHECK(f.seen(1, 7).host == nullptr);
  CHECK(f.get(0, 8, KFD_IOCTL_SVM_ATTR_ACCESS, f.id(0)).first == KFD_IOCTL_SVM_ATTR_ACCESS_IN_PLACE);
  CHECK(f.get(0, 8, KFD_IOCTL_SVM_ATTR_ACCESS, f.id(1)).first == KFD_IOCTL_SVM_ATTR_NO_ACCESS);
  CHECK(f.get(7, 2, KFD_IOCTL_SVM_ATTR_ACCESS, f.id(0)).first == KFD_IOCTL_SVM_ATTR_NO_ACCESS);
}

TEST_CASE("svm: a change to a part leaves the rest as it is") {
  Fixture f;
  REQUIRE(f.set(0, 8, {{KFD_IOCTL_SVM_ATTR_ACCESS, f.id(0)}, {KFD_IOCTL_SVM_ATTR_GRANULARITY, 12}}) == 0);
  REQUIRE(f.set(2, 2, {{KFD_IOCTL_SVM_ATTR_NO_ACCESS, f.id(0)}, {KFD_IOCTL_SVM_ATTR_GRANULARITY, 5}}) == 0);
  REQUIRE(f.set(6, 2, {{KFD_IOCTL_SVM_ATTR_SET_FLAGS, KFD_IOCTL_SVM_FLAG_GPU_RO}}) == 0);
  for (const uint64_t page : {0, 1, 4, 5, 6, 7}) CHECK(f.seen(0, page).host != nullptr);
  for (const uint64_t page : {2, 3}) CHECK(f.seen(0, page).host == nullptr);
  CHECK(f.seen(0, 5).writable);
  CHECK_FALSE(f.seen(0, 6).writable);
  CHECK(f.get(0, 2, KFD_IOCTL_SVM_ATTR_GRANULARITY).second == 12);
  CHECK(f.get(0, 8, KFD_IOCTL_SVM_ATTR_GRANULARITY).second == 5);
  CHECK(f.get(0, 2, KFD_IOCTL_SVM_ATTR_ACCESS, f.id(0)).first == KFD_IOCTL_SVM_ATTR_ACCESS);
  CHECK(f.get(0, 8, KFD_IOCTL_SVM_ATTR_ACCESS, f.id(0)).first == KFD_IOCTL_SVM_ATTR_NO_ACCESS);
}

TEST_CASE("svm: what nobody set has the defaults, and a range the values all its pages have") {
  Fixture f;
  CHECK(f.get(0, 4, KFD_IOCTL_SVM_ATTR_PREFERRED_LOC).second == kNowhere);
  CHECK(f.get(0, 4, KFD_IOCTL_SVM_ATTR_PREFETCH_LOC).second == kNowhere);
  CHECK(f.get(0, 4, KFD_IOCTL_SVM_ATTR_GRANULARITY).second == 9);
  const uint32_t usual = KFD_IOCTL_SVM_FLAG_HOST_ACCESS | KFD_IOCTL_SVM_FLAG_COHERENT;
  CHECK(f.get(0, 4, KFD_IOCTL_SVM_ATTR_SET_FLAGS).second == usual);
  CHECK(f.get(0, 4, KFD_IOCTL_SVM_ATTR_CLR_FLAGS).second == ~usual);

  REQUIRE(f.set(0, 2,
                {{KFD_IOCTL_SVM_ATTR_PREFERRED_LOC, f.id(1)},
                 {KFD_IOCTL_SVM_ATTR_PREFETCH_LOC, 0},
                 {KFD_IOCTL_SVM_ATTR_CLR_FLAGS, KFD_IOCTL_SVM_FLAG_COHERENT}}) == 0);
  CHECK(f.get(0, 2, KFD_IOCTL_SVM_ATTR_PREFERRED_LOC).second == f.id(1));
  CHECK(f.get(0, 2, KFD_IOCTL_SVM_ATTR_PREFETCH_LOC).second == KFD_IOCTL_SVM_LOCATION_SYSMEM);
  CHECK(f.get(0, 3, KFD_IOCTL_SVM_ATTR_PREFERRED_LOC).second == kNowhere);
  CHECK(f.get(0, 3, KFD_IOCTL_SVM_ATTR_SET_FLAGS).second == KFD_IOCTL_SVM_FLAG_HOST_ACCESS);
  CHECK(f.get(0, 3, KFD_IOCTL_SVM_ATTR_CLR_FLAGS).second == ~usual);
}

TEST_CASE("svm: what cannot be is refused") {
  Fixture f;
  CHECK(f.set(0, 0, {}) == -EINVAL);
  CHECK(f.set(0, 1, {{KFD_IOCTL_SVM_ATTR_ACCESS, 7}}) == -EINVAL);
  CHECK(f.set(0, 1, {{KFD_IOCTL_SVM_ATTR_GRANULARITY + 1, 0}}) == -EINVAL);
  Attributes none;
  CHECK(f.call(2, 0, 1, none) == -EINVAL);

  f.mapped_buffer(0);
  CHECK(f.set(0, 2, {{KFD_IOCTL_SVM_ATTR_ACCESS, f.id(0)}}) == -EADDRINUSE);
  CHECK(f.set(1, 2, {{KFD_IOCTL_SVM_ATTR_ACCESS, f.id(0)}}) == 0);
}

TEST_CASE("svm: memory whose address a buffer had meanwhile is visible again once it is set anew") {
  Fixture f;
  const Attributes access{{KFD_IOCTL_SVM_ATTR_ACCESS, f.id(0)}};
  REQUIRE(f.set(0, 4, access) == 0);
  const uint64_t buffer = f.mapped_buffer(2);  // the application has unmapped its memory: nobody says so
  CHECK(f.set(2, 1, access) == -EADDRINUSE);
  kfd_ioctl_free_memory_of_gpu_args gone{buffer};
  REQUIRE(f.process->ioctl(AMDKFD_IOC_FREE_MEMORY_OF_GPU, &gone) == 0);
  REQUIRE(f.set(0, 4, access) == 0);
  for (const uint64_t page : {0, 1, 2, 3}) CHECK(f.seen(0, page).host != nullptr);
}

}  // namespace softgpu::kfd
