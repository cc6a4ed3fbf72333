#include "replay/memory_map.hpp"

#include <algorithm>

#include "hsa/contained.hpp"

namespace kreplay::replay {
namespace {

using snapshot::MemoryClass;

MemoryClass class_of(bool is_gpu, uint32_t flags) {
  constexpr uint32_t kKernarg = HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_KERNARG_INIT;
  constexpr uint32_t kCoarse = HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_COARSE_GRAINED;
  if (is_gpu) return (flags & kCoarse) != 0 ? MemoryClass::device_coarse : MemoryClass::device_fine;
  if ((flags & kKernarg) != 0) return MemoryClass::host_kernarg;
  return (flags & kCoarse) != 0 ? MemoryClass::host_coarse : MemoryClass::host_fine;
}
static_assert(uint32_t{HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_KERNARG_INIT} == HSA_REGION_GLOBAL_FLAG_KERNARG &&
              uint32_t{HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_COARSE_GRAINED} ==
                  HSA_REGION_GLOBAL_FLAG_COARSE_GRAINED);

}  // namespace

bool MemoryMap::add_agent(const hsa::HsaApi& api, hsa_agent_t agent, bool is_gpu) {
  struct Walk {
    const hsa::HsaApi& api;
    hsa_agent_t agent;
    bool is_gpu;
    std::unordered_map<uint64_t, PoolInfo>& pools;
    uint64_t largest = 0;
    hsa_status_t add(uint64_t handle, uint32_t flags) {
      return hsa::contained([&] {
        pools.try_emplace(handle, PoolInfo{is_gpu ? agent.handle : 0, class_of(is_gpu, flags)});
        return HSA_STATUS_SUCCESS;
      });
    }
  } walk{api, agent, is_gpu, pools_};
  const hsa_status_t pools = api.hsa_amd_agent_iterate_memory_pools(
      agent,
      [](hsa_amd_memory_pool_t pool, void* data) {
        auto& w = *static_cast<Walk*>(data);
        hsa_amd_segment_t segment;
        uint32_t flags = 0;
        if (w.api.hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_SEGMENT, &segment) ==
                HSA_STATUS_SUCCESS &&
            segment == HSA_AMD_SEGMENT_GLOBAL &&
            w.api.hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_GLOBAL_FLAGS, &flags) ==
                HSA_STATUS_SUCCESS) {
          if (const hsa_status_t s = w.add(pool.handle, flags); s != HSA_STATUS_SUCCESS) return s;
          size_t bytes = 0;
          if (w.api.hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_SIZE, &bytes) ==
              HSA_STATUS_SUCCESS)
            w.largest = std::max<uint64_t>(w.largest, bytes);
        }
        return HSA_STATUS_SUCCESS;
      },
      &walk);
  // A GPU's region list also names system memory, which belongs to the CPU agent: those handles are in the
  // table already when CPU agents are added first.
  const hsa_status_t regions = api.hsa_agent_iterate_regions(
      agent,
      [](hsa_region_t region, void* data) {
        auto& w = *static_cast<Walk*>(data);
        hsa_region_segment_t segment;
        uint32_t flags = 0;
        if (w.api.hsa_region_get_info(region, HSA_REGION_INFO_SEGMENT, &segment) == HSA_STATUS_SUCCESS &&
            segment == HSA_REGION_SEGMENT_GLOBAL &&
            w.api.hsa_region_get_info(region, HSA_REGION_INFO_GLOBAL_FLAGS, &flags) == HSA_STATUS_SUCCESS)
          return w.add(region.handle, flags);
        return HSA_STATUS_SUCCESS;
      },
      &walk);
  if (is_gpu) device_bytes_[agent.handle] = walk.largest;
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
