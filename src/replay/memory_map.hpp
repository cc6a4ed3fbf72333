// Which pool or region belongs to whom and holds what kind of memory, asked once when replay starts; so that
// the allocation hook only looks a handle up.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "hsa/hsa_api.hpp"
#include "snapshot/extent.hpp"

namespace kreplay::replay {

struct PoolInfo {
  uint64_t agent = 0;  ///< 0 for host memory
  snapshot::MemoryClass memory_class = snapshot::MemoryClass::device_coarse;
};

/// Threads: filled by one thread before it is shared, then read only.
class MemoryMap {
 public:
  /// Lists the pools and regions of one agent.
  /// @return false when the runtime refused: allocations from unlisted pools are then unknown
  bool add_agent(const hsa::HsaApi& api, hsa_agent_t agent, bool is_gpu);
  /// Size of the largest pool of a GPU agent: its fine and coarse-grained pools are views of one memory.
  /// Bytes.
  uint64_t device_bytes(uint64_t agent) const;
  /// Null when the handle is unknown.
  const PoolInfo* find(uint64_t pool_or_region) const;

 private:
  // ROCr hands out the same handle for a pool and its region; with another runtime both are entered.
  std::unordered_map<uint64_t, PoolInfo> pools_;
  std::unordered_map<uint64_t, uint64_t> device_bytes_;  ///< by agent
};

/// Pool allocation flag: memory the agent may execute. Source: bit 2, proxy and ABI reference (K:
/// section 6.8).
constexpr uint32_t kExecutableFlag = 1u << 2;

}  // namespace kreplay::replay
