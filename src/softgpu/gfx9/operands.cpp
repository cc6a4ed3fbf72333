#include "gfx9/operands.hpp"

namespace softgpu::gfx9 {
namespace {

/// 240..248 in half, single and double precision: +-0.5, +-1, +-2, +-4, 1/(2 pi).
constexpr uint16_t kHalf[] = {0x3800, 0xb800, 0x3c00, 0xbc00, 0x4000, 0xc000, 0x4400, 0xc400, 0x3118};
constexpr uint32_t kSingle[] = {0x3f000000, 0xbf000000, 0x3f800000, 0xbf800000, 0x40000000,
                                0xc0000000, 0x40800000, 0xc0800000, 0x3e22f983};
constexpr uint64_t kDouble[] = {0x3fe0000000000000, 0xbfe0000000000000, 0x3ff0000000000000,
                                0xbff0000000000000, 0x4000000000000000, 0xc000000000000000,
                                0x4010000000000000, 0xc010000000000000, 0x3fc45f306dc9c882};

bool is_64bit(OperandType type) {
  return type == OperandType::b64 || type == OperandType::i64 || type == OperandType::f64;
}

uint64_t literal_bits(uint32_t dword, OperandType type) {
  switch (type) {
    case OperandType::i64:
      return static_cast<uint64_t>(int64_t{static_cast<int32_t>(dword)});
    case OperandType::f64:
      return uint64_t{dword} << 32;
    default:
      return dword;
  }
}

}  // namespace

bool inline_constant(unsigned sel, OperandType type, uint64_t& bits) {
  if (sel >= 128 && sel <= 208) {
    const int64_t value = sel <= 192 ? int64_t{sel} - 128 : 192 - int64_t{sel};
    bits = static_cast<uint64_t>(value);
    if (!is_64bit(type)) bits &= 0xffffffffu;
    return true;
  }
  if (sel >= 240 && sel <= 248) {
    const unsigned n = sel - 240;
    if (is_64bit(type)) {
      bits = kDouble[n];
    } else if (type == OperandType::f16) {
      bits = kHalf[n];
    } else {
      bits = kSingle[n];
    }
    return true;
  }
  return false;
}

bool set_source(DecodeContext& ctx, Inst& out, unsigned n, unsigned sel, OperandType type,
                const uint32_t* literal) {
  const bool wide = is_64bit(type);
  if (sel >= selector::vgpr0) {
    out.kind[n] = SrcKind::vgpr;
    out.src[n] = static_cast<uint16_t>(sel - selector::vgpr0);
    return true;
  }
  if (sel < 128) {
    if (sel >= 108 && sel <= 123) return ctx.refuse("source %u: trap register ttmp%u", n, sel - 108);
    if (sel == 125) return ctx.refuse("source %u: reserved selector 125", n);
    out.kind[n] = SrcKind::sgpr;
    out.src[n] = static_cast<uint16_t>(sel);
    return true;
  }
  out.kind[n] = SrcKind::constant;
  if (inline_constant(sel, type, out.konst[n])) return true;
  const uint64_t lds = ctx.config->lds_aperture, scratch = ctx.config->scratch_aperture;
  switch (sel) {
    // The apertures are 64-bit values; a 32-bit read gives the low half (the base's is 0).
    case 235:
      out.konst[n] = wide ? lds : lds & 0xffffffffu;
      return true;
    case 236:
      out.konst[n] = wide ? lds | 0xffffffffu : 0xffffffffu;
      return true;
    case 237:
      out.konst[n] = wide ? scratch : scratch & 0xffffffffu;
      return true;
    case 238:
      out.konst[n] = wide ? scratch | 0xffffffffu : 0xffffffffu;
      return true;
    case 251:
      out.kind[n] = SrcKind::vccz;
      return true;
    case 252:
      out.kind[n] = SrcKind::execz;
      return true;
    case 253:
      out.kind[n] = SrcKind::scc;
      return true;
    case selector::literal:
      if (!literal) return ctx.refuse("source %u: a literal is not allowed in this encoding", n);
      out.konst[n] = literal_bits(*literal, type);
      return true;
    default:
      return ctx.refuse("source %u: reserved selector %u", n, sel);
  }
}

bool set_scalar_dst(DecodeContext& ctx, uint16_t& reg, unsigned sel, unsigned dwords) {
  if (sel >= 128 || sel == 125 || (sel >= 108 && sel <= 123)) {
    return ctx.refuse("scalar destination %u is reserved", sel);
  }
  const unsigned last = sel + dwords - 1;
  if (last >= 128 || (sel <= 107 && last >= 108) || (sel == 124 && dwords > 1)) {
    return ctx.refuse("scalar destination %u has no room for %u registers", sel, dwords);
  }
  reg = static_cast<uint16_t>(sel);
  return true;
}

}  // namespace softgpu::gfx9
