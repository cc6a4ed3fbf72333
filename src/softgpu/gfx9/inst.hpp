// A decoded instruction: what an executor needs, resolved once per code address. Executors read this and
// never the instruction words.
#pragma once

#include <cstdint>

#include "gfx9/wave.hpp"

namespace softgpu::gfx9 {

struct Env;
struct Inst;

/// Runs one instruction for one wave. Wave::pc already points behind the instruction. A failure is reported
/// with env.raise(...), after which the wave is not continued.
using ExecFn = void (*)(Wave& wave, const Inst& inst, Env& env);

enum class Family : uint8_t {
  sop1,
  sop2,
  sopk,
  sopc,
  sopp,
  smem,
  vop1,
  vop2,
  vop3,
  vopc,
  vop3p,
  mfma,
  vintrp,
  ds,
  flat,
  global,
  scratch,
  mubuf,
  mtbuf,
  mimg,
  exp,
};

/// Classes of the cost model (costs.hpp gives each its cycles).
enum class Cost : uint8_t {
  salu,
  valu,
  valu_quarter,
  valu_f64,
  valu_f64_half,
  smem,
  lds,
  vmem,
  branch,
  free,
};

/// The part of an op-table row that every family has. Family rows derive from it.
struct OpInfo {
  uint16_t opcode;
  const char* mnemonic;  ///< the assembler's base name, without _e32/_e64/_sdwa/_dpp
};

enum class SrcKind : uint8_t {
  none,
  constant,  ///< value in Inst::konst[n], already in the operand's type
  sgpr,      ///< register number in Inst::src[n], 0..127
  vgpr,      ///< register number in Inst::src[n], 0..511
  vccz,
  execz,
  scc,
};

/// How an operand of a given type turns inline constants and literals into bits. Inline integers are
/// sign-extended to the whole operand, also to both halves of a packed one. Departure from the ISA manuals
/// for 16-bit integers: LLVM (getInlineEncodingV216) says what hardware does and compiles for it.
enum class OperandType : uint8_t {
  f16,  ///< one half or two: inline floats in half precision in the low half, zero above it
  b32,  ///< 32-bit integer, float or bits; one or two 16-bit integers (inline floats in single precision)
  b64,  ///< 64-bit bits or unsigned: ints sign-extended, literal zero-extended, floats in f64 form
  i64,  ///< as b64, literal sign-extended
  f64,  ///< as b64, literal is the high dword
};

/// Vector encodings of one VALU instruction.
enum class Enc : uint8_t { e32, e64, sdwa, dpp };

struct Sdwa {
  uint8_t dst_sel = 6;     ///< 0..3 byte, 4..5 word, 6 dword
  uint8_t dst_unused = 0;  ///< 0 pad zero, 1 sign-extend, 2 preserve
  uint8_t src_sel[2] = {6, 6};
  bool src_sext[2] = {false, false};
};

struct Dpp {
  uint16_t ctrl = 0;  ///< dpp_ctrl, 9 bits
  uint8_t row_mask = 0xf;
  uint8_t bank_mask = 0xf;
  bool bound_ctrl = false;  ///< the BOUND_CTRL bit: out-of-range source lanes read 0 instead of disabling
};

struct Inst {
  ExecFn exec = nullptr;  ///< nullptr: not decoded yet
  const OpInfo* op = nullptr;
  uint64_t konst[3] = {};
  uint16_t src[3] = {};  ///< register numbers, see SrcKind
  SrcKind kind[3] = {};
  uint8_t size_dwords = 0;
  uint16_t dst = 0;   ///< destination: VGPR number, or SGPR number for scalar results
  uint16_t sdst = 0;  ///< second destination: SGPR number (VOP3B carry, VOPC mask; vcc unless encoded)
  Family family = Family::sop1;
  Cost cost = Cost::salu;
  uint8_t counter_class = 0;  ///< InstClass (counts.hpp)
  Enc enc = Enc::e32;
  uint8_t neg = 0;   ///< bit n: negate source n (VOP3P: neg_lo)
  uint8_t abs = 0;   ///< bit n: absolute value of source n (VOP3P: neg_hi)
  uint8_t omod = 0;  ///< 0, 1 *2, 2 *4, 3 /2
  bool clamp = false;
  uint8_t op_sel = 0;     ///< VOP3 (16-bit ops) and VOP3P: bits 0..2 sources, bit 3 destination
  uint8_t op_sel_hi = 0;  ///< VOP3P
  uint8_t flags = 0;      ///< family-private (for example glc, slc, lds)
  int32_t imm = 0;        ///< SIMM16 sign-extended, memory offset, or family-private
  Sdwa sdwa;
  Dpp dpp;

  GFX9_INLINE bool has_modifiers() const { return (neg | abs | omod | static_cast<uint8_t>(clamp)) != 0; }
};

}  // namespace softgpu::gfx9
