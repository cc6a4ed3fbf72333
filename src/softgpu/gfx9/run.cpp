#include "gfx9/run.hpp"

#include <fmt/core.h>

#include <cstring>

#include "gfx9/costs.hpp"
#include "gfx9/inst_class.hpp"

namespace softgpu::gfx9 {
namespace {

bool is_valu(Family family) {
  switch (family) {
    case Family::vop1:
    case Family::vop2:
    case Family::vop3:
    case Family::vopc:
    case Family::vop3p:
      return true;
    default:
      return false;
  }
}

/// A vector op under VGPR indexing (s_set_gpr_idx_on): M0 7:0 is added to the VGPR numbers of the operands
/// that M0 15:12 selects (source 0, 1, 2, destination). Lane reads take their register as it is.
void run_indexed(Wave& w, const Inst& i, Env& env) {
  if (std::strncmp(i.op->mnemonic, "v_readl", 7) == 0 || std::strncmp(i.op->mnemonic, "v_readf", 7) == 0) {
    return i.exec(w, i, env);
  }
  Inst shifted = i;
  const uint32_t m0 = w.m0(), index = m0 & 0xff;
  bool in_range = true;
  for (unsigned n = 0; n < 3; ++n) {
    if (i.kind[n] != SrcKind::vgpr || !(m0 >> (12 + n) & 1)) continue;
    shifted.src[n] = static_cast<uint16_t>(i.src[n] + index);
    in_range = in_range && shifted.src[n] < 256;
  }
  if (m0 >> 15 & 1) {
    shifted.dst = static_cast<uint16_t>(i.dst + index);
    in_range = in_range && (i.family == Family::vopc || shifted.dst < 256);
  }
  if (!in_range) {
    return env.raise(FaultKind::illegal_instruction, "VGPR indexing: register plus M0 is above v255");
  }
  i.exec(w, shifted, env);
}

/// Completes a fault raised by an executor with what the loop knows.
void describe(Fault& fault, const Inst& i, const CodePage& page, uint64_t pc) {
  fault.pc = pc;
  std::memcpy(fault.dwords, page.bytes + (pc - page.base), size_t{i.size_dwords} * 4);
  if (fault.kind == FaultKind::memory_violation) {
    fault.text = fmt::format("{} at pc 0x{:x}: {} 0x{:x}: {}", i.op->mnemonic, pc,
                             fault.write ? "write to" : "read of", fault.address, fault.text);
  } else {
    fault.text = fmt::format("{} at pc 0x{:x}: {}", i.op->mnemonic, pc, fault.text);
  }
}

}  // namespace

namespace {

/// @tparam kCount compiled twice, so that the loop costs nothing more while nobody counts
template <bool kCount>
Stop slice(Wave& w, Env& env, CodeCache& code, uint32_t quantum, uint64_t& executed) {
  const uint64_t global_before = env.bytes_loaded + env.bytes_stored, lds_before = env.lds_bytes;
  CodePage* page = nullptr;
  uint32_t n = 0;
  env.stop = Stop::none;
  while (n < quantum) {
    const uint64_t pc = w.pc;
    if (!page || !page->holds(pc) || (pc & 3) != 0) [[unlikely]] {
      page = code.page(pc, *env.memory, env.fault);
      if (!page) {
        env.stop = Stop::fault;
        break;
      }
    }
    Inst& i = page->at(pc);
    if (!i.exec && !code.decode_at(*page, pc, env.fault)) [[unlikely]] {
      env.stop = Stop::fault;
      break;
    }
    w.pc = pc + 4u * i.size_dwords;
    if constexpr (kCount) count_instruction(w, i, env, *env.counts);
    if ((w.mode & mode_bit::gpr_idx_en) && is_valu(i.family)) [[unlikely]] {
      run_indexed(w, i, env);
    } else {
      i.exec(w, i, env);
    }
    env.wave_cycles += costs::cycles(i.cost);
    ++n;
    if (env.stop != Stop::none) [[unlikely]] {
      if (env.stop == Stop::fault) {
        w.pc = pc;
        describe(env.fault, i, *page, pc);
      }
      break;
    }
  }
  executed += n;
  env.wave_cycles += env.extra_cycles +
                     (env.bytes_loaded + env.bytes_stored - global_before) / costs::kGlobalBytesPerWaveCycle +
                     (env.lds_bytes - lds_before) / costs::kLdsBytesPerWaveCycle;
  env.extra_cycles = 0;
  if (env.code_stale) {
    code.invalidate();
    env.code_stale = false;
  }
  return env.stop;
}

}  // namespace

Stop run_slice(Wave& w, Env& env, CodeCache& code, uint32_t quantum, uint64_t& executed) {
  return env.counts != nullptr ? slice<true>(w, env, code, quantum, executed)
                               : slice<false>(w, env, code, quantum, executed);
}

}  // namespace softgpu::gfx9
