// Attributes of agents that runtimes newer than the build headers (5.2.3) know. Source: the public header of
// ROCr 6.4.
#pragma once

#include <hsa/hsa.h>

#include <cstring>

namespace kreplay::hsa {

/// HSA_AMD_AGENT_INFO_MEMORY_AVAIL, uint64_t: bytes that are free in all global pools of the agent. Older
/// runtimes answer with an error.
constexpr int kAgentInfoMemoryAvail = 0xA015;

/// Whether an attribute is it. The enumeration of the build headers has no room for the number, so it is read
/// as the integer it is.
inline bool is_memory_avail(const hsa_agent_info_t& attribute) {
  int number = 0;
  static_assert(sizeof(number) == sizeof(attribute));
  std::memcpy(&number, &attribute, sizeof(number));
  return number == kAgentInfoMemoryAvail;
}

}  // namespace kreplay::hsa
