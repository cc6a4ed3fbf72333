// Rows of the vector ALU op tables: what an op takes, what it returns, which modifiers it accepts, and the
// code that runs it. For lane sources only.
#pragma once

#include "gfx9/fpenv.hpp"
#include "gfx9/lane_values.hpp"
#include "gfx9/modifier_meaning.hpp"

namespace softgpu::gfx9::GFX9_LANES_NS {

/// What the host FP unit must be set to while a kernel runs.
enum class Fp : uint8_t {
  none,   ///< integer, or float values moved as bits
  f32,    ///< MODE round and denormals of single precision
  f64,    ///< MODE round and denormals of double precision
  f16,    ///< MODE round of half precision; denormals kept, halves are flushed by hand
  exact,  ///< nearest even, denormals kept, whatever MODE says
};

/// Targets a row exists on.
namespace target {
constexpr uint8_t gfx900 = 1, gfx906 = 2, gfx90a = 4;
constexpr uint8_t all = 7, dl = gfx906 | gfx90a, not_90a = gfx900 | gfx906;
}  // namespace target

struct ValuOp : OpInfo {
  Kernel kernel = nullptr;
  Kernel sat = nullptr;    ///< integer clamp
  ExecFn plain = nullptr;  ///< executor without modifiers
  ExecFn general = nullptr;
  Ty dst = Ty::none;
  Ty src[3] = {Ty::none, Ty::none, Ty::none};
  bool mask_result = false;  ///< writes one bit per lane to sdst
  bool ctx = false;          ///< kernel reads FpCtx
  Fp fp = Fp::none;
  Cost cost = Cost::valu;
  uint16_t accepts = 0;
  uint8_t targets = target::all;
  uint8_t mod_srcs = 7;                 ///< sources that take neg/abs
  const ModifierKind* kind = &kCommon;  ///< what the modifier fields mean to this op, and by which source

  constexpr unsigned sources() const {
    unsigned n = 0;
    while (n < 3 && src[n] != Ty::none) ++n;
    return n;
  }

 private:
  template <typename Fn>
  constexpr ValuOp edit(Fn fn) const {
    ValuOp copy = *this;
    fn(copy);
    return copy;
  }

