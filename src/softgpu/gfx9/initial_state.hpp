// From a dispatch to the registers its waves start with. Source: LLVM AMDGPU usage, "Initial Kernel Execution
// State" and "Kernel Descriptor".
#pragma once

#include <cstdint>

#include "gfx9/env.hpp"
#include "gfx9/grid.hpp"
#include "gfx9/memory_access.hpp"

namespace softgpu::gfx9 {

/// The parts of a kernel descriptor the initial state depends on.
struct KernelDescriptor {
  uint64_t entry = 0;  ///< address of the first instruction
  uint32_t rsrc1 = 0, rsrc2 = 0, rsrc3 = 0;
  uint16_t properties = 0;

  unsigned user_sgprs() const { return rsrc2 >> 1 & 0x1f; }
  bool wants_scratch_offset() const { return (rsrc2 & 1) != 0; }
  /// VGPRs a wave gets: granules of 4, on gfx90a of 8.
  unsigned vgprs(const DeviceConfig& config) const {
    return ((rsrc1 & 0x3f) + 1) * (config.gfx_target_version == 90010 ? 8 : 4);
  }
};

/// Reads the descriptor at dispatch.kernel_object. @return false with `fault` set if it is not mapped
bool read_descriptor(const GridDispatch& dispatch, MemoryAccess& memory, KernelDescriptor& out, Fault& fault);

/// A workgroup's size after cutting it to the grid, in work-items.
struct WorkgroupShape {
  uint32_t id[3];
  uint32_t size[3];
  uint32_t items() const { return size[0] * size[1] * size[2]; }
  uint32_t waves() const { return (items() + kLanes - 1) / kLanes; }
};
/// @param index linear workgroup index, x fastest
WorkgroupShape workgroup_shape(const GridDispatch& dispatch, uint64_t index);
uint64_t workgroup_count(const GridDispatch& dispatch);

/// Refuses what the device does not have: sizes, LDS, scratch. @return false with `fault` set
bool check_dispatch(const GridDispatch& dispatch, const KernelDescriptor& kernel, Fault& fault);

/// Sets every architected register of wave `wave_index` of a workgroup. VGPRs the kernel allocated start at
/// 0.
/// @param scratch_offset of the wave's slot from dispatch.scratch_base
void init_wave(Wave& wave, const DeviceConfig& config, const GridDispatch& dispatch,
               const KernelDescriptor& kernel, const WorkgroupShape& shape, uint32_t wave_index,
               uint32_t scratch_offset);

}  // namespace softgpu::gfx9
