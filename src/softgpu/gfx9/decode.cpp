// Family and size from the first dword. Source: "Vega" ISA manual, section "Microcode formats".
#include "gfx9/decode.hpp"

#include <cstdarg>
#include <cstdio>

#include "gfx9/valu.hpp"

namespace softgpu::gfx9 {
namespace {

bool by_hooks(const FamilyHooks& hooks, const char* name, const uint32_t* dw, DecodeContext& ctx, Inst& out) {
  if (!hooks.decode) return ctx.refuse("%s instructions are not built in", name);
  return hooks.decode(dw, ctx, out);
}

/// Encodings with 6 fixed bits at 31:26 = 0b11xxxx: 64-bit formats.
bool decode_long(const uint32_t* dw, DecodeContext& ctx, Inst& out) {
  if (ctx.available < 2) return ctx.refuse("instruction runs past the end of mapped memory");
  switch (dw[0] >> 26) {
    case 0x30:
      return decode_smem(dw, ctx, out);
    case 0x31:
      return ctx.refuse("exp: no graphics pipeline");
    case 0x34:
      if (dw[0] >> 23 == 0x1a7 && is_mfma(dw, ctx)) return decode_mfma(dw, ctx, out);
      if (dw[0] >> 23 == 0x1a7) return by_hooks(ctx.valu->vop3p, "VOP3P", dw, ctx, out);
      return by_hooks(ctx.valu->vop3, "VOP3", dw, ctx, out);
    case 0x35:
      return ctx.refuse("v_interp: no graphics pipeline");
    case 0x36:
      return decode_ds(dw, ctx, out);
    case 0x37:
      return decode_flat(dw, ctx, out);
    case 0x38:
      return decode_mubuf(dw, ctx, out);
    case 0x3a:
      return ctx.refuse("mtbuf: typed buffer instructions are not emulated");
    case 0x3c:
      return ctx.refuse("mimg: image instructions are not emulated");
    default:
      return ctx.refuse("unknown encoding 0x%02x", dw[0] >> 26);
  }
}

}  // namespace

bool DecodeContext::refuse(const char* format, ...) {
  va_list args;
  va_start(args, format);
  std::vsnprintf(reason, sizeof reason, format, args);
  va_end(args);
  return false;
}

bool decode(const uint32_t* dw, DecodeContext& ctx, Inst& out) {
  out = Inst{};
  if (ctx.available < 1) return ctx.refuse("no instruction memory mapped here");
  const uint32_t first = dw[0];
  if (first >> 31 == 0) {
    const ValuHooks& valu = *ctx.valu;
    switch (first >> 25) {
      case 0x3f:
        return by_hooks(valu.vop1, "VOP1", dw, ctx, out);
      case 0x3e:
        return by_hooks(valu.vopc, "VOPC", dw, ctx, out);
      default:
        return by_hooks(valu.vop2, "VOP2", dw, ctx, out);
    }
  }
  if (first >> 30 == 2) {
    switch (first >> 23 & 0x7f) {
      case 0x7d:
        return decode_sop1(dw, ctx, out);
      case 0x7e:
        return decode_sopc(dw, ctx, out);
      case 0x7f:
        return decode_sopp(dw, ctx, out);
      default:
        break;
    }
    return (first >> 28) == 0xb ? decode_sopk(dw, ctx, out) : decode_sop2(dw, ctx, out);
  }
  return decode_long(dw, ctx, out);
}

void visit_ops(const OpVisitor& visitor) {
  visit_sop1(visitor);
  visit_sop2(visitor);
  visit_sopk(visitor);
  visit_sopc(visitor);
  visit_sopp(visitor);
  visit_smem(visitor);
  visit_ds(visitor);
  visit_flat(visitor);
  visit_mubuf(visitor);
  visit_mfma(visitor);
  const ValuHooks& valu = valu_hooks();
  for (const FamilyHooks* hooks : {&valu.vop1, &valu.vop2, &valu.vop3, &valu.vopc, &valu.vop3p}) {
    if (hooks->visit) hooks->visit(visitor);
  }
}

}  // namespace softgpu::gfx9
