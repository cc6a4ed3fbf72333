#include "snapshot/cache_flush.hpp"

#include <catch2/catch.hpp>
#include <cstring>
#include <vector>

using kreplay::Error;
using kreplay::snapshot::CacheFlush;

namespace {

constexpr hsa_agent_t kAgent{0x21};

/// One device with a pool of coarse-grained memory. One instance at a time.
struct CachedDevice {
  CachedDevice() {
    self = this;
    api.hsa_agent_get_info = [](hsa_agent_t, hsa_agent_info_t what, void* out) {
      if (what != HSA_AGENT_INFO_CACHE_SIZE) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
      std::memcpy(out, self->caches, sizeof self->caches);
      return HSA_STATUS_SUCCESS;
    };
    api.hsa_amd_agent_iterate_memory_pools = [](hsa_agent_t,
                                                hsa_status_t (*visit)(hsa_amd_memory_pool_t, void*),
                                                void* data) { return visit({1}, data); };
    api.hsa_amd_memory_pool_get_info = [](hsa_amd_memory_pool_t, hsa_amd_memory_pool_info_t what, void* out) {
      if (what == HSA_AMD_MEMORY_POOL_INFO_SEGMENT)
        *static_cast<hsa_amd_segment_t*>(out) = HSA_AMD_SEGMENT_GLOBAL;
      if (what == HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_ALLOWED)
        *static_cast<bool*>(out) = self->may_allocate;
      if (what == HSA_AMD_MEMORY_POOL_INFO_GLOBAL_FLAGS)
        *static_cast<uint32_t*>(out) = HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_COARSE_GRAINED;
      return HSA_STATUS_SUCCESS;
    };
    api.hsa_amd_memory_pool_allocate = [](hsa_amd_memory_pool_t, size_t size, uint32_t, void** out) {
      if (self->full) return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
      self->memory.resize(size);
      *out = self->memory.data();
      ++self->allocations;
      return HSA_STATUS_SUCCESS;
    };
    api.hsa_amd_memory_pool_free = [](void*) {
      --self->allocations;
      return HSA_STATUS_SUCCESS;
    };
    api.hsa_amd_memory_fill = [](void* at, uint32_t value, size_t count) {
      if (self->fill_fails) return HSA_STATUS_ERROR;
      REQUIRE(count * sizeof value == self->memory.size());
      for (size_t i = 0; i < count; ++i) static_cast<uint32_t*>(at)[i] = value;
      ++self->fills;
      return HSA_STATUS_SUCCESS;
    };
    api.hsa_status_string = [](hsa_status_t, const char** text) {
      *text = "fake text";
      return HSA_STATUS_SUCCESS;
    };
  }
  ~CachedDevice() { self = nullptr; }
  CachedDevice(const CachedDevice&) = delete;
  CachedDevice& operator=(const CachedDevice&) = delete;

  static inline CachedDevice* self = nullptr;
  kreplay::hsa::HsaApi api;
  uint32_t caches[4] = {16 << 10, 4 << 20, 0, 0};
  bool may_allocate = true, full = false, fill_fails = false;
  std::vector<char> memory;
  int allocations = 0, fills = 0;
};

}  // namespace

TEST_CASE("C96: the flush writes twice the size of all caches, with another value each time") {
  CachedDevice device;
  CacheFlush flush(device.api, kAgent);
  REQUIRE(flush.run().ok());
  CHECK(flush.buffer_bytes() >= 2 * ((16 << 10) + (4 << 20)));
  CHECK(device.memory.size() == flush.buffer_bytes());
  const std::vector<char> before = device.memory;
  REQUIRE(flush.run().ok());
  CHECK(device.memory != before);
  CHECK(device.fills == 2);
  CHECK(device.allocations == 1);
  flush.release();
  CHECK(device.allocations == 0);
  REQUIRE(flush.run().ok());  // the runtime was started again
  flush.release();
}

TEST_CASE("a flush that cannot be done is an error with its reason") {
  CachedDevice device;
  CacheFlush flush(device.api, kAgent);
  device.caches[1] = 0;
  CHECK(flush.run().code() == Error::unsupported);
  device.caches[1] = 1 << 20;
  device.may_allocate = false;
  CHECK(flush.run().code() == Error::not_found);
  device.may_allocate = true;
  device.full = true;
  CHECK(flush.run().code() == Error::runtime);
  device.full = false;
  device.fill_fails = true;
  CHECK(flush.run().message().find("hsa_amd_memory_fill") != std::string::npos);
  flush.release();
}
