// DS: what its parts share. Table and loads/stores/atomics are in ds.cpp, cross-lane ops in ds_lanes.cpp,
// global wave sync in ds_gws.cpp.
#pragma once

#include "gfx9/atomics.hpp"
#include "gfx9/decode.hpp"
#include "gfx9/env.hpp"

namespace softgpu::gfx9 {

// Inst: src[0] address VGPR, src[1] and src[2] data VGPRs, dst; imm: OFFSET1:OFFSET0 as 16 bits.

/// A row without an executor is known but refused, with this reason.
struct DsOp : OpInfo {
  ExecFn exec = nullptr;
  uint8_t dst_dwords = 0;
  uint8_t data0_dwords = 0, data1_dwords = 0;
  bool gds = false;  ///< needs the GDS bit (others refuse it)
  AtomicValueFn atomic = nullptr;
  bool float_atomic = false;
  const char* refused = nullptr;
};

void ds_swizzle_b32(Wave& w, const Inst& i, Env& env);
void ds_permute_b32(Wave& w, const Inst& i, Env& env);
void ds_bpermute_b32(Wave& w, const Inst& i, Env& env);

void ds_gws_init(Wave& w, const Inst& i, Env& env);
void ds_gws_barrier(Wave& w, const Inst& i, Env& env);
void ds_gws_sema_v(Wave& w, const Inst& i, Env& env);
void ds_gws_sema_br(Wave& w, const Inst& i, Env& env);
void ds_gws_sema_p(Wave& w, const Inst& i, Env& env);
void ds_gws_sema_release_all(Wave& w, const Inst& i, Env& env);

}  // namespace softgpu::gfx9
