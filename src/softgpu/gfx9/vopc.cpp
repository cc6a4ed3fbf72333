// VOPC: rows are made per operand type, in opcode order. Opcodes: "Vega" ISA manual, VOPC.
// The executor writes 0 for inactive lanes; v_cmpx also writes EXEC (exec_cmpx*).
#include "gfx9/ops_f16.hpp"
#include "gfx9/valu_decode.hpp"

namespace softgpu::gfx9::GFX9_LANES_NS {
namespace {

/// The sixteen float conditions by opcode bits 3:0 and the eight integer ones by bits 2:0.
template <unsigned Cond, typename T>
GFX9_INLINE constexpr bool compare_float(T a, T b) {
  switch (Cond) {
    case 0:
      return false;
    case 1:
      return a < b;
    case 2:
      return a == b;
    case 3:
      return a <= b;
    case 4:
      return a > b;
    case 5:
      return (a < b) | (a > b);
    case 6:
      return a >= b;
    case 7:
      return (a == a) & (b == b);
    case 8:
      return (a != a) | (b != b);
    case 9:
      return !(a >= b);
    case 10:
      return !((a < b) | (a > b));
    case 11:
      return !(a > b);
    case 12:
      return !(a <= b);
    case 13:
      return !(a == b);
    case 14:
      return !(a < b);
    default:
      return true;
  }
}
template <unsigned Cond, typename T>
GFX9_INLINE constexpr bool compare_int(T a, T b) {
  switch (Cond) {
    case 0:
      return false;
    case 1:
      return a < b;
    case 2:
      return a == b;
    case 3:
      return a <= b;
    case 4:
      return a > b;
    case 5:
      return a != b;
    case 6:
      return a >= b;
    default:
      return true;
  }
}
template <unsigned Cond>
GFX9_INLINE bool compare_half(const FpCtx& fp, Half a, Half b) {
  return compare_float<Cond>(widen(fp, a), widen(fp, b));
}

void finish_cmpx(Wave& w, const Inst& i) { w.set_exec(w.s64(i.sdst)); }
void exec_cmpx_general(Wave& w, const Inst& i, Env& env) {
  exec_general(w, i, env);
  finish_cmpx(w, i);
}
void exec_cmpx_plain(Wave& w, const Inst& i, Env& env) {
  exec_plain(w, i, env);
  finish_cmpx(w, i);
}
constexpr ValuOp cmpx(ValuOp r, uint16_t opcode, const char* mnemonic) {
  r.opcode = opcode;
  r.mnemonic = mnemonic;
  r.plain = exec_cmpx_plain;
  r.general = exec_cmpx_general;
  return r;
}

constexpr uint16_t kInt = accept::e64 | accept::sdwa;
constexpr uint16_t kFloat = kInt | accept::neg;

struct Rows {
  static constexpr unsigned kCount = 3 * 2 + 3 * 32 + 6 * 16;
  ValuOp v[kCount] = {};
  unsigned n = 0;
  constexpr void add(const ValuOp& r) { v[n++] = r; }
};

// Version 14 does not come to rest on this block.
// clang-format off
#define GFX9_FLOAT_CONDS(X, t)                                                                               \
  X(0, f_##t)                                                                                                \
  X(1, lt_##t)                                                                                               \
  X(2, eq_##t)                                                                                               \
  X(3, le_##t)                                                                                               \
  X(4, gt_##t) X(5, lg_##t) X(6, ge_##t) X(7, o_##t) X(8, u_##t) X(9, nge_##t) X(10, nlg_##t) X(11, ngt_##t) \
      X(12, nle_##t) X(13, neq_##t) X(14, nlt_##t) X(15, tru_##t)
#define GFX9_INT_CONDS(X, t) \
  X(0, f_##t) X(1, lt_##t) X(2, eq_##t) X(3, le_##t) X(4, gt_##t) X(5, ne_##t) X(6, ge_##t) X(7, t_##t)
// clang-format on
/// Rows v_cmp_NAME at base + cond and v_cmpx_NAME 16 above.
#define GFX9_ROW_PAIR(base, cond, name, made)                 \
  {                                                           \
    const ValuOp r = made;                                    \
    rows.add(r);                                              \
    rows.add(cmpx(r, (base) + 16 + (cond), "v_cmpx_" #name)); \
  }
#define GFX9_F16(cond, name)      \
  GFX9_ROW_PAIR(0x20, cond, name, \
                (row<compare_half<(cond)>>(0x20 + (cond), "v_cmp_" #name, Fp::none, kFloat)))
#define GFX9_F32(cond, name)      \
  GFX9_ROW_PAIR(0x40, cond, name, \
                (hot<compare_float<(cond), float>, Fp::f32>(0x40 + (cond), "v_cmp_" #name, kFloat)))
#define GFX9_F64(cond, name)                                                                \
  GFX9_ROW_PAIR(0x60, cond, name,                                                           \
                (row<compare_float<(cond), double>>(0x60 + (cond), "v_cmp_" #name, Fp::f64, \
                                                    accept::e64 | accept::neg)))
#define GFX9_I16(cond, name)      \
  GFX9_ROW_PAIR(0xa0, cond, name, \
                (row<compare_int<(cond), i16>>(0xa0 + (cond), "v_cmp_" #name, Fp::none, kInt)))
#define GFX9_U16(cond, name)      \
  GFX9_ROW_PAIR(0xa8, cond, name, \
                (row<compare_int<(cond), u16>>(0xa8 + (cond), "v_cmp_" #name, Fp::none, kInt)))
#define GFX9_I32(cond, name) \
  GFX9_ROW_PAIR(0xc0, cond, name, (hot<compare_int<(cond), i32>>(0xc0 + (cond), "v_cmp_" #name, kInt)))
#define GFX9_U32(cond, name) \
  GFX9_ROW_PAIR(0xc8, cond, name, (hot<compare_int<(cond), u32>>(0xc8 + (cond), "v_cmp_" #name, kInt)))
#define GFX9_I64(cond, name)      \
  GFX9_ROW_PAIR(0xe0, cond, name, \
                (row<compare_int<(cond), i64>>(0xe0 + (cond), "v_cmp_" #name, Fp::none, accept::e64)))
#define GFX9_U64(cond, name)      \
  GFX9_ROW_PAIR(0xe8, cond, name, \
                (row<compare_int<(cond), u64>>(0xe8 + (cond), "v_cmp_" #name, Fp::none, accept::e64)))

constexpr Rows make_rows() {
  Rows rows;
  const ValuOp c32 = row<v_cmp_class_f32>(0x10, "v_cmp_class_f32", Fp::none, kFloat).mods_on(1);
  const ValuOp c64 =
      row<v_cmp_class_f64>(0x12, "v_cmp_class_f64", Fp::none, accept::e64 | accept::neg).mods_on(1);
  const ValuOp c16 = row<v_cmp_class_f16>(0x14, "v_cmp_class_f16", Fp::none, kFloat).mods_on(1);
  rows.add(c32);
  rows.add(cmpx(c32, 0x11, "v_cmpx_class_f32"));
  rows.add(c64);
  rows.add(cmpx(c64, 0x13, "v_cmpx_class_f64"));
  rows.add(c16);
  rows.add(cmpx(c16, 0x15, "v_cmpx_class_f16"));
  GFX9_FLOAT_CONDS(GFX9_F16, f16)
  GFX9_FLOAT_CONDS(GFX9_F32, f32)
  GFX9_FLOAT_CONDS(GFX9_F64, f64)
  GFX9_INT_CONDS(GFX9_I16, i16)
  GFX9_INT_CONDS(GFX9_U16, u16)
  GFX9_INT_CONDS(GFX9_I32, i32)
  GFX9_INT_CONDS(GFX9_U32, u32)
  GFX9_INT_CONDS(GFX9_I64, i64)
  GFX9_INT_CONDS(GFX9_U64, u64)
  return rows;
}
constexpr Rows kRows = make_rows();
static_assert(sourced(kRows.v));

}  // namespace

OpTable vopc_table() { return {kRows.v, kRows.n}; }

}  // namespace softgpu::gfx9::GFX9_LANES_NS
