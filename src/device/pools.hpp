// The one walk over agents and over the memory an agent offers; who needs a pool chooses from its list.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "hsa/hsa_api.hpp"

namespace kreplay::device {

/// A pool of the global segment, or a region of it (the older name of the same thing).
struct Pool {
  uint64_t handle = 0;
  uint32_t flags = 0;        ///< hsa_amd_memory_pool_global_flag_t; a region's are the same bits
  bool allocatable = false;  ///< programs may allocate from it; false for regions, which are not asked
  uint64_t bytes = 0;        ///< its size; 0 when not told, and for regions
  uint64_t granule = 0;      ///< sizes are rounded up to it; 0 as above
  uint64_t most_bytes = 0;   ///< of one allocation; 0 as above
  hsa_amd_memory_pool_t pool() const { return {handle}; }
  bool coarse() const { return (flags & HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_COARSE_GRAINED) != 0; }
  bool fine() const { return (flags & HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_FINE_GRAINED) != 0; }
  bool kernarg() const { return (flags & HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_KERNARG_INIT) != 0; }
};

/// All agents, in the runtime's order. @param out appended to @return the runtime's status
hsa_status_t list_agents(const hsa::HsaApi& api, std::vector<hsa_agent_t>& out);
/// Empty when the runtime does not tell.
std::optional<hsa_device_type_t> type_of(const hsa::HsaApi& api, hsa_agent_t agent);
/// The agent's pools of the global segment, in the runtime's order. A pool that the runtime does not describe
/// ends the list with its error: memory from it could not be told apart. @param out appended to
hsa_status_t list_pools(const hsa::HsaApi& api, hsa_agent_t agent, std::vector<Pool>& out);
/// Its regions of the global segment; a GPU's list repeats those of CPU agents. @param out appended to
hsa_status_t list_regions(const hsa::HsaApi& api, hsa_agent_t agent, std::vector<Pool>& out);

}  // namespace kreplay::device
