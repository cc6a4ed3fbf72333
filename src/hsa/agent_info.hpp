// Attributes of agents that runtimes newer than the build headers (5.2.3) know. Source: the public header of
// ROCr 6.4.
#pragma once

namespace kreplay::hsa {

/// HSA_AMD_AGENT_INFO_MEMORY_AVAIL, uint64_t: bytes that are free in all global pools of the agent. Older
/// runtimes answer with an error.
constexpr int kAgentInfoMemoryAvail = 0xA015;

}  // namespace kreplay::hsa
