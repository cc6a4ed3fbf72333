// SOPK: scalar ops with a 16-bit constant. Source: "Vega" ISA manual, section "SOPK Instructions".
#include "gfx9/hwreg.hpp"
#include "gfx9/scalar_op.hpp"

namespace softgpu::gfx9 {
namespace {

void s_movk_i32(Wave& w, const Inst& i, Env&) { w.sgpr[i.dst] = static_cast<uint32_t>(i.imm); }
void s_cmovk_i32(Wave& w, const Inst& i, Env&) {
  if (w.scc) w.sgpr[i.dst] = static_cast<uint32_t>(i.imm);
}
enum class Cmp { eq, lg, gt, ge, lt, le };
template <typename T, Cmp kCmp>
constexpr bool compare(T a, T b) {
  switch (kCmp) {
    case Cmp::eq:
      return a == b;
    case Cmp::lg:
      return a != b;
    case Cmp::gt:
      return a > b;
    case Cmp::ge:
      return a >= b;
    case Cmp::lt:
      return a < b;
    case Cmp::le:
      return a <= b;
  }
}
/// The constant is sign-extended for signed compares, zero-extended for unsigned ones.
template <typename T, Cmp kCmp>
void s_cmpk(Wave& w, const Inst& i, Env&) {
  const T constant = std::is_signed_v<T> ? static_cast<T>(i.imm) : static_cast<T>(i.imm & 0xffff);
  w.scc = compare<T, kCmp>(static_cast<T>(w.sgpr[i.dst]), constant);
}
void s_addk_i32(Wave& w, const Inst& i, Env&) {
  const uint32_t a = w.sgpr[i.dst], b = static_cast<uint32_t>(i.imm), sum = a + b;
  w.sgpr[i.dst] = sum;
  w.scc = (~(a ^ b) & (a ^ sum)) >> 31;
}
void s_mulk_i32(Wave& w, const Inst& i, Env&) { w.sgpr[i.dst] *= static_cast<uint32_t>(i.imm); }
void s_getreg_b32(Wave& w, const Inst& i, Env& env) {
  w.sgpr[i.dst] = read_hwreg(w, env, HwRegField(static_cast<uint32_t>(i.imm)));
}
void setreg(Wave& w, const Inst& i, Env& env, uint32_t value) {
  if (!write_hwreg(w, HwRegField(static_cast<uint32_t>(i.imm)), value)) {
    env.raise(FaultKind::illegal_instruction, "s_setreg: skipping of vector instructions is not emulated");
  }
}
void s_setreg_b32(Wave& w, const Inst& i, Env& env) { setreg(w, i, env, w.sgpr[i.dst]); }
void s_setreg_imm32_b32(Wave& w, const Inst& i, Env& env) {
  setreg(w, i, env, static_cast<uint32_t>(i.konst[0]));
}
void s_call_b64(Wave& w, const Inst& i, Env&) {
  w.set_s64(i.dst, w.pc);
  w.pc += static_cast<uint64_t>(int64_t{i.imm} * 4);
}

constexpr ScalarOp row(uint16_t opcode, const char* mnemonic, ExecFn exec, uint8_t dst_dwords = 1,
                       Cost cost = Cost::salu) {
  return {{opcode, mnemonic}, exec, cost, dst_dwords, 0, {}, nullptr};
}

constexpr unsigned kGetReg = 0x11, kSetReg = 0x12, kSetRegImm32 = 0x14;
constexpr ScalarOp kSopkOps[] = {
    row(0x00, "s_movk_i32", s_movk_i32),
    row(0x01, "s_cmovk_i32", s_cmovk_i32),
    row(0x02, "s_cmpk_eq_i32", s_cmpk<int32_t, Cmp::eq>),
    row(0x03, "s_cmpk_lg_i32", s_cmpk<int32_t, Cmp::lg>),
    row(0x04, "s_cmpk_gt_i32", s_cmpk<int32_t, Cmp::gt>),
    row(0x05, "s_cmpk_ge_i32", s_cmpk<int32_t, Cmp::ge>),
    row(0x06, "s_cmpk_lt_i32", s_cmpk<int32_t, Cmp::lt>),
    row(0x07, "s_cmpk_le_i32", s_cmpk<int32_t, Cmp::le>),
    row(0x08, "s_cmpk_eq_u32", s_cmpk<uint32_t, Cmp::eq>),
    row(0x09, "s_cmpk_lg_u32", s_cmpk<uint32_t, Cmp::lg>),
    row(0x0a, "s_cmpk_gt_u32", s_cmpk<uint32_t, Cmp::gt>),
    row(0x0b, "s_cmpk_ge_u32", s_cmpk<uint32_t, Cmp::ge>),
    row(0x0c, "s_cmpk_lt_u32", s_cmpk<uint32_t, Cmp::lt>),
    row(0x0d, "s_cmpk_le_u32", s_cmpk<uint32_t, Cmp::le>),
    row(0x0e, "s_addk_i32", s_addk_i32),
    row(0x0f, "s_mulk_i32", s_mulk_i32),
    {{0x10, "s_cbranch_i_fork"}, nullptr, Cost::salu, 2, 0, {}, "the hardware branch stack is not emulated"},
    row(kGetReg, "s_getreg_b32", s_getreg_b32),
    row(kSetReg, "s_setreg_b32", s_setreg_b32),
    row(kSetRegImm32, "s_setreg_imm32_b32", s_setreg_imm32_b32, 0),
    row(0x15, "s_call_b64", s_call_b64, 2, Cost::branch),
};
static_assert(sorted_by_opcode(kSopkOps));

}  // namespace

bool decode_sopk(const uint32_t* dw, DecodeContext& ctx, Inst& out) {
  const unsigned opcode = dw[0] >> 23 & 0x1f, dst = dw[0] >> 16 & 0x7f;
  const ScalarOp* op = find_row(kSopkOps, opcode);
  if (!begin_scalar(ctx, out, Family::sopk, "SOPK", opcode, op)) return false;
  out.imm = static_cast<int16_t>(dw[0] & 0xffff);
  const HwRegField field(dw[0] & 0xffff);
  if (opcode == kGetReg && !hwreg_readable(field.id)) {
    return ctx.refuse("s_getreg_b32: hwreg %u is not emulated", field.id);
  }
  if ((opcode == kSetReg || opcode == kSetRegImm32) && !hwreg_writable(field.id)) {
    return ctx.refuse("%s: writing hwreg %u is not emulated", op->mnemonic, field.id);
  }
  if (opcode == kSetRegImm32) {
    const uint32_t* literal;
    if (!take_literal(ctx, out, dw, true, literal)) return false;
    out.konst[0] = *literal;
  }
  return op->dst_dwords == 0 || set_scalar_dst(ctx, out.dst, dst, op->dst_dwords);
}

void visit_sopk(const OpVisitor& visitor) { visit_rows(visitor, Family::sopk, kSopkOps); }

}  // namespace softgpu::gfx9
