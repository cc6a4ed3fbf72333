#include "replay/packet_memory.hpp"

#include <cstring>
#include <vector>

#include "base/log.hpp"
#include "device/pools.hpp"
#include "replay/thread_state.hpp"

namespace kreplay::replay {

PacketMemory::PacketMemory(const hsa::HsaApi& api, hsa_agent_t agent) : api_(api), agent_(agent) {
  const OursScope ours;
  std::vector<hsa_agent_t> agents;
  (void)device::list_agents(api, agents);
  for (const hsa_agent_t each : agents) {
    if (device::type_of(api, each) != HSA_DEVICE_TYPE_CPU) continue;
    std::vector<device::Pool> pools;
    (void)device::list_pools(api, each, pools);
    for (const device::Pool& pool : pools) {
      if (!pool.allocatable) continue;
      if (pool.kernarg() && output_.handle == 0) output_ = pool.pool();
      if (pool.fine() && !pool.kernarg() && commands_.handle == 0) commands_ = pool.pool();
    }
  }
  if (commands_.handle == 0) commands_ = output_;
  if (output_.handle == 0) output_ = commands_;
}

void* PacketMemory::allocate(uint64_t bytes, Use use) noexcept {
  const OursScope ours;  // not the application's: not tracked
  const hsa_amd_memory_pool_t pool = use == Use::output ? output_ : commands_;
  void* memory = nullptr;
  if (pool.handle == 0 || api_.hsa_amd_memory_pool_allocate(pool, bytes, 0, &memory) != HSA_STATUS_SUCCESS)
    return nullptr;
  const hsa_status_t allowed = api_.hsa_amd_agents_allow_access(1, &agent_, nullptr, memory);
  if (allowed != HSA_STATUS_SUCCESS) {
    log::warn("services", "agent 0x{:x} gets no access to memory for packets (0x{:x})", agent_.handle,
              static_cast<unsigned>(allowed));
    release(memory);
    return nullptr;
  }
  std::memset(memory, 0, bytes);
  return memory;
}

void PacketMemory::release(void* memory) noexcept {
  const OursScope ours;
  (void)api_.hsa_amd_memory_pool_free(memory);
}

}  // namespace kreplay::replay
