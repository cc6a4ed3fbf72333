// Matrix instructions of gfx90a: D = A * B + C for one or several blocks of small matrices spread over the
// lanes. Sources: "CDNA2" ISA manual (VOP3P-MAI encoding, section on matrix instructions); lane layouts as
// AMD documents them for the matrix cores; opcodes: LLVM's gfx90a assembler.
//
// Arithmetic: nearest even, whatever MODE says. Each product is added to the sum with one rounding, in the
// order of k; hardware adds several products at once for the short types, so the last bits of a sum may
// differ there. Short floats flush denormal inputs and results, as on hardware. EXEC is ignored.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "gfx9/decode.hpp"
#include "gfx9/fpenv.hpp"
#include "gfx9/op_table.hpp"
#include "gfx9/operands.hpp"
#include "gfx9/vmem.hpp"

namespace softgpu::gfx9 {
namespace {

enum class Element : uint8_t { f32, f16, bf16, i8, f64 };

/// A is M x K, B is K x N with N = M, per block. Element k of row (column) i of block b is in lane
/// i + M * (b + blocks * (k / per_lane)), element k % per_lane of it.
struct MfmaOp : OpInfo {
  uint8_t m, k, blocks;
  uint8_t per_lane;
  Element element;
  ExecFn exec;

  constexpr unsigned source_dwords() const {
    switch (element) {
      case Element::f16:
        return per_lane / 2u;
      case Element::bf16:
        return per_lane / 2u;
      case Element::i8:
        return 1;
      case Element::f64:
        return 2;
      default:
        return 1;
    }
  }
  constexpr bool doubles() const { return element == Element::f64; }
  /// Registers of C and D.
  constexpr unsigned result_dwords() const { return m * m * blocks / kLanes * (doubles() ? 2u : 1u); }
};

/// Inst::imm of a matrix instruction: how A is shared among blocks, and how B's lanes are moved.
struct Controls {
  unsigned cbsz, abid, blgp;
  explicit Controls(int32_t imm) : cbsz(imm & 7), abid(imm >> 3 & 15), blgp(imm >> 7 & 7) {}
};
constexpr int32_t pack(unsigned cbsz, unsigned abid, unsigned blgp) {
  return static_cast<int32_t>(cbsz | abid << 3 | blgp << 7);
}

/// The block whose A a block uses: with cbsz, groups of 2^cbsz blocks all use block abid of their group.
unsigned a_block(const Controls& c, unsigned block) {
  return c.cbsz == 0 ? block : (block >> c.cbsz << c.cbsz) + c.abid;
}
/// The lane that B's lane is taken from. Source: ISA manual, "BLGP".
unsigned b_lane(const Controls& c, unsigned lane) {
  switch (c.blgp) {
    case 0:
      return lane;
    case 1:  // the first 32 lanes, twice
      return lane & 31;
    case 2:  // the second 32 lanes, twice
      return 32 + (lane & 31);
    case 3:  // rotated by 16
      return (lane + 16) & 63;
    default:  // one group of 16 lanes, four times
      return (c.blgp - 4) * 16 + (lane & 15);
  }
}

float flushed(float value) {
  return std::fpclassify(value) == FP_SUBNORMAL ? std::copysign(0.0f, value) : value;
}

float half_to_float(uint32_t half) {
  const uint32_t sign = (half & 0x8000u) << 16, exponent = half >> 10 & 31, fraction = half & 0x3ffu;
  if (exponent == 0) return std::bit_cast<float>(sign);  // denormals count as zero
  if (exponent == 31) return std::bit_cast<float>(sign | 0x7f800000u | fraction << 13);
  return std::bit_cast<float>(sign | (exponent + 112) << 23 | fraction << 13);
}

/// Element e of a lane, for each kind of source.
template <Element E>
auto element_of(const Wave& w, unsigned reg, unsigned lane, unsigned e) {
  if constexpr (E == Element::f64) {
    return std::bit_cast<double>(w.vgpr[reg][lane] | uint64_t{w.vgpr[reg + 1][lane]} << 32);
  } else if constexpr (E == Element::f32) {
    return std::bit_cast<float>(w.vgpr[reg][lane]);
  } else if constexpr (E == Element::i8) {
    return static_cast<int32_t>(static_cast<int8_t>(w.vgpr[reg][lane] >> (8 * e)));
  } else {
    const uint32_t half = w.vgpr[reg + e / 2][lane] >> (16 * (e % 2)) & 0xffffu;
    return E == Element::f16 ? half_to_float(half) : flushed(std::bit_cast<float>(half << 16));
  }
}

int32_t multiply_add(int32_t a, int32_t b, int32_t c) {
  return static_cast<int32_t>(static_cast<uint32_t>(a * b) + static_cast<uint32_t>(c));
}
float multiply_add(float a, float b, float c) { return std::fma(a, b, c); }
double multiply_add(double a, double b, double c) { return std::fma(a, b, c); }

/// Register offset and lane of element (i, j) of a block of C and D.
struct Place {
  unsigned reg, lane;
};
Place place_of(const MfmaOp& op, unsigned block, unsigned i, unsigned j) {
  if (op.doubles()) {  // rows go round the lane groups first
    if (op.m == 4) return {0, 16 * i + 4 * block + j};
    return {2 * (i / 4), 16 * (i % 4) + j};
  }
  if (op.m == 4) return {i, 4 * block + j};
  const unsigned groups = kLanes / op.m;  // lane groups of a row of four
  const unsigned row = i / (4 * groups), group = i / 4 % groups;
  return {block * (op.m * op.m / kLanes) + 4 * row + i % 4, op.m * group + j};
}

template <Element E>
void exec_mfma(Wave& w, const Inst& inst, Env& env) {
  using T = decltype(element_of<E>(w, 0, 0, 0));
  const auto& op = static_cast<const MfmaOp&>(*inst.op);
  const Controls controls(inst.imm);
  use_mxcsr(env, mxcsr_of(0, 3));
  const unsigned dwords = op.result_dwords();
  uint32_t out[32][kLanes];
  const auto at = [&](uint32_t(*regs)[kLanes], Place p) {
    if constexpr (E == Element::f64) {
      return std::bit_cast<double>(regs[p.reg][p.lane] | uint64_t{regs[p.reg + 1][p.lane]} << 32);
    } else {
      return std::bit_cast<T>(regs[p.reg][p.lane]);
    }
  };
  // C: registers, or one constant for every element.
  if (inst.kind[2] == SrcKind::vgpr) {
    std::memcpy(out, w.vgpr[inst.src[2]], dwords * sizeof out[0]);
  } else {
    for (unsigned r = 0; r < dwords; ++r) {
      const bool high = op.doubles() && r % 2 == 1;
      std::fill_n(out[r], kLanes, static_cast<uint32_t>(inst.konst[2] >> (high ? 32 : 0)));
    }
  }
  constexpr bool kShort = E == Element::f16 || E == Element::bf16;
  for (unsigned block = 0; block < op.blocks; ++block) {
    const unsigned from = a_block(controls, block);
    for (unsigned i = 0; i < op.m; ++i) {
      for (unsigned j = 0; j < op.m; ++j) {
        const Place p = place_of(op, block, i, j);
        T sum = at(out, p);
        for (unsigned k = 0; k < op.k; ++k) {
          const unsigned group = op.blocks * (k / op.per_lane), e = k % op.per_lane;
          const T a = element_of<E>(w, inst.src[0], i + op.m * (from + group), e);
          const T b = element_of<E>(w, inst.src[1], b_lane(controls, j + op.m * (block + group)), e);
          sum = multiply_add(a, b, sum);
        }
        if constexpr (kShort) sum = flushed(sum);
        if constexpr (E == Element::f64) {
          const auto bits = std::bit_cast<uint64_t>(sum);
          out[p.reg][p.lane] = static_cast<uint32_t>(bits);
          out[p.reg + 1][p.lane] = static_cast<uint32_t>(bits >> 32);
        } else {
          out[p.reg][p.lane] = std::bit_cast<uint32_t>(sum);
        }
      }
    }
  }
  std::memcpy(w.vgpr[inst.dst], out, dwords * sizeof out[0]);
}

template <Element E>
constexpr MfmaOp mfma(uint16_t opcode, const char* mnemonic, unsigned m, unsigned k, unsigned blocks,
                      unsigned per_lane) {
  MfmaOp op{};
  op.opcode = opcode;
  op.mnemonic = mnemonic;
  op.m = static_cast<uint8_t>(m);
  op.k = static_cast<uint8_t>(k);
  op.blocks = static_cast<uint8_t>(blocks);
  op.per_lane = static_cast<uint8_t>(per_lane);
  op.element = E;
  op.exec = exec_mfma<E>;
  return op;
}

constexpr MfmaOp kMfmaOps[] = {
    mfma<Element::f32>(0x40, "v_mfma_f32_32x32x1f32", 32, 1, 2, 1),
    mfma<Element::f32>(0x41, "v_mfma_f32_16x16x1f32", 16, 1, 4, 1),
    mfma<Element::f32>(0x42, "v_mfma_f32_4x4x1f32", 4, 1, 16, 1),
    mfma<Element::f32>(0x44, "v_mfma_f32_32x32x2f32", 32, 2, 1, 1),
    mfma<Element::f32>(0x45, "v_mfma_f32_16x16x4f32", 16, 4, 1, 1),
    mfma<Element::f16>(0x48, "v_mfma_f32_32x32x4f16", 32, 4, 2, 4),
    mfma<Element::f16>(0x49, "v_mfma_f32_16x16x4f16", 16, 4, 4, 4),
    mfma<Element::f16>(0x4a, "v_mfma_f32_4x4x4f16", 4, 4, 16, 4),
    mfma<Element::f16>(0x4c, "v_mfma_f32_32x32x8f16", 32, 8, 1, 4),
    mfma<Element::f16>(0x4d, "v_mfma_f32_16x16x16f16", 16, 16, 1, 4),
    mfma<Element::i8>(0x50, "v_mfma_i32_32x32x4i8", 32, 4, 2, 4),
    mfma<Element::i8>(0x51, "v_mfma_i32_16x16x4i8", 16, 4, 4, 4),
    mfma<Element::i8>(0x52, "v_mfma_i32_4x4x4i8", 4, 4, 16, 4),
    mfma<Element::i8>(0x54, "v_mfma_i32_32x32x8i8", 32, 8, 1, 4),
    mfma<Element::i8>(0x55, "v_mfma_i32_16x16x16i8", 16, 16, 1, 4),
    mfma<Element::bf16>(0x63, "v_mfma_f32_32x32x4bf16_1k", 32, 4, 2, 4),
    mfma<Element::bf16>(0x64, "v_mfma_f32_16x16x4bf16_1k", 16, 4, 4, 4),
    mfma<Element::bf16>(0x65, "v_mfma_f32_4x4x4bf16_1k", 4, 4, 16, 4),
    mfma<Element::bf16>(0x66, "v_mfma_f32_32x32x8bf16_1k", 32, 8, 1, 4),
    mfma<Element::bf16>(0x67, "v_mfma_f32_16x16x16bf16_1k", 16, 16, 1, 4),
    mfma<Element::bf16>(0x68, "v_mfma_f32_32x32x2bf16", 32, 2, 2, 2),
    mfma<Element::bf16>(0x69, "v_mfma_f32_16x16x2bf16", 16, 2, 4, 2),
    mfma<Element::bf16>(0x6b, "v_mfma_f32_4x4x2bf16", 4, 2, 16, 2),
    mfma<Element::bf16>(0x6c, "v_mfma_f32_32x32x4bf16", 32, 4, 1, 2),
    mfma<Element::bf16>(0x6d, "v_mfma_f32_16x16x8bf16", 16, 8, 1, 2),
    mfma<Element::f64>(0x6e, "v_mfma_f64_16x16x4f64", 16, 4, 1, 1),
    mfma<Element::f64>(0x6f, "v_mfma_f64_4x4x4f64", 4, 4, 4, 1),
};
static_assert(sorted_by_opcode(kMfmaOps));
static_assert(kMfmaOps[0].result_dwords() == 32 && kMfmaOps[4].result_dwords() == 4);
static_assert(kMfmaOps[25].result_dwords() == 8 && kMfmaOps[26].result_dwords() == 2);

/// A source that must be registers. @param acc the encoding's bit for accumulation registers
bool set_registers(DecodeContext& ctx, const MfmaOp& op, Inst& out, unsigned n, unsigned sel, unsigned dwords,
                   bool acc) {
  if (sel < selector::vgpr0) return ctx.refuse("%s: source %u must be vector registers", op.mnemonic, n);
  const unsigned reg = sel - selector::vgpr0;
  if (!check_vgprs(ctx, op.mnemonic, reg, dwords)) return false;
  out.kind[n] = SrcKind::vgpr;
  out.src[n] = static_cast<uint16_t>(reg + (acc ? kFirstAgpr : 0));
  return true;
}

}  // namespace

bool is_mfma(const uint32_t* dw, const DecodeContext& ctx) {
  const unsigned opcode = dw[0] >> 16 & 0x7f;
  return ctx.gfx90a() && opcode >= 0x40 && opcode != 0x58 && opcode != 0x59;
}

bool decode_mfma(const uint32_t* dw, DecodeContext& ctx, Inst& out) {
  const unsigned opcode = dw[0] >> 16 & 0x7f;
  const MfmaOp* op = find_row(kMfmaOps, opcode);
  if (op == nullptr) return ctx.refuse("unknown VOP3P-MAI opcode 0x%02x", opcode);
  out.family = Family::mfma;
  out.enc = Enc::e64;
  out.size_dwords = 2;
  out.cost = op->doubles() ? Cost::valu_f64 : Cost::valu_quarter;
  out.op = op;
  out.exec = op->exec;

  const unsigned cbsz = dw[0] >> 8 & 7, abid = dw[0] >> 11 & 15, blgp = dw[1] >> 29 & 7;
  const bool acc_cd = (dw[0] >> 15 & 1) != 0;
  if ((op->blocks >> cbsz) == 0 || (abid >> cbsz) != 0)
    return ctx.refuse("%s: cbsz %u, abid %u with %u blocks", op->mnemonic, cbsz, abid, op->blocks);
  if (op->doubles() && (cbsz | blgp) != 0) return ctx.refuse("%s: takes neither cbsz nor blgp", op->mnemonic);
  out.imm = pack(cbsz, abid, blgp);

  const unsigned dst = dw[0] & 0xff, source = op->source_dwords(), result = op->result_dwords();
  if (!check_vgprs(ctx, op->mnemonic, dst, result)) return false;
  out.dst = static_cast<uint16_t>(dst + (acc_cd ? kFirstAgpr : 0));
  if (!set_registers(ctx, *op, out, 0, dw[1] & 0x1ff, source, (dw[1] >> 27 & 1) != 0) ||
      !set_registers(ctx, *op, out, 1, dw[1] >> 9 & 0x1ff, source, (dw[1] >> 28 & 1) != 0))
    return false;
  const unsigned c = dw[1] >> 18 & 0x1ff;
  if (c >= selector::vgpr0) return set_registers(ctx, *op, out, 2, c, result, acc_cd);
  const OperandType type = op->doubles() ? OperandType::f64 : OperandType::b32;
  if (!inline_constant(c, type, out.konst[2]))
    return ctx.refuse("%s: source 2 must be vector registers or an inline constant", op->mnemonic);
  out.kind[2] = SrcKind::constant;
  return true;
}

void visit_mfma(const OpVisitor& visitor) { visit_rows(visitor, Family::mfma, kMfmaOps); }

}  // namespace softgpu::gfx9
