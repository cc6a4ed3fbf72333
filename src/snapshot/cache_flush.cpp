#include "snapshot/cache_flush.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "base/mutex.hpp"
#include "device/pools.hpp"
#include "hsa/status_text.hpp"

namespace kreplay::snapshot {
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
  std::vector<device::Pool> pools;
  status = device::list_pools(api_, agent_, pools);
  if (status != HSA_STATUS_SUCCESS)
    return hsa::runtime_error(api_, "hsa_amd_agent_iterate_memory_pools", status);
  const auto pool = std::find_if(pools.begin(), pools.end(),
                                 [](const device::Pool& p) { return p.allocatable && p.coarse(); });
  if (pool == pools.end())
    return {Error::not_found, fmt::format("agent {:#x} has no pool of device memory", agent_.handle)};
  constexpr uint64_t kPage = 4096;
  bytes = (2 * bytes + kPage - 1) / kPage * kPage;
  status = api_.hsa_amd_memory_pool_allocate(pool->pool(), bytes, 0, &buffer_);
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
  KR_CHECK_UNLOCKED();
  KR_CHECK(bytes_ != 0 && bytes_ % sizeof(uint32_t) == 0, "the buffer is filled as a whole, in words");
  const hsa_status_t status = api_.hsa_amd_memory_fill(buffer_, ++turn_, bytes_ / sizeof(uint32_t));
  return status == HSA_STATUS_SUCCESS ? Status() : hsa::runtime_error(api_, "hsa_amd_memory_fill", status);
}

void CacheFlush::release() {
  if (buffer_ != nullptr) (void)api_.hsa_amd_memory_pool_free(buffer_);
  buffer_ = nullptr;
  bytes_ = 0;
}

}  // namespace kreplay::snapshot
