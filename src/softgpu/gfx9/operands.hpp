// Operand selectors of the scalar and vector encodings: decoding (selector + type -> Inst) and reading.
#pragma once

#include <cstdint>

#include "gfx9/decode.hpp"
#include "gfx9/env.hpp"
#include "gfx9/inst.hpp"
#include "gfx9/wave.hpp"

namespace softgpu::gfx9 {

namespace selector {
constexpr unsigned sdwa = 249, dpp = 250, literal = 255, vgpr0 = 256;
}

/// Sets source n of `out` from a 9-bit selector (0..511; 256.. are VGPRs; an 8-bit SSRC is the same without
/// VGPRs). A literal is taken from `literal` (nullptr: refused, as in 64-bit encodings).
/// @return false after ctx.refuse(): reserved selector, trap registers, or literal not allowed
bool set_source(DecodeContext& ctx, Inst& out, unsigned n, unsigned sel, OperandType type,
                const uint32_t* literal);
/// Checks a scalar destination selector (7 bit) of `dwords` registers and returns it in `reg`.
/// @return false after ctx.refuse()
bool set_scalar_dst(DecodeContext& ctx, uint16_t& reg, unsigned sel, unsigned dwords);
/// True if the 9-bit selector means "a literal dword follows".
constexpr bool is_literal(unsigned sel) { return sel == selector::literal; }

/// Bits of an inline constant selector 128..208 and 240..248 in the operand's type. Source: "Vega" ISA
/// manual, "Scalar operands". @return false if the selector is not an inline constant
bool inline_constant(unsigned sel, OperandType type, uint64_t& bits);

/// A scalar (broadcast) source as 32 bits. Only for kinds other than vgpr.
GFX9_INLINE uint32_t read_scalar32(const Wave& w, const Inst& i, unsigned n) {
  switch (i.kind[n]) {
    case SrcKind::sgpr:
      return w.sgpr[i.src[n]];
    case SrcKind::vccz:
      return w.vcc() == 0;
    case SrcKind::execz:
      return w.exec() == 0;
    case SrcKind::scc:
      return w.scc;
    default:
      return static_cast<uint32_t>(i.konst[n]);
  }
}
/// A scalar (broadcast) source as 64 bits.
GFX9_INLINE uint64_t read_scalar64(const Wave& w, const Inst& i, unsigned n) {
  switch (i.kind[n]) {
    case SrcKind::sgpr:
      return w.s64(i.src[n]);
    case SrcKind::vccz:
      return w.vcc() == 0;
    case SrcKind::execz:
      return w.exec() == 0;
    case SrcKind::scc:
      return w.scc;
    default:
      return i.konst[n];
  }
}

}  // namespace softgpu::gfx9
