#include "gfx9/inst_class.hpp"

#include <bit>
#include <cstring>

#include "gfx9/costs.hpp"
#include "gfx9/env.hpp"
#include "gfx9/vmem.hpp"

namespace softgpu::gfx9 {
namespace {

InstClass memory_class(const Inst& i, InstClass load) {
  const auto& op = static_cast<const VmemOp&>(*i.op);
  const auto offset = [&](unsigned n) { return static_cast<InstClass>(static_cast<unsigned>(load) + n); };
  switch (op.kind) {
    case VmemOp::Kind::load:
      return load;
    case VmemOp::Kind::store:
      return offset(1);
    case VmemOp::Kind::atomic:
      return (i.flags & vmem_flag::returns) != 0 ? offset(2) : offset(3);
    case VmemOp::Kind::other:
      break;
  }
  return InstClass::internal;  // cache operations of MUBUF
}

bool starts_with(const Inst& i, const char* text) {
  return std::strncmp(i.op->mnemonic, text, std::strlen(text)) == 0;
}

bool all_lanes_in_lds(const Wave& wave, const Inst& i, const Env& env) {
  const uint64_t exec = wave.exec();
  const auto high = static_cast<uint32_t>(env.config->lds_aperture >> 32);
  for (unsigned lane = 0; lane < kLanes; ++lane)
    if ((exec >> lane & 1) != 0 && wave.vgpr[i.src[0] + 1][lane] != high) return false;
  return exec != 0;
}

}  // namespace

InstClass class_of(const Inst& i) {
  switch (i.family) {
    case Family::vop1:
    case Family::vop2:
    case Family::vop3:
    case Family::vopc:
    case Family::vop3p:
      return InstClass::valu;
    case Family::mfma:
      return InstClass::mfma;
    case Family::smem:
      return InstClass::smem;
    case Family::sop1:
    case Family::sop2:
    case Family::sopk:
    case Family::sopc:
      return i.cost == Cost::branch ? InstClass::branch : InstClass::salu;
    case Family::sopp:
      if (i.cost == Cost::branch) return InstClass::branch;
      return starts_with(i, "s_sendmsg") ? InstClass::sendmsg : InstClass::internal;
    case Family::ds:
      return starts_with(i, "ds_gws") ? InstClass::gds : InstClass::lds;
    case Family::flat:
      return memory_class(i, InstClass::flat_load);
    case Family::global:
    case Family::scratch:
      return memory_class(i, InstClass::global_load);
    case Family::mubuf:
      return memory_class(i, InstClass::buffer_load);
    default:
      return InstClass::internal;
  }
}

void count_instruction(const Wave& wave, const Inst& inst, const Env& env, UnitCounts& counts) {
  const uint32_t cycles = costs::cycles(inst.cost);
  ++counts.insts[inst.counter_class];
  counts.cycles[inst.counter_class] += cycles;
  switch (static_cast<InstClass>(inst.counter_class)) {
    case InstClass::valu:
    case InstClass::mfma:
      counts.valu_thread_cycles += uint64_t{cycles} / 4 * static_cast<unsigned>(std::popcount(wave.exec()));
      break;
    case InstClass::flat_load:
    case InstClass::flat_store:
    case InstClass::flat_atomic_read:
    case InstClass::flat_atomic_write:
      counts.flat_lds_only += all_lanes_in_lds(wave, inst, env) ? 1 : 0;
      break;
    default:
      break;
  }
}

}  // namespace softgpu::gfx9
