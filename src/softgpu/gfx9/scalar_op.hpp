// What the scalar families share: an op is a pure function of values; the templates here fetch its operands
// by their C++ types and write its result.
//
//   uint32_t f(uint32_t, uint32_t, bool scc)               result only
//   ScalarResult<uint64_t> f(uint64_t, uint32_t, bool scc)  result and SCC
//   bool f(int32_t, int32_t)                                SCC only (compares)
#pragma once

#include <type_traits>

#include "gfx9/op_table.hpp"
#include "gfx9/operands.hpp"

namespace softgpu::gfx9 {

template <typename T>
struct ScalarResult {
  T value;
  bool scc;
  constexpr bool operator==(const ScalarResult&) const = default;
};

template <typename T>
struct ResultType {
  using type = T;
  static constexpr bool sets_scc = false;
};
template <typename T>
struct ResultType<ScalarResult<T>> {
  using type = T;
  static constexpr bool sets_scc = true;
};

/// How a source of C++ type T is decoded.
template <typename T>
constexpr OperandType operand_type_of() {
  if constexpr (std::is_same_v<T, int64_t>) {
    return OperandType::i64;
  } else {
    return sizeof(T) == 8 ? OperandType::b64 : OperandType::b32;
  }
}

template <typename T>
T read_scalar(const Wave& w, const Inst& i, unsigned n) {
  if constexpr (sizeof(T) == 8) {
    return static_cast<T>(read_scalar64(w, i, n));
  } else {
    return static_cast<T>(read_scalar32(w, i, n));
  }
}
template <typename T>
void write_scalar(Wave& w, unsigned reg, T value) {
  if constexpr (sizeof(T) == 8) {
    w.set_s64(reg, static_cast<uint64_t>(value));
  } else {
    w.sgpr[reg] = static_cast<uint32_t>(value);
  }
}
template <typename R>
void write_result(Wave& w, unsigned reg, const R& result) {
  if constexpr (ResultType<R>::sets_scc) {
    write_scalar(w, reg, result.value);
    w.scc = result.scc;
  } else {
    write_scalar(w, reg, result);
  }
}

template <typename T>
constexpr ScalarResult<T> nonzero(T value) {
  return {value, value != 0};
}

/// A row without an executor is known but refused, with this reason.
struct ScalarOp : OpInfo {
  ExecFn exec = nullptr;
  Cost cost = Cost::salu;
  uint8_t dst_dwords = 0;  ///< 0: no scalar destination
  uint8_t sources = 0;
  OperandType type[2] = {OperandType::b32, OperandType::b32};
  const char* refused = nullptr;
};

/// Fills the parts of `out` that follow from the row; checks that the row can be executed.
bool begin_scalar(DecodeContext& ctx, Inst& out, Family family, const char* family_name, unsigned opcode,
                  const ScalarOp* row);
/// The literal dword behind a 32-bit encoding if one of the selectors asks for it; sets size_dwords.
/// @return false after ctx.refuse() when the literal is not readable
bool take_literal(DecodeContext& ctx, Inst& out, const uint32_t* dw, bool wanted, const uint32_t*& literal);

}  // namespace softgpu::gfx9
