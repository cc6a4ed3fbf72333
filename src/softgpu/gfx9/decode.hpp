// From instruction words to Inst: which family, how long, which op. Each family has one decode function.
#pragma once

#include <cstdint>

#include "gfx9/grid.hpp"
#include "gfx9/inst.hpp"

namespace softgpu::gfx9 {

struct ValuHooks;

/// What a family's decode function works with.
struct DecodeContext {
  const DeviceConfig* config = nullptr;
  const ValuHooks* valu = nullptr;  ///< the build of the lane code to use (valu.hpp)
  uint64_t pc = 0;
  unsigned available = 0;  ///< dwords readable at dw
  char reason[120] = {};   ///< why it was refused; decode() adds PC and dwords

  /// Refuses the instruction. @return false, so that a decoder can `return ctx.refuse(...)`.
  [[gnu::format(printf, 2, 3)]] bool refuse(const char* format, ...);
  bool gfx90a() const { return config->gfx_target_version == 90010; }
  /// gfx906 and later: v_fmac_f32, v_dot*, v_xnor_b32.
  bool has_dl_insts() const { return config->gfx_target_version >= 90006; }
};

/// Decodes the instruction at dw[0..]. On success fills `out` completely, exec, op, size_dwords, family and
/// cost included. @return false after ctx.refuse()
using DecodeFn = bool (*)(const uint32_t* dw, DecodeContext& ctx, Inst& out);

/// Called for each row of a family's op table (tests match them against an assembler).
struct OpVisitor {
  void (*fn)(void* user, Family family, const OpInfo& op);
  void* user;
  void operator()(Family family, const OpInfo& op) const { fn(user, family, op); }
};
using VisitFn = void (*)(const OpVisitor& visitor);

struct FamilyHooks {
  DecodeFn decode = nullptr;
  VisitFn visit = nullptr;
};

/// Entry: any family. Fills ctx.reason and returns false if the words are not an instruction we know.
bool decode(const uint32_t* dw, DecodeContext& ctx, Inst& out);
/// All rows of all op tables.
void visit_ops(const OpVisitor& visitor);

bool decode_sop1(const uint32_t* dw, DecodeContext& ctx, Inst& out);
bool decode_sop2(const uint32_t* dw, DecodeContext& ctx, Inst& out);
bool decode_sopk(const uint32_t* dw, DecodeContext& ctx, Inst& out);
bool decode_sopc(const uint32_t* dw, DecodeContext& ctx, Inst& out);
bool decode_sopp(const uint32_t* dw, DecodeContext& ctx, Inst& out);
bool decode_smem(const uint32_t* dw, DecodeContext& ctx, Inst& out);
bool decode_ds(const uint32_t* dw, DecodeContext& ctx, Inst& out);
bool decode_flat(const uint32_t* dw, DecodeContext& ctx, Inst& out);
bool decode_mubuf(const uint32_t* dw, DecodeContext& ctx, Inst& out);
bool decode_mfma(const uint32_t* dw, DecodeContext& ctx, Inst& out);
/// Whether a VOP3P word is a matrix instruction of this target.
bool is_mfma(const uint32_t* dw, const DecodeContext& ctx);
void visit_sop1(const OpVisitor& visitor);
void visit_sop2(const OpVisitor& visitor);
void visit_sopk(const OpVisitor& visitor);
void visit_sopc(const OpVisitor& visitor);
void visit_sopp(const OpVisitor& visitor);
void visit_smem(const OpVisitor& visitor);
void visit_ds(const OpVisitor& visitor);
void visit_flat(const OpVisitor& visitor);
void visit_mubuf(const OpVisitor& visitor);
void visit_mfma(const OpVisitor& visitor);

/// Vector ALU families of one build of the lane code (valu.hpp).
struct ValuHooks {
  FamilyHooks vop1, vop2, vop3, vopc, vop3p;
};

}  // namespace softgpu::gfx9
