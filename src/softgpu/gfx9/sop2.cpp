// SOP2: scalar ops with two sources. Source: "Vega" ISA manual, section "SOP2 Instructions".
#include "gfx9/scalar_op.hpp"

namespace softgpu::gfx9 {
namespace {

using R32 = ScalarResult<uint32_t>;
using R32i = ScalarResult<int32_t>;
using R64 = ScalarResult<uint64_t>;
using R64i = ScalarResult<int64_t>;

constexpr R32 s_add_u32(uint32_t a, uint32_t b, bool) {
  const uint64_t sum = uint64_t{a} + b;
  return {static_cast<uint32_t>(sum), (sum >> 32) != 0};
}
static_assert(s_add_u32(0xffffffffu, 1, false) == R32{0, true});
constexpr R32 s_sub_u32(uint32_t a, uint32_t b, bool) { return {a - b, b > a}; }
/// SCC is the signed overflow.
constexpr R32 s_add_i32(uint32_t a, uint32_t b, bool) {
  const uint32_t sum = a + b;
  return {sum, ((~(a ^ b) & (a ^ sum)) >> 31) != 0};
}
static_assert(s_add_i32(0x7fffffffu, 1, false).scc && !s_add_i32(0xffffffffu, 1, false).scc);
constexpr R32 s_sub_i32(uint32_t a, uint32_t b, bool) {
  const uint32_t d = a - b;
  return {d, (((a ^ b) & (a ^ d)) >> 31) != 0};
}
static_assert(s_sub_i32(0x80000000u, 1, false).scc && !s_sub_i32(0, 1, false).scc);
constexpr R32 s_addc_u32(uint32_t a, uint32_t b, bool scc) {
  const uint64_t sum = uint64_t{a} + b + scc;
  return {static_cast<uint32_t>(sum), (sum >> 32) != 0};
}
constexpr R32 s_subb_u32(uint32_t a, uint32_t b, bool scc) { return {a - b - scc, uint64_t{b} + scc > a}; }
static_assert(s_subb_u32(0, 0xffffffffu, true) == R32{0, true});
constexpr R32i s_min_i32(int32_t a, int32_t b, bool) { return {a < b ? a : b, a < b}; }
constexpr R32 s_min_u32(uint32_t a, uint32_t b, bool) { return {a < b ? a : b, a < b}; }
constexpr R32i s_max_i32(int32_t a, int32_t b, bool) { return {a > b ? a : b, a > b}; }
constexpr R32 s_max_u32(uint32_t a, uint32_t b, bool) { return {a > b ? a : b, a > b}; }

template <typename T>
constexpr T s_cselect(T a, T b, bool scc) {
  return scc ? a : b;
}
template <typename T>
constexpr ScalarResult<T> s_and(T a, T b, bool) {
  return nonzero<T>(a & b);
}
template <typename T>
constexpr ScalarResult<T> s_or(T a, T b, bool) {
  return nonzero<T>(a | b);
}
template <typename T>
constexpr ScalarResult<T> s_xor(T a, T b, bool) {
  return nonzero<T>(a ^ b);
}
template <typename T>
constexpr ScalarResult<T> s_andn2(T a, T b, bool) {
  return nonzero<T>(a & ~b);
}
template <typename T>
constexpr ScalarResult<T> s_orn2(T a, T b, bool) {
  return nonzero<T>(a | ~b);
}
template <typename T>
constexpr ScalarResult<T> s_nand(T a, T b, bool) {
  return nonzero<T>(~(a & b));
}
template <typename T>
constexpr ScalarResult<T> s_nor(T a, T b, bool) {
  return nonzero<T>(~(a | b));
}
template <typename T>
constexpr ScalarResult<T> s_xnor(T a, T b, bool) {
  return nonzero<T>(~(a ^ b));
}
/// Shift counts are taken modulo the width.
template <typename T>
constexpr ScalarResult<T> s_lshl(T a, uint32_t b, bool) {
  return nonzero<T>(a << (b & (sizeof(T) * 8 - 1)));
}
/// Logical for unsigned T, arithmetic for signed T.
template <typename T>
constexpr ScalarResult<T> s_shr(T a, uint32_t b, bool) {
  return nonzero<T>(a >> (b & (sizeof(T) * 8 - 1)));
}
template <typename T>
constexpr T s_bfm(uint32_t a, uint32_t b, bool) {
  constexpr uint32_t kMask = sizeof(T) * 8 - 1;
  return ((T{1} << (a & kMask)) - 1) << (b & kMask);
}
static_assert(s_bfm<uint32_t>(4, 8, false) == 0xf00);
constexpr uint32_t s_mul_i32(uint32_t a, uint32_t b, bool) { return a * b; }
/// S1 holds the offset (5 or 6 bits) and in 22:16 the width.
template <typename T>
constexpr ScalarResult<T> s_bfe(T a, uint32_t b, bool) {
  constexpr uint32_t kBits = sizeof(T) * 8;
  const uint32_t offset = b & (kBits - 1), width = b >> 16 & 0x7f;
  if (width == 0) return {0, false};
  const T shifted = a >> offset;
  if (width >= kBits) return nonzero<T>(shifted);
  using U = std::make_unsigned_t<T>;
  const uint32_t unused = kBits - width;
  return nonzero<T>(static_cast<T>(static_cast<U>(shifted) << unused) >> unused);
}
static_assert(s_bfe<uint32_t>(0xabcd1234, 8 | 8 << 16, false) == R32{0x12, true});
static_assert(s_bfe<int32_t>(0x0000f000, 12 | 4 << 16, false) == R32i{-1, true});
constexpr R32 s_absdiff_i32(uint32_t a, uint32_t b, bool) {
  const uint32_t d = a - b;
  return nonzero<uint32_t>((d >> 31) != 0 ? 0u - d : d);
}
constexpr uint32_t s_mul_hi_u32(uint32_t a, uint32_t b, bool) {
  return static_cast<uint32_t>(uint64_t{a} * b >> 32);
}
constexpr int32_t s_mul_hi_i32(int32_t a, int32_t b, bool) {
  return static_cast<int32_t>(int64_t{a} * b >> 32);
}
template <unsigned kShift>
constexpr R32 s_lshl_add_u32(uint32_t a, uint32_t b, bool) {
  const uint64_t sum = (uint64_t{a} << kShift) + b;
  return {static_cast<uint32_t>(sum), (sum >> 32) != 0};
}
constexpr uint32_t s_pack_ll_b32_b16(uint32_t a, uint32_t b, bool) { return (a & 0xffff) | b << 16; }
constexpr uint32_t s_pack_lh_b32_b16(uint32_t a, uint32_t b, bool) { return (a & 0xffff) | (b & 0xffff0000); }
constexpr uint32_t s_pack_hh_b32_b16(uint32_t a, uint32_t b, bool) { return a >> 16 | (b & 0xffff0000); }

template <typename F>
struct Signature;
template <typename R, typename A, typename B>
struct Signature<R (*)(A, B, bool)> {
  using result = typename ResultType<R>::type;
  using a = A;
  using b = B;
};

template <auto Op>
void run(Wave& w, const Inst& i, Env&) {
  using S = Signature<decltype(Op)>;
  const auto a = read_scalar<typename S::a>(w, i, 0);
  const auto b = read_scalar<typename S::b>(w, i, 1);
  write_result(w, i.dst, Op(a, b, w.scc != 0));
}

template <auto Op>
constexpr ScalarOp row(uint16_t opcode, const char* mnemonic) {
  using S = Signature<decltype(Op)>;
  return {{opcode, mnemonic},
          run<Op>,
          Cost::salu,
          sizeof(typename S::result) / 4,
          2,
          {operand_type_of<typename S::a>(), operand_type_of<typename S::b>()},
          nullptr};
}
constexpr ScalarOp refused(uint16_t opcode, const char* mnemonic, const char* why) {
  return {{opcode, mnemonic}, nullptr, Cost::salu, 0, 2, {}, why};
}

constexpr ScalarOp kSop2Ops[] = {
    row<s_add_u32>(0x00, "s_add_u32"),
    row<s_sub_u32>(0x01, "s_sub_u32"),
    row<s_add_i32>(0x02, "s_add_i32"),
    row<s_sub_i32>(0x03, "s_sub_i32"),
    row<s_addc_u32>(0x04, "s_addc_u32"),
    row<s_subb_u32>(0x05, "s_subb_u32"),
    row<s_min_i32>(0x06, "s_min_i32"),
    row<s_min_u32>(0x07, "s_min_u32"),
    row<s_max_i32>(0x08, "s_max_i32"),
    row<s_max_u32>(0x09, "s_max_u32"),
    row<s_cselect<uint32_t>>(0x0a, "s_cselect_b32"),
    row<s_cselect<uint64_t>>(0x0b, "s_cselect_b64"),
    row<s_and<uint32_t>>(0x0c, "s_and_b32"),
    row<s_and<uint64_t>>(0x0d, "s_and_b64"),
    row<s_or<uint32_t>>(0x0e, "s_or_b32"),
    row<s_or<uint64_t>>(0x0f, "s_or_b64"),
    row<s_xor<uint32_t>>(0x10, "s_xor_b32"),
    row<s_xor<uint64_t>>(0x11, "s_xor_b64"),
    row<s_andn2<uint32_t>>(0x12, "s_andn2_b32"),
    row<s_andn2<uint64_t>>(0x13, "s_andn2_b64"),
    row<s_orn2<uint32_t>>(0x14, "s_orn2_b32"),
    row<s_orn2<uint64_t>>(0x15, "s_orn2_b64"),
    row<s_nand<uint32_t>>(0x16, "s_nand_b32"),
    row<s_nand<uint64_t>>(0x17, "s_nand_b64"),
    row<s_nor<uint32_t>>(0x18, "s_nor_b32"),
    row<s_nor<uint64_t>>(0x19, "s_nor_b64"),
    row<s_xnor<uint32_t>>(0x1a, "s_xnor_b32"),
    row<s_xnor<uint64_t>>(0x1b, "s_xnor_b64"),
    row<s_lshl<uint32_t>>(0x1c, "s_lshl_b32"),
    row<s_lshl<uint64_t>>(0x1d, "s_lshl_b64"),
    row<s_shr<uint32_t>>(0x1e, "s_lshr_b32"),
    row<s_shr<uint64_t>>(0x1f, "s_lshr_b64"),
    row<s_shr<int32_t>>(0x20, "s_ashr_i32"),
    row<s_shr<int64_t>>(0x21, "s_ashr_i64"),
    row<s_bfm<uint32_t>>(0x22, "s_bfm_b32"),
    row<s_bfm<uint64_t>>(0x23, "s_bfm_b64"),
    row<s_mul_i32>(0x24, "s_mul_i32"),
    row<s_bfe<uint32_t>>(0x25, "s_bfe_u32"),
    row<s_bfe<int32_t>>(0x26, "s_bfe_i32"),
    row<s_bfe<uint64_t>>(0x27, "s_bfe_u64"),
    row<s_bfe<int64_t>>(0x28, "s_bfe_i64"),
    refused(0x29, "s_cbranch_g_fork", "the hardware branch stack is not emulated"),
    row<s_absdiff_i32>(0x2a, "s_absdiff_i32"),
    refused(0x2b, "s_rfe_restore_b64", "only for trap handlers"),
    row<s_mul_hi_u32>(0x2c, "s_mul_hi_u32"),
    row<s_mul_hi_i32>(0x2d, "s_mul_hi_i32"),
    row<s_lshl_add_u32<1>>(0x2e, "s_lshl1_add_u32"),
    row<s_lshl_add_u32<2>>(0x2f, "s_lshl2_add_u32"),
    row<s_lshl_add_u32<3>>(0x30, "s_lshl3_add_u32"),
    row<s_lshl_add_u32<4>>(0x31, "s_lshl4_add_u32"),
    row<s_pack_ll_b32_b16>(0x32, "s_pack_ll_b32_b16"),
    row<s_pack_lh_b32_b16>(0x33, "s_pack_lh_b32_b16"),
    row<s_pack_hh_b32_b16>(0x34, "s_pack_hh_b32_b16"),
};
static_assert(sorted_by_opcode(kSop2Ops));

}  // namespace

bool decode_sop2(const uint32_t* dw, DecodeContext& ctx, Inst& out) {
  const unsigned opcode = dw[0] >> 23 & 0x7f;
  const unsigned src0 = dw[0] & 0xff, src1 = dw[0] >> 8 & 0xff;
  const ScalarOp* op = find_row(kSop2Ops, opcode);
  const uint32_t* literal;
  return begin_scalar(ctx, out, Family::sop2, "SOP2", opcode, op) &&
         take_literal(ctx, out, dw, is_literal(src0) || is_literal(src1), literal) &&
         set_source(ctx, out, 0, src0, op->type[0], literal) &&
         set_source(ctx, out, 1, src1, op->type[1], literal) &&
         set_scalar_dst(ctx, out.dst, dw[0] >> 16 & 0x7f, op->dst_dwords);
}

void visit_sop2(const OpVisitor& visitor) { visit_rows(visitor, Family::sop2, kSop2Ops); }

}  // namespace softgpu::gfx9
