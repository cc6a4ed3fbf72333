// Memory for the packets of services: host memory that the agent reaches, from the runtime's own functions,
// so that no window saves or restores it.
#pragma once

#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>

#include <cstdint>

#include "hsa/hsa_api.hpp"
#include "tool_api/services/kernel_run.hpp"

namespace kreplay::replay {

class PacketMemory final : public tool_api::PacketMemory {
 public:
  PacketMemory(const hsa::HsaApi& api, hsa_agent_t agent);

  void* allocate(uint64_t bytes, Use use) noexcept override;
  void release(void* memory) noexcept override;

 private:
  const hsa::HsaApi& api_;
  const hsa_agent_t agent_;
  hsa_amd_memory_pool_t commands_ = {0};  ///< fine-grained memory of a CPU
  hsa_amd_memory_pool_t output_ = {0};    ///< its kernarg pool, or the same
};

}  // namespace kreplay::replay
