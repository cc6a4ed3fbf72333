#include "device/pools.hpp"

#include "hsa/contained.hpp"

namespace kreplay::device {
namespace {

struct Walk {
  const hsa::HsaApi& api;
  std::vector<Pool>& out;
};

template <typename T>
T pool_info(const hsa::HsaApi& api, hsa_amd_memory_pool_t pool, hsa_amd_memory_pool_info_t what,
            T otherwise) {
  T value = otherwise;
  return api.hsa_amd_memory_pool_get_info(pool, what, &value) == HSA_STATUS_SUCCESS ? value : otherwise;
}

hsa_status_t add_pool(const Walk& walk, hsa_amd_memory_pool_t pool) {
  const hsa::HsaApi& api = walk.api;
  hsa_amd_segment_t segment = HSA_AMD_SEGMENT_PRIVATE;
  hsa_status_t status = api.hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_SEGMENT, &segment);
  if (status != HSA_STATUS_SUCCESS || segment != HSA_AMD_SEGMENT_GLOBAL) return status;
  Pool found;
  found.handle = pool.handle;
  status = api.hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_GLOBAL_FLAGS, &found.flags);
  if (status != HSA_STATUS_SUCCESS) return status;
  found.allocatable = pool_info(api, pool, HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_ALLOWED, false);
  found.bytes = pool_info(api, pool, HSA_AMD_MEMORY_POOL_INFO_SIZE, size_t{0});
  found.granule = pool_info(api, pool, HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_GRANULE, size_t{0});
  found.most_bytes = pool_info(api, pool, HSA_AMD_MEMORY_POOL_INFO_ALLOC_MAX_SIZE, size_t{0});
  walk.out.push_back(found);
  return HSA_STATUS_SUCCESS;
}

hsa_status_t add_region(const Walk& walk, hsa_region_t region) {
  hsa_region_segment_t segment = HSA_REGION_SEGMENT_PRIVATE;
  hsa_status_t status = walk.api.hsa_region_get_info(region, HSA_REGION_INFO_SEGMENT, &segment);
  if (status != HSA_STATUS_SUCCESS || segment != HSA_REGION_SEGMENT_GLOBAL) return status;
  Pool found;
  found.handle = region.handle;
  status = walk.api.hsa_region_get_info(region, HSA_REGION_INFO_GLOBAL_FLAGS, &found.flags);
  if (status == HSA_STATUS_SUCCESS) walk.out.push_back(found);
  return status;
}

}  // namespace

hsa_status_t list_agents(const hsa::HsaApi& api, std::vector<hsa_agent_t>& out) {
  return api.hsa_iterate_agents(
      [](hsa_agent_t agent, void* data) {
        return hsa::contained([&] {
          static_cast<std::vector<hsa_agent_t>*>(data)->push_back(agent);
          return HSA_STATUS_SUCCESS;
        });
      },
      &out);
}

std::optional<hsa_device_type_t> type_of(const hsa::HsaApi& api, hsa_agent_t agent) {
  hsa_device_type_t type = HSA_DEVICE_TYPE_CPU;
  if (api.hsa_agent_get_info(agent, HSA_AGENT_INFO_DEVICE, &type) != HSA_STATUS_SUCCESS) return std::nullopt;
  return type;
}

hsa_status_t list_pools(const hsa::HsaApi& api, hsa_agent_t agent, std::vector<Pool>& out) {
  Walk walk{api, out};
  return api.hsa_amd_agent_iterate_memory_pools(
      agent,
      [](hsa_amd_memory_pool_t pool, void* data) {
        return hsa::contained([&] { return add_pool(*static_cast<Walk*>(data), pool); });
      },
      &walk);
}

hsa_status_t list_regions(const hsa::HsaApi& api, hsa_agent_t agent, std::vector<Pool>& out) {
  Walk walk{api, out};
  return api.hsa_agent_iterate_regions(
      agent,
      [](hsa_region_t region, void* data) {
        return hsa::contained([&] { return add_region(*static_cast<Walk*>(data), region); });
      },
      &walk);
}

}  // namespace kreplay::device
