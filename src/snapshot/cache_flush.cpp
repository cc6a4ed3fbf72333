#include "snapshot/cache_flush.hpp"

#include <fmt/format.h>

#include <array>

#include "hsa/status_text.hpp"

namespace kreplay::snapshot {
namespace {

struct PoolSearch {
  const hsa::HsaApi& api;
  hsa_amd_memory_pool_t pool{};
  bool found = false;
};

hsa_status_t consider_pool(hsa_amd_memory_pool_t pool, void* data) {
  auto& search = *static_cast<PoolSearch*>(data);
  const auto get = [&](hsa_amd_memory_pool_info_t what, void* out) {
    return search.api.hsa_amd_memory_pool_get_info(pool, what, out) == HSA_STATUS_SUCCESS;
  };
  hsa_amd_segment_t segment{};
  uint32_t flags = 0;
  bool allowed = false;
  if (!search.found && get(HSA_AMD_MEMORY_POOL_INFO_SEGMENT, &segment) && segment == HSA_AMD_SEGMENT_GLOBAL &&
      get(HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_ALLOWED, &allowed) && allowed &&
      get(HSA_AMD_MEMORY_POOL_INFO_GLOBAL_FLAGS, &flags) &&
      (flags & HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_COARSE_GRAINED) != 0) {
    search.pool = pool;
    search.found = true;
  }
  return HSA_STATUS_SUCCESS;
}

}  // namespace

Status CacheFlush::prepare() {
  std::array<uint32_t, 4> sizes{};  // of the levels 1 to 4, bytes
  hsa_status_t status = api_.hsa_agent_get_info(agent_, HSA_AGENT_INFO_CACHE_SIZE, sizes.data());
  if (status != HSA_STATUS_SUCCESS) return hsa::runtime_error(api_, "hsa_agent_get_info(CACHE_SIZE)", status);
  uint64_t bytes = 0;
  for (const uint32_t size : sizes) bytes += size;
  if (sizes[1] == 0) {
    return {Error::unsupported,
            fmt::format("agent {:#x} does not tell the size of its second-level cache", agent_.handle)};
  }
  PoolSearch search{api_};
  status = api_.hsa_amd_agent_iterate_memory_pools(agent_, &consider_pool, &search);
  if (status != HSA_STATUS_SUCCESS)
    return hsa::runtime_error(api_, "hsa_amd_agent_iterate_memory_pools", status);
  if (!search.found)
    return {Error::not_found, fmt::format("agent {:#x} has no pool of device memory", agent_.handle)};
  constexpr uint64_t kPage = 4096;
  bytes = (2 * bytes + kPage - 1) / kPage * kPage;
  status = api_.hsa_amd_memory_pool_allocate(search.pool, bytes, 0, &buffer_);
  if (status != HSA_STATUS_SUCCESS) {
    buffer_ = nullptr;
    return hsa::runtime_error(
        api_, fmt::format("hsa_amd_memory_pool_allocate of {} bytes to flush caches", bytes), status);
  }
  bytes_ = bytes;
  return {};
}

Status CacheFlush::run() {
  if (buffer_ == nullptr)
    if (Status ready = prepare(); !ready) return ready;
  const hsa_status_t status = api_.hsa_amd_memory_fill(buffer_, ++turn_, bytes_ / sizeof(uint32_t));
  return status == HSA_STATUS_SUCCESS ? Status() : hsa::runtime_error(api_, "hsa_amd_memory_fill", status);
}

void CacheFlush::release() {
  if (buffer_ != nullptr) (void)api_.hsa_amd_memory_pool_free(buffer_);
  buffer_ = nullptr;
  bytes_ = 0;
}

}  // namespace kreplay::snapshot
