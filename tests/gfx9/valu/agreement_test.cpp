// Results must not depend on the vector width: every opcode, in all encodings and modes, gives the same
// registers in the baseline and in the wide lane build.
#include <catch2/catch.hpp>
#include <random>

#include "machine.hpp"

using namespace valu_test;

namespace {

constexpr unsigned kRegisters = 48;

uint32_t interesting_word(std::mt19937_64& rng) {
  static constexpr uint32_t kWords[] = {
      0,          1,          0x80000000, 0x7fffffff, 0xffffffff, 0x7f800000, 0xff800000, 0x7fc00000,
      0x7f800001, 0xffc00005, 0x00800000, 0x007fffff, 0x80000001, 0x3f800000, 0xbf800000, 0x3f800001,
      0x7f7fffff, 0x4b000000, 0x4f000000, 0xcf000000, 0x5f800000, 0x3c003c00, 0x7c007c01, 0xfc00fe00,
      0x00010001, 0x80018001, 0x7bff7bff, 0x04000400, 0x3ff00000, 0x7ff00000, 0xfff80000, 0x7fefffff,
      0x00100000, 0x000fffff, 0x20,       0x21};
  const uint64_t r = rng();
  switch (r & 3) {
    case 0:
      return kWords[(r >> 8) % std::size(kWords)];
    case 1:
      return static_cast<uint32_t>(r >> 8);
    case 2:
      return static_cast<uint32_t>(0x3f800000 +
                                   (static_cast<int64_t>(r >> 8) % 0x08000000));  // moderate singles
    default: {
      const uint32_t half = 0x3c00 + static_cast<uint32_t>(r >> 8) % 0x1000 - 0x800;
      return half | ((0x3c00 + static_cast<uint32_t>(r >> 32) % 0x1000 - 0x800) << 16);
    }
  }
}

void randomise(Wave& w, std::mt19937_64& rng) {
  for (unsigned r = 0; r < kRegisters; ++r) {
    for (unsigned l = 0; l < kLanes; ++l) w.vgpr[r][l] = interesting_word(rng);
  }
  for (unsigned r = 0; r < 102; ++r) w.sgpr[r] = interesting_word(rng);
  w.set_vcc(rng());
  w.set_exec((rng() & 3) == 0 ? ~uint64_t{0} : rng());
  w.sgpr[sgpr_no::m0] = static_cast<uint32_t>(rng());
  // rounding and denormal fields, DX10_CLAMP, IEEE and FP16_OVFL at random
  w.mode =
      static_cast<uint32_t>(rng()) & (0xff | mode_bit::dx10_clamp | mode_bit::ieee | mode_bit::fp16_ovfl);
}

bool same(const Wave& a, const Wave& b, std::string& what) {
  for (unsigned r = 0; r < kRegisters; ++r) {
    for (unsigned l = 0; l < kLanes; ++l) {
      if (a.vgpr[r][l] != b.vgpr[r][l]) {
        char text[96];
        std::snprintf(text, sizeof text, "v%u lane %u: %08x and %08x", r, l, a.vgpr[r][l], b.vgpr[r][l]);
        what = text;
        return false;
      }
    }
  }
  for (unsigned r = 0; r < 128; ++r) {
    if (a.sgpr[r] != b.sgpr[r]) {
      what = "s" + std::to_string(r);
      return false;
    }
  }
  return true;
}

/// Runs one encoding on both builds from the same random state; an encoding that is refused must be refused
/// by both. @return true if it ran
bool agree(std::vector<Machine>& machines, const std::vector<uint32_t>& words, std::mt19937_64& rng) {
  Inst inst[2];
  const std::string refusal = machines[0].decode(words, inst[0]);
  if (machines[1].decode(words, inst[1]) != refusal) {
    INFO(refusal);
    FAIL("the builds decode differently");
  }
  if (!refusal.empty()) return false;
  machines[0].reset();
  randomise(machines[0].wave(), rng);
  machines[1].reset();
  std::memcpy(static_cast<void*>(&machines[1].wave()), &machines[0].wave(), sizeof(Wave));
  const std::string first = machines[0].run(inst[0]), second = machines[1].run(inst[1]);
  std::string what;
  if (first != second || !same(machines[0].wave(), machines[1].wave(), what)) {
    char text[160];
    std::snprintf(text, sizeof text, "%s %08x %08x mode %08x: %s %s %s", inst[0].op->mnemonic, words[0],
                  words.size() > 1 ? words[1] : 0, machines[0].wave().mode, what.c_str(), first.c_str(),
                  second.c_str());
    FAIL(text);
  }
  return true;
}

struct Fixture {
  std::vector<Machine> machines;
  std::mt19937_64 rng{20240906};
  explicit Fixture(uint32_t target) {
    for (const Build& b : lane_builds()) machines.emplace_back(b, target);
  }
  bool usable() const {
    if (machines.size() == 2) return true;
    WARN("this CPU has no AVX2, FMA or F16C: only the baseline build can run, nothing to compare");
    return false;
  }
};

void check_target(uint32_t target, unsigned least) {
  Fixture f(target);
  if (!f.usable()) return;
  auto& rng = f.rng;
  unsigned ran = 0;
  const auto field = [&](uint64_t bits) { return static_cast<unsigned>(rng() % bits); };
  const auto src = [&] {  // mostly registers
    const unsigned kind = field(8);
    return kind < 5    ? v(4 + 4 * field(8))
           : kind == 5 ? 2 * field(40)
           : kind == 6 ? 128 + field(81)
                       : 240 + field(9);
  };
  for (unsigned round = 0; round < 24; ++round) {
    for (unsigned op = 0; op < 256; ++op) {
      ran += agree(f.machines, vop1(op, 40, v(4 * field(9))), rng);
      ran += agree(f.machines, vopc(op, src(), 4 * field(9)), rng);
      if (op < 62) ran += agree(f.machines, vop2(op, 40, src(), 4 * field(9)), rng);
      // SDWA and DPP forms
      const uint32_t sdwa = field(48) | field(7) << 8 | field(3) << 11 | field(2) << 13 | field(7) << 16 |
                            field(2) << 19 | field(7) << 24 | field(2) << 27;
      const uint32_t floaty = field(4) << 20;
      const unsigned ctrls[] = {field(256),
                                0x101 + field(15),
                                0x111 + field(15),
                                0x121 + field(15),
                                0x130,
                                0x134,
                                0x138,
                                0x13c,
                                0x140,
                                0x141,
                                0x142,
                                0x143};
      const uint32_t dpp =
          field(48) | ctrls[field(12)] << 8 | field(2) << 19 | static_cast<uint32_t>(rng() & 0xff000000);
      for (const uint32_t extra : {sdwa, sdwa & ~0x08082000u, (sdwa & ~0x08080000u) | floaty}) {
        auto words = vop1(op, 40, 249);
        words.push_back(extra & 0x00ffffff);
        ran += agree(f.machines, words, rng);
        if (op < 62) {
          words = vop2(op, 40, 249, 4 * field(9));
          words.push_back(extra);
          ran += agree(f.machines, words, rng);
        }
        words = vopc(op, 249, 4 * field(9));
        words.push_back(extra & ~0xffu << 8);
        ran += agree(f.machines, words, rng);
      }
      for (const uint32_t extra : {dpp, dpp | field(16) << 20}) {
        auto words = vop1(op, 40, 250);
        words.push_back(extra);
        ran += agree(f.machines, words, rng);
        if (op < 62) {
          words = vop2(op, 40, 250, 4 * field(9));
          words.push_back(extra);
          ran += agree(f.machines, words, rng);
        }
      }
    }
    for (unsigned op = 0; op < 0x400; ++op) {
      for (unsigned sources = 1; sources <= 3; ++sources) {
        Vop3 plain{.op = op,
                   .vdst = 40,
                   .src0 = src(),
                   .src1 = sources > 1 ? src() : 0,
                   .src2 = sources > 2 ? src() : 0};
        ran += agree(f.machines, plain, rng);
        Vop3 mods = plain;
        mods.neg = field(1u << sources);
        mods.omod = field(4);
        mods.clamp = field(2);
        ran += agree(f.machines, mods, rng);
        mods.abs = field(1u << sources);
        ran += agree(f.machines, mods, rng);
        Vop3 sel = plain;
        sel.op_sel = field(1u << sources) | field(2) << 3;
        sel.clamp = field(2);
        ran += agree(f.machines, sel, rng);
        Vop3 carry = plain;
        carry.sdst = 2 * field(40);
        carry.clamp = field(2);
        ran += agree(f.machines, carry, rng);
      }
    }
    for (unsigned op = 0; op < 0x80; ++op) {
      for (unsigned sources = 2; sources <= 3; ++sources) {
        Vop3p p{.op = op, .vdst = 40, .src0 = src(), .src1 = src(), .src2 = sources > 2 ? src() : 0};
        ran += agree(f.machines, p, rng);
        p.op_sel = field(1u << sources);
        p.op_sel_hi = field(1u << sources);
        p.clamp = field(2);
        ran += agree(f.machines, p, rng);
        p.neg_lo = field(1u << sources);
        p.neg_hi = field(1u << sources);
        ran += agree(f.machines, p, rng);
      }
    }
  }
  INFO("encodings that ran: " << ran);
  CHECK(ran > least);
}

}  // namespace

TEST_CASE("both lane builds agree on every op: gfx906") { check_target(90006, 40000); }
TEST_CASE("both lane builds agree on every op: gfx900") { check_target(90000, 40000); }
TEST_CASE("both lane builds agree on every op: gfx90a") { check_target(90010, 40000); }
