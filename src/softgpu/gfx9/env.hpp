// What a wave runs in, beside its own registers: device figures, LDS, memory access, and the way an executor
// says that the wave cannot simply go on. One Env per Grid (that is, per queue thread).
#pragma once

#include <cstdint>

#include "gfx9/fault.hpp"
#include "gfx9/grid.hpp"
#include "gfx9/inst.hpp"
#include "gfx9/wave.hpp"

namespace softgpu::gfx9 {

class MemoryAccess;
struct Workgroup;

/// Why the run loop leaves a wave after an instruction.
enum class Stop : uint8_t { none, yield, barrier, gws, end, fault };

struct Env {
  const DeviceConfig* config = nullptr;
  MemoryAccess* memory = nullptr;
  Workgroup* workgroup = nullptr;  ///< of the wave that runs: LDS, barrier
  Stop stop = Stop::none;
  Fault fault;
  uint64_t clock_ticks = 0;  ///< device clock at the start of this quantum, see Grid::run
  uint32_t mxcsr = 0;        ///< what the host FP control register holds now; fpenv.hpp

  /// EXEC as one 32-bit mask per lane; valid for exec_mask_key only. Use lanes.hpp: exec_lane_mask().
  uint64_t exec_mask_key = 0;
  alignas(64) uint32_t exec_mask[kLanes] = {};

  /// Ends the wave with a fault. pc, dwords and mnemonic are filled in by the run loop. Keeps the first.
  void raise(FaultKind kind, const char* text);
  void raise_memory(uint64_t address, bool write, const char* text);
};

}  // namespace softgpu::gfx9
