// MUBUF: vector memory through a buffer descriptor. Source: "Vega" ISA manual, section "Vector memory buffer
// instructions"; meaning of NUM_RECORDS on gfx9 (bytes, or records when IDXEN and a stride are given):
// measured by the Mesa project, si_descriptors.
#include "gfx9/memory_access.hpp"
#include "gfx9/op_table.hpp"
#include "gfx9/operands.hpp"
#include "gfx9/vmem.hpp"

namespace softgpu::gfx9 {
namespace {

struct BufferDescriptor {
  uint64_t base;
  uint32_t stride, records;
  bool swizzle, add_tid;
  uint32_t index_stride;  ///< 8, 16, 32 or 64
  uint32_t element;       ///< bytes: 2, 4, 8 or 16

  BufferDescriptor(const Wave& w, unsigned reg)
      : base((w.sgpr[reg] | uint64_t{w.sgpr[reg + 1]} << 32) & 0xffffffffffffull),
        stride(w.sgpr[reg + 1] >> 16 & 0x3fff),
        records(w.sgpr[reg + 2]),
        swizzle((w.sgpr[reg + 1] >> 31) != 0),
        add_tid((w.sgpr[reg + 3] >> 23 & 1) != 0),
        index_stride(8u << (w.sgpr[reg + 3] >> 21 & 3)),
        element(2u << (w.sgpr[reg + 3] >> 19 & 3)) {}
};

// Inst: src[0] address VGPRs, src[1] and dst data, src[2] descriptor SGPRs, sdst/konst[0] scalar offset.
constexpr uint16_t kConstantOffset = 0xffff;

uint32_t scalar_offset(const Wave& w, const Inst& i) {
  return i.sdst == kConstantOffset ? static_cast<uint32_t>(i.konst[0]) : w.sgpr[i.sdst];
}
uint32_t lane_index(const Wave& w, const Inst& i, unsigned l) {
  return i.flags & vmem_flag::idxen ? w.vgpr[i.src[0]][l] : 0;
}
uint32_t lane_offset(const Wave& w, const Inst& i, unsigned l) {
  const uint32_t constant = static_cast<uint32_t>(i.imm);
  if (!(i.flags & vmem_flag::offen)) return constant;
  return w.vgpr[i.src[0] + (i.flags & vmem_flag::idxen ? 1 : 0)][l] + constant;
}

/// Scratch as the runtime describes it: swizzled by lane, dwords of one lane 256 bytes apart.
bool is_scratch(const BufferDescriptor& b) {
  return b.swizzle && b.add_tid && b.index_stride == 64 && b.element == 4;
}
bool resolve_scratch(const Wave& w, const Inst& i, Env& env, const BufferDescriptor& b, unsigned size,
                     bool write, LaneSpan& span) {
  const uint64_t base = b.base + scalar_offset(w, i), exec = w.exec();
  // The scalar offset (a stack pointer) moves the base by whole rows; what is left of the slot bounds the
  // lane.
  const uint64_t slot_bytes = uint64_t{env.scratch.lane_bytes} * kLanes;
  const bool inside = base >= env.scratch.base && base - env.scratch.base < slot_bytes;
  const uint64_t limit = inside ? (slot_bytes - (base - env.scratch.base)) / kLanes : 0;
  uint32_t offset[kLanes];
  for_lanes(exec, [&](unsigned l) { offset[l] = lane_offset(w, i, l); });
  return resolve_private(env, {base, limit}, offset, exec, size, write, span);
}

/// A lane that is in range with some of its bytes only: dword by dword, the others read 0 and are not
/// written.
/// @param in_range bytes from the start of the access
bool resolve_partial(Env& env, uint64_t va, unsigned lane, unsigned size, unsigned in_range, bool write,
                     LaneSpan& span) {
  in_range &= ~3u;
  std::byte* host = in_range > 0 ? env.memory->resolve(va, in_range, write) : nullptr;
  if (in_range > 0 && !host) {
    env.raise_memory(va, write, "address is not mapped or not writable");
    return false;
  }
  span.scatter(lane);
  for (unsigned n = 0; n < size; ++n) span.byte_at[lane][n] = n < in_range ? host + n : nullptr;
  return true;
}

bool resolve_linear(const Wave& w, const Inst& i, Env& env, const BufferDescriptor& b, unsigned size,
                    bool write, LaneSpan& span) {
  const uint64_t exec = w.exec();
  const uint32_t soffset = scalar_offset(w, i);
  const bool records_count = (i.flags & vmem_flag::idxen) != 0 && b.stride != 0;
  const bool atomic = static_cast<const VmemOp&>(*i.op).kind == VmemOp::Kind::atomic;
  alignas(64) uint64_t va[kLanes];
  uint64_t whole = 0, partial = 0;
  unsigned in_range[kLanes];
  for_lanes(exec, [&](unsigned l) {
    const uint64_t index = uint64_t{lane_index(w, i, l)} + (b.add_tid ? l : 0), offset = lane_offset(w, i, l);
    va[l] = b.base + soffset + offset + index * b.stride;
    const uint64_t bit = uint64_t{1} << l;
    if (records_count) {
      (index < b.records ? whole : partial) |= bit;
      in_range[l] = 0;
      return;
    }
    const uint64_t room = b.records > soffset ? b.records - soffset : 0;
    const uint64_t at = offset + index * b.stride;
    if (at + size <= room) {
      whole |= bit;
      return;
    }
    partial |= bit;
    in_range[l] = at < room && !atomic ? static_cast<unsigned>(room - at) : 0;
  });
  if (atomic) {
    bool aligned = true;
    for_lanes(whole, [&](unsigned l) {
      if (!aligned || va[l] % size == 0) return;
      aligned = false;
      env.raise_memory(va[l], true, "address of an atomic is not aligned");
    });
    if (!aligned) return false;
  }
  if (whole != 0 && !resolve_global(env, va, whole, size, write, span)) return false;
  if (partial == 0) return true;
  env.memory->begin_instruction();
  bool ok = true;
  for_lanes(partial, [&](unsigned l) {
    if (in_range[l] == 0) {
      span.p[l] = nullptr;
    } else {
      ok = ok && resolve_partial(env, va[l], l, size, in_range[l], write, span);
    }
  });
  return ok;
}

bool resolve_buffer(Wave& w, const Inst& i, Env& env, unsigned size, bool write, LaneSpan& span) {
  const BufferDescriptor b(w, i.src[2]);
  if (is_scratch(b) && !(i.flags & vmem_flag::idxen)) {
    if (static_cast<const VmemOp&>(*i.op).kind != VmemOp::Kind::atomic) {
      return resolve_scratch(w, i, env, b, size, write, span);
    }
    env.raise(FaultKind::aperture_violation, "atomic on private memory");
    return false;
  }
  if (b.swizzle && (b.stride != 0 || b.add_tid)) {
    env.raise(FaultKind::illegal_instruction, "swizzled buffers other than scratch are not emulated");
    return false;
  }
  return resolve_linear(w, i, env, b, size, write, span);
}

void cache_control(Wave&, const Inst&, Env&) {}

constexpr VmemOp cache_row(uint16_t opcode, const char* mnemonic, uint32_t first_target = 90000) {
  VmemOp row;
  row.opcode = opcode;
  row.mnemonic = mnemonic;
  row.exec = cache_control;
  row.first_target = first_target;
  return row;
}
constexpr VmemOp format_row(uint16_t opcode, const char* mnemonic) {
  return vmem_refused_row(opcode, mnemonic, "typed buffer formats are not emulated");
}

constexpr VmemOp kMubufOps[] = {
    format_row(0x00, "buffer_load_format_x"),
    format_row(0x01, "buffer_load_format_xy"),
    format_row(0x02, "buffer_load_format_xyz"),
    format_row(0x03, "buffer_load_format_xyzw"),
    format_row(0x04, "buffer_store_format_x"),
    format_row(0x05, "buffer_store_format_xy"),
    format_row(0x06, "buffer_store_format_xyz"),
    format_row(0x07, "buffer_store_format_xyzw"),
    format_row(0x08, "buffer_load_format_d16_x"),
    format_row(0x09, "buffer_load_format_d16_xy"),
    format_row(0x0a, "buffer_load_format_d16_xyz"),
    format_row(0x0b, "buffer_load_format_d16_xyzw"),
    format_row(0x0c, "buffer_store_format_d16_x"),
    format_row(0x0d, "buffer_store_format_d16_xy"),
    format_row(0x0e, "buffer_store_format_d16_xyz"),
    format_row(0x0f, "buffer_store_format_d16_xyzw"),
#define VMEM_LOAD(opcode, name, shape) vmem_load_row<resolve_buffer, Shape::shape>(opcode, "buffer_" #name),
#define VMEM_STORE(opcode, name, shape) vmem_store_row<resolve_buffer, Shape::shape>(opcode, "buffer_" #name),
#define VMEM_ATOMIC(opcode, name, op, bits, target) \
  vmem_atomic_row<resolve_buffer, AtomicOp::op, uint##bits##_t>(opcode, "buffer_" #name, target),
#define VMEM_ATOMIC_NOT_FLAT(...) VMEM_ATOMIC(__VA_ARGS__)
#include "gfx9/vmem_ops.def"
    format_row(0x26, "buffer_load_format_d16_hi_x"),
    format_row(0x27, "buffer_store_format_d16_hi_x"),
    cache_row(0x28, "buffer_wbl2", 90010),
    cache_row(0x29, "buffer_invl2", 90010),
    cache_row(0x3e, "buffer_wbinvl1"),
    cache_row(0x3f, "buffer_wbinvl1_vol"),
};

bool set_scalar_offset(DecodeContext& ctx, unsigned sel, Inst& out) {
  out.sdst = kConstantOffset;
  if (sel < 128) return set_scalar_dst(ctx, out.sdst, sel, 1);
  if (inline_constant(sel, OperandType::b32, out.konst[0])) return true;
  return ctx.refuse("%s: scalar offset selector %u is not allowed", out.op->mnemonic, sel);
}

}  // namespace

bool decode_mubuf(const uint32_t* dw, DecodeContext& ctx, Inst& out) {
  const unsigned opcode = dw[0] >> 18 & 0x7f;
  const bool offen = (dw[0] >> 12 & 1) != 0, idxen = (dw[0] >> 13 & 1) != 0, glc = (dw[0] >> 14 & 1) != 0;
  const unsigned addr = dw[1] & 0xff, data = dw[1] >> 8 & 0xff, descriptor = (dw[1] >> 16 & 0x1f) * 4;
  const bool bit23 = (dw[1] >> 23 & 1) != 0;  // TFE; on gfx90a: the data is in accumulation registers
  const VmemOp* op = find_any_row(kMubufOps, opcode);
  out.family = Family::mubuf;
  if (!begin_vmem(ctx, out, "MUBUF", opcode, op, {data, data, glc, ctx.gfx90a() && bit23})) return false;
  if (op->kind == VmemOp::Kind::other) return true;
  if (dw[0] >> 16 & 1) return ctx.refuse("%s: transfers to LDS (lds bit) are not emulated", op->mnemonic);
  if (bit23 && !ctx.gfx90a()) return ctx.refuse("%s: tfe is not emulated", op->mnemonic);
  if ((dw[0] >> 15 & 1) || (dw[0] >> 25 & 1)) return ctx.refuse("%s: a reserved bit is set", op->mnemonic);
  if ((offen || idxen) && !check_vgprs(ctx, op->mnemonic, addr, offen && idxen ? 2 : 1)) return false;
  out.src[0] = static_cast<uint16_t>(addr);
  out.imm = static_cast<int32_t>(dw[0] & 0xfff);
  if (offen) out.flags |= vmem_flag::offen;
  if (idxen) out.flags |= vmem_flag::idxen;
  return set_scalar_dst(ctx, out.src[2], descriptor, 4) && set_scalar_offset(ctx, dw[1] >> 24, out);
}

void visit_mubuf(const OpVisitor& visitor) { visit_rows(visitor, Family::mubuf, kMubufOps); }

}  // namespace softgpu::gfx9
