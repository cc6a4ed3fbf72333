// DS ops that move data between lanes and touch no memory. Source: "Vega" ISA manual, DS_SWIZZLE_B32,
// DS_PERMUTE_B32, DS_BPERMUTE_B32.
#include <bit>
#include <cstring>

#include "gfx9/ds.hpp"
#include "gfx9/lane_access.hpp"

namespace softgpu::gfx9 {
namespace {

uint32_t reverse5(uint32_t v) { return (v & 1) << 4 | (v & 2) << 2 | (v & 4) | (v & 8) >> 2 | (v & 16) >> 4; }

/// The lane that lane l reads.
unsigned swizzle_source(uint32_t offset, unsigned l) {
  const uint32_t group = l & 0x20, i = l & 0x1f, low = offset & 0x1f;
  if (offset >= 0xe000) {  // FFT order: bit-reversed above the bits of the mask
    return ((reverse5(i) >> std::popcount(low)) | (i & low)) | group;
  }
  if (offset >= 0xc000) {  // rotation of the bits outside the mask
    const uint32_t amount = offset >> 5 & 0x1f, rotate = (offset >> 10 & 1) ? 0u - amount : amount;
    return (i & low) | ((i + rotate) & ~low & 0x1f) | group;
  }
  if (offset & 0x8000) return (l & ~3u) | (offset >> (2 * (l & 3)) & 3);  // any lane of the quad
  return (((i & low) | (offset >> 5 & 0x1f)) ^ (offset >> 10 & 0x1f)) | group;
}

void write_active(Wave& w, unsigned reg, const uint32_t* value) {
  for_lanes(w.exec(), [&](unsigned l) { w.vgpr[reg][l] = value[l]; });
}

}  // namespace

void ds_swizzle_b32(Wave& w, const Inst& i, Env&) {
  uint32_t value[kLanes];
  for (unsigned l = 0; l < kLanes; ++l) {
    const unsigned from = swizzle_source(static_cast<uint32_t>(i.imm), l);
    value[l] = w.lane_active(from) ? w.vgpr[i.src[0]][from] : 0;
  }
  write_active(w, i.dst, value);
}

/// Each active lane sends to lane (address + offset) / 4; of several senders the highest wins.
void ds_permute_b32(Wave& w, const Inst& i, Env&) {
  uint32_t value[kLanes] = {};
  for_lanes(w.exec(), [&](unsigned l) {
    value[(w.vgpr[i.src[0]][l] + static_cast<uint32_t>(i.imm)) / 4 % kLanes] = w.vgpr[i.src[1]][l];
  });
  write_active(w, i.dst, value);
}

/// Each lane reads from lane (address + offset) / 4; inactive lanes give 0.
void ds_bpermute_b32(Wave& w, const Inst& i, Env&) {
  uint32_t value[kLanes];
  for (unsigned l = 0; l < kLanes; ++l) {
    const unsigned from = (w.vgpr[i.src[0]][l] + static_cast<uint32_t>(i.imm)) / 4 % kLanes;
    value[l] = w.lane_active(from) ? w.vgpr[i.src[1]][from] : 0;
  }
  write_active(w, i.dst, value);
}

}  // namespace softgpu::gfx9
