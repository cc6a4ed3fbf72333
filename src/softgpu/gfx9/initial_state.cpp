#include "gfx9/initial_state.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>

namespace softgpu::gfx9 {
namespace {

constexpr uint32_t kMaxWorkgroupItems = 1024;
constexpr uint32_t kMaxLdsBytes = 65536;

bool bad(Fault& fault, std::string text) {
  fault.kind = FaultKind::bad_dispatch;
  fault.text = std::move(text);
  return false;
}

/// Fills SGPRs in order; values that do not fit into the file are dropped, as a descriptor cannot ask for it.
class SgprWriter {
 public:
  explicit SgprWriter(Wave& wave) : wave_(wave) {}
  void dword(uint32_t value) {
    if (next_ < sgpr_no::flat_scratch) wave_.sgpr[next_++] = value;
  }
  void qword(uint64_t value) {
    dword(static_cast<uint32_t>(value));
    dword(static_cast<uint32_t>(value >> 32));
  }
  void seek(unsigned next) { next_ = next; }

 private:
  Wave& wave_;
  unsigned next_ = 0;
};

void init_sgprs(Wave& wave, const GridDispatch& d, const KernelDescriptor& kernel,
                const WorkgroupShape& shape, uint32_t wave_index, uint32_t scratch_offset) {
  SgprWriter s(wave);
  const auto has = [&](unsigned bit) { return (kernel.properties >> bit & 1) != 0; };
  if (has(0)) {
    for (const uint32_t dword : d.scratch_descriptor) s.dword(dword);
  }
  if (has(1)) s.qword(d.packet.value);
  if (has(2)) s.qword(d.queue.value);
  if (has(3)) s.qword(d.kernarg.value);
  if (has(4)) s.qword(d.dispatch_id);
  if (has(5)) s.qword(d.scratch_base.value);
  if (has(6)) s.dword(d.private_segment_bytes);
  s.seek(kernel.user_sgprs());
  for (unsigned axis = 0; axis < 3; ++axis) {
    if (kernel.rsrc2 >> (7 + axis) & 1) s.dword(shape.id[axis]);
  }
  // Workgroup info: first wave flag in bit 31, number of waves in 5:0.
  if (kernel.rsrc2 >> 10 & 1) s.dword(uint32_t{wave_index == 0} << 31 | shape.waves());
  if (kernel.wants_scratch_offset()) s.dword(scratch_offset);
}

void init_vgprs(Wave& wave, const DeviceConfig& config, const KernelDescriptor& kernel,
                const WorkgroupShape& shape, uint32_t wave_index) {
  const unsigned allocated = std::min(kernel.vgprs(config), kVgprs);
  // On gfx90a the accumulation registers are the upper part of the same allocation.
  if (config.gfx_target_version == 90010) {
    std::memset(wave.vgpr, 0, sizeof wave.vgpr);
  } else {
    std::memset(wave.vgpr, 0, size_t{std::max(allocated, 4u)} * sizeof wave.vgpr[0]);
  }
  const uint32_t first = wave_index * kLanes, last = std::min(first + kLanes, shape.items());
  uint32_t x = first % shape.size[0], y = first / shape.size[0] % shape.size[1],
           z = first / (shape.size[0] * shape.size[1]);
  const unsigned ids = kernel.rsrc2 >> 11 & 3;
  for (uint32_t item = first; item < last; ++item) {
    const uint32_t lane = item - first;
    if (config.gfx_target_version == 90010) {
      wave.vgpr[0][lane] = x | y << 10 | z << 20;
    } else {
      wave.vgpr[0][lane] = x;
      if (ids >= 1) wave.vgpr[1][lane] = y;
      if (ids >= 2) wave.vgpr[2][lane] = z;
    }
    if (++x < shape.size[0]) continue;
    x = 0;
    if (++y < shape.size[1]) continue;
    y = 0;
    ++z;
  }
  const uint32_t lanes = last - first;
  wave.set_exec(lanes == kLanes ? ~uint64_t{0} : (uint64_t{1} << lanes) - 1);
}

}  // namespace

bool read_descriptor(const GridDispatch& dispatch, MemoryAccess& memory, KernelDescriptor& out,
                     Fault& fault) {
  const uint64_t va = dispatch.kernel_object.value;
  const std::byte* host = memory.resolve(va, 64, false);
  if (!host) {
    fault.kind = FaultKind::memory_violation;
    fault.address = va;
    fault.text = fmt::format("kernel object 0x{:x} is not mapped", va);
    return false;
  }
  int64_t entry_offset;
  std::memcpy(&entry_offset, host + 16, 8);
  std::memcpy(&out.rsrc3, host + 44, 4);
  std::memcpy(&out.rsrc1, host + 48, 4);
  std::memcpy(&out.rsrc2, host + 52, 4);
  std::memcpy(&out.properties, host + 56, 2);
  out.entry = va + static_cast<uint64_t>(entry_offset);
  return true;
}

uint64_t workgroup_count(const GridDispatch& d) {
  uint64_t count = 1;
  for (unsigned axis = 0; axis < 3; ++axis) {
    count *= (uint64_t{d.grid_size[axis]} + d.workgroup_size[axis] - 1) / d.workgroup_size[axis];
  }
  return count;
}

WorkgroupShape workgroup_shape(const GridDispatch& d, uint64_t index) {
  WorkgroupShape shape{};
  for (unsigned axis = 0; axis < 3; ++axis) {
    const uint64_t size = d.workgroup_size[axis], grid = d.grid_size[axis], groups = (grid + size - 1) / size;
    shape.id[axis] = static_cast<uint32_t>(index % groups);
    index /= groups;
    shape.size[axis] = static_cast<uint32_t>(std::min(size, grid - shape.id[axis] * size));
  }
  return shape;
}

bool check_dispatch(const GridDispatch& d, const KernelDescriptor& kernel, Fault& fault) {
  uint64_t items = 1;
  for (unsigned axis = 0; axis < 3; ++axis) {
    if (d.workgroup_size[axis] == 0 || d.grid_size[axis] == 0) {
      return bad(fault, fmt::format("dispatch: axis {} has workgroup size {} and grid size {}", axis,
                                    d.workgroup_size[axis], d.grid_size[axis]));
    }
    items *= d.workgroup_size[axis];
  }
  if (items > kMaxWorkgroupItems) {
    return bad(fault,
               fmt::format("dispatch: {} work-items in a workgroup, at most {}", items, kMaxWorkgroupItems));
  }
  if (d.group_segment_bytes > kMaxLdsBytes) {
    return bad(fault,
               fmt::format("dispatch: {} bytes of LDS, at most {}", d.group_segment_bytes, kMaxLdsBytes));
  }
  if (d.private_segment_bytes > 0) {
    const uint64_t waves = (items + kLanes - 1) / kLanes;
    if (d.private_segment_bytes > d.scratch_lane_bytes) {
      return bad(fault, fmt::format("dispatch: {} bytes of scratch per lane, the queue has {}",
                                    d.private_segment_bytes, d.scratch_lane_bytes));
    }
    if (waves > d.scratch_waves) {
      return bad(fault,
                 fmt::format("dispatch: {} waves in a workgroup, scratch for {}", waves, d.scratch_waves));
    }
  }
  if (kernel.entry % 4 != 0)
    return bad(fault, fmt::format("kernel entry 0x{:x} is not aligned", kernel.entry));
  return true;
}

void init_wave(Wave& wave, const DeviceConfig& config, const GridDispatch& dispatch,
               const KernelDescriptor& kernel, const WorkgroupShape& shape, uint32_t wave_index,
               uint32_t scratch_offset) {
  std::memset(wave.sgpr, 0, sizeof wave.sgpr);
  wave.pc = kernel.entry;
  wave.scc = 0;
  wave.trapsts = 0;
  wave.mode = (kernel.rsrc1 >> 12 & 0xff) | ((kernel.rsrc1 >> 21 & 1) ? mode_bit::dx10_clamp : 0) |
              ((kernel.rsrc1 >> 23 & 1) ? mode_bit::ieee : 0) |
              ((kernel.rsrc1 >> 26 & 1) ? mode_bit::fp16_ovfl : 0);
  init_vgprs(wave, config, kernel, shape, wave_index);
  init_sgprs(wave, dispatch, kernel, shape, wave_index, scratch_offset);
}

}  // namespace softgpu::gfx9
