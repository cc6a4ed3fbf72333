#include "replay/memory_map.hpp"

#include <algorithm>
#include <vector>

#include "device/pools.hpp"

namespace kreplay::replay {
namespace {

using snapshot::MemoryClass;

MemoryClass class_of(bool is_gpu, const device::Pool& pool) {
  if (is_gpu) return pool.coarse() ? MemoryClass::device_coarse : MemoryClass::device_fine;
  if (pool.kernarg()) return MemoryClass::host_kernarg;
  return pool.coarse() ? MemoryClass::host_coarse : MemoryClass::host_fine;
}
static_assert(uint32_t{HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_KERNARG_INIT} == HSA_REGION_GLOBAL_FLAG_KERNARG &&
              uint32_t{HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_COARSE_GRAINED} ==
                  HSA_REGION_GLOBAL_FLAG_COARSE_GRAINED);

}  // namespace

bool MemoryMap::add_agent(const hsa::HsaApi& api, hsa_agent_t agent, bool is_gpu) {
  std::vector<device::Pool> found;
  const hsa_status_t pools = device::list_pools(api, agent, found);
  uint64_t largest = 0;
  for (const device::Pool& pool : found) largest = std::max(largest, pool.bytes);
  if (is_gpu) device_bytes_[agent.handle] = largest;
  // A GPU's region list also names system memory, which belongs to the CPU agent: those handles are in the
  // table already when CPU agents are added first.
  const hsa_status_t regions = device::list_regions(api, agent, found);
  for (const device::Pool& pool : found)
    pools_.try_emplace(pool.handle, PoolInfo{is_gpu ? agent.handle : 0, class_of(is_gpu, pool)});
  return pools == HSA_STATUS_SUCCESS && regions == HSA_STATUS_SUCCESS;
}

uint64_t MemoryMap::device_bytes(uint64_t agent) const {
  const auto it = device_bytes_.find(agent);
  return it == device_bytes_.end() ? 0 : it->second;
}

const PoolInfo* MemoryMap::find(uint64_t pool_or_region) const {
  const auto it = pools_.find(pool_or_region);
  return it == pools_.end() ? nullptr : &it->second;
}

}  // namespace kreplay::replay
