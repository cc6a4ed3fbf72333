#include "gfx9/valu_decode.hpp"

#include "gfx9/valu_modifiers.hpp"

namespace softgpu::gfx9::GFX9_LANES_NS {
namespace {

constexpr unsigned kVgprsPerWave = 256;
constexpr unsigned kScreenPartition = 0x37;  // VOP1: a lookup of the graphics pipeline's tables

OperandType operand_type(Ty ty) {
  switch (ty) {
    case Ty::f16:
    case Ty::pkf16:
      return OperandType::f16;
    case Ty::b64:
    case Ty::b128:
    case Ty::mask:
      return OperandType::b64;
    case Ty::i64:
      return OperandType::i64;
    case Ty::f64:
      return OperandType::f64;
    default:
      return OperandType::b32;
  }
}

bool is_half_operand(Ty ty) { return ty == Ty::b16 || ty == Ty::f16; }

/// Puts the implicit operands of short encodings in place: the old destination of mac, VCC of carry ops.
void set_implicit_sources(const ValuOp& op, Inst& out) {
  if ((op.accepts & accept::dst_src2) != 0) {
    out.kind[2] = SrcKind::vgpr;
    out.src[2] = out.dst;
  } else if (op.src[2] == Ty::mask) {
    out.kind[2] = SrcKind::sgpr;
    out.src[2] = sgpr_no::vcc;
  }
}

bool decode_sdwa(uint32_t word, DecodeContext& ctx, const ValuOp& op, Inst& out, bool vopc, bool two) {
  if ((op.accepts & accept::sdwa) == 0) return ctx.refuse("%s: does not take SDWA", op.mnemonic);
  out.enc = Enc::sdwa;
  const auto src = [&](unsigned n, unsigned value, bool scalar) {
    return set_row_source(ctx, op, out, n, scalar ? value : selector::vgpr0 + value, nullptr);
  };
  if (!src(0, word & 0xff, (word >> 23 & 1) != 0)) return false;
  out.sdwa.src_sel[0] = static_cast<uint8_t>(word >> 16 & 7);
  out.sdwa.src_sext[0] = (word >> 19 & 1) != 0;
  out.neg = static_cast<uint8_t>(word >> 20 & 1);
  out.abs = static_cast<uint8_t>(word >> 21 & 1);
  if (two) {
    out.sdwa.src_sel[1] = static_cast<uint8_t>(word >> 24 & 7);
    out.sdwa.src_sext[1] = (word >> 27 & 1) != 0;
    out.neg |= static_cast<uint8_t>((word >> 28 & 1) << 1);
    out.abs |= static_cast<uint8_t>((word >> 29 & 1) << 1);
  }
  if (vopc) {
    if ((word >> 15 & 1) != 0 && !set_scalar_dst(ctx, out.sdst, word >> 8 & 0x7f, 2)) return false;
  } else {
    out.sdwa.dst_sel = static_cast<uint8_t>(word >> 8 & 7);
    out.sdwa.dst_unused = static_cast<uint8_t>(word >> 11 & 3);
    out.clamp = (word >> 13 & 1) != 0;
    out.omod = static_cast<uint8_t>(word >> 14 & 3);
    if (out.sdwa.dst_unused == 3) return ctx.refuse("%s: SDWA dst_unused 3 is reserved", op.mnemonic);
  }
  if (out.sdwa.dst_sel == 7 || out.sdwa.src_sel[0] == 7 || out.sdwa.src_sel[1] == 7) {
    return ctx.refuse("%s: SDWA select 7 is reserved", op.mnemonic);
  }
  for (unsigned n = 0; n < 2; ++n) {
    if (out.sdwa.src_sext[n] && is_float(op.src[n])) {
      return ctx.refuse("%s: SDWA sext on the float source %u", op.mnemonic, n);
    }
  }
  return true;
}

bool decode_dpp(uint32_t word, DecodeContext& ctx, const ValuOp& op, Inst& out) {
  const bool wide = (op.accepts & accept::dpp64) != 0 && ctx.gfx90a();
  if ((op.accepts & accept::dpp) == 0 && !wide) return ctx.refuse("%s: does not take DPP", op.mnemonic);
  out.enc = Enc::dpp;
  out.dpp.ctrl = static_cast<uint16_t>(word >> 8 & 0x1ff);
  if (!dpp_ctrl_valid(out.dpp.ctrl, ctx.gfx90a())) {
    return ctx.refuse("%s: DPP control 0x%03x is reserved", op.mnemonic, out.dpp.ctrl);
  }
  if (wide && !is_row_newbcast(out.dpp.ctrl)) {
    return ctx.refuse("%s: with 64-bit operands DPP is row_newbcast only", op.mnemonic);
  }
  if ((word >> 17 & 3) != 0) return ctx.refuse("%s: reserved DPP bits 18:17 are set", op.mnemonic);
  out.dpp.bound_ctrl = (word >> 19 & 1) != 0;
  out.neg = static_cast<uint8_t>((word >> 20 & 1) | (word >> 22 & 1) << 1);
  out.abs = static_cast<uint8_t>((word >> 21 & 1) | (word >> 23 & 1) << 1);
  out.dpp.bank_mask = static_cast<uint8_t>(word >> 24 & 15);
  out.dpp.row_mask = static_cast<uint8_t>(word >> 28 & 15);
  return set_row_source(ctx, op, out, 0, selector::vgpr0 + (word & 0xff), nullptr);
}

/// Source 0 of a short encoding with its extra dword: literal, SDWA or DPP.
bool decode_src0(const uint32_t* dw, DecodeContext& ctx, const ValuOp& op, Inst& out, bool vopc, bool two) {
  const unsigned sel = dw[0] & 0x1ff;
  out.size_dwords = 1;
  if (sel != selector::sdwa && sel != selector::dpp && sel != selector::literal) {
    return set_row_source(ctx, op, out, 0, sel, nullptr);
  }
  if (ctx.available < 2) return ctx.refuse("%s: runs past the end of mapped memory", op.mnemonic);
  out.size_dwords = 2;
  if (sel == selector::sdwa) return decode_sdwa(dw[1], ctx, op, out, vopc, two);
  if (sel == selector::dpp) return decode_dpp(dw[1], ctx, op, out);
  return set_row_source(ctx, op, out, 0, sel, &dw[1]);
}
/// Source 1 of a short encoding (an SGPR only by SDWA's S1 bit).
bool decode_src1(const uint32_t* dw, DecodeContext& ctx, const ValuOp& op, Inst& out) {
  const unsigned vsrc1 = dw[0] >> 9 & 0xff;
  const bool scalar = out.enc == Enc::sdwa && (dw[1] >> 31) != 0;
  return set_row_source(ctx, op, out, 1, scalar ? vsrc1 : selector::vgpr0 + vsrc1, nullptr);
}

/// v_madmk/v_madak: the literal is source 1 or 2.
bool decode_mad_literal(const uint32_t* dw, DecodeContext& ctx, const ValuOp& op, Inst& out, bool mk) {
  if (ctx.available < 2) return ctx.refuse("%s: runs past the end of mapped memory", op.mnemonic);
  const unsigned sel = dw[0] & 0x1ff, vsrc1 = selector::vgpr0 + (dw[0] >> 9 & 0xff);
  if (sel == selector::sdwa || sel == selector::dpp) return ctx.refuse("%s: no SDWA or DPP", op.mnemonic);
  out.size_dwords = 2;
  return set_row_source(ctx, op, out, 0, sel, &dw[1]) &&
         set_row_source(ctx, op, out, mk ? 1 : 2, selector::literal, &dw[1]) &&
         set_row_source(ctx, op, out, mk ? 2 : 1, vsrc1, nullptr);
}

bool unknown(DecodeContext& ctx, const char* family, unsigned opcode) {
  return ctx.refuse("unknown %s opcode 0x%x", family, opcode);
}

}  // namespace

const ValuOp* find_row(OpTable table, unsigned opcode, const DecodeContext& ctx) {
  const uint8_t bit = ctx.gfx90a() ? target::gfx90a : ctx.has_dl_insts() ? target::gfx906 : target::gfx900;
  for (const ValuOp& row : table) {
    if (row.opcode == opcode && (row.targets & bit) != 0) return &row;
  }
  return nullptr;
}

bool set_row_source(DecodeContext& ctx, const ValuOp& op, Inst& out, unsigned n, unsigned sel,
                    const uint32_t* literal) {
  const Ty ty = op.src[n];
  if (!set_source(ctx, out, n, sel, operand_type(ty), literal)) return false;
  if (ty == Ty::mask && out.kind[n] != SrcKind::sgpr && out.kind[n] != SrcKind::constant) {
    return ctx.refuse("%s: source %u must be a scalar lane mask", op.mnemonic, n);
  }
  const unsigned dwords = ty == Ty::mask ? 2 : dwords_of(ty);
  if (out.kind[n] == SrcKind::vgpr && out.src[n] + dwords > kVgprsPerWave) {
    return ctx.refuse("%s: source %u, v%u, has no room for %u registers", op.mnemonic, n, out.src[n], dwords);
  }
  if (out.kind[n] == SrcKind::sgpr && out.src[n] + dwords > 128) {
    return ctx.refuse("%s: source %u, s%u, has no room for %u registers", op.mnemonic, n, out.src[n], dwords);
  }
  return true;
}

bool set_row_dst(DecodeContext& ctx, const ValuOp& op, Inst& out, unsigned vgpr) {
  if (vgpr + dwords_of(op.dst) > kVgprsPerWave) {
    return ctx.refuse("%s: v%u has no room for %u registers", op.mnemonic, vgpr, dwords_of(op.dst));
  }
  out.dst = static_cast<uint16_t>(vgpr);
  return true;
}

bool finish(DecodeContext& ctx, const ValuOp& op, Inst& out) {
  for (unsigned n = 0; n < 3; ++n) {
    if (((out.neg | out.abs) >> n & 1) == 0) continue;
    const bool implied = n == 2 && (op.accepts & accept::dst_src2) != 0;  // not encoded, so has no modifiers
    if (implied || (op.accepts & accept::neg) == 0 || (op.mod_srcs >> n & 1) == 0 || op.src[n] == Ty::none) {
      return ctx.refuse("%s: neg or abs on source %u is not accepted", op.mnemonic, n);
    }
  }
  if (out.omod != 0 && (op.accepts & accept::omod) == 0) {
    return ctx.refuse("%s: omod is not accepted", op.mnemonic);
  }
  if (out.clamp && (op.accepts & accept::clamp) == 0) {
    return ctx.refuse("%s: clamp is not accepted", op.mnemonic);
  }
  if (out.op_sel != 0) {
    if ((op.accepts & accept::op_sel) == 0) return ctx.refuse("%s: op_sel is not accepted", op.mnemonic);
    for (unsigned n = 0; n < 3; ++n) {
      if ((out.op_sel >> n & 1) != 0 && !is_half_operand(op.src[n])) {
        return ctx.refuse("%s: op_sel on source %u is not accepted", op.mnemonic, n);
      }
    }
    if ((out.op_sel & 8) != 0 && !is_half_operand(op.dst)) {
      return ctx.refuse("%s: op_sel on the result is not accepted", op.mnemonic);
    }
  }
  const bool general = out.has_modifiers() || out.enc == Enc::sdwa || out.enc == Enc::dpp ||
                       out.op_sel != 0 || ((op.accepts & accept::op_sel) != 0 && is_half_operand(op.dst));
  out.op = &op;
  out.cost = op.cost;
  out.exec = general ? op.general : op.plain;
  return true;
}

bool decode_vop1(const uint32_t* dw, DecodeContext& ctx, Inst& out) {
  const unsigned opcode = dw[0] >> 9 & 0xff;
  const ValuOp* op = find_row(vop1_table(), opcode, ctx);
  if (opcode == kScreenPartition) return ctx.refuse("v_screen_partition_4se_b32: no graphics pipeline");
  if (!op) return unknown(ctx, "VOP1", opcode);
  out.family = Family::vop1;
  const unsigned vdst = dw[0] >> 17 & 0xff;
  if (op->src[0] == Ty::none) {  // v_nop, v_clrexcp
    if (vdst != 0 || (dw[0] & 0x1ff) != 0) return ctx.refuse("%s: operand fields are set", op->mnemonic);
    out.size_dwords = 1;
    return finish(ctx, *op, out);
  }
  if (op->dst == Ty::none) {  // v_readfirstlane_b32
    if (!set_scalar_dst(ctx, out.dst, vdst, 1)) return false;
  } else if (!set_row_dst(ctx, *op, out, vdst)) {
    return false;
  }
  return decode_src0(dw, ctx, *op, out, false, false) && finish(ctx, *op, out);
}

bool decode_vop2(const uint32_t* dw, DecodeContext& ctx, Inst& out) {
  const unsigned opcode = dw[0] >> 25;
  const ValuOp* op = find_row(vop2_table(), opcode, ctx);
  if (!op) return unknown(ctx, "VOP2", opcode);
  out.family = Family::vop2;
  out.sdst = sgpr_no::vcc;
  if (!set_row_dst(ctx, *op, out, dw[0] >> 17 & 0xff)) return false;
  if (opcode == 0x17 || opcode == 0x18 || opcode == 0x24 || opcode == 0x25) {
    const bool mk = opcode == 0x17 || opcode == 0x24;
    return decode_mad_literal(dw, ctx, *op, out, mk) && finish(ctx, *op, out);
  }
  if (!decode_src0(dw, ctx, *op, out, false, true) || !decode_src1(dw, ctx, *op, out)) return false;
  set_implicit_sources(*op, out);
  return finish(ctx, *op, out);
}

bool decode_vopc(const uint32_t* dw, DecodeContext& ctx, Inst& out) {
  const unsigned opcode = dw[0] >> 17 & 0xff;
  const ValuOp* op = find_row(vopc_table(), opcode, ctx);
  if (!op) return unknown(ctx, "VOPC", opcode);
  out.family = Family::vopc;
  out.sdst = sgpr_no::vcc;
  return decode_src0(dw, ctx, *op, out, true, true) && decode_src1(dw, ctx, *op, out) &&
         finish(ctx, *op, out);
}

bool decode_vop3(const uint32_t* dw, DecodeContext& ctx, Inst& out) {
  const unsigned opcode = dw[0] >> 16 & 0x3ff;
  out.size_dwords = 2;
  out.enc = Enc::e64;
  const ValuOp* op = nullptr;
  if (opcode < 0x100) {
    out.family = Family::vopc;
    op = find_row(vopc_table(), opcode, ctx);
  } else if (opcode < 0x140) {
    out.family = Family::vop2;
    op = find_row(vop2_table(), opcode - 0x100, ctx);
  } else if (opcode < 0x1c0) {
    if (opcode == 0x140 + kScreenPartition) {
      return ctx.refuse("v_screen_partition_4se_b32: no graphics pipeline");
    }
    out.family = Family::vop1;
    op = find_row(vop1_table(), opcode - 0x140, ctx);
  } else {
    out.family = Family::vop3;
    if (opcode >= 0x270 && opcode <= 0x277) return ctx.refuse("v_interp: no graphics pipeline");
    op = find_row(vop3_table(), opcode, ctx);
  }
  if (!op) return unknown(ctx, "VOP3", opcode);
  if (out.family != Family::vop3 && (op->accepts & accept::e64) == 0) {
    return ctx.refuse("%s: has no VOP3 form", op->mnemonic);
  }
  const unsigned vdst = dw[0] & 0xff;
  const bool carry = op->mask_result && op->dst != Ty::none;  // VOP3B
  out.clamp = (dw[0] >> 15 & 1) != 0;
  if (carry) {
    if (!set_scalar_dst(ctx, out.sdst, dw[0] >> 8 & 0x7f, 2)) return false;
  } else {
    out.abs = static_cast<uint8_t>(dw[0] >> 8 & 7);
    out.op_sel = static_cast<uint8_t>(dw[0] >> 11 & 15);
  }
  out.omod = static_cast<uint8_t>(dw[1] >> 27 & 3);
  out.neg = static_cast<uint8_t>(dw[1] >> 29 & 7);
  if (op->src[0] == Ty::none) {  // v_nop, v_clrexcp
    if (vdst != 0 || dw[1] != 0) return ctx.refuse("%s: operand fields are set", op->mnemonic);
    return finish(ctx, *op, out);
  }
  if (op->mask_result && op->dst == Ty::none) {
    if (!set_scalar_dst(ctx, out.sdst, vdst, 2)) return false;
  } else if (op->dst == Ty::none) {  // v_readlane_b32
    if (!set_scalar_dst(ctx, out.dst, vdst, 1)) return false;
  } else if (!set_row_dst(ctx, *op, out, vdst)) {
    return false;
  }
  const bool implicit2 = (op->accepts & accept::dst_src2) != 0;
  const unsigned encoded = op->sources() - (implicit2 ? 1 : 0);
  for (unsigned n = 0; n < 3; ++n) {
    const unsigned sel = dw[1] >> (9 * n) & 0x1ff;
    if (n >= encoded) {
      if (sel != 0) return ctx.refuse("%s: unused source field %u is set", op->mnemonic, n);
      continue;
    }
    if (sel == selector::sdwa || sel == selector::dpp) {
      return ctx.refuse("%s: source %u: no SDWA or DPP", op->mnemonic, n);
    }
    if (!set_row_source(ctx, *op, out, n, sel, nullptr)) return false;
  }
  if (implicit2) set_implicit_sources(*op, out);
  return finish(ctx, *op, out);
}

bool decode_vop3p(const uint32_t* dw, DecodeContext& ctx, Inst& out) {
  const unsigned opcode = dw[0] >> 16 & 0x7f;
  const ValuOp* op = find_row(vop3p_table(), opcode, ctx);
  if (!op) return unknown(ctx, "VOP3P", opcode);
  out.family = Family::vop3p;
  out.enc = Enc::e64;
  out.size_dwords = 2;
  out.abs = static_cast<uint8_t>(dw[0] >> 8 & 7);  // neg_hi
  out.clamp = (dw[0] >> 15 & 1) != 0;
  out.neg = static_cast<uint8_t>(dw[1] >> 29 & 7);
  const uint8_t sel_lo = static_cast<uint8_t>(dw[0] >> 11 & 7);
  const uint8_t sel_hi = static_cast<uint8_t>((dw[1] >> 27 & 3) | (dw[0] >> 14 & 1) << 2);
  if (!set_row_dst(ctx, *op, out, dw[0] & 0xff)) return false;
  for (unsigned n = 0; n < 3; ++n) {
    const unsigned sel = dw[1] >> (9 * n) & 0x1ff;
    if (n >= op->sources()) {
      if (sel != 0) return ctx.refuse("%s: unused source field %u is set", op->mnemonic, n);
      continue;
    }
    if (sel == selector::sdwa || sel == selector::dpp) {
      return ctx.refuse("%s: source %u: no SDWA or DPP", op->mnemonic, n);
    }
    if (!set_row_source(ctx, *op, out, n, sel, nullptr)) return false;
    // Inline constants of a mixed-precision source are halves if the source is one.
    const bool half = op->kind->select == Select::precision && (sel_hi >> n & 1) != 0;
    if (half && !set_source(ctx, out, n, sel, OperandType::f16, nullptr)) return false;
  }
  const unsigned used = (1u << op->sources()) - 1;
  if ((op->accepts & accept::pk_sel) != 0) {
    out.op_sel = sel_lo;
    out.op_sel_hi = sel_hi;
  } else if (sel_lo != 0 || (sel_hi & used) != used) {
    return ctx.refuse("%s: op_sel is not accepted", op->mnemonic);
  }
  const uint8_t sel = out.op_sel;
  out.op_sel = 0;
  if (!finish(ctx, *op, out)) return false;
  out.op_sel = sel;
  out.exec = op->general;
  return true;
}

}  // namespace softgpu::gfx9::GFX9_LANES_NS
