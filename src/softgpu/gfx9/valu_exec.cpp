// Executors that work for every row: plain operands, neg/abs/omod/clamp, op_sel, SDWA, DPP and packed halves.
// An op itself never sees EXEC or a modifier.
#include "gfx9/valu_modifiers.hpp"
#include "gfx9/valu_row.hpp"

namespace softgpu::gfx9::GFX9_LANES_NS {
namespace {

constexpr unsigned kMaxSourceDwords = 4;

FpCtx context(const Wave& w, const ValuOp& op) { return op.ctx ? make_fp_ctx(w) : FpCtx{}; }

/// Result of a kernel that could not write the register directly.
struct alignas(64) Output {
  uint32_t v[kMaxSourceDwords * kLanes];
};

}  // namespace

void exec_plain(Wave& w, const Inst& i, Env& env) {
  const ValuOp& op = row_of(i);
  enter_fp(env, w, op.fp);
  const FpCtx fp = context(w, op);
  alignas(64) uint32_t tmp[3][kMaxSourceDwords * kLanes];
  const uint32_t* s[3] = {};
  for (unsigned n = 0; n < 3 && op.src[n] != Ty::none; ++n) s[n] = fetch(w, i, n, op.src[n], tmp[n]);
  const uint64_t exec = w.exec();
  uint64_t bits;
  if (op.dst == Ty::none || exec == kAllLanes) {
    bits = op.kernel(op.dst == Ty::none ? nullptr : w.vgpr[i.dst], s[0], s[1], s[2], fp);
  } else {
    Output out;
    bits = op.kernel(out.v, s[0], s[1], s[2], fp);
    blend(w, i.dst, dwords_of(op.dst), out.v, exec_lane_mask(env, exec));
  }
  if (op.mask_result) w.set_s64(i.sdst, bits & exec);
}

void exec_general(Wave& w, const Inst& i, Env& env) {
  const ValuOp& op = row_of(i);
  enter_fp(env, w, op.fp);
  const FpCtx fp = context(w, op);
  alignas(64) uint32_t tmp[3][kMaxSourceDwords * kLanes];
  const uint32_t* s[3] = {};
  uint64_t active = w.exec();
  for (unsigned n = 0; n < 3 && op.src[n] != Ty::none; ++n) {
    s[n] = fetch(w, i, n, op.src[n], tmp[n]);
    if (op.src[n] == Ty::mask) continue;
    if (i.enc == Enc::dpp && n == 0) {
      alignas(64) uint32_t moved[kLanes];
      const uint32_t* from = s[0];
      for (unsigned j = 0; j < dwords_of(op.src[0]); ++j) {
        active = dpp_move(i.dpp, w.exec(), from + j * kLanes, moved);
        GFX9_LANE_LOOP for (unsigned l = 0; l < kLanes; ++l) tmp[0][j * kLanes + l] = moved[l];
      }
      s[0] = tmp[0];
    }
    if (i.enc == Enc::sdwa && n < 2) s[n] = sdwa_select(i.sdwa, n, s[n], tmp[n]);
    if ((i.op_sel >> n & 1) != 0) s[n] = high_half(s[n], tmp[n]);
    if (((i.neg | i.abs) >> n & 1) != 0) {
      s[n] = negate(op.src[n], (i.neg >> n & 1) != 0, (i.abs >> n & 1) != 0, s[n], tmp[n]);
    }
  }
  Output out;
  const Kernel kernel = i.clamp && op.sat ? op.sat : op.kernel;
  const uint64_t bits = kernel(out.v, s[0], s[1], s[2], fp);
  if (op.mask_result) w.set_s64(i.sdst, bits & active);
  if (op.dst == Ty::none) return;
  if (is_float(op.dst)) {
    if (i.omod != 0) apply_omod(w, op.dst, i.omod, out.v);
    if (i.clamp) apply_clamp(w, op.dst, out.v);
  }
  const uint32_t* m = active == w.exec() ? exec_lane_mask(env, active) : nullptr;
  alignas(64) uint32_t dpp_mask[kLanes];
  if (!m) {
    expand_mask(active, dpp_mask);
    m = dpp_mask;
  }
  if (i.enc == Enc::sdwa) sdwa_merge(i.sdwa, w.vgpr[i.dst], out.v);
  if ((op.accepts & accept::op_sel) != 0 && is_16bit(op.dst)) {
    merge_half(i.op_sel >> 3 & 1, w.vgpr[i.dst], out.v);
  }
  blend(w, i.dst, dwords_of(op.dst), out.v, m);
}

void exec_packed(Wave& w, const Inst& i, Env& env) {
  const ValuOp& op = row_of(i);
  enter_fp(env, w, op.fp);
  const FpCtx fp = context(w, op);
  alignas(64) uint32_t tmp[3][2 * kLanes];
  const uint32_t* s[3] = {};
  for (unsigned n = 0; n < 3 && op.src[n] != Ty::none; ++n) {
    s[n] = fetch(w, i, n, op.src[n], tmp[n]);
    const bool lo = (i.op_sel >> n & 1) != 0;
    const bool hi = ((op.kind->select == Select::one_of_each ? i.op_sel : i.op_sel_hi) >> n & 1) != 0;
    const bool neg_lo = (i.neg >> n & 1) != 0, neg_hi = (i.abs >> n & 1) != 0;
    if (op.src[n] == Ty::pkf32) {
      s[n] = select_dwords(lo, hi, neg_lo, neg_hi, s[n], tmp[n]);
    } else if (op.src[n] == Ty::pk16 || op.src[n] == Ty::pkf16) {
      s[n] = select_halves(lo, hi, neg_lo, neg_hi, s[n], tmp[n]);
    } else if (neg_lo) {
      s[n] = negate(op.src[n], true, false, s[n], tmp[n]);
    }
  }
  Output out;
  const Kernel kernel = i.clamp && op.sat ? op.sat : op.kernel;
  kernel(out.v, s[0], s[1], s[2], fp);
  if (i.clamp && !op.sat) apply_clamp(w, op.dst, out.v);
  blend(w, i.dst, dwords_of(op.dst), out.v, exec_lane_mask(env, w.exec()));
}

}  // namespace softgpu::gfx9::GFX9_LANES_NS
