// All GPUs of the machine, each with its own memory pool.
#pragma once

#include "support/hsa_check.hpp"

namespace e2e {

/// One entry per GPU; the CPU's agent and pools are the same in all.
inline std::vector<Agents> find_all_gpus() {
  const Agents first = find_agents();
  std::vector<hsa_agent_t> gpus;
  HSA_OK(hsa_iterate_agents(
      [](hsa_agent_t agent, void* data) {
        hsa_device_type_t type;
        HSA_OK(hsa_agent_get_info(agent, HSA_AGENT_INFO_DEVICE, &type));
        if (type == HSA_DEVICE_TYPE_GPU) static_cast<std::vector<hsa_agent_t>*>(data)->push_back(agent);
        return HSA_STATUS_SUCCESS;
      },
      &gpus));
  std::vector<Agents> all;
  for (const hsa_agent_t gpu : gpus) {
    Agents agents = first;
    agents.gpu = gpu;
    HSA_OK(hsa_amd_agent_iterate_memory_pools(
        gpu,
        [](hsa_amd_memory_pool_t pool, void* data) {
          hsa_amd_segment_t segment;
          uint32_t flags = 0;
          HSA_OK(hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_SEGMENT, &segment));
          if (segment != HSA_AMD_SEGMENT_GLOBAL) return HSA_STATUS_SUCCESS;
          HSA_OK(hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_GLOBAL_FLAGS, &flags));
          if ((flags & HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_COARSE_GRAINED) != 0)
            static_cast<Agents*>(data)->device = pool;
          return HSA_STATUS_SUCCESS;
        },
        &agents));
    all.push_back(agents);
  }
  return all;
}

}  // namespace e2e
