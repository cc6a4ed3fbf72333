// The door of gfx9/: run one dispatched grid. Everything the command processor must tell a shader, and
// everything it learns back.
//
// Threads: one Grid per queue thread; several Grids run at once and share only Memory and the host memory
// behind it (device atomics are host atomics).
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "gfx9/counts.hpp"
#include "gfx9/cu_mask.hpp"
#include "gfx9/fault.hpp"
#include "gfx9/memory.hpp"

namespace softgpu::gfx9 {

/// Figures of the emulated device that a shader or the cost model can see.
struct DeviceConfig {
  uint32_t gfx_target_version = 90006;  ///< 90000, 90006 or 90010
  uint32_t compute_units = 8;
  uint64_t lds_aperture = 0x1000000000000ull;      ///< base; high dword 0x10000
  uint64_t scratch_aperture = 0x2000000000000ull;  ///< base; high dword 0x20000
  uint32_t clock_mhz = 1725;                       ///< engine clock of the cost model
};

/// One AQL kernel dispatch with the queue state it runs under. Sources: HSA system architecture (packet),
/// LLVM AMDGPU usage, "Initial Kernel Execution State".
struct GridDispatch {
  // from the packet
  uint16_t workgroup_size[3] = {1, 1, 1};  ///< work-items
  uint32_t grid_size[3] = {1, 1, 1};       ///< work-items
  uint32_t private_segment_bytes = 0;      ///< per work-item
  uint32_t group_segment_bytes = 0;        ///< LDS per workgroup
  GpuVa kernel_object;                     ///< 64-byte kernel descriptor
  GpuVa kernarg;
  GpuVa packet;  ///< the AQL packet in the ring (user SGPRs: dispatch pointer)
  uint64_t dispatch_id = 0;
  // from amd_queue_t
  GpuVa queue;                          ///< amd_queue_t
  uint32_t scratch_descriptor[4] = {};  ///< scratch_resource_descriptor
  GpuVa scratch_base;                   ///< scratch_backing_memory_location
  uint32_t scratch_waves = 0;           ///< waves that fit (compute_tmpring_size bits 11:0); 0 = no scratch
  uint32_t scratch_wave_bytes = 0;      ///< bytes of one wave's slot
  uint32_t scratch_lane_bytes = 0;      ///< scratch_wave64_lane_byte_size
  bool cooperative = false;             ///< all workgroups resident (GWS queue)
  CuMask compute_units;                 ///< the queue's; at least one of the device's
  uint64_t start_ticks = 0;             ///< device clock (100 MHz) at the start of the grid
  bool count = false;                   ///< fill GridStats::units
};

/// Deterministic count of what a grid did.
struct GridStats {
  uint64_t wave_instructions = 0;
  uint64_t bytes_loaded = 0;
  uint64_t bytes_stored = 0;
  uint64_t workgroups = 0;
  uint64_t waves = 0;
  uint64_t device_cycles = 0;     ///< by the cost model
  uint64_t ticks = 0;             ///< device_cycles on the 100 MHz device clock, at least 1
  std::vector<UnitCounts> units;  ///< those the queue's mask leaves; empty unless asked for
};

/// What the interpreter asks of its surroundings while a grid runs.
struct GridHost {
  const Memory* memory = nullptr;
  /// Set by another thread to end the grid early (queue destroyed). Checked every few thousand instructions.
  const std::atomic<bool>* stop = nullptr;
  /// s_sendmsg 1 (MSG_INTERRUPT): scan the event slots. May be empty.
  std::function<void()> interrupt;
  /// Called when every wave waits in s_sleep or spins; a place to yield the CPU. May be empty.
  std::function<void()> idle;
};

enum class GridEnd { completed, stopped, faulted };

struct GridResult {
  GridEnd end = GridEnd::completed;
  Fault fault;
  GridStats stats;
};

/// Runs grids, keeping its pools (waves, LDS, decoded code) from one to the next.
class Grid {
 public:
  explicit Grid(const DeviceConfig& config);
  ~Grid();
  Grid(const Grid&) = delete;
  Grid& operator=(const Grid&) = delete;

  /// Runs to the end, to a fault, or until host.stop is set. Saves and restores the floating-point
  /// environment of the calling thread.
  GridResult run(const GridDispatch& dispatch, const GridHost& host);
  /// Instruction memory may have changed (acquire fence, ACQUIRE_MEM): decode again.
  void invalidate_code();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace softgpu::gfx9
