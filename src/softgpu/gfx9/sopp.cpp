// SOPP: program control. Source: "Vega" ISA manual, section "SOPP Instructions".
#include <cstdio>

#include "gfx9/scalar_op.hpp"

namespace softgpu::gfx9 {
namespace {

void no_operation(Wave&, const Inst&, Env&) {}
void s_endpgm(Wave&, const Inst&, Env& env) { env.stop = Stop::end; }
void branch_if(Wave& w, const Inst& i, bool taken) {
  if (taken) w.pc += static_cast<uint64_t>(int64_t{i.imm} * 4);
}
void s_branch(Wave& w, const Inst& i, Env&) { branch_if(w, i, true); }
void s_cbranch_scc0(Wave& w, const Inst& i, Env&) { branch_if(w, i, !w.scc); }
void s_cbranch_scc1(Wave& w, const Inst& i, Env&) { branch_if(w, i, w.scc != 0); }
void s_cbranch_vccz(Wave& w, const Inst& i, Env&) { branch_if(w, i, w.vcc() == 0); }
void s_cbranch_vccnz(Wave& w, const Inst& i, Env&) { branch_if(w, i, w.vcc() != 0); }
void s_cbranch_execz(Wave& w, const Inst& i, Env&) { branch_if(w, i, w.exec() == 0); }
void s_cbranch_execnz(Wave& w, const Inst& i, Env&) { branch_if(w, i, w.exec() != 0); }
void s_barrier(Wave&, const Inst&, Env& env) { env.stop = Stop::barrier; }
/// Sleeps 64 clocks per unit; the wave is set aside and others run.
void s_sleep(Wave&, const Inst& i, Env& env) {
  env.extra_cycles += 64u * (static_cast<uint32_t>(i.imm) & 0x7f);
  env.stop = Stop::yield;
}
void s_sendmsg(Wave&, const Inst&, Env& env) {
  if (env.host->interrupt) env.host->interrupt();
}
void s_trap(Wave&, const Inst& i, Env& env) {
  char text[64];
  std::snprintf(text, sizeof text, "s_trap %d: the kernel asked to be stopped", i.imm & 0xff);
  env.raise(FaultKind::trap, text);
}
void s_icache_inv(Wave&, const Inst&, Env& env) {
  env.code_stale = true;
  env.stop = Stop::yield;
}
void s_set_gpr_idx_off(Wave& w, const Inst&, Env&) { w.mode &= ~mode_bit::gpr_idx_en; }
void s_set_gpr_idx_mode(Wave& w, const Inst& i, Env&) {
  uint32_t& m0 = w.sgpr[sgpr_no::m0];
  m0 = (m0 & ~0xf000u) | (static_cast<uint32_t>(i.imm) & 0xf) << 12;
}

constexpr ScalarOp row(uint16_t opcode, const char* mnemonic, ExecFn exec, Cost cost = Cost::salu) {
  return {{opcode, mnemonic}, exec, cost, 0, 0, {}, nullptr};
}
constexpr ScalarOp branch(uint16_t opcode, const char* mnemonic, ExecFn exec) {
  return row(opcode, mnemonic, exec, Cost::branch);
}
/// Waits, hints and counters that mean nothing when every instruction completes in order.
constexpr ScalarOp nothing(uint16_t opcode, const char* mnemonic) {
  return row(opcode, mnemonic, no_operation, Cost::salu);
}
constexpr ScalarOp refused(uint16_t opcode, const char* mnemonic, const char* why) {
  return {{opcode, mnemonic}, nullptr, Cost::salu, 0, 0, {}, why};
}

enum : unsigned { kSetHalt = 0x0d, kSetKill = 0x0b, kSendMsg = 0x10, kTrap = 0x12 };
constexpr ScalarOp kSoppOps[] = {
    nothing(0x00, "s_nop"),
    row(0x01, "s_endpgm", s_endpgm),
    branch(0x02, "s_branch", s_branch),
    nothing(0x03, "s_wakeup"),  // a sleeping wave is only set aside, it wakes by itself
    branch(0x04, "s_cbranch_scc0", s_cbranch_scc0),
    branch(0x05, "s_cbranch_scc1", s_cbranch_scc1),
    branch(0x06, "s_cbranch_vccz", s_cbranch_vccz),
    branch(0x07, "s_cbranch_vccnz", s_cbranch_vccnz),
    branch(0x08, "s_cbranch_execz", s_cbranch_execz),
    branch(0x09, "s_cbranch_execnz", s_cbranch_execnz),
    row(0x0a, "s_barrier", s_barrier),
    nothing(kSetKill, "s_setkill"),
    nothing(0x0c, "s_waitcnt"),
    nothing(kSetHalt, "s_sethalt"),
    row(0x0e, "s_sleep", s_sleep),
    nothing(0x0f, "s_setprio"),
    row(kSendMsg, "s_sendmsg", s_sendmsg),
    refused(0x11, "s_sendmsghalt", "halting a wave needs a debugger"),
    row(kTrap, "s_trap", s_trap),
    row(0x13, "s_icache_inv", s_icache_inv),
    nothing(0x14, "s_incperflevel"),
    nothing(0x15, "s_decperflevel"),
    nothing(0x16, "s_ttracedata"),       // no thread trace is ever active
    nothing(0x17, "s_cbranch_cdbgsys"),  // the debug conditions are always false
    nothing(0x18, "s_cbranch_cdbguser"),
    nothing(0x19, "s_cbranch_cdbgsys_or_user"),
    nothing(0x1a, "s_cbranch_cdbgsys_and_user"),
    row(0x1b, "s_endpgm_saved", s_endpgm),
    row(0x1c, "s_set_gpr_idx_off", s_set_gpr_idx_off),
    row(0x1d, "s_set_gpr_idx_mode", s_set_gpr_idx_mode),
    refused(0x1e, "s_endpgm_ordered_ps_done", "no graphics pipeline"),
};
static_assert(sorted_by_opcode(kSoppOps));

}  // namespace

bool decode_sopp(const uint32_t* dw, DecodeContext& ctx, Inst& out) {
  constexpr unsigned kMsgInterrupt = 1, kTrapDebug = 3;
  const unsigned opcode = dw[0] >> 16 & 0x7f, simm16 = dw[0] & 0xffff;
  if (!begin_scalar(ctx, out, Family::sopp, "SOPP", opcode, find_row(kSoppOps, opcode))) return false;
  out.imm = static_cast<int16_t>(simm16);
  switch (opcode) {
    case kSetKill:
    case kSetHalt:
      if (simm16 & 1) return ctx.refuse("%s %u: not emulated", out.op->mnemonic, simm16);
      return true;
    case kSendMsg:
      if (simm16 != kMsgInterrupt) return ctx.refuse("s_sendmsg: message 0x%x is not emulated", simm16);
      return true;
    case kTrap:
      if ((simm16 & 0xff) == kTrapDebug) out.exec = no_operation;  // debugtrap without a debugger
      return true;
    default:
      return true;
  }
}

void visit_sopp(const OpVisitor& visitor) { visit_rows(visitor, Family::sopp, kSoppOps); }

}  // namespace softgpu::gfx9
