// SOP1: scalar ops with one source. Source: "Vega" ISA manual, section "SOP1 Instructions".
#include <bit>

#include "gfx9/scalar_op.hpp"

namespace softgpu::gfx9 {
namespace {

template <typename T>
constexpr T s_mov(T a) {
  return a;
}
template <typename T>
constexpr ScalarResult<T> s_not(T a) {
  return nonzero<T>(~a);
}
/// Each group of four bits becomes ones if any of them is set.
template <typename T>
constexpr ScalarResult<T> s_wqm(T a) {
  constexpr T kFirst = static_cast<T>(0x1111111111111111ull);
  const T any = (a | a >> 1 | a >> 2 | a >> 3) & kFirst;
  return nonzero<T>(any * 0xf);
}
static_assert(s_wqm<uint32_t>(0x80000120u) == ScalarResult<uint32_t>{0xf0000ff0u, true});
template <typename T>
constexpr ScalarResult<T> s_quadmask(T a) {
  T d = 0;
  for (unsigned n = 0; n < sizeof(T) * 2; ++n) d |= T{(a >> (4 * n) & 0xf) != 0} << n;
  return nonzero<T>(d);
}
template <typename T>
constexpr T s_brev(T a) {
  T d = 0;
  for (unsigned n = 0; n < sizeof(T) * 8; ++n) d |= (a >> n & 1) << (sizeof(T) * 8 - 1 - n);
  return d;
}
template <typename T>
constexpr ScalarResult<uint32_t> s_bcnt1(T a) {
  return nonzero<uint32_t>(static_cast<uint32_t>(std::popcount(a)));
}
template <typename T>
constexpr ScalarResult<uint32_t> s_bcnt0(T a) {
  return s_bcnt1<T>(~a);
}
/// Position of the lowest one, -1 if there is none.
template <typename T>
constexpr int32_t s_ff1(T a) {
  return a == 0 ? -1 : std::countr_zero(a);
}
template <typename T>
constexpr int32_t s_ff0(T a) {
  return s_ff1<T>(~a);
}
/// Number of zeros above the highest one, -1 if there is none.
template <typename T>
constexpr int32_t s_flbit(T a) {
  return a == 0 ? -1 : std::countl_zero(a);
}
/// Number of leading bits equal to the sign bit, -1 if all are.
template <typename T>
constexpr int32_t s_flbit_signed(T a) {
  using U = std::make_unsigned_t<T>;
  return s_flbit<U>(static_cast<U>(a < 0 ? ~a : a));
}
static_assert(s_flbit_signed<int32_t>(0x7fffffff) == 1 && s_flbit_signed<int32_t>(-1) == -1);
constexpr int32_t s_sext_i32_i8(uint32_t a) { return static_cast<int8_t>(a); }
constexpr int32_t s_sext_i32_i16(uint32_t a) { return static_cast<int16_t>(a); }
constexpr ScalarResult<uint32_t> s_abs_i32(uint32_t a) {
  return nonzero<uint32_t>((a >> 31) != 0 ? 0u - a : a);
}
constexpr uint64_t s_bitreplicate_b64_b32(uint32_t a) {
  uint64_t d = 0;
  for (unsigned n = 0; n < 32; ++n) d |= (uint64_t{a >> n & 1} * 3) << (2 * n);
  return d;
}
static_assert(s_bitreplicate_b64_b32(0x80000001u) == 0xc000000000000003ull);

// EXEC updates: f(S0, EXEC) is the new EXEC.
constexpr uint64_t exec_and(uint64_t s, uint64_t e) { return s & e; }
constexpr uint64_t exec_or(uint64_t s, uint64_t e) { return s | e; }
constexpr uint64_t exec_xor(uint64_t s, uint64_t e) { return s ^ e; }
constexpr uint64_t exec_andn2(uint64_t s, uint64_t e) { return s & ~e; }
constexpr uint64_t exec_orn2(uint64_t s, uint64_t e) { return s | ~e; }
constexpr uint64_t exec_nand(uint64_t s, uint64_t e) { return ~(s & e); }
constexpr uint64_t exec_nor(uint64_t s, uint64_t e) { return ~(s | e); }
constexpr uint64_t exec_xnor(uint64_t s, uint64_t e) { return ~(s ^ e); }
constexpr uint64_t exec_andn1(uint64_t s, uint64_t e) { return ~s & e; }
constexpr uint64_t exec_orn1(uint64_t s, uint64_t e) { return ~s | e; }

template <typename F>
struct Signature;
template <typename R, typename A>
struct Signature<R (*)(A)> {
  using result = typename ResultType<R>::type;
  using a = A;
};

template <auto Op>
void run(Wave& w, const Inst& i, Env&) {
  using S = Signature<decltype(Op)>;
  write_result(w, i.dst, Op(read_scalar<typename S::a>(w, i, 0)));
}
template <typename T>
void s_cmov(Wave& w, const Inst& i, Env&) {
  if (w.scc) write_scalar<T>(w, i.dst, read_scalar<T>(w, i, 0));
}
template <typename T, bool kValue>
void s_bitset(Wave& w, const Inst& i, Env&) {
  const T bit = T{1} << (read_scalar32(w, i, 0) & (sizeof(T) * 8 - 1));
  const T old = sizeof(T) == 8 ? static_cast<T>(w.s64(i.dst)) : static_cast<T>(w.sgpr[i.dst]);
  write_scalar<T>(w, i.dst, kValue ? old | bit : old & ~bit);
}
void s_getpc_b64(Wave& w, const Inst& i, Env&) { w.set_s64(i.dst, w.pc); }
void s_setpc_b64(Wave& w, const Inst& i, Env&) { w.pc = read_scalar64(w, i, 0); }
void s_swappc_b64(Wave& w, const Inst& i, Env&) {
  const uint64_t target = read_scalar64(w, i, 0);
  w.set_s64(i.dst, w.pc);
  w.pc = target;
}
template <auto Op>
void saveexec(Wave& w, const Inst& i, Env&) {
  const uint64_t source = read_scalar64(w, i, 0), old = w.exec(), exec = Op(source, old);
  w.set_s64(i.dst, old);
  w.set_exec(exec);
  w.scc = exec != 0;
}
template <auto Op>
void wrexec(Wave& w, const Inst& i, Env&) {
  const uint64_t exec = Op(read_scalar64(w, i, 0), w.exec());
  w.set_exec(exec);
  w.set_s64(i.dst, exec);
  w.scc = exec != 0;
}
constexpr unsigned kGeneralSgprs = 102;
/// Scalar relative moves: register number plus M0, within the general registers.
template <typename T>
void s_movrels(Wave& w, const Inst& i, Env& env) {
  const uint64_t reg = uint64_t{i.src[0]} + w.m0();
  if (i.kind[0] != SrcKind::sgpr || reg + sizeof(T) / 4 > kGeneralSgprs) {
    return env.raise(FaultKind::illegal_instruction, "s_movrels: source register plus M0 out of range");
  }
  if constexpr (sizeof(T) == 8) {
    w.set_s64(i.dst, w.s64(static_cast<unsigned>(reg)));
  } else {
    w.sgpr[i.dst] = w.sgpr[reg];
  }
}
template <typename T>
void s_movreld(Wave& w, const Inst& i, Env& env) {
  const uint64_t reg = uint64_t{i.dst} + w.m0();
  if (reg + sizeof(T) / 4 > kGeneralSgprs) {
    return env.raise(FaultKind::illegal_instruction, "s_movreld: destination register plus M0 out of range");
  }
  write_scalar<T>(w, static_cast<unsigned>(reg), read_scalar<T>(w, i, 0));
}
void s_set_gpr_idx_idx(Wave& w, const Inst& i, Env&) {
  uint32_t& m0 = w.sgpr[sgpr_no::m0];
  m0 = (m0 & ~0xffu) | (read_scalar32(w, i, 0) & 0xff);
}

template <auto Op>
constexpr ScalarOp row(uint16_t opcode, const char* mnemonic) {
  using S = Signature<decltype(Op)>;
  return {{opcode, mnemonic},
          run<Op>,
          Cost::salu,
          sizeof(typename S::result) / 4,
          1,
          {operand_type_of<typename S::a>()},
          nullptr};
}
constexpr ScalarOp custom(uint16_t opcode, const char* mnemonic, ExecFn exec, uint8_t dst_dwords,
                          OperandType type, uint8_t sources = 1, Cost cost = Cost::salu) {
  return {{opcode, mnemonic}, exec, cost, dst_dwords, sources, {type}, nullptr};
}
constexpr ScalarOp exec_row(uint16_t opcode, const char* mnemonic, ExecFn exec) {
  return custom(opcode, mnemonic, exec, 2, OperandType::b64);
}
constexpr ScalarOp refused(uint16_t opcode, const char* mnemonic, const char* why) {
  return {{opcode, mnemonic}, nullptr, Cost::salu, 0, 1, {}, why};
}

constexpr OperandType b32 = OperandType::b32, b64 = OperandType::b64;
constexpr ScalarOp kSop1Ops[] = {
    row<s_mov<uint32_t>>(0x00, "s_mov_b32"),
    row<s_mov<uint64_t>>(0x01, "s_mov_b64"),
    custom(0x02, "s_cmov_b32", s_cmov<uint32_t>, 1, b32),
    custom(0x03, "s_cmov_b64", s_cmov<uint64_t>, 2, b64),
    row<s_not<uint32_t>>(0x04, "s_not_b32"),
    row<s_not<uint64_t>>(0x05, "s_not_b64"),
    row<s_wqm<uint32_t>>(0x06, "s_wqm_b32"),
    row<s_wqm<uint64_t>>(0x07, "s_wqm_b64"),
    row<s_brev<uint32_t>>(0x08, "s_brev_b32"),
    row<s_brev<uint64_t>>(0x09, "s_brev_b64"),
    row<s_bcnt0<uint32_t>>(0x0a, "s_bcnt0_i32_b32"),
    row<s_bcnt0<uint64_t>>(0x0b, "s_bcnt0_i32_b64"),
    row<s_bcnt1<uint32_t>>(0x0c, "s_bcnt1_i32_b32"),
    row<s_bcnt1<uint64_t>>(0x0d, "s_bcnt1_i32_b64"),
    row<s_ff0<uint32_t>>(0x0e, "s_ff0_i32_b32"),
    row<s_ff0<uint64_t>>(0x0f, "s_ff0_i32_b64"),
    row<s_ff1<uint32_t>>(0x10, "s_ff1_i32_b32"),
    row<s_ff1<uint64_t>>(0x11, "s_ff1_i32_b64"),
    row<s_flbit<uint32_t>>(0x12, "s_flbit_i32_b32"),
    row<s_flbit<uint64_t>>(0x13, "s_flbit_i32_b64"),
    row<s_flbit_signed<int32_t>>(0x14, "s_flbit_i32"),
    row<s_flbit_signed<int64_t>>(0x15, "s_flbit_i32_i64"),
    row<s_sext_i32_i8>(0x16, "s_sext_i32_i8"),
    row<s_sext_i32_i16>(0x17, "s_sext_i32_i16"),
    custom(0x18, "s_bitset0_b32", s_bitset<uint32_t, false>, 1, b32),
    custom(0x19, "s_bitset0_b64", s_bitset<uint64_t, false>, 2, b32),
    custom(0x1a, "s_bitset1_b32", s_bitset<uint32_t, true>, 1, b32),
    custom(0x1b, "s_bitset1_b64", s_bitset<uint64_t, true>, 2, b32),
    custom(0x1c, "s_getpc_b64", s_getpc_b64, 2, b64, 0),
    custom(0x1d, "s_setpc_b64", s_setpc_b64, 0, b64, 1, Cost::branch),
    custom(0x1e, "s_swappc_b64", s_swappc_b64, 2, b64, 1, Cost::branch),
    refused(0x1f, "s_rfe_b64", "only for trap handlers"),
    exec_row(0x20, "s_and_saveexec_b64", saveexec<exec_and>),
    exec_row(0x21, "s_or_saveexec_b64", saveexec<exec_or>),
    exec_row(0x22, "s_xor_saveexec_b64", saveexec<exec_xor>),
    exec_row(0x23, "s_andn2_saveexec_b64", saveexec<exec_andn2>),
    exec_row(0x24, "s_orn2_saveexec_b64", saveexec<exec_orn2>),
    exec_row(0x25, "s_nand_saveexec_b64", saveexec<exec_nand>),
    exec_row(0x26, "s_nor_saveexec_b64", saveexec<exec_nor>),
    exec_row(0x27, "s_xnor_saveexec_b64", saveexec<exec_xnor>),
    row<s_quadmask<uint32_t>>(0x28, "s_quadmask_b32"),
    row<s_quadmask<uint64_t>>(0x29, "s_quadmask_b64"),
    custom(0x2a, "s_movrels_b32", s_movrels<uint32_t>, 1, b32),
    custom(0x2b, "s_movrels_b64", s_movrels<uint64_t>, 2, b64),
    custom(0x2c, "s_movreld_b32", s_movreld<uint32_t>, 1, b32),
    custom(0x2d, "s_movreld_b64", s_movreld<uint64_t>, 2, b64),
    refused(0x2e, "s_cbranch_join", "the hardware branch stack is not emulated"),
    row<s_abs_i32>(0x30, "s_abs_i32"),
    custom(0x32, "s_set_gpr_idx_idx", s_set_gpr_idx_idx, 0, b32),
    exec_row(0x33, "s_andn1_saveexec_b64", saveexec<exec_andn1>),
    exec_row(0x34, "s_orn1_saveexec_b64", saveexec<exec_orn1>),
    exec_row(0x35, "s_andn1_wrexec_b64", wrexec<exec_andn1>),
    exec_row(0x36, "s_andn2_wrexec_b64", wrexec<exec_andn2>),
    row<s_bitreplicate_b64_b32>(0x37, "s_bitreplicate_b64_b32"),
};
static_assert(sorted_by_opcode(kSop1Ops));

}  // namespace

bool decode_sop1(const uint32_t* dw, DecodeContext& ctx, Inst& out) {
  const unsigned opcode = dw[0] >> 8 & 0xff, src0 = dw[0] & 0xff;
  const ScalarOp* op = find_row(kSop1Ops, opcode);
  const uint32_t* literal;
  if (!begin_scalar(ctx, out, Family::sop1, "SOP1", opcode, op)) return false;
  if (op->sources == 1) {
    if (!take_literal(ctx, out, dw, is_literal(src0), literal)) return false;
    if (!set_source(ctx, out, 0, src0, op->type[0], literal)) return false;
  }
  return op->dst_dwords == 0 || set_scalar_dst(ctx, out.dst, dw[0] >> 16 & 0x7f, op->dst_dwords);
}

void visit_sop1(const OpVisitor& visitor) { visit_rows(visitor, Family::sop1, kSop1Ops); }

}  // namespace softgpu::gfx9
