#pragma once

#include "gfx9/inst.hpp"

namespace gfx9_test {

inline const char* family_name(softgpu::gfx9::Family family) {
  static constexpr const char* kNames[] = {"sop1", "sop2",   "sopk",    "sopc",  "sopp",  "smem",   "vop1",
                                           "vop2", "vop3",   "vopc",    "vop3p", "mfma",  "vintrp", "ds",
                                           "flat", "global", "scratch", "mubuf", "mtbuf", "mimg",   "exp"};
  return kNames[static_cast<unsigned>(family)];
}

}  // namespace gfx9_test
