// FLAT, GLOBAL and SCRATCH: vector memory by 64-bit address. Source: "Vega" ISA manual, section "Flat memory
// instructions"; apertures: LLVM AMDGPU usage, "Address spaces".
#include "gfx9/memory_access.hpp"
#include "gfx9/op_table.hpp"
#include "gfx9/operands.hpp"
#include "gfx9/vmem.hpp"
#include "gfx9/workgroup.hpp"

namespace softgpu::gfx9 {
namespace {

constexpr unsigned kNoSaddr = 0x7f;

/// Atomics need natural alignment, as on hardware. @return false after env.raise
bool check_alignment(Env& env, const Inst& i, const uint64_t* va, uint64_t exec, unsigned size) {
  if (static_cast<const VmemOp&>(*i.op).kind != VmemOp::Kind::atomic) return true;
  bool aligned = true;
  for_lanes(exec, [&](unsigned l) {
    if (!aligned || va[l] % size == 0) return;
    aligned = false;
    env.raise_memory(va[l], true, "address of an atomic is not aligned");
  });
  return aligned;
}

bool resolve_global_operands(Wave& w, const Inst& i, Env& env, unsigned size, bool write, LaneSpan& span) {
  alignas(64) uint64_t va[kLanes];
  const uint32_t* lo = w.vgpr[i.src[0]];
  const auto offset = static_cast<uint64_t>(int64_t{i.imm});
  if (i.sdst == kNoSaddr) {
    const uint32_t* hi = w.vgpr[i.src[0] + 1];
    for (unsigned l = 0; l < kLanes; ++l) va[l] = (lo[l] | uint64_t{hi[l]} << 32) + offset;
  } else {
    const uint64_t base = w.s64(i.sdst) + offset;
    for (unsigned l = 0; l < kLanes; ++l) va[l] = base + lo[l];
  }
  const uint64_t exec = w.exec();
  return check_alignment(env, i, va, exec, size) && resolve_global(env, va, exec, size, write, span);
}

PrivateSegment private_segment(const Wave& w, const Env& env) {
  return {w.s64(sgpr_no::flat_scratch), env.scratch.lane_bytes};
}

/// SCRATCH: the offset comes from a VGPR or from an SGPR, FLAT_SCRATCH is the base.
bool resolve_scratch(Wave& w, const Inst& i, Env& env, unsigned size, bool write, LaneSpan& span) {
  uint32_t offset[kLanes];
  for (unsigned l = 0; l < kLanes; ++l) {
    const uint32_t from = i.sdst == kNoSaddr ? w.vgpr[i.src[0]][l] : w.sgpr[i.sdst];
    offset[l] = from + static_cast<uint32_t>(i.imm);
  }
  return resolve_private(env, private_segment(w, env), offset, w.exec(), size, write, span);
}

/// LDS through its aperture. Beyond the allocation is an aperture violation.
bool resolve_lds_lane(Env& env, unsigned lane, uint64_t va, unsigned size, bool write, LaneSpan& span) {
  const uint64_t offset = va & 0xffffffffu;
  if (offset + size > env.workgroup->lds_bytes) {
    env.raise(FaultKind::aperture_violation, "LDS access through a flat address beyond the workgroup's LDS");
    env.fault.address = va;
    env.fault.write = write;
    return false;
  }
  span.p[lane] = env.workgroup->lds + offset;
  return true;
}

bool resolve_flat(Wave& w, const Inst& i, Env& env, unsigned size, bool write, LaneSpan& span) {
  alignas(64) uint64_t va[kLanes];
  const uint32_t *lo = w.vgpr[i.src[0]], *hi = w.vgpr[i.src[0] + 1];
  const auto offset = static_cast<uint64_t>(int64_t{i.imm});
  const uint64_t exec = w.exec();
  const auto lds_high = static_cast<uint32_t>(env.config->lds_aperture >> 32);
  const auto private_high = static_cast<uint32_t>(env.config->scratch_aperture >> 32);
  uint64_t in_lds = 0, in_private = 0;
  for (unsigned l = 0; l < kLanes; ++l) {
    va[l] = (lo[l] | uint64_t{hi[l]} << 32) + offset;
    const auto high = static_cast<uint32_t>(va[l] >> 32);
    in_lds |= uint64_t{high == lds_high} << l;
    in_private |= uint64_t{high == private_high} << l;
  }
  in_lds &= exec;
  in_private &= exec;
  if (!check_alignment(env, i, va, exec, size)) return false;
  const uint64_t global = exec & ~(in_lds | in_private);
  if (global == exec) return resolve_global(env, va, exec, size, write, span);
  if (in_private && static_cast<const VmemOp&>(*i.op).kind == VmemOp::Kind::atomic) {
    env.raise(FaultKind::aperture_violation, "atomic on private memory");
    return false;
  }
  if (in_private == exec) {
    uint32_t private_offset[kLanes];
    for (unsigned l = 0; l < kLanes; ++l) private_offset[l] = static_cast<uint32_t>(va[l]);
    return resolve_private(env, private_segment(w, env), private_offset, exec, size, write, span);
  }
  bool ok = global == 0 || resolve_global(env, va, global, size, write, span);
  for_lanes(in_lds, [&](unsigned l) { ok = ok && resolve_lds_lane(env, l, va[l], size, write, span); });
  if (in_private == 0) return ok;
  env.memory->begin_instruction();
  for_lanes(in_private, [&](unsigned l) {
    ok = ok && resolve_private_lane(env, private_segment(w, env), l, va[l] & 0xffffffffu, size, write, span);
  });
  return ok;
}

constexpr VmemOp kFlatOps[] = {
#define VMEM_LOAD(opcode, name, shape) vmem_load_row<resolve_flat, Shape::shape>(opcode, "flat_" #name),
#define VMEM_STORE(opcode, name, shape) vmem_store_row<resolve_flat, Shape::shape>(opcode, "flat_" #name),
#define VMEM_ATOMIC(opcode, name, op, bits, target) \
  vmem_atomic_row<resolve_flat, AtomicOp::op, uint##bits##_t>(opcode, "flat_" #name, target),
#define VMEM_ATOMIC_NOT_FLAT(...)
#include "gfx9/vmem_ops.def"
};
constexpr VmemOp kGlobalOps[] = {
#define VMEM_LOAD(opcode, name, shape) \
  vmem_load_row<resolve_global_operands, Shape::shape>(opcode, "global_" #name),
#define VMEM_STORE(opcode, name, shape) \
  vmem_store_row<resolve_global_operands, Shape::shape>(opcode, "global_" #name),
#define VMEM_ATOMIC(opcode, name, op, bits, target) \
  vmem_atomic_row<resolve_global_operands, AtomicOp::op, uint##bits##_t>(opcode, "global_" #name, target),
#define VMEM_ATOMIC_NOT_FLAT(...) VMEM_ATOMIC(__VA_ARGS__)
#include "gfx9/vmem_ops.def"
};
constexpr VmemOp kScratchOps[] = {
#define VMEM_LOAD(opcode, name, shape) vmem_load_row<resolve_scratch, Shape::shape>(opcode, "scratch_" #name),
#define VMEM_STORE(opcode, name, shape) \
  vmem_store_row<resolve_scratch, Shape::shape>(opcode, "scratch_" #name),
#define VMEM_ATOMIC(...)
#define VMEM_ATOMIC_NOT_FLAT(...)
#include "gfx9/vmem_ops.def"
};

}  // namespace

bool decode_flat(const uint32_t* dw, DecodeContext& ctx, Inst& out) {
  const unsigned opcode = dw[0] >> 18 & 0x7f, segment = dw[0] >> 14 & 3;
  const bool lds = (dw[0] >> 13 & 1) != 0, glc = (dw[0] >> 16 & 1) != 0;
  const unsigned addr = dw[1] & 0xff, data = dw[1] >> 8 & 0xff, saddr = dw[1] >> 16 & 0x7f, dst = dw[1] >> 24;
  const VmemOp* op = nullptr;
  const char* name = "FLAT";
  switch (segment) {
    case 0:
      op = find_any_row(kFlatOps, opcode);
      out.family = Family::flat;
      break;
    case 1:
      op = find_any_row(kScratchOps, opcode);
      out.family = Family::scratch;
      name = "SCRATCH";
      break;
    case 2:
      op = find_any_row(kGlobalOps, opcode);
      out.family = Family::global;
      name = "GLOBAL";
      break;
    default:
      return ctx.refuse("flat instruction with reserved segment 3");
  }
  if (!begin_vmem(ctx, out, name, opcode, op, {data, dst, glc, (dw[1] >> 23 & 1) != 0})) return false;
  if (dw[0] >> 25 & 1) return ctx.refuse("%s: reserved bit 25 is set", op->mnemonic);
  if (lds) return ctx.refuse("%s: transfers to LDS (lds bit) are not emulated", op->mnemonic);
  const bool two_dword_address = segment == 0 || (segment == 2 && saddr == kNoSaddr);
  const bool vector_address = segment != 1 || saddr == kNoSaddr;
  if (vector_address && !check_vgprs(ctx, op->mnemonic, addr, two_dword_address ? 2 : 1)) return false;
  out.src[0] = static_cast<uint16_t>(addr);
  out.sdst = static_cast<uint16_t>(saddr);
  if (segment == 0) {
    // The address is always in VGPRs; assemblers leave 0 or 0x7f in SADDR. The offset is 12 bits, unsigned.
    if (saddr != 0 && saddr != kNoSaddr)
      return ctx.refuse("%s: SADDR %u is not allowed", op->mnemonic, saddr);
    if (dw[0] >> 12 & 1) return ctx.refuse("%s: offset bit 12 is reserved", op->mnemonic);
    out.imm = static_cast<int32_t>(dw[0] & 0xfff);
    return true;
  }
  out.imm = static_cast<int32_t>(dw[0] << 19) >> 19;
  uint16_t reg;
  return saddr == kNoSaddr || set_scalar_dst(ctx, reg, saddr, segment == 2 ? 2 : 1);
}

void visit_flat(const OpVisitor& visitor) {
  visit_rows(visitor, Family::flat, kFlatOps);
  visit_rows(visitor, Family::global, kGlobalOps);
  visit_rows(visitor, Family::scratch, kScratchOps);
}

}  // namespace softgpu::gfx9
