// What FLAT, GLOBAL, SCRATCH and MUBUF share: the op table's row and the executors. The family supplies a
// resolver, which turns operands into a LaneSpan.
#pragma once

#include <bit>

#include "gfx9/atomics.hpp"
#include "gfx9/decode.hpp"
#include "gfx9/fpenv.hpp"
#include "gfx9/lane_access.hpp"

namespace softgpu::gfx9 {

/// Inst::flags of vector memory instructions.
namespace vmem_flag {
constexpr uint8_t returns = 1;  ///< atomic with GLC: the old value goes to dst
constexpr uint8_t offen = 2, idxen = 4;
}  // namespace vmem_flag

/// A row without an executor is known but refused, with this reason.
struct VmemOp : OpInfo {
  enum class Kind : uint8_t { load, store, atomic, other };
  Kind kind = Kind::other;
  ExecFn exec = nullptr;
  uint8_t dst_dwords = 0;   ///< registers loaded, or returned by an atomic
  uint8_t data_dwords = 0;  ///< registers of the data operand
  HostAtomicFn atomic = nullptr;
  bool float_atomic = false;
  uint32_t first_target = 90000;
  const char* refused = nullptr;
};

/// Fills `span` for the lanes in EXEC (not empty). @return false after env.raise
using ResolveFn = bool (*)(Wave& w, const Inst& i, Env& env, unsigned size, bool write, LaneSpan& span);

// Operands: src[0] address VGPR, src[1] data VGPR, dst destination VGPR.

template <ResolveFn kResolve, Shape kShape>
void vmem_load(Wave& w, const Inst& i, Env& env) {
  constexpr unsigned kBytes = shape_bytes(kShape);
  const uint64_t exec = w.exec();
  if (exec == 0) return;
  LaneSpan span;
  if (!kResolve(w, i, env, kBytes, false, span)) return;
  if (span.scattered) span.gather(kBytes);
  load_lanes<kShape>(w, i.dst, exec, span);
  env.bytes_loaded += kBytes * static_cast<unsigned>(std::popcount(exec));
}

template <ResolveFn kResolve, Shape kShape>
void vmem_store(Wave& w, const Inst& i, Env& env) {
  constexpr unsigned kBytes = shape_bytes(kShape);
  const uint64_t exec = w.exec();
  if (exec == 0) return;
  LaneSpan span;
  if (!kResolve(w, i, env, kBytes, true, span)) return;
  store_lanes<kShape>(w, i.src[1], exec, span);
  if (span.scattered) span.flush(kBytes);
  env.bytes_stored += kBytes * static_cast<unsigned>(std::popcount(exec));
}

/// A data operand of `bytes` (4 or 8) from VGPR `reg`.
GFX9_INLINE uint64_t vgpr_data(const Wave& w, unsigned reg, unsigned lane, unsigned bytes) {
  return bytes == 8 ? w.vgpr[reg][lane] | uint64_t{w.vgpr[reg + 1][lane]} << 32 : w.vgpr[reg][lane];
}

template <ResolveFn kResolve>
void vmem_atomic(Wave& w, const Inst& i, Env& env) {
  const auto& op = static_cast<const VmemOp&>(*i.op);
  const unsigned bytes = op.dst_dwords * 4u;
  const bool compare = op.data_dwords > op.dst_dwords;
  const uint64_t exec = w.exec();
  if (exec == 0) return;
  LaneSpan span;
  if (!kResolve(w, i, env, bytes, true, span)) return;
  if (op.float_atomic) bytes == 8 ? use_f64_mode(env, w) : use_f32_mode(env, w);
  for_lanes(exec, [&](unsigned l) {
    std::byte* p = span.contiguous ? span.contiguous + size_t{l} * bytes : span.p[l];
    // cmpswap: first the new value, then the value to compare with.
    const uint64_t data = vgpr_data(w, i.src[1], l, bytes);
    const uint64_t second = compare ? vgpr_data(w, i.src[1] + op.dst_dwords, l, bytes) : 0;
    const uint64_t old = p ? op.atomic(p, data, second) : 0;
    if (!(i.flags & vmem_flag::returns)) return;
    w.vgpr[i.dst][l] = static_cast<uint32_t>(old);
    if (bytes == 8) w.vgpr[i.dst + 1][l] = static_cast<uint32_t>(old >> 32);
  });
  const unsigned moved = bytes * static_cast<unsigned>(std::popcount(exec));
  env.bytes_loaded += moved;
  env.bytes_stored += moved;
}

template <ResolveFn kResolve, Shape kShape>
constexpr VmemOp vmem_load_row(uint16_t opcode, const char* mnemonic) {
  VmemOp row;
  row.opcode = opcode;
  row.mnemonic = mnemonic;
  row.kind = VmemOp::Kind::load;
  row.exec = vmem_load<kResolve, kShape>;
  row.dst_dwords = shape_dwords(kShape);
  return row;
}
template <ResolveFn kResolve, Shape kShape>
constexpr VmemOp vmem_store_row(uint16_t opcode, const char* mnemonic) {
  VmemOp row;
  row.opcode = opcode;
  row.mnemonic = mnemonic;
  row.kind = VmemOp::Kind::store;
  row.exec = vmem_store<kResolve, kShape>;
  row.data_dwords = shape_dwords(kShape);
  return row;
}
template <ResolveFn kResolve, AtomicOp kOp, typename T>
constexpr VmemOp vmem_atomic_row(uint16_t opcode, const char* mnemonic, uint32_t first_target) {
  VmemOp row;
  row.opcode = opcode;
  row.mnemonic = mnemonic;
  row.kind = VmemOp::Kind::atomic;
  row.exec = vmem_atomic<kResolve>;
  row.dst_dwords = sizeof(T) / 4;
  row.data_dwords = kOp == AtomicOp::cmpswap ? 2 * sizeof(T) / 4 : sizeof(T) / 4;
  row.atomic = host_atomic<kOp, T>;
  row.float_atomic = is_float(kOp);
  row.first_target = first_target;
  return row;
}
constexpr VmemOp vmem_refused_row(uint16_t opcode, const char* mnemonic, const char* why) {
  VmemOp row;
  row.opcode = opcode;
  row.mnemonic = mnemonic;
  row.refused = why;
  return row;
}

/// Register fields of an encoding.
struct VmemRegisters {
  unsigned data, dst;
  bool glc;  ///< atomics: return the old value
  bool acc;  ///< gfx90a: data and dst are accumulation registers; elsewhere NV, which has no meaning here
};
/// Checks that the row can run on this target, and fills exec, op, cost and the register operands.
/// @return false after ctx.refuse()
bool begin_vmem(DecodeContext& ctx, Inst& out, const char* family_name, unsigned opcode, const VmemOp* row,
                const VmemRegisters& registers);
/// gfx90a keeps accumulation registers above the 256 others in Wave::vgpr.
constexpr unsigned kFirstAgpr = 256;
/// Checks that v[reg : reg + dwords - 1] exists.
bool check_vgprs(DecodeContext& ctx, const char* what, unsigned reg, unsigned dwords);

}  // namespace softgpu::gfx9
