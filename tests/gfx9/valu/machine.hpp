// One wave and one environment for tests that run single vector ALU instructions from their words, in a lane
// build of the test's choice.
#pragma once

#include <immintrin.h>

#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "gfx9/decode.hpp"
#include "gfx9/env.hpp"
#include "gfx9/valu.hpp"

namespace valu_test {

using namespace softgpu::gfx9;

struct Build {
  const char* name;
  const ValuHooks* hooks;
};
/// The lane builds this CPU can run.
inline std::vector<Build> lane_builds() {
  std::vector<Build> builds = {{"base", &lanes_base::valu_hooks()}};
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    builds.push_back({"avx2", &lanes_avx2::valu_hooks()});
  }
  return builds;
}

class Machine {
 public:
  explicit Machine(const Build& build, uint32_t target = 90006)
      : build_(build), config_(new DeviceConfig), wave_(new Wave{}), env_(new Env) {
    config_->gfx_target_version = target;
    env_->config = config_.get();
    reset();
  }
  /// All registers zero, EXEC all ones, MODE as HIP sets it: round to nearest, denormals kept, IEEE, DX10.
  void reset() {
    std::memset(static_cast<void*>(wave_.get()), 0, sizeof(Wave));
    wave_->set_exec(~uint64_t{0});
    wave_->mode = 0xf0 | mode_bit::dx10_clamp | mode_bit::ieee;
    env_->fault = {};
    env_->stop = Stop::none;
  }
  Wave& wave() { return *wave_; }
  Env& env() { return *env_; }

  /// @return the refusal, or an empty string
  std::string decode(const std::vector<uint32_t>& words, Inst& out) {
    out = Inst{};
    DecodeContext ctx;
    ctx.config = config_.get();
    ctx.available = static_cast<unsigned>(words.size());
    const FamilyHooks* family = nullptr;
    const uint32_t first = words[0];
    if (first >> 31 == 0) {
      family = first >> 25 == 0x3f   ? &build_.hooks->vop1
               : first >> 25 == 0x3e ? &build_.hooks->vopc
                                     : &build_.hooks->vop2;
    } else {
      family = first >> 23 == 0x1a7 ? &build_.hooks->vop3p : &build_.hooks->vop3;
    }
    if (family->decode(words.data(), ctx, out)) return {};
    return ctx.reason[0] != 0 ? ctx.reason : "refused without a reason";
  }
  /// Decodes and runs one instruction. @return refusal or fault text, or an empty string
  std::string run(const std::vector<uint32_t>& words) {
    Inst inst;
    std::string refusal = decode(words, inst);
    if (!refusal.empty()) return refusal;
    return run(inst);
  }
  std::string run(const Inst& inst) {
    const uint32_t host = _mm_getcsr();
    env_->mxcsr = host;
    env_->exec_mask_key = 0;
    std::memset(env_->exec_mask, 0, sizeof env_->exec_mask);
    inst.exec(*wave_, inst, *env_);
    _mm_setcsr(host);
    return env_->fault ? env_->fault.text : std::string();
  }

 private:
  Build build_;
  std::unique_ptr<DeviceConfig> config_;
  std::unique_ptr<Wave> wave_;
  std::unique_ptr<Env> env_;
};

// --- encoders, so that a test can name fields ---
inline std::vector<uint32_t> vop1(unsigned op, unsigned vdst, unsigned src0) {
  return {0x7e000000u | vdst << 17 | op << 9 | src0};
}
inline std::vector<uint32_t> vop2(unsigned op, unsigned vdst, unsigned src0, unsigned vsrc1) {
  return {op << 25 | vdst << 17 | vsrc1 << 9 | src0};
}
inline std::vector<uint32_t> vopc(unsigned op, unsigned src0, unsigned vsrc1) {
  return {0x7c000000u | op << 17 | vsrc1 << 9 | src0};
}
/// Fields of VOP3A; sdst (VOP3B) replaces abs and op_sel.
struct Vop3 {
  unsigned op = 0, vdst = 0, src0 = 0, src1 = 0, src2 = 0;
  unsigned neg = 0, abs = 0, omod = 0, clamp = 0, op_sel = 0, sdst = 0;
  operator std::vector<uint32_t>() const {
    return {0xd0000000u | op << 16 | clamp << 15 | op_sel << 11 | abs << 8 | sdst << 8 | vdst,
            neg << 29 | omod << 27 | src2 << 18 | src1 << 9 | src0};
  }
};
struct Vop3p {
  unsigned op = 0, vdst = 0, src0 = 0, src1 = 0, src2 = 0;
  unsigned neg_lo = 0, neg_hi = 0, clamp = 0, op_sel = 0, op_sel_hi = 7;
  operator std::vector<uint32_t>() const {
    return {
        0xd3800000u | op << 16 | clamp << 15 | (op_sel_hi >> 2 & 1) << 14 | op_sel << 11 | neg_hi << 8 | vdst,
        neg_lo << 29 | (op_sel_hi & 3) << 27 | src2 << 18 | src1 << 9 | src0};
  }
};
constexpr unsigned v(unsigned n) { return 256 + n; }

}  // namespace valu_test
