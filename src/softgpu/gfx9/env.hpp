// What a wave runs in, beside its own registers: device figures, LDS, memory access, counters, and the way an
// executor says that the wave cannot simply go on. One Env per Grid (that is, per queue thread).
#pragma once

#include <cstdint>

#include "gfx9/counts.hpp"
#include "gfx9/fault.hpp"
#include "gfx9/grid.hpp"
#include "gfx9/inst.hpp"
#include "gfx9/wave.hpp"

namespace softgpu::gfx9 {

class MemoryAccess;
struct Workgroup;
struct Gws;

/// Why the run loop leaves a wave after an instruction.
enum class Stop : uint8_t {
  none,
  yield,    ///< s_sleep: set aside, may go on in the next round
  barrier,  ///< arrived at s_barrier
  gws,      ///< waits until the generation of Env::gws_resource changes
  end,
  fault,
};

/// The private segment of the wave that runs. Byte o of lane l lies at
/// base + (o / 4) * 256 + l * 4 + o % 4.
struct ScratchSlot {
  uint64_t base = 0;        ///< GPU address of the slot; 0 if the wave has none
  uint32_t lane_bytes = 0;  ///< bytes per lane
};

struct Env {
  const DeviceConfig* config = nullptr;
  const GridHost* host = nullptr;
  MemoryAccess* memory = nullptr;
  Workgroup* workgroup = nullptr;  ///< of the wave that runs: LDS, barrier
  Gws* gws = nullptr;
  ScratchSlot scratch;
  Stop stop = Stop::none;
  bool code_stale = false;  ///< s_icache_inv was executed
  uint8_t gws_resource = 0;
  uint32_t mxcsr = 0;  ///< what the host FP control register holds now; fpenv.hpp
  Fault fault;

  uint64_t start_ticks = 0;   ///< device clock (100 MHz) at the start of the grid
  uint64_t unit_cycles = 0;   ///< done by the compute unit before this workgroup started
  uint64_t wave_cycles = 0;   ///< of the wave that runs, by the cost model (costs.hpp)
  uint64_t extra_cycles = 0;  ///< added to wave_cycles at the end of the instruction's quantum: s_sleep
  uint64_t bytes_loaded = 0;  ///< by the whole grid, LDS not counted
  uint64_t bytes_stored = 0;
  uint64_t lds_bytes = 0;        ///< read or written
  UnitCounts* counts = nullptr;  ///< of the compute unit the wave runs on; null: nobody counts

  /// EXEC as one 32-bit mask per lane; valid for exec_mask_key only. Use lanes.hpp: exec_lane_mask().
  uint64_t exec_mask_key = 0;
  alignas(64) uint32_t exec_mask[kLanes] = {};

  /// Engine cycles since the start of the grid, as the wave sees them.
  GFX9_INLINE uint64_t progress_cycles() const { return unit_cycles + wave_cycles; }

  /// Ends the wave with a fault. pc, dwords and mnemonic are filled in by the run loop. Keeps the first.
  void raise(FaultKind kind, const char* text);
  void raise_memory(uint64_t address, bool write, const char* text);
};

}  // namespace softgpu::gfx9
