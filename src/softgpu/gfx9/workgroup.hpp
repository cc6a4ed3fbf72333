// What the waves of one workgroup share.
#pragma once

#include <cstddef>
#include <cstdint>

namespace softgpu::gfx9 {

struct Workgroup {
  uint32_t id[3] = {};
  uint32_t waves = 0;         ///< waves it was started with
  uint32_t alive = 0;         ///< waves that have not ended
  uint32_t at_barrier = 0;    ///< waves waiting in s_barrier
  uint32_t lds_bytes = 0;     ///< allocated: group segment rounded up to 512
  std::byte* lds = nullptr;   ///< lds_bytes bytes, zero at the start
  uint32_t compute_unit = 0;  ///< that the cost model runs it on, as a place among the queue's
  uint64_t start_cycles = 0;  ///< cycles this compute unit had done when the workgroup started
};

}  // namespace softgpu::gfx9
