// DS: local data share. An access that does not lie in the workgroup's LDS (its size rounded up to 512 bytes)
// reads 0 and writes nothing, as on hardware. Unaligned accesses are done as they are. Source: "Vega" ISA
// manual, section "LDS instructions".
#include "gfx9/ds.hpp"

#include <bit>

#include "gfx9/fpenv.hpp"
#include "gfx9/lane_access.hpp"
#include "gfx9/op_table.hpp"
#include "gfx9/vmem.hpp"
#include "gfx9/workgroup.hpp"

namespace softgpu::gfx9 {
namespace {

/// LDS addresses are sums modulo 2^32: compilers write index 255 - t as a negative base plus an offset.
constexpr uint32_t wrap(uint64_t sum) { return static_cast<uint32_t>(sum); }

std::byte* place(const Workgroup& group, uint64_t address, unsigned size) {
  return address + size <= group.lds_bytes ? group.lds + address : nullptr;
}
void find_places(const Wave& w, const Inst& i, const Env& env, unsigned offset, unsigned size,
                 LaneSpan& span) {
  const uint32_t* address = w.vgpr[i.src[0]];
  for_lanes(w.exec(), [&](unsigned l) {
    span.p[l] = place(*env.workgroup, uint64_t{wrap(address[l] + offset)}, size);
  });
}
void count(const Wave& w, Env& env, unsigned bytes) {
  env.lds_bytes += uint64_t{bytes} * static_cast<unsigned>(std::popcount(w.exec()));
}

template <Shape kShape>
void ds_read(Wave& w, const Inst& i, Env& env) {
  LaneSpan span;
  find_places(w, i, env, static_cast<unsigned>(i.imm), shape_bytes(kShape), span);
  load_lanes<kShape>(w, i.dst, w.exec(), span);
  count(w, env, shape_bytes(kShape));
}
template <Shape kShape>
void ds_write(Wave& w, const Inst& i, Env& env) {
  LaneSpan span;
  find_places(w, i, env, static_cast<unsigned>(i.imm), shape_bytes(kShape), span);
  store_lanes<kShape>(w, i.src[1], w.exec(), span);
  count(w, env, shape_bytes(kShape));
}

/// Two accesses at OFFSET0 and OFFSET1, each in units of `kUnit` bytes.
template <Shape kShape, unsigned kUnit>
void ds_read2(Wave& w, const Inst& i, Env& env) {
  LaneSpan first, second;
  const auto offsets = static_cast<unsigned>(i.imm);
  find_places(w, i, env, (offsets & 0xff) * kUnit, shape_bytes(kShape), first);
  find_places(w, i, env, (offsets >> 8) * kUnit, shape_bytes(kShape), second);
  load_lanes<kShape>(w, i.dst, w.exec(), first);
  load_lanes<kShape>(w, i.dst + shape_dwords(kShape), w.exec(), second);
  count(w, env, 2 * shape_bytes(kShape));
}
template <Shape kShape, unsigned kUnit>
void ds_write2(Wave& w, const Inst& i, Env& env) {
  LaneSpan span;
  const auto offsets = static_cast<unsigned>(i.imm);
  find_places(w, i, env, (offsets & 0xff) * kUnit, shape_bytes(kShape), span);
  store_lanes<kShape>(w, i.src[1], w.exec(), span);
  find_places(w, i, env, (offsets >> 8) * kUnit, shape_bytes(kShape), span);
  store_lanes<kShape>(w, i.src[2], w.exec(), span);
  count(w, env, 2 * shape_bytes(kShape));
}

/// Without neighbours in other threads: plain read, op, write, lane by lane in order.
template <typename T, bool kReturns>
void ds_atomic(Wave& w, const Inst& i, Env& env) {
  const auto& op = static_cast<const DsOp&>(*i.op);
  if (op.float_atomic) sizeof(T) == 8 ? use_f64_mode(env, w) : use_f32_mode(env, w);
  const uint32_t* address = w.vgpr[i.src[0]];
  uint32_t old_lo[kLanes], old_hi[kLanes];
  for_lanes(w.exec(), [&](unsigned l) {
    std::byte* p =
        place(*env.workgroup, uint64_t{wrap(address[l] + static_cast<unsigned>(i.imm))}, sizeof(T));
    const uint64_t old = p ? peek<T>(p) : 0;
    const uint64_t first = vgpr_data(w, i.src[1], l, sizeof(T));
    const uint64_t second = op.data1_dwords ? vgpr_data(w, i.src[2], l, sizeof(T)) : 0;
    if (p) poke(p, static_cast<T>(op.atomic(old, first, second)));
    old_lo[l] = static_cast<uint32_t>(old);
    old_hi[l] = static_cast<uint32_t>(old >> 32);
  });
  if constexpr (kReturns) {
    for_lanes(w.exec(), [&](unsigned l) {
      w.vgpr[i.dst][l] = old_lo[l];
      if constexpr (sizeof(T) == 8) w.vgpr[i.dst + 1][l] = old_hi[l];
    });
  }
  count(w, env, 2 * sizeof(T));
}

/// Exchanges at two places; the old values go to consecutive registers.
template <typename T, unsigned kUnit>
void ds_wrxchg2(Wave& w, const Inst& i, Env& env) {
  const uint32_t* address = w.vgpr[i.src[0]];
  const auto offsets = static_cast<unsigned>(i.imm);
  T old[2][kLanes] = {};
  for_lanes(w.exec(), [&](unsigned l) {
    for (unsigned k = 0; k < 2; ++k) {
      std::byte* p =
          place(*env.workgroup, uint64_t{wrap(address[l] + (offsets >> (8 * k) & 0xff) * kUnit)}, sizeof(T));
      if (!p) continue;
      old[k][l] = peek<T>(p);
      poke(p, static_cast<T>(vgpr_data(w, i.src[1 + k], l, sizeof(T))));
    }
  });
  constexpr unsigned kDwords = sizeof(T) / 4;
  for_lanes(w.exec(), [&](unsigned l) {
    for (unsigned k = 0; k < 2; ++k) {
      w.vgpr[i.dst + k * kDwords][l] = static_cast<uint32_t>(old[k][l]);
      if constexpr (kDwords == 2) w.vgpr[i.dst + k * 2 + 1][l] = static_cast<uint32_t>(old[k][l] >> 32);
    }
  });
  count(w, env, 4 * sizeof(T));
}

/// Address: the 16-bit offset plus M0 15:0 plus four bytes per lane.
void ds_read_addtid_b32(Wave& w, const Inst& i, Env& env) {
  LaneSpan span;
  const uint64_t base = static_cast<unsigned>(i.imm) + uint64_t{w.m0() & 0xffff};
  for (unsigned l = 0; l < kLanes; ++l) span.p[l] = place(*env.workgroup, base + l * 4, 4);
  load_lanes<Shape::b32>(w, i.dst, w.exec(), span);
  count(w, env, 4);
}
void ds_write_addtid_b32(Wave& w, const Inst& i, Env& env) {
  LaneSpan span;
  const uint64_t base = static_cast<unsigned>(i.imm) + uint64_t{w.m0() & 0xffff};
  for (unsigned l = 0; l < kLanes; ++l) span.p[l] = place(*env.workgroup, base + l * 4, 4);
  store_lanes<Shape::b32>(w, i.src[1], w.exec(), span);
  count(w, env, 4);
}

/// Adds (or takes away) the number of active lanes at M0 15:0 plus offset; every active lane gets the old
/// value.
template <bool kAppend>
void ds_append_consume(Wave& w, const Inst& i, Env& env) {
  const auto lanes = static_cast<uint32_t>(std::popcount(w.exec()));
  std::byte* p = place(*env.workgroup, static_cast<unsigned>(i.imm) + uint64_t{w.m0() & 0xffff}, 4);
  const uint32_t old = p ? peek<uint32_t>(p) : 0;
  if (p) poke(p, kAppend ? old + lanes : old - lanes);
  for_lanes(w.exec(), [&](unsigned l) { w.vgpr[i.dst][l] = old; });
  env.lds_bytes += 8;
}

void ds_nop(Wave&, const Inst&, Env&) {}

template <Shape kShape>
constexpr DsOp read_row(uint16_t opcode, const char* mnemonic) {
  return {{opcode, mnemonic}, ds_read<kShape>, shape_dwords(kShape), 0, 0, false, nullptr, false, nullptr};
}
template <Shape kShape>
constexpr DsOp write_row(uint16_t opcode, const char* mnemonic) {
  return {{opcode, mnemonic}, ds_write<kShape>, 0, shape_dwords(kShape), 0, false, nullptr, false, nullptr};
}
template <Shape kShape, unsigned kUnit>
constexpr DsOp read2_row(uint16_t opcode, const char* mnemonic) {
  return {{opcode, mnemonic},
          ds_read2<kShape, kUnit>,
          2 * shape_dwords(kShape),
          0,
          0,
          false,
          nullptr,
          false,
          nullptr};
}
template <Shape kShape, unsigned kUnit>
constexpr DsOp write2_row(uint16_t opcode, const char* mnemonic) {
  constexpr uint8_t kDwords = shape_dwords(kShape);
  return {{opcode, mnemonic}, ds_write2<kShape, kUnit>, 0, kDwords, kDwords, false, nullptr, false, nullptr};
}
template <typename T, unsigned kUnit>
constexpr DsOp wrxchg2_row(uint16_t opcode, const char* mnemonic) {
  constexpr uint8_t kDwords = sizeof(T) / 4;
  return {{opcode, mnemonic},
          ds_wrxchg2<T, kUnit>,
          2 * kDwords,
          kDwords,
          kDwords,
          false,
          nullptr,
          false,
          nullptr};
}
/// Compares take the value to compare with in DATA0 and the new one in DATA1, the reverse of buffer atomics.
template <AtomicOp kOp, typename T>
uint64_t value_of(uint64_t old, uint64_t data0, uint64_t data1) {
  constexpr bool kCompares = kOp == AtomicOp::cmpswap || kOp == AtomicOp::fcmpswap;
  return kCompares ? widened_value<kOp, T>(old, data1, data0) : widened_value<kOp, T>(old, data0, data1);
}
template <AtomicOp kOp, typename T, bool kReturns>
constexpr DsOp atomic_row(uint16_t opcode, const char* mnemonic) {
  constexpr uint8_t kDwords = sizeof(T) / 4;
  constexpr bool kTwo = kOp == AtomicOp::cmpswap || kOp == AtomicOp::fcmpswap || kOp == AtomicOp::mskor ||
                        kOp == AtomicOp::wrap;
  return {{opcode, mnemonic},
          ds_atomic<T, kReturns>,
          kReturns ? kDwords : uint8_t{0},
          kDwords,
          kTwo ? kDwords : uint8_t{0},
          false,
          value_of<kOp, T>,
          is_float(kOp),
          nullptr};
}
constexpr DsOp lane_row(uint16_t opcode, const char* mnemonic, ExecFn exec, uint8_t data0) {
  return {{opcode, mnemonic}, exec, 1, data0, 0, false, nullptr, false, nullptr};
}
constexpr DsOp gws_row(uint16_t opcode, const char* mnemonic, ExecFn exec) {
  return {{opcode, mnemonic}, exec, 0, 0, 0, true, nullptr, false, nullptr};
}
constexpr DsOp refused(uint16_t opcode, const char* mnemonic, const char* why) {
  return {{opcode, mnemonic}, nullptr, 0, 0, 0, false, nullptr, false, why};
}

using U32 = uint32_t;
using U64 = uint64_t;
constexpr const char* kSrc2 = "ops with both operands in LDS are not emulated";
constexpr DsOp kDsOps[] = {
    atomic_row<AtomicOp::add, U32, false>(0x00, "ds_add_u32"),
    atomic_row<AtomicOp::sub, U32, false>(0x01, "ds_sub_u32"),
    atomic_row<AtomicOp::rsub, U32, false>(0x02, "ds_rsub_u32"),
    atomic_row<AtomicOp::inc, U32, false>(0x03, "ds_inc_u32"),
    atomic_row<AtomicOp::dec, U32, false>(0x04, "ds_dec_u32"),
    atomic_row<AtomicOp::smin, U32, false>(0x05, "ds_min_i32"),
    atomic_row<AtomicOp::smax, U32, false>(0x06, "ds_max_i32"),
    atomic_row<AtomicOp::umin, U32, false>(0x07, "ds_min_u32"),
    atomic_row<AtomicOp::umax, U32, false>(0x08, "ds_max_u32"),
    atomic_row<AtomicOp::and_, U32, false>(0x09, "ds_and_b32"),
    atomic_row<AtomicOp::or_, U32, false>(0x0a, "ds_or_b32"),
    atomic_row<AtomicOp::xor_, U32, false>(0x0b, "ds_xor_b32"),
    atomic_row<AtomicOp::mskor, U32, false>(0x0c, "ds_mskor_b32"),
    write_row<Shape::b32>(0x0d, "ds_write_b32"),
    write2_row<Shape::b32, 4>(0x0e, "ds_write2_b32"),
    write2_row<Shape::b32, 256>(0x0f, "ds_write2st64_b32"),
    atomic_row<AtomicOp::cmpswap, U32, false>(0x10, "ds_cmpst_b32"),
    atomic_row<AtomicOp::fcmpswap, U32, false>(0x11, "ds_cmpst_f32"),
    atomic_row<AtomicOp::fmin, U32, false>(0x12, "ds_min_f32"),
    atomic_row<AtomicOp::fmax, U32, false>(0x13, "ds_max_f32"),
    {{0x14, "ds_nop"}, ds_nop, 0, 0, 0, false, nullptr, false, nullptr},
    atomic_row<AtomicOp::fadd, U32, false>(0x15, "ds_add_f32"),
    {{0x1d, "ds_write_addtid_b32"}, ds_write_addtid_b32, 0, 1, 0, false, nullptr, false, nullptr},
    write_row<Shape::u8>(0x1e, "ds_write_b8"),
    write_row<Shape::u16>(0x1f, "ds_write_b16"),
    atomic_row<AtomicOp::add, U32, true>(0x20, "ds_add_rtn_u32"),
    atomic_row<AtomicOp::sub, U32, true>(0x21, "ds_sub_rtn_u32"),
    atomic_row<AtomicOp::rsub, U32, true>(0x22, "ds_rsub_rtn_u32"),
    atomic_row<AtomicOp::inc, U32, true>(0x23, "ds_inc_rtn_u32"),
    atomic_row<AtomicOp::dec, U32, true>(0x24, "ds_dec_rtn_u32"),
    atomic_row<AtomicOp::smin, U32, true>(0x25, "ds_min_rtn_i32"),
    atomic_row<AtomicOp::smax, U32, true>(0x26, "ds_max_rtn_i32"),
    atomic_row<AtomicOp::umin, U32, true>(0x27, "ds_min_rtn_u32"),
    atomic_row<AtomicOp::umax, U32, true>(0x28, "ds_max_rtn_u32"),
    atomic_row<AtomicOp::and_, U32, true>(0x29, "ds_and_rtn_b32"),
    atomic_row<AtomicOp::or_, U32, true>(0x2a, "ds_or_rtn_b32"),
    atomic_row<AtomicOp::xor_, U32, true>(0x2b, "ds_xor_rtn_b32"),
    atomic_row<AtomicOp::mskor, U32, true>(0x2c, "ds_mskor_rtn_b32"),
    atomic_row<AtomicOp::swap, U32, true>(0x2d, "ds_wrxchg_rtn_b32"),
    wrxchg2_row<U32, 4>(0x2e, "ds_wrxchg2_rtn_b32"),
    wrxchg2_row<U32, 256>(0x2f, "ds_wrxchg2st64_rtn_b32"),
    atomic_row<AtomicOp::cmpswap, U32, true>(0x30, "ds_cmpst_rtn_b32"),
    atomic_row<AtomicOp::fcmpswap, U32, true>(0x31, "ds_cmpst_rtn_f32"),
    atomic_row<AtomicOp::fmin, U32, true>(0x32, "ds_min_rtn_f32"),
    atomic_row<AtomicOp::fmax, U32, true>(0x33, "ds_max_rtn_f32"),
    atomic_row<AtomicOp::wrap, U32, true>(0x34, "ds_wrap_rtn_b32"),
    atomic_row<AtomicOp::fadd, U32, true>(0x35, "ds_add_rtn_f32"),
    read_row<Shape::b32>(0x36, "ds_read_b32"),
    read2_row<Shape::b32, 4>(0x37, "ds_read2_b32"),
    read2_row<Shape::b32, 256>(0x38, "ds_read2st64_b32"),
    read_row<Shape::i8>(0x39, "ds_read_i8"),
    read_row<Shape::u8>(0x3a, "ds_read_u8"),
    read_row<Shape::i16>(0x3b, "ds_read_i16"),
    read_row<Shape::u16>(0x3c, "ds_read_u16"),
    lane_row(0x3d, "ds_swizzle_b32", ds_swizzle_b32, 0),
    lane_row(0x3e, "ds_permute_b32", ds_permute_b32, 1),
    lane_row(0x3f, "ds_bpermute_b32", ds_bpermute_b32, 1),
    atomic_row<AtomicOp::add, U64, false>(0x40, "ds_add_u64"),
    atomic_row<AtomicOp::sub, U64, false>(0x41, "ds_sub_u64"),
    atomic_row<AtomicOp::rsub, U64, false>(0x42, "ds_rsub_u64"),
    atomic_row<AtomicOp::inc, U64, false>(0x43, "ds_inc_u64"),
    atomic_row<AtomicOp::dec, U64, false>(0x44, "ds_dec_u64"),
    atomic_row<AtomicOp::smin, U64, false>(0x45, "ds_min_i64"),
    atomic_row<AtomicOp::smax, U64, false>(0x46, "ds_max_i64"),
    atomic_row<AtomicOp::umin, U64, false>(0x47, "ds_min_u64"),
    atomic_row<AtomicOp::umax, U64, false>(0x48, "ds_max_u64"),
    atomic_row<AtomicOp::and_, U64, false>(0x49, "ds_and_b64"),
    atomic_row<AtomicOp::or_, U64, false>(0x4a, "ds_or_b64"),
    atomic_row<AtomicOp::xor_, U64, false>(0x4b, "ds_xor_b64"),
    atomic_row<AtomicOp::mskor, U64, false>(0x4c, "ds_mskor_b64"),
    write_row<Shape::b64>(0x4d, "ds_write_b64"),
    write2_row<Shape::b64, 8>(0x4e, "ds_write2_b64"),
    write2_row<Shape::b64, 512>(0x4f, "ds_write2st64_b64"),
    atomic_row<AtomicOp::cmpswap, U64, false>(0x50, "ds_cmpst_b64"),
    atomic_row<AtomicOp::fcmpswap, U64, false>(0x51, "ds_cmpst_f64"),
    atomic_row<AtomicOp::fmin, U64, false>(0x52, "ds_min_f64"),
    atomic_row<AtomicOp::fmax, U64, false>(0x53, "ds_max_f64"),
    write_row<Shape::u8_d16_hi>(0x54, "ds_write_b8_d16_hi"),
    write_row<Shape::b16_d16_hi>(0x55, "ds_write_b16_d16_hi"),
    read_row<Shape::u8_d16>(0x56, "ds_read_u8_d16"),
    read_row<Shape::u8_d16_hi>(0x57, "ds_read_u8_d16_hi"),
    read_row<Shape::i8_d16>(0x58, "ds_read_i8_d16"),
    read_row<Shape::i8_d16_hi>(0x59, "ds_read_i8_d16_hi"),
    read_row<Shape::b16_d16>(0x5a, "ds_read_u16_d16"),
    read_row<Shape::b16_d16_hi>(0x5b, "ds_read_u16_d16_hi"),
    atomic_row<AtomicOp::add, U64, true>(0x60, "ds_add_rtn_u64"),
    atomic_row<AtomicOp::sub, U64, true>(0x61, "ds_sub_rtn_u64"),
    atomic_row<AtomicOp::rsub, U64, true>(0x62, "ds_rsub_rtn_u64"),
    atomic_row<AtomicOp::inc, U64, true>(0x63, "ds_inc_rtn_u64"),
    atomic_row<AtomicOp::dec, U64, true>(0x64, "ds_dec_rtn_u64"),
    atomic_row<AtomicOp::smin, U64, true>(0x65, "ds_min_rtn_i64"),
    atomic_row<AtomicOp::smax, U64, true>(0x66, "ds_max_rtn_i64"),
    atomic_row<AtomicOp::umin, U64, true>(0x67, "ds_min_rtn_u64"),
    atomic_row<AtomicOp::umax, U64, true>(0x68, "ds_max_rtn_u64"),
    atomic_row<AtomicOp::and_, U64, true>(0x69, "ds_and_rtn_b64"),
    atomic_row<AtomicOp::or_, U64, true>(0x6a, "ds_or_rtn_b64"),
    atomic_row<AtomicOp::xor_, U64, true>(0x6b, "ds_xor_rtn_b64"),
    atomic_row<AtomicOp::mskor, U64, true>(0x6c, "ds_mskor_rtn_b64"),
    atomic_row<AtomicOp::swap, U64, true>(0x6d, "ds_wrxchg_rtn_b64"),
    wrxchg2_row<U64, 8>(0x6e, "ds_wrxchg2_rtn_b64"),
    wrxchg2_row<U64, 512>(0x6f, "ds_wrxchg2st64_rtn_b64"),
    atomic_row<AtomicOp::cmpswap, U64, true>(0x70, "ds_cmpst_rtn_b64"),
    atomic_row<AtomicOp::fcmpswap, U64, true>(0x71, "ds_cmpst_rtn_f64"),
    atomic_row<AtomicOp::fmin, U64, true>(0x72, "ds_min_rtn_f64"),
    atomic_row<AtomicOp::fmax, U64, true>(0x73, "ds_max_rtn_f64"),
    read_row<Shape::b64>(0x76, "ds_read_b64"),
    read2_row<Shape::b64, 8>(0x77, "ds_read2_b64"),
    read2_row<Shape::b64, 512>(0x78, "ds_read2st64_b64"),
    refused(0x7e, "ds_condxchg32_rtn_b64", "conditional exchange is not emulated"),
    refused(0x80, "ds_add_src2_u32", kSrc2),
    refused(0x81, "ds_sub_src2_u32", kSrc2),
    refused(0x82, "ds_rsub_src2_u32", kSrc2),
    refused(0x83, "ds_inc_src2_u32", kSrc2),
    refused(0x84, "ds_dec_src2_u32", kSrc2),
    refused(0x85, "ds_min_src2_i32", kSrc2),
    refused(0x86, "ds_max_src2_i32", kSrc2),
    refused(0x87, "ds_min_src2_u32", kSrc2),
    refused(0x88, "ds_max_src2_u32", kSrc2),
    refused(0x89, "ds_and_src2_b32", kSrc2),
    refused(0x8a, "ds_or_src2_b32", kSrc2),
    refused(0x8b, "ds_xor_src2_b32", kSrc2),
    refused(0x8d, "ds_write_src2_b32", kSrc2),
    refused(0x92, "ds_min_src2_f32", kSrc2),
    refused(0x93, "ds_max_src2_f32", kSrc2),
    refused(0x95, "ds_add_src2_f32", kSrc2),
    gws_row(0x98, "ds_gws_sema_release_all", ds_gws_sema_release_all),
    gws_row(0x99, "ds_gws_init", ds_gws_init),
    gws_row(0x9a, "ds_gws_sema_v", ds_gws_sema_v),
    gws_row(0x9b, "ds_gws_sema_br", ds_gws_sema_br),
    gws_row(0x9c, "ds_gws_sema_p", ds_gws_sema_p),
    gws_row(0x9d, "ds_gws_barrier", ds_gws_barrier),
    {{0xb6, "ds_read_addtid_b32"}, ds_read_addtid_b32, 1, 0, 0, false, nullptr, false, nullptr},
    {{0xbd, "ds_consume"}, ds_append_consume<false>, 1, 0, 0, false, nullptr, false, nullptr},
    {{0xbe, "ds_append"}, ds_append_consume<true>, 1, 0, 0, false, nullptr, false, nullptr},
    refused(0xbf, "ds_ordered_count", "ordered append needs the graphics pipeline"),
    refused(0xc0, "ds_add_src2_u64", kSrc2),
    refused(0xc1, "ds_sub_src2_u64", kSrc2),
    refused(0xc2, "ds_rsub_src2_u64", kSrc2),
    refused(0xc3, "ds_inc_src2_u64", kSrc2),
    refused(0xc4, "ds_dec_src2_u64", kSrc2),
    refused(0xc5, "ds_min_src2_i64", kSrc2),
    refused(0xc6, "ds_max_src2_i64", kSrc2),
    refused(0xc7, "ds_min_src2_u64", kSrc2),
    refused(0xc8, "ds_max_src2_u64", kSrc2),
    refused(0xc9, "ds_and_src2_b64", kSrc2),
    refused(0xca, "ds_or_src2_b64", kSrc2),
    refused(0xcb, "ds_xor_src2_b64", kSrc2),
    refused(0xcd, "ds_write_src2_b64", kSrc2),
    refused(0xd2, "ds_min_src2_f64", kSrc2),
    refused(0xd3, "ds_max_src2_f64", kSrc2),
    write_row<Shape::b96>(0xde, "ds_write_b96"),
    write_row<Shape::b128>(0xdf, "ds_write_b128"),
    read_row<Shape::b96>(0xfe, "ds_read_b96"),
    read_row<Shape::b128>(0xff, "ds_read_b128"),
};
static_assert(sorted_by_opcode(kDsOps));

}  // namespace

bool decode_ds(const uint32_t* dw, DecodeContext& ctx, Inst& out) {
  const unsigned opcode = dw[0] >> 17 & 0xff;
  const bool gds = (dw[0] >> 16 & 1) != 0;
  const unsigned addr = dw[1] & 0xff, data0 = dw[1] >> 8 & 0xff, data1 = dw[1] >> 16 & 0xff,
                 dst = dw[1] >> 24;
  const DsOp* op = find_row(kDsOps, opcode);
  if (!op) return ctx.refuse("unknown DS opcode 0x%02x", opcode);
  if (!op->exec) return ctx.refuse("%s: %s", op->mnemonic, op->refused);
  if (gds != op->gds) {
    return ctx.refuse(gds ? "%s: global data share is not emulated" : "%s: needs the gds bit", op->mnemonic);
  }
  const bool acc = (dw[0] >> 25 & 1) != 0;
  if (acc && !ctx.gfx90a()) return ctx.refuse("%s: reserved bit 25 is set", op->mnemonic);
  if (!check_vgprs(ctx, op->mnemonic, dst, op->dst_dwords) ||
      !check_vgprs(ctx, op->mnemonic, data0, op->data0_dwords) ||
      !check_vgprs(ctx, op->mnemonic, data1, op->data1_dwords)) {
    return false;
  }
  out.op = op;
  out.exec = op->exec;
  out.family = Family::ds;
  out.cost = Cost::lds;
  out.size_dwords = 2;
  out.src[0] = static_cast<uint16_t>(addr);
  const unsigned bank = acc ? kFirstAgpr : 0;
  out.src[1] = static_cast<uint16_t>(data0 + bank);
  out.src[2] = static_cast<uint16_t>(data1 + bank);
  out.dst = static_cast<uint16_t>(dst + bank);
  out.imm = static_cast<int32_t>(dw[0] & 0xffff);
  return true;
}

void visit_ds(const OpVisitor& visitor) { visit_rows(visitor, Family::ds, kDsOps); }

}  // namespace softgpu::gfx9
