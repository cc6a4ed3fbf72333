// SOPC: scalar compares into SCC. Source: "Vega" ISA manual, section "SOPC Instructions".
#include "gfx9/scalar_op.hpp"

namespace softgpu::gfx9 {
namespace {

template <typename T>
constexpr bool s_cmp_eq(T a, T b) {
  return a == b;
}
template <typename T>
constexpr bool s_cmp_lg(T a, T b) {
  return a != b;
}
template <typename T>
constexpr bool s_cmp_gt(T a, T b) {
  return a > b;
}
template <typename T>
constexpr bool s_cmp_ge(T a, T b) {
  return a >= b;
}
template <typename T>
constexpr bool s_cmp_lt(T a, T b) {
  return a < b;
}
template <typename T>
constexpr bool s_cmp_le(T a, T b) {
  return a <= b;
}
template <typename T>
constexpr bool s_bitcmp1(T a, uint32_t b) {
  return (a >> (b & (sizeof(T) * 8 - 1)) & 1) != 0;
}
template <typename T>
constexpr bool s_bitcmp0(T a, uint32_t b) {
  return !s_bitcmp1<T>(a, b);
}

template <typename F>
struct Signature;
template <typename A, typename B>
struct Signature<bool (*)(A, B)> {
  using a = A;
  using b = B;
};

template <auto Op>
void run(Wave& w, const Inst& i, Env&) {
  using S = Signature<decltype(Op)>;
  w.scc = Op(read_scalar<typename S::a>(w, i, 0), read_scalar<typename S::b>(w, i, 1));
}
/// Switches VGPR indexing on; the low 4 bits of the raw S1 field say which operands it applies to.
void s_set_gpr_idx_on(Wave& w, const Inst& i, Env&) {
  w.mode |= mode_bit::gpr_idx_en;
  uint32_t& m0 = w.sgpr[sgpr_no::m0];
  m0 = (m0 & ~0xf0ffu) | (read_scalar32(w, i, 0) & 0xff) | static_cast<uint32_t>(i.imm) << 12;
}

template <auto Op>
constexpr ScalarOp row(uint16_t opcode, const char* mnemonic) {
  using S = Signature<decltype(Op)>;
  return {{opcode, mnemonic},
          run<Op>,
          Cost::salu,
          0,
          2,
          {operand_type_of<typename S::a>(), operand_type_of<typename S::b>()},
          nullptr};
}

constexpr unsigned kSetGprIdxOn = 0x11;
constexpr ScalarOp kSopcOps[] = {
    row<s_cmp_eq<int32_t>>(0x00, "s_cmp_eq_i32"),
    row<s_cmp_lg<int32_t>>(0x01, "s_cmp_lg_i32"),
    row<s_cmp_gt<int32_t>>(0x02, "s_cmp_gt_i32"),
    row<s_cmp_ge<int32_t>>(0x03, "s_cmp_ge_i32"),
    row<s_cmp_lt<int32_t>>(0x04, "s_cmp_lt_i32"),
    row<s_cmp_le<int32_t>>(0x05, "s_cmp_le_i32"),
    row<s_cmp_eq<uint32_t>>(0x06, "s_cmp_eq_u32"),
    row<s_cmp_lg<uint32_t>>(0x07, "s_cmp_lg_u32"),
    row<s_cmp_gt<uint32_t>>(0x08, "s_cmp_gt_u32"),
    row<s_cmp_ge<uint32_t>>(0x09, "s_cmp_ge_u32"),
    row<s_cmp_lt<uint32_t>>(0x0a, "s_cmp_lt_u32"),
    row<s_cmp_le<uint32_t>>(0x0b, "s_cmp_le_u32"),
    row<s_bitcmp0<uint32_t>>(0x0c, "s_bitcmp0_b32"),
    row<s_bitcmp1<uint32_t>>(0x0d, "s_bitcmp1_b32"),
    row<s_bitcmp0<uint64_t>>(0x0e, "s_bitcmp0_b64"),
    row<s_bitcmp1<uint64_t>>(0x0f, "s_bitcmp1_b64"),
    {{0x10, "s_setvskip"}, nullptr, Cost::salu, 0, 2, {}, "skipping of vector instructions is not emulated"},
    {{kSetGprIdxOn, "s_set_gpr_idx_on"}, s_set_gpr_idx_on, Cost::salu, 0, 1, {}, nullptr},
    row<s_cmp_eq<uint64_t>>(0x12, "s_cmp_eq_u64"),
    row<s_cmp_lg<uint64_t>>(0x13, "s_cmp_lg_u64"),
};
static_assert(sorted_by_opcode(kSopcOps));

}  // namespace

bool decode_sopc(const uint32_t* dw, DecodeContext& ctx, Inst& out) {
  const unsigned opcode = dw[0] >> 16 & 0x7f;
  const unsigned src0 = dw[0] & 0xff, src1 = dw[0] >> 8 & 0xff;
  const ScalarOp* op = find_row(kSopcOps, opcode);
  if (!begin_scalar(ctx, out, Family::sopc, "SOPC", opcode, op)) return false;
  const bool raw = opcode == kSetGprIdxOn;
  const uint32_t* literal;
  if (!take_literal(ctx, out, dw, is_literal(src0) || (!raw && is_literal(src1)), literal)) return false;
  if (!set_source(ctx, out, 0, src0, op->type[0], literal)) return false;
  if (!raw) return set_source(ctx, out, 1, src1, op->type[1], literal);
  if (src1 > 0xf) return ctx.refuse("s_set_gpr_idx_on: operand mask 0x%x has reserved bits", src1);
  out.imm = static_cast<int32_t>(src1);
  return true;
}

void visit_sopc(const OpVisitor& visitor) { visit_rows(visitor, Family::sopc, kSopcOps); }

}  // namespace softgpu::gfx9
