// PM4 indirect buffers: the little that ROCr sends through a vendor packet on an AQL queue.
#pragma once

#include <cstdint>
#include <string>

#include "cp/engine.hpp"
#include "cp/memory_access.hpp"

namespace softgpu::cp {

struct Pm4Result {
  bool invalidate_code = false;      ///< caches were told to drop instructions
  std::string error;                 ///< not empty: the buffer is malformed; nothing behind that point ran
  std::optional<AccessFault> fault;  ///< the buffer is not mapped
};

/// Runs `dwords` of PM4 at `buffer`. Unknown type-3 packets are skipped by their count with a warning that
/// names the opcode: skipping is what keeps the stream in step, the warning is what keeps it honest.
Pm4Result run_pm4(const EngineContext& context, GpuVa buffer, uint32_t dwords);

}  // namespace softgpu::cp
