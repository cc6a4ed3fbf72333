// SMEM: scalar loads, stores, atomics, cache control and clocks. Source: "Vega" ISA manual, section "Scalar
// memory operations".
#include <cstring>

#include "gfx9/atomics.hpp"
#include "gfx9/memory_access.hpp"
#include "gfx9/op_table.hpp"
#include "gfx9/operands.hpp"

namespace softgpu::gfx9 {
namespace {

// Inst: dst data SGPRs, src[0] base SGPRs, imm offset constant, sdst offset SGPR or kNoOffsetSgpr.
constexpr uint16_t kNoOffsetSgpr = 0xffff;
constexpr uint8_t kReturns = 1;  ///< Inst::flags: atomic with GLC

enum class Base : uint8_t { none, address, buffer };

struct SmemOp : OpInfo {
  ExecFn exec = nullptr;
  Base base = Base::none;
  uint8_t dwords = 0;    ///< of SDATA
  bool has_data = true;  ///< SDATA is used
  HostAtomicFn atomic = nullptr;
  const char* refused = nullptr;
};

uint64_t byte_offset(const Wave& w, const Inst& i) {
  const auto constant = static_cast<uint64_t>(int64_t{i.imm});
  return i.sdst == kNoOffsetSgpr ? constant : constant + w.sgpr[i.sdst];
}

/// Size in bytes of what a buffer descriptor covers. With a stride, records are counted.
uint64_t buffer_bytes(const Wave& w, unsigned reg) {
  const uint64_t stride = w.sgpr[reg + 1] >> 16 & 0x3fff, records = w.sgpr[reg + 2];
  return stride == 0 ? records : stride * records;
}

/// Address and, for buffers, how many of `dwords` are in range (the others read 0 and are not stored).
struct Place {
  uint64_t va = 0;
  unsigned in_range = 0;
};
Place locate(const Wave& w, const Inst& i, unsigned dwords) {
  const auto& op = static_cast<const SmemOp&>(*i.op);
  const uint64_t offset = byte_offset(w, i);
  constexpr uint64_t kDwordMask = ~uint64_t{3};  // the two low bits are ignored
  if (op.base == Base::address) return {(w.s64(i.src[0]) + offset) & kDwordMask, dwords};
  const uint64_t base = w.s64(i.src[0]) & 0xffffffffffffull, size = buffer_bytes(w, i.src[0]);
  const uint64_t aligned = offset & kDwordMask;
  const uint64_t room = aligned < size ? (size - aligned) / 4 : 0;
  return {(base + aligned) & kDwordMask, static_cast<unsigned>(room < dwords ? room : dwords)};
}

std::byte* resolve(Env& env, const Place& place, bool write) {
  env.memory->begin_instruction();
  const uint64_t size = uint64_t{place.in_range} * 4;
  std::byte* host = env.memory->resolve(place.va, size, write);
  if (!host) env.raise_memory(place.va, write, "address is not mapped or not writable");
  return host;
}

template <unsigned kDwords>
void load(Wave& w, const Inst& i, Env& env) {
  uint32_t value[kDwords] = {};
  const Place place = locate(w, i, kDwords);
  if (place.in_range > 0) {
    const std::byte* host = resolve(env, place, false);
    if (!host) return;
    if (place.in_range >= kDwords) {  // never more; written so for the compiler's view of the copy below
      std::memcpy(value, host, sizeof value);
    } else {
      std::memcpy(value, host, size_t{place.in_range} * 4);
    }
  }
  std::memcpy(&w.sgpr[i.dst], value, sizeof value);
  env.bytes_loaded += sizeof value;
}

template <unsigned kDwords>
void store(Wave& w, const Inst& i, Env& env) {
  const Place place = locate(w, i, kDwords);
  if (place.in_range == 0) return;
  std::byte* host = resolve(env, place, true);
  if (!host) return;
  std::memcpy(host, &w.sgpr[i.dst], size_t{place.in_range} * 4);
  env.bytes_stored += size_t{place.in_range} * 4;
}

void atomic(Wave& w, const Inst& i, Env& env) {
  const auto& op = static_cast<const SmemOp&>(*i.op);
  const bool compare = std::strstr(op.mnemonic, "cmpswap") != nullptr;
  const unsigned dwords = compare ? op.dwords / 2u : op.dwords;
  const auto operand = [&](unsigned reg) { return dwords == 2 ? w.s64(reg) : w.sgpr[reg]; };
  const Place place = locate(w, i, dwords);
  uint64_t old = 0;
  if (place.in_range == dwords) {
    if (place.va % (dwords * 4) != 0) {
      return env.raise_memory(place.va, true, "address of an atomic is not aligned");
    }
    std::byte* host = resolve(env, place, true);
    if (!host) return;
    old = op.atomic(host, operand(i.dst), compare ? operand(i.dst + dwords) : 0);
  }
  if (i.flags & kReturns) {
    w.sgpr[i.dst] = static_cast<uint32_t>(old);
    if (dwords == 2) w.sgpr[i.dst + 1u] = static_cast<uint32_t>(old >> 32);
  }
  env.bytes_loaded += dwords * 4;
  env.bytes_stored += dwords * 4;
}

/// Engine clock: the device clock at the start of the grid in engine cycles, plus the wave's progress.
void s_memtime(Wave& w, const Inst& i, Env& env) {
  w.set_s64(i.dst, env.start_ticks * env.config->clock_mhz / 100 + env.progress_cycles());
}
/// The 100 MHz device clock of signal timestamps.
void s_memrealtime(Wave& w, const Inst& i, Env& env) {
  w.set_s64(i.dst, env.start_ticks + env.progress_cycles() * 100 / env.config->clock_mhz);
}
/// Caches are not modelled: memory is always coherent.
void cache_control(Wave&, const Inst&, Env&) {}

template <unsigned kDwords>
constexpr SmemOp load_row(uint16_t opcode, const char* mnemonic, Base base) {
  return {{opcode, mnemonic}, load<kDwords>, base, kDwords, true, nullptr, nullptr};
}
template <unsigned kDwords>
constexpr SmemOp store_row(uint16_t opcode, const char* mnemonic, Base base) {
  return {{opcode, mnemonic}, store<kDwords>, base, kDwords, true, nullptr, nullptr};
}
constexpr SmemOp plain_row(uint16_t opcode, const char* mnemonic, ExecFn exec, uint8_t dwords) {
  return {{opcode, mnemonic}, exec, Base::none, dwords, dwords > 0, nullptr, nullptr};
}
template <AtomicOp kOp, typename T>
constexpr SmemOp atomic_row(uint16_t opcode, const char* mnemonic, Base base) {
  constexpr uint8_t kDwords = sizeof(T) / 4 * (kOp == AtomicOp::cmpswap ? 2 : 1);
  return {{opcode, mnemonic}, atomic, base, kDwords, true, host_atomic<kOp, T>, nullptr};
}
constexpr SmemOp refused(uint16_t opcode, const char* mnemonic, const char* why) {
  return {{opcode, mnemonic}, nullptr, Base::address, 0, true, nullptr, why};
}

constexpr const char* kSwizzled = "scalar scratch addressing is not emulated";
#define ATOMIC_ROWS(first, prefix, suffix, base, type)                                   \
  atomic_row<AtomicOp::swap, type>((first) + 0x0, prefix "swap" suffix, base),           \
      atomic_row<AtomicOp::cmpswap, type>((first) + 0x1, prefix "cmpswap" suffix, base), \
      atomic_row<AtomicOp::add, type>((first) + 0x2, prefix "add" suffix, base),         \
      atomic_row<AtomicOp::sub, type>((first) + 0x3, prefix "sub" suffix, base),         \
      atomic_row<AtomicOp::smin, type>((first) + 0x4, prefix "smin" suffix, base),       \
      atomic_row<AtomicOp::umin, type>((first) + 0x5, prefix "umin" suffix, base),       \
      atomic_row<AtomicOp::smax, type>((first) + 0x6, prefix "smax" suffix, base),       \
      atomic_row<AtomicOp::umax, type>((first) + 0x7, prefix "umax" suffix, base),       \
      atomic_row<AtomicOp::and_, type>((first) + 0x8, prefix "and" suffix, base),        \
      atomic_row<AtomicOp::or_, type>((first) + 0x9, prefix "or" suffix, base),          \
      atomic_row<AtomicOp::xor_, type>((first) + 0xa, prefix "xor" suffix, base),        \
      atomic_row<AtomicOp::inc, type>((first) + 0xb, prefix "inc" suffix, base),         \
      atomic_row<AtomicOp::dec, type>((first) + 0xc, prefix "dec" suffix, base)

constexpr SmemOp kSmemOps[] = {
    load_row<1>(0x00, "s_load_dword", Base::address),
    load_row<2>(0x01, "s_load_dwordx2", Base::address),
    load_row<4>(0x02, "s_load_dwordx4", Base::address),
    load_row<8>(0x03, "s_load_dwordx8", Base::address),
    load_row<16>(0x04, "s_load_dwordx16", Base::address),
    refused(0x05, "s_scratch_load_dword", kSwizzled),
    refused(0x06, "s_scratch_load_dwordx2", kSwizzled),
    refused(0x07, "s_scratch_load_dwordx4", kSwizzled),
    load_row<1>(0x08, "s_buffer_load_dword", Base::buffer),
    load_row<2>(0x09, "s_buffer_load_dwordx2", Base::buffer),
    load_row<4>(0x0a, "s_buffer_load_dwordx4", Base::buffer),
    load_row<8>(0x0b, "s_buffer_load_dwordx8", Base::buffer),
    load_row<16>(0x0c, "s_buffer_load_dwordx16", Base::buffer),
    store_row<1>(0x10, "s_store_dword", Base::address),
    store_row<2>(0x11, "s_store_dwordx2", Base::address),
    store_row<4>(0x12, "s_store_dwordx4", Base::address),
    refused(0x15, "s_scratch_store_dword", kSwizzled),
    refused(0x16, "s_scratch_store_dwordx2", kSwizzled),
    refused(0x17, "s_scratch_store_dwordx4", kSwizzled),
    store_row<1>(0x18, "s_buffer_store_dword", Base::buffer),
    store_row<2>(0x19, "s_buffer_store_dwordx2", Base::buffer),
    store_row<4>(0x1a, "s_buffer_store_dwordx4", Base::buffer),
    plain_row(0x20, "s_dcache_inv", cache_control, 0),
    plain_row(0x21, "s_dcache_wb", cache_control, 0),
    plain_row(0x22, "s_dcache_inv_vol", cache_control, 0),
    plain_row(0x23, "s_dcache_wb_vol", cache_control, 0),
    plain_row(0x24, "s_memtime", s_memtime, 2),
    plain_row(0x25, "s_memrealtime", s_memrealtime, 2),
    refused(0x26, "s_atc_probe", "address translation probes are not emulated"),
    refused(0x27, "s_atc_probe_buffer", "address translation probes are not emulated"),
    refused(0x28, "s_dcache_discard", "discarding of cache lines is not emulated"),
    refused(0x29, "s_dcache_discard_x2", "discarding of cache lines is not emulated"),
    ATOMIC_ROWS(0x40, "s_buffer_atomic_", "", Base::buffer, uint32_t),
    ATOMIC_ROWS(0x60, "s_buffer_atomic_", "_x2", Base::buffer, uint64_t),
    ATOMIC_ROWS(0x80, "s_atomic_", "", Base::address, uint32_t),
    ATOMIC_ROWS(0xa0, "s_atomic_", "_x2", Base::address, uint64_t),
};
#undef ATOMIC_ROWS
static_assert(sorted_by_opcode(kSmemOps));

bool set_offset(const uint32_t* dw, DecodeContext& ctx, const SmemOp& op, Inst& out) {
  const bool imm = (dw[0] >> 17 & 1) != 0, soe = (dw[0] >> 14 & 1) != 0;
  out.sdst = kNoOffsetSgpr;
  unsigned sgpr = 0;
  if (imm) {
    out.imm = static_cast<int32_t>(dw[1] << 11) >> 11;
    if (op.base == Base::buffer && out.imm < 0) {
      return ctx.refuse("%s: negative offset %d into a buffer", op.mnemonic, out.imm);
    }
    if (!soe) return true;
    sgpr = dw[1] >> 25;
  } else {
    sgpr = soe ? dw[1] >> 25 : dw[1] & 0x7f;
  }
  return set_scalar_dst(ctx, out.sdst, sgpr, 1);
}

}  // namespace

bool decode_smem(const uint32_t* dw, DecodeContext& ctx, Inst& out) {
  const unsigned opcode = dw[0] >> 18 & 0xff;
  const SmemOp* op = find_row(kSmemOps, opcode);
  if (!op) return ctx.refuse("unknown SMEM opcode 0x%02x", opcode);
  if (!op->exec) return ctx.refuse("%s: %s", op->mnemonic, op->refused);
  if (dw[0] >> 13 & 1) return ctx.refuse("%s: reserved bit 13 is set", op->mnemonic);
  out.op = op;
  out.exec = op->exec;
  out.family = Family::smem;
  out.cost = Cost::smem;
  out.size_dwords = 2;
  if (op->atomic && (dw[0] >> 16 & 1)) out.flags = kReturns;
  if (op->has_data && !set_scalar_dst(ctx, out.dst, dw[0] >> 6 & 0x7f, op->dwords)) return false;
  if (op->base == Base::none) return true;
  const unsigned base = (dw[0] & 0x3f) * 2;
  return set_scalar_dst(ctx, out.src[0], base, op->base == Base::buffer ? 4 : 2) &&
         set_offset(dw, ctx, *op, out);
}

void visit_smem(const OpVisitor& visitor) { visit_rows(visitor, Family::smem, kSmemOps); }

}  // namespace softgpu::gfx9
