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

/// Shader registers that belong to a queue and matter here.
struct QueueRegisters {
  bool count_kernels = false;  ///< COMPUTE_PERFCOUNT_ENABLE
};

/// Runs `dwords` of PM4 at `buffer`. Unknown type-3 packets are skipped by their count with a warning that
/// names the opcode: skipping is what keeps the stream in step, the warning is what keeps it honest.
/// A counter, an event or a mode of the performance monitor that is not emulated is an error: a number would
/// look like a measurement.
Pm4Result run_pm4(const EngineContext& context, QueueRegisters& registers, GpuVa buffer, uint32_t dwords);

}  // namespace softgpu::cp
