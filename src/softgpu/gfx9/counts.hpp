// What performance counters are made of: per compute unit, what its waves executed. Kept only while a grid is
// asked to count (GridDispatch::count).
#pragma once

#include <cstdint>

namespace softgpu::gfx9 {

/// Classes of wave instructions that counters tell apart. An atomic that returns the old value reads, one
/// that does not writes.
enum class InstClass : uint8_t {
  internal,  ///< s_nop, s_waitcnt, s_barrier, s_endpgm and the like: no instruction for a counter
  valu,
  mfma,
  salu,
  smem,
  branch,
  sendmsg,
  lds,
  gds,
  buffer_load,
  buffer_store,
  buffer_atomic_read,
  buffer_atomic_write,
  global_load,  ///< GLOBAL and SCRATCH
  global_store,
  global_atomic_read,
  global_atomic_write,
  flat_load,  ///< FLAT proper, segment 0
  flat_store,
  flat_atomic_read,
  flat_atomic_write,
  count,
};
constexpr unsigned kInstClasses = static_cast<unsigned>(InstClass::count);

struct UnitCounts {
  uint32_t unit = 0;  ///< number on the device
  uint64_t workgroups = 0;
  uint64_t waves = 0;
  uint64_t items = 0;                  ///< sum of the initial EXEC populations
  uint64_t waves_below[4] = {};        ///< initial EXEC below 64, 48, 32, 16
  uint64_t busy_cycles = 0;            ///< by the cost model
  uint64_t wave_cycles = 0;            ///< sum over waves
  uint64_t valu_thread_cycles = 0;     ///< issue cycles / 4 times population of EXEC
  uint64_t flat_lds_only = 0;          ///< FLAT whose active lanes all fell into the LDS aperture
  uint64_t insts[kInstClasses] = {};   ///< whatever EXEC held
  uint64_t cycles[kInstClasses] = {};  ///< issue cycles

  uint64_t of(InstClass c) const { return insts[static_cast<unsigned>(c)]; }
};

}  // namespace softgpu::gfx9
