#include "support/runner.hpp"

#include <fmt/core.h>

#include <bit>
#include <cmath>

#include "gfx9/fpenv.hpp"
#include "gfx9/run.hpp"

namespace gfx9_test {
namespace g = softgpu::gfx9;
namespace {

constexpr uint32_t kEndpgm = 0xbf810000;
constexpr uint32_t kMaxInstructions = 100000;

const char* fault_name(g::FaultKind kind) {
  switch (kind) {
    case g::FaultKind::none:
      return "none";
    case g::FaultKind::illegal_instruction:
      return "illegal_instruction";
    case g::FaultKind::memory_violation:
      return "memory_violation";
    case g::FaultKind::aperture_violation:
      return "aperture_violation";
    case g::FaultKind::trap:
      return "trap";
    case g::FaultKind::bad_dispatch:
      return "bad_dispatch";
    case g::FaultKind::deadlock:
      return "deadlock";
  }
  return "?";
}

uint32_t target_version(const std::string& target) {
  return target == "gfx90a" ? 90010 : target == "gfx900" ? 90000 : 90006;
}

bool matches(const Value& want, uint64_t have) {
  switch (want.match) {
    case Value::Match::any:
      return true;
    case Value::Match::nan32:
      return std::isnan(std::bit_cast<float>(static_cast<uint32_t>(have)));
    case Value::Match::nan64:
      return std::isnan(std::bit_cast<double>(have));
    case Value::Match::exact:
      return want.bits == have;
  }
  return false;
}

const Value& lane_value(const Setting& s, unsigned lane, Value& scratch) {
  if (s.iota) {
    scratch = {s.values[0].bits + lane * s.values[1].bits, s.pair};
    if (!s.pair) scratch.bits &= 0xffffffffu;
    return scratch;
  }
  return s.values[std::min<size_t>(lane, s.values.size() - 1)];
}

std::string show(const Value& v) {
  switch (v.match) {
    case Value::Match::exact:
      return fmt::format("0x{:x}", v.bits);
    case Value::Match::any:
      return "any";
    default:
      return "NaN";
  }
}

}  // namespace

Runner::Runner(const g::ValuHooks& valu) : valu_(valu), lds_(kLdsBytes) {}

void Runner::apply(const Setting& s) {
  g::Wave& w = *wave_;
  Value scratch;
  switch (s.place) {
    case Setting::Place::scc:
      w.scc = static_cast<uint32_t>(s.values[0].bits);
      break;
    case Setting::Place::mode:
      w.mode = static_cast<uint32_t>(s.values[0].bits);
      break;
    case Setting::Place::sgpr:
      if (s.pair) {
        w.set_s64(static_cast<unsigned>(s.index), s.values[0].bits);
      } else {
        w.sgpr[s.index] = static_cast<uint32_t>(s.values[0].bits);
      }
      break;
    case Setting::Place::vgpr:
      for (unsigned l = 0; l < g::kLanes; ++l) {
        const Value& v = lane_value(s, l, scratch);
        w.vgpr[s.index][l] = static_cast<uint32_t>(v.bits);
        if (s.pair) w.vgpr[s.index + 1][l] = static_cast<uint32_t>(v.bits >> 32);
      }
      break;
    case Setting::Place::mem:
    case Setting::Place::lds: {
      uint64_t at = s.index;
      for (const Value& v : s.values) {
        const size_t bytes = v.wide ? 8 : 4;
        std::byte* to = s.place == Setting::Place::mem ? memory_.at(at, bytes) : lds_.data() + at;
        std::memcpy(to, &v.bits, bytes);
        at += bytes;
      }
      break;
    }
  }
}

void Runner::check(const Setting& s, std::vector<std::string>& differences) const {
  const g::Wave& w = *wave_;
  Value scratch;
  const auto expect = [&](const std::string& what, const Value& want, uint64_t have) {
    if (matches(want, have)) return;
    differences.push_back(fmt::format("line {}: {} is 0x{:x}, expected {}", s.line, what, have, show(want)));
  };
  switch (s.place) {
    case Setting::Place::scc:
      expect("scc", s.values[0], w.scc);
      break;
    case Setting::Place::mode:
      expect("mode", s.values[0], w.mode);
      break;
    case Setting::Place::sgpr:
      expect(fmt::format("s{}", s.index), s.values[0],
             s.pair ? w.s64(static_cast<unsigned>(s.index)) : w.sgpr[s.index]);
      break;
    case Setting::Place::vgpr:
      for (unsigned l = 0; l < g::kLanes; ++l) {
        const uint64_t lo = w.vgpr[s.index][l];
        const uint64_t have = s.pair ? lo | uint64_t{w.vgpr[s.index + 1][l]} << 32 : lo;
        expect(fmt::format("v{} lane {}", s.index, l), lane_value(s, l, scratch), have);
      }
      break;
    case Setting::Place::mem:
    case Setting::Place::lds: {
      uint64_t at = s.index;
      for (const Value& v : s.values) {
        const size_t bytes = v.wide ? 8 : 4;
        const std::byte* from = s.place == Setting::Place::mem ? memory_.at(at, bytes) : lds_.data() + at;
        uint64_t have = 0;
        std::memcpy(&have, from, bytes);
        expect(fmt::format("{} 0x{:x}", s.place == Setting::Place::mem ? "mem" : "lds", at), v, have);
        at += bytes;
      }
      break;
    }
  }
}

std::vector<std::string> Runner::run(const Case& c) {
  memory_ = FakeMemory();
  std::vector<uint32_t> code = c.code;
  code.push_back(kEndpgm);
  std::memcpy(memory_.add(kCodeVa, code.size() * 4, false), code.data(), code.size() * 4);
  memory_.add(kDataVa, 0x10000);
  memory_.add(kReadOnlyVa, 0x1000, false);
  memory_.add(kScratchVa, kScratchLaneBytes * g::kLanes);
  std::fill(lds_.begin(), lds_.end(), std::byte{0});
  wave_ = std::make_unique<g::Wave>();
  wave_->pc = kCodeVa;
  wave_->set_exec(~uint64_t{0});
  wave_->mode = 0xf0 | g::mode_bit::ieee | g::mode_bit::dx10_clamp;
  for (const Setting& s : c.before) apply(s);

  g::DeviceConfig config;
  config.gfx_target_version = target_version(c.target);
  g::GridHost host;
  host.memory = &memory_;
  g::MemoryAccess access;
  access.attach(&memory_);
  g::Workgroup group;
  group.waves = group.alive = 1;
  group.lds = lds_.data();
  group.lds_bytes = kLdsBytes;
  g::Gws gws;
  g::Env env;
  env.config = &config;
  env.host = &host;
  env.memory = &access;
  env.workgroup = &group;
  env.gws = &gws;
  env.scratch = {kScratchVa, kScratchLaneBytes};
  const unsigned saved = _mm_getcsr();
  env.mxcsr = g::mxcsr_of(0, 3);
  _mm_setcsr(env.mxcsr);
  g::CodeCache cache(config, valu_);
  uint64_t executed = 0;
  g::Stop stop;
  do {
    stop = g::run_slice(*wave_, env, cache, kMaxInstructions, executed);
  } while ((stop == g::Stop::yield || stop == g::Stop::barrier) && executed < kMaxInstructions);
  _mm_setcsr(saved);

  std::vector<std::string> differences;
  const std::string ended = stop == g::Stop::fault ? fault_name(env.fault.kind)
                            : stop == g::Stop::end ? ""
                                                   : "no end";
  if (ended != c.fault) {
    differences.push_back(fmt::format("ends with '{}' ({}), expected '{}'", ended, env.fault.text, c.fault));
  }
  for (const Setting& s : c.after) check(s, differences);
  return differences;
}

}  // namespace gfx9_test