 public:
  // Builders, for tables.
  constexpr ValuOp with_cost(Cost c) const {
    return edit([c](ValuOp& r) { r.cost = c; });
  }
  constexpr ValuOp on(uint8_t which) const {
    return edit([which](ValuOp& r) { r.targets = which; });
  }
  constexpr ValuOp also(uint16_t what) const {
    return edit([what](ValuOp& r) { r.accepts |= what; });
  }
  constexpr ValuOp without(uint16_t what) const {
    return edit([what](ValuOp& r) { r.accepts &= static_cast<uint16_t>(~what); });
  }
  constexpr ValuOp mods_on(uint8_t mask) const {
    return edit([mask](ValuOp& r) { r.mod_srcs = mask; });
  }
  constexpr ValuOp of(const ModifierKind& k) const {
    return edit([&k](ValuOp& r) { r.kind = &k; });
  }
  constexpr ValuOp sat_by(Kernel k) const {
    return edit([k](ValuOp& r) {
      r.sat = k;
      r.accepts |= accept::clamp;
    });
  }
};

/// True if each modifier that a row accepts has a source in the row's kind. Asserted for every table.
template <unsigned N>
constexpr bool sourced(const ValuOp (&rows)[N]) {
  for (const ValuOp& r : rows) {
    if (!r.kind->covers(r.accepts)) return false;
  }
  return true;
}

/// Generic executors, valu_exec.cpp.
void exec_plain(Wave& w, const Inst& i, Env& env);
void exec_general(Wave& w, const Inst& i, Env& env);
void exec_packed(Wave& w, const Inst& i, Env& env);

GFX9_INLINE const ValuOp& row_of(const Inst& i) { return *static_cast<const ValuOp*>(i.op); }

/// Sets the host FP unit for a kernel of class `fp`.
GFX9_INLINE void enter_fp(Env& env, const Wave& w, Fp fp) {
  switch (fp) {
    case Fp::none:
      return;
    case Fp::f32:
      return use_f32_mode(env, w);
    case Fp::f64:
      return use_f64_mode(env, w);
    case Fp::f16:
      return use_mxcsr(env, mxcsr_of(w.mode >> mode_bit::round_f64_f16_shift & 3, 3));
    case Fp::exact:
      return use_mxcsr(env, mxcsr_of(0, 3));
  }
}
GFX9_INLINE FpCtx make_fp_ctx(const Wave& w) {
  constexpr uint16_t kInf = 0x7c00, kMax = 0x7bff;
  const uint32_t d32 = w.mode >> mode_bit::denorm_f32_shift, d64 = w.mode >> mode_bit::denorm_f64_f16_shift;
  const uint32_t round = w.mode >> mode_bit::round_f64_f16_shift & 3;
  const bool ovfl = (w.mode & mode_bit::fp16_ovfl) != 0;
  FpCtx c;
  c.f32_in = d32 & 1 ? ~0u : 0x80000000u;
  c.f32_out = d32 & 2 ? ~0u : 0x80000000u;
  c.f16_in = d64 & 1 ? ~0u : 0x8000u;
  c.f16_out = d64 & 2 ? ~0u : 0x8000u;
  c.f64_in = d64 & 1 ? ~uint64_t{0} : uint64_t{1} << 63;
  c.f64_out = d64 & 2 ? ~uint64_t{0} : uint64_t{1} << 63;
  c.half_over[0] = ovfl || round == 2 || round == 3 ? kMax : kInf;
  c.half_over[1] = 0x8000u | (ovfl || round == 1 || round == 3 ? kMax : kInf);
  c.ieee = w.mode & mode_bit::ieee ? ~0u : 0u;
  c.vcc = w.vcc();
  c.nearest_f32 = (w.mode >> mode_bit::round_f32_shift & 3) == 0 ? ~0u : 0u;
  c.round_f64 = round;
  return c;
}

/// Room for one operand of k dwords per lane.
template <unsigned Dwords>
struct alignas(64) OperandLanes {
  uint32_t v[(Dwords ? Dwords : 1) * kLanes];
};

/// Source n, modifiers not applied: the registers themselves, or `tmp` filled with the scalar. `tmp` must
/// have room for the operand. A scalar of 128 bits is read from four SGPRs.
GFX9_INLINE const uint32_t* fetch(const Wave& w, const Inst& i, unsigned n, Ty ty, uint32_t* tmp) {
  if (ty == Ty::mask) {
    expand_mask(read_scalar64(w, i, n), tmp);
    return tmp;
  }
  if (i.kind[n] == SrcKind::vgpr) return w.vgpr[i.src[n]];
  if (dwords_of(ty) == 1) {
    const uint32_t value = read_scalar32(w, i, n);
    GFX9_LANE_LOOP for (unsigned l = 0; l < kLanes; ++l) tmp[l] = value;
    return tmp;
  }
  const uint64_t value = read_scalar64(w, i, n);
  uint32_t part[4] = {static_cast<uint32_t>(value), static_cast<uint32_t>(value >> 32), 0, 0};
  if (dwords_of(ty) == 4 && i.kind[n] == SrcKind::sgpr) {
    part[2] = w.sgpr[i.src[n] + 2];
    part[3] = w.sgpr[i.src[n] + 3];
  }
  for (unsigned j = 0; j < dwords_of(ty); ++j) {
    GFX9_LANE_LOOP for (unsigned l = 0; l < kLanes; ++l) tmp[j * kLanes + l] = part[j];
  }
  return tmp;
}
/// `dwords` registers from `reg` on take `value` in the lanes of mask m (one dword per lane).
GFX9_INLINE void blend(Wave& w, unsigned reg, unsigned dwords, const uint32_t* value, const uint32_t* m) {
  for (unsigned j = 0; j < dwords; ++j) {
    uint32_t* d = w.vgpr[reg + j];
    const uint32_t* v = value + j * kLanes;
    GFX9_LANE_LOOP for (unsigned l = 0; l < kLanes; ++l) d[l] = (v[l] & m[l]) | (d[l] & ~m[l]);
  }
}

/// v_accvgpr_*: moves between v0..v255 and the accumulation registers, which a Wave keeps behind them.
constexpr unsigned kAccRegisters = 256;
template <bool DstAcc, bool SrcAcc>
void exec_accvgpr(Wave& w, const Inst& i, Env& env) {
  OperandLanes<1> tmp;
  const bool acc = SrcAcc && i.kind[0] == SrcKind::vgpr;
  const uint32_t* s = acc ? w.vgpr[i.src[0] + kAccRegisters] : fetch(w, i, 0, Ty::b32, tmp.v);
  blend(w, i.dst + (DstAcc ? kAccRegisters : 0), 1, s, exec_lane_mask(env, w.exec()));
}

/// Executor with the op inlined: full EXEC writes the register directly, one pass over the lanes.
template <auto F, Fp P>
void exec_hot(Wave& w, const Inst& i, Env& env) {
  using L = Lift<F>;
  using R = typename L::Result;
  enter_fp(env, w, P);
  OperandLanes<dwords_of(L::src[0])> ta;
  OperandLanes<dwords_of(L::src[1])> tb;
  OperandLanes<dwords_of(L::src[2])> tc;
  const uint32_t* a = fetch(w, i, 0, L::src[0], ta.v);
  const uint32_t* b = L::src[1] == Ty::none ? nullptr : fetch(w, i, 1, L::src[1], tb.v);
  const uint32_t* c = L::src[2] == Ty::none ? nullptr : fetch(w, i, 2, L::src[2], tc.v);
  const FpCtx fp = L::ctx ? make_fp_ctx(w) : FpCtx{};
  const auto call = [&](unsigned l) GFX9_INLINE_LAMBDA { return L::lane(a, b, c, fp, l); };
  const uint64_t exec = w.exec();
  if constexpr (ResultType<R>::ty == Ty::none) {
    const uint64_t bits = run_lanes<R>(nullptr, call);
    w.set_s64(i.sdst, bits & exec);
  } else {
    uint32_t* d = w.vgpr[i.dst];
    uint64_t bits;
    if (exec == kAllLanes) {
      bits = run_lanes<R>(d, call);
    } else {
      constexpr unsigned kDwords = dwords_of(ResultType<R>::ty);
      alignas(64) uint32_t out[kDwords * kLanes];
      bits = run_lanes<R>(out, call);
      blend(w, i.dst, kDwords, out, exec_lane_mask(env, exec));
    }
    if constexpr (ResultType<R>::mask) w.set_s64(i.sdst, bits & exec);
  }
}

/// A row whose types and kernel come from the value function F.
template <auto F>
constexpr ValuOp row(uint16_t opcode, const char* mnemonic, Fp fp, uint16_t accepts) {
  using L = Lift<F>;
  using R = ResultType<typename L::Result>;
  ValuOp r{};
  r.opcode = opcode;
  r.mnemonic = mnemonic;
  r.kernel = kernel_of<F>;
  r.plain = exec_plain;
  r.general = exec_general;
  r.dst = R::ty;
  for (unsigned n = 0; n < 3; ++n) r.src[n] = L::src[n];
  r.mask_result = R::mask;
  r.ctx = L::ctx;
  r.fp = fp;
  r.accepts = accepts;
  return r;
}
/// The same with the op inlined into its plain executor, for ops that ordinary kernels are made of.
template <auto F, Fp P = Fp::none>
constexpr ValuOp hot(uint16_t opcode, const char* mnemonic, uint16_t accepts) {
  ValuOp r = row<F>(opcode, mnemonic, P, accepts);
  r.plain = exec_hot<F, P>;
  return r;
}
/// A row with an executor of its own that takes no modifiers.
constexpr ValuOp special(uint16_t opcode, const char* mnemonic, ExecFn exec, Ty dst, Ty src0,
                         Ty src1 = Ty::none, Ty src2 = Ty::none) {
  ValuOp r{};
  r.opcode = opcode;
  r.mnemonic = mnemonic;
  r.plain = exec;
  r.dst = dst;
  r.src[0] = src0;
  r.src[1] = src1;
  r.src[2] = src2;
  return r;
}

}  // namespace softgpu::gfx9::GFX9_LANES_NS
