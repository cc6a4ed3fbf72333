#include "gfx9/hwreg.hpp"

#include "gfx9/workgroup.hpp"

namespace softgpu::gfx9 {
namespace {

enum HwReg : unsigned {
  kMode = 1,
  kStatus = 2,
  kTrapsts = 3,
  kHwId = 4,
  kLdsAlloc = 6,
  kIbSts = 7,
  kShMemBases = 15
};

uint32_t status(const Wave& w, const Env& env) {
  constexpr uint32_t kValid = 1u << 16;
  return w.scc | uint32_t{w.exec() == 0} << 9 | uint32_t{w.vcc() == 0} << 10 |
         uint32_t{env.workgroup->waves > 1} << 11 | kValid;
}

}  // namespace

bool hwreg_readable(unsigned id) {
  switch (id) {
    case kMode:
    case kStatus:
    case kTrapsts:
    case kHwId:
    case kLdsAlloc:
    case kIbSts:
    case kShMemBases:
      return true;
    default:
      return false;
  }
}

bool hwreg_writable(unsigned id) { return id == kMode || id == kTrapsts; }

uint32_t read_hwreg(const Wave& w, const Env& env, HwRegField field) {
  uint32_t value = 0;
  switch (field.id) {
    case kMode:
      value = w.mode;
      break;
    case kStatus:
      value = status(w, env);
      break;
    case kTrapsts:
      value = w.trapsts;
      break;
    case kHwId:
      value = w.hw_id;
      break;
    // LDS_SIZE, bits 20:12, in units of 128 dwords; every workgroup's LDS starts at 0 here.
    case kLdsAlloc:
      value = (env.workgroup->lds_bytes / 512) << 12;
      break;
    case kIbSts:
      value = 0;
      break;  // no memory operation is ever outstanding
    case kShMemBases:
      value = static_cast<uint32_t>(env.config->lds_aperture >> 48) << 16 |
              static_cast<uint32_t>(env.config->scratch_aperture >> 48);
      break;
    default:
      break;
  }
  return value >> field.offset & field.mask();
}

bool write_hwreg(Wave& w, HwRegField field, uint32_t value) {
  const uint32_t mask = field.mask() << field.offset;
  const uint32_t bits = value << field.offset & mask;
  if (field.id == kTrapsts) {
    w.trapsts = (w.trapsts & ~mask) | bits;
    return true;
  }
  const uint32_t mode = (w.mode & ~mask) | bits;
  if (mode & mode_bit::vskip) return false;
  w.mode = mode;
  return true;
}

}  // namespace softgpu::gfx9
