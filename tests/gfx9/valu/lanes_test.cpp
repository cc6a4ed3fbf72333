// What crosses lanes or decides which lanes are written: EXEC, DPP, SDWA, op_sel, lane reads and writes,
// masks.
#include <catch2/catch.hpp>

#include "machine.hpp"

using namespace valu_test;

namespace {

constexpr uint32_t kOld = 0xeeee0000;

void step(Machine& m, const std::vector<uint32_t>& words) {
  const std::string error = m.run(words);
  INFO(error);
  REQUIRE(error.empty());
}
std::vector<uint32_t> with(std::vector<uint32_t> words, uint32_t extra) {
  words.push_back(extra);
  return words;
}
/// v1 = lane number + 1, v2 = an old value.
void number_lanes(Machine& m) {
  m.reset();
  for (unsigned l = 0; l < kLanes; ++l) {
    m.wave().vgpr[1][l] = l + 1;
    m.wave().vgpr[2][l] = kOld + l;
  }
}
uint32_t dpp_word(unsigned src0, unsigned ctrl, bool bound, unsigned rows = 15, unsigned banks = 15) {
  return src0 | ctrl << 8 | uint32_t{bound} << 19 | banks << 24 | rows << 28;
}

}  // namespace

TEST_CASE("EXEC keeps lanes; compares write 0 for inactive ones") {
  for (const Build& b : lane_builds()) {
    Machine m(b);
    number_lanes(m);
    Wave& w = m.wave();
    w.set_exec(0x8000000000000001);
    w.set_vcc(~uint64_t{0});
    step(m, vop1(0x01, 2, v(1)));  // v_mov_b32
    for (unsigned l = 0; l < kLanes; ++l) CHECK(w.vgpr[2][l] == (l == 0 || l == 63 ? l + 1 : kOld + l));
    step(m, vopc(0xcd, 129, 1));  // v_cmp_ne_u32 1, v1: false in lane 0
    CHECK(w.vcc() == 0x8000000000000000);
    step(m, vop2(0x19, 3, 193, 1));  // v_add_co_u32 v3, vcc, -1, v1: carries wherever v1 != 0
    CHECK(w.vcc() == 0x8000000000000001);
    w.set_exec(0);
    w.set_vcc(~uint64_t{0});
    step(m, vopc(0xcf, 129, 1));  // v_cmp_t_u32
    CHECK(w.vcc() == 0);
  }
}

TEST_CASE("v_cmpx writes the mask and EXEC") {
  for (const Build& b : lane_builds()) {
    Machine m(b);
    number_lanes(m);
    Wave& w = m.wave();
    w.set_exec(0xff);
    step(m, vopc(0xdc, 133, 1));  // v_cmpx_gt_u32 vcc, 5, v1
    CHECK(w.vcc() == 0xf);
    CHECK(w.exec() == 0xf);
    step(m, Vop3{.op = 0xdd, .vdst = 10, .src0 = 130, .src1 = v(1)});  // v_cmpx_ne_u32_e64 s[10:11], 2, v1
    CHECK(w.s64(10) == 0xd);
    CHECK(w.exec() == 0xd);
    CHECK(w.vcc() == 0xf);
  }
}

TEST_CASE("lane reads and writes") {
  for (const Build& b : lane_builds()) {
    Machine m(b);
    number_lanes(m);
    Wave& w = m.wave();
    w.set_exec(0xf0);
    step(m, vop1(0x02, 5, v(1)));  // v_readfirstlane_b32 s5
    CHECK(w.sgpr[5] == 5);
    w.set_exec(0);
    step(m, vop1(0x02, 5, v(1)));
    CHECK(w.sgpr[5] == 1);                                                  // EXEC = 0 reads lane 0
    step(m, Vop3{.op = 0x289, .vdst = 6, .src0 = v(1), .src1 = 128 + 63});  // v_readlane_b32
    CHECK(w.sgpr[6] == 64);
    w.sgpr[7] = 64 + 3;  // the lane number is taken modulo 64
    step(m, Vop3{.op = 0x289, .vdst = 6, .src0 = v(1), .src1 = 7});
    CHECK(w.sgpr[6] == 4);
    w.sgpr[8] = 0x1234;
    step(m, Vop3{.op = 0x28a, .vdst = 2, .src0 = 8, .src1 = 7});  // v_writelane_b32 in spite of EXEC
    CHECK(w.vgpr[2][3] == 0x1234);
    CHECK(w.vgpr[2][2] == kOld + 2);
    CHECK(m.run(Vop3{.op = 0x28a, .vdst = 2, .src0 = v(1), .src1 = 7}) ==
          "lane select or value must be scalar");
  }
}

TEST_CASE("v_swap_b32 swaps active lanes") {
  for (const Build& b : lane_builds()) {
    Machine m(b);
    number_lanes(m);
    Wave& w = m.wave();
    w.set_exec(2);
    step(m, vop1(0x51, 2, v(1)));
    CHECK(w.vgpr[1][1] == kOld + 1);
    CHECK(w.vgpr[2][1] == 2);
    CHECK(w.vgpr[1][0] == 1);
    CHECK(w.vgpr[2][0] == kOld);
  }
}

TEST_CASE("v_mbcnt counts set bits below the lane") {
  for (const Build& b : lane_builds()) {
    Machine m(b);
    m.reset();
    Wave& w = m.wave();
    step(m, Vop3{.op = 0x28c, .vdst = 3, .src0 = 193, .src1 = 128});   // lo: -1, 0
    step(m, Vop3{.op = 0x28d, .vdst = 4, .src0 = 193, .src1 = v(3)});  // hi: -1
    w.sgpr[4] = 0xaaaaaaaa;
    step(m, Vop3{.op = 0x28c, .vdst = 5, .src0 = 4, .src1 = 138});  // lo: 10 + bits
    for (unsigned l = 0; l < kLanes; ++l) {
      CHECK(w.vgpr[3][l] == (l < 32 ? l : 32));
      CHECK(w.vgpr[4][l] == l);
      CHECK(w.vgpr[5][l] == 10 + (l < 32 ? l / 2 : 16));
    }
  }
}

TEST_CASE("DPP moves lanes") {
  struct Row {
    unsigned ctrl;
    int (*from)(int lane);  // -1: none
  };
  static constexpr Row kRows[] = {
      {0x1b, [](int l) { return l / 4 * 4 + 3 - l % 4; }},           // quad_perm:[3,2,1,0]
      {0x00, [](int l) { return l / 4 * 4; }},                       // quad_perm:[0,0,0,0]
      {0x101, [](int l) { return l % 16 == 15 ? -1 : l + 1; }},      // row_shl:1
      {0x10f, [](int l) { return l % 16 == 0 ? l + 15 : -1; }},      // row_shl:15
      {0x112, [](int l) { return l % 16 < 2 ? -1 : l - 2; }},        // row_shr:2
      {0x123, [](int l) { return l / 16 * 16 + (l + 13) % 16; }},    // row_ror:3
      {0x130, [](int l) { return l == 63 ? -1 : l + 1; }},           // wave_shl:1
      {0x134, [](int l) { return (l + 1) % 64; }},                   // wave_rol:1
      {0x138, [](int l) { return l - 1; }},                          // wave_shr:1
      {0x13c, [](int l) { return (l + 63) % 64; }},                  // wave_ror:1
      {0x140, [](int l) { return l / 16 * 16 + 15 - l % 16; }},      // row_mirror
      {0x141, [](int l) { return l / 8 * 8 + 7 - l % 8; }},          // row_half_mirror
      {0x142, [](int l) { return l < 16 ? -1 : l / 16 * 16 - 1; }},  // row_bcast:15
      {0x143, [](int l) { return l < 32 ? -1 : 31; }},               // row_bcast:31
  };
  for (const Build& b : lane_builds()) {
    Machine m(b);
    for (const Row& row : kRows) {
      for (const bool bound : {false, true}) {
        INFO("dpp_ctrl " << row.ctrl << " bound_ctrl " << bound);
        number_lanes(m);
        step(m, with(vop1(0x01, 2, 250), dpp_word(1, row.ctrl, bound)));
        for (int l = 0; l < int{kLanes}; ++l) {
          const int from = row.from(l);
          const uint32_t want = from >= 0 ? static_cast<uint32_t>(from + 1)
                                : bound   ? 0
                                          : kOld + static_cast<uint32_t>(l);
          CHECK(m.wave().vgpr[2][l] == want);
        }
      }
    }
  }
}

TEST_CASE("DPP masks, inactive source lanes and the second source") {
  for (const Build& b : lane_builds()) {
    Machine m(b);
    Wave& w = m.wave();
    number_lanes(m);
    step(m, with(vop1(0x01, 2, 250), dpp_word(1, 0xe4, false, 0x5, 0x3)));  // identity; rows 0, 2; banks 0, 1
    for (unsigned l = 0; l < kLanes; ++l) {
      const bool on = (l / 16) % 2 == 0 && l / 4 % 4 < 2;
      CHECK(w.vgpr[2][l] == (on ? l + 1 : kOld + l));
    }
    number_lanes(m);
    w.set_exec(~uint64_t{2});  // lane 1 inactive: lane 0 has no source
    step(m, with(vop1(0x01, 2, 250), dpp_word(1, 0x130, false)));
    CHECK(w.vgpr[2][0] == kOld);
    CHECK(w.vgpr[2][1] == kOld + 1);
    CHECK(w.vgpr[2][2] == 4);
    step(m, with(vop1(0x01, 2, 250), dpp_word(1, 0x130, true)));
    CHECK(w.vgpr[2][0] == 0);
    number_lanes(m);  // v_subrev_u32_dpp v3, v1 (wave_shr:1), v1: v1 - left neighbour
    step(m, with(vop2(0x36, 3, 250, 1), dpp_word(1, 0x138, true)));
    for (unsigned l = 0; l < kLanes; ++l) CHECK(w.vgpr[3][l] == 1);
    m.reset();  // neg and abs: |v1 moved| + -v2
    for (unsigned l = 0; l < kLanes; ++l) w.vgpr[1][l] = 0xc0000000, w.vgpr[2][l] = 0x3f800000;
    step(m, with(vop2(0x01, 3, 250, 2), dpp_word(1, 0xe4, false) | 1u << 21 | 1u << 22));
    CHECK(w.vgpr[3][17] == 0x3f800000);
    number_lanes(m);  // carry of lanes that are not written is 0
    step(m, with(vop2(0x19, 3, 250, 1), dpp_word(1, 0x142, false)));
    CHECK((w.vcc() & 0xffff) == 0);
  }
}

TEST_CASE("SDWA selects, extends and merges") {
  const auto word = [](unsigned dst_sel, unsigned unused, unsigned s0, bool sext0, unsigned s1, bool sext1) {
    return 1u | dst_sel << 8 | unused << 11 | s0 << 16 | uint32_t{sext0} << 19 | s1 << 24 |
           uint32_t{sext1} << 27;
  };
  for (const Build& b : lane_builds()) {
    Machine m(b);
    Wave& w = m.wave();
    const auto mov = [&](uint32_t extra) {
      m.reset();
      w.vgpr[1][5] = 0x84c3b2a1;
      w.vgpr[2][5] = 0x11223344;
      step(m, with(vop1(0x01, 2, 249), extra));
      return w.vgpr[2][5];
    };
    // source selects, zero- and sign-extended
    CHECK(mov(word(6, 0, 0, false, 6, false)) == 0xa1);
    CHECK(mov(word(6, 0, 1, false, 6, false)) == 0xb2);
    CHECK(mov(word(6, 0, 2, true, 6, false)) == 0xffffffc3);
    CHECK(mov(word(6, 0, 3, true, 6, false)) == 0xffffff84);
    CHECK(mov(word(6, 0, 4, false, 6, false)) == 0xb2a1);
    CHECK(mov(word(6, 0, 5, true, 6, false)) == 0xffff84c3);
    CHECK(mov(word(6, 0, 6, false, 6, false)) == 0x84c3b2a1);
    // destination selects with each treatment of the rest
    CHECK(mov(word(0, 0, 6, false, 6, false)) == 0x000000a1);
    CHECK(mov(word(1, 0, 6, false, 6, false)) == 0x0000a100);
    CHECK(mov(word(2, 2, 6, false, 6, false)) == 0x11a13344);
    CHECK(mov(word(3, 2, 6, false, 6, false)) == 0xa1223344);
    CHECK(mov(word(4, 2, 6, false, 6, false)) == 0x1122b2a1);
    CHECK(mov(word(5, 2, 6, false, 6, false)) == 0xb2a13344);
    CHECK(mov(word(1, 1, 6, false, 6, false)) == 0xffffa100);
    CHECK(mov(word(4, 1, 6, false, 6, false)) == 0xffffb2a1);
    CHECK(mov(word(5, 1, 6, false, 6, false)) == 0xb2a10000);
    // two sources, one of them an SGPR (S1, bit 31)
    m.reset();
    w.vgpr[1][0] = 0x00ff0000;
    w.sgpr[3] = 0x12340000;
    step(m, with(vop2(0x34, 4, 249, 3), word(6, 0, 2, true, 5, false) | 1u << 31));
    CHECK(w.vgpr[4][0] == 0x1233);
    // a half in the high word of a float op, negated; result into the high word
    m.reset();
    w.vgpr[1][0] = 0x3c000000;
    w.vgpr[4][0] = 0x4000;
    w.vgpr[5][0] = 0x1111aaaa;
    step(m, with(vop2(0x1f, 5, 249, 4), word(5, 2, 5, false, 4, false) | 1u << 20));  // v_add_f16 -1 + 2
    CHECK(w.vgpr[5][0] == 0x3c00aaaa);
    // compares: SD selects an SGPR pair, else VCC
    m.reset();
    for (unsigned l = 0; l < kLanes; ++l) w.vgpr[1][l] = l << 8;
    step(m, with(vopc(0xca, 249, 1), 1u | 1u << 15 | 20u << 8 | 1u << 16 | 1u << 24));  // bytes 1 equal: all
    CHECK(w.s64(20) == ~uint64_t{0});
    CHECK(w.vcc() == 0);
    step(m, with(vopc(0xca, 249, 1), 1u | 1u << 16 | 0u << 24));  // byte 1 == byte 0: lane 0 only
    CHECK(w.vcc() == 1);
  }
}

TEST_CASE("op_sel picks halves and keeps the other half of the result") {
  for (const Build& b : lane_builds()) {
    Machine m(b);
    Wave& w = m.wave();
    m.reset();
    w.vgpr[1][0] = 0x40003c00;  // 2, 1
    w.vgpr[2][0] = 0x44004200;  // 4, 3
    w.vgpr[3][0] = 0x48004700;  // 8, 7
    w.vgpr[4][0] = 0xabcd1234;
    Vop3 fma{.op = 0x206, .vdst = 4, .src0 = v(1), .src1 = v(2), .src2 = v(3)};
    step(m, fma);
    CHECK(w.vgpr[4][0] == 0xabcd4900);  // 1 * 3 + 7
    fma.op_sel = 0xf;
    step(m, fma);
    CHECK(w.vgpr[4][0] == 0x4c004900);                                               // 2 * 4 + 8
    step(m, Vop3{.op = 0x2a0, .vdst = 5, .src0 = v(1), .src1 = v(2), .op_sel = 1});  // v_pack_b32_f16
    CHECK(w.vgpr[5][0] == 0x42004000);
    // short and legacy forms write zeroes above
    w.vgpr[6][0] = 0xffffffff;
    step(m, vop2(0x1f, 6, v(1), 2));
    CHECK(w.vgpr[6][0] == 0x4400);
    w.vgpr[6][0] = 0xffffffff;
    step(m, Vop3{.op = 0x1ee, .vdst = 6, .src0 = v(1), .src1 = v(2), .src2 = v(3)});
    CHECK(w.vgpr[6][0] == 0x4900);
  }
}

TEST_CASE("packed ops: op_sel, op_sel_hi, neg and constants") {
  for (const Build& b : lane_builds()) {
    Machine m(b);
    Wave& w = m.wave();
    m.reset();
    w.vgpr[1][0] = 0x00020001;
    w.vgpr[2][0] = 0x00200010;
    step(m, Vop3p{.op = 0x0a, .vdst = 3, .src0 = v(1), .src1 = v(2)});
    CHECK(w.vgpr[3][0] == 0x00220011);
    step(m, Vop3p{.op = 0x0a, .vdst = 3, .src0 = v(1), .src1 = v(2), .op_sel = 1, .op_sel_hi = 2});
    CHECK(w.vgpr[3][0] == 0x00210012);
    step(m, Vop3p{.op = 0x0a, .vdst = 3, .src0 = v(1), .src1 = 133, .op_sel_hi = 1});  // 5 in both halves
    CHECK(w.vgpr[3][0] == 0x00070006);
    w.vgpr[1][0] = 0x3c004000, w.vgpr[2][0] = 0x3c003c00;
    step(m, Vop3p{.op = 0x0f, .vdst = 3, .src0 = v(1), .src1 = v(2), .neg_lo = 1, .neg_hi = 2});
    CHECK(w.vgpr[3][0] == 0x0000bc00);  // high 1 - 1, low -2 + 1
    step(
        m,
        Vop3p{.op = 0x10, .vdst = 3, .src0 = v(1), .src1 = 244, .clamp = 1, .op_sel_hi = 1});  // * 2, clamped
    CHECK(w.vgpr[3][0] == 0x3c003c00);
    w.vgpr[1][0] = 0x7fff8000;
    step(m, Vop3p{.op = 0x02, .vdst = 3, .src0 = v(1), .src1 = v(1), .clamp = 1});
    CHECK(w.vgpr[3][0] == 0x7fff8000);
    step(m, Vop3p{.op = 0x02, .vdst = 3, .src0 = v(1), .src1 = v(1)});
    CHECK(w.vgpr[3][0] == 0xfffe0000);
    // v_fma_mix_f32: source 0 a half (high), source 1 a single, source 2 |half| (low)
    w.vgpr[1][0] = 0x40000000, w.vgpr[2][0] = 0x40400000, w.vgpr[4][0] = 0x0000c000;
    step(m, Vop3p{.op = 0x20,
                  .vdst = 3,
                  .src0 = v(1),
                  .src1 = v(2),
                  .src2 = v(4),
                  .neg_hi = 4,
                  .op_sel = 1,
                  .op_sel_hi = 5});
    CHECK(w.vgpr[3][0] == 0x41000000);  // 2 * 3 + 2
    w.vgpr[3][0] = 0x12345678;
    step(m,
         Vop3p{.op = 0x22, .vdst = 3, .src0 = v(1), .src1 = v(2), .src2 = 242, .op_sel = 1, .op_sel_hi = 5});
    CHECK(w.vgpr[3][0] == 0x47005678);  // 2 * 3 + 1.0h = 7 in the high half
  }
}

TEST_CASE("gfx90a: packed singles") {
  for (const Build& b : lane_builds()) {
    Machine m(b, 90010);
    Wave& w = m.wave();
    m.reset();
    const uint32_t one = 0x3f800000, two = 0x40000000, three = 0x40400000, six = 0x40c00000;
    w.vgpr[2][9] = one, w.vgpr[3][9] = two;
    w.vgpr[4][9] = three, w.vgpr[5][9] = three;
    step(m, Vop3p{.op = 0x31, .vdst = 6, .src0 = v(2), .src1 = v(4)});  // v_pk_mul_f32
    CHECK(w.vgpr[6][9] == three);
    CHECK(w.vgpr[7][9] == six);
    step(m,
         Vop3p{.op = 0x32, .vdst = 6, .src0 = v(2), .src1 = v(2), .neg_lo = 2, .op_sel = 2, .op_sel_hi = 1});
    CHECK(w.vgpr[6][9] == 0xbf800000);  // 1 - 2
    CHECK(w.vgpr[7][9] == three);       // 2 + 1
    step(m, Vop3p{.op = 0x30, .vdst = 6, .src0 = v(2), .src1 = v(4), .src2 = v(4)});
    CHECK(w.vgpr[6][9] == six);
    CHECK(w.vgpr[7][9] == 0x41100000);
    w.vgpr[8][9] = 0, w.vgpr[9][9] = 0x3ff00000;  // 1.0
    step(m, vop2(0x04, 8, 244, 8));               // v_fmac_f64 v[8:9], 2.0, v[8:9]
    CHECK(w.vgpr[9][9] == 0x40080000);
  }
}

// Words by llvm-mc-15. The first is what LLVM copies a register pair with (SIInstrInfo::copyPhysReg), the
// second what it sets both dwords to one inline constant with.
TEST_CASE("gfx90a: v_pk_mov_b32 takes a dword of each source, by op_sel alone") {
  for (const Build& b : lane_builds()) {
    Machine m(b, 90010);
    Wave& w = m.wave();
    m.reset();
    for (unsigned r = 2; r < 6; ++r) w.vgpr[r][9] = r;
    const auto result = [&](std::vector<uint32_t> words) {
      step(m, words);
      return std::vector<uint32_t>{w.vgpr[6][9], w.vgpr[7][9]};
    };
    using Pair = std::vector<uint32_t>;
    CHECK(result({0xd3b35006, 0x18020502}) == Pair{2, 3});  // v[6:7], v[2:3], v[2:3] op_sel:[0,1]
    CHECK(result({0xd3b34006, 0x18010281}) == Pair{1, 1});  // v[6:7], 1, 1
    for (unsigned hi = 0; hi < 4; ++hi) {
      for (unsigned lo = 0; lo < 4; ++lo) {
        const Vop3p move{.op = 0x33, .vdst = 6, .src0 = v(2), .src1 = v(4), .op_sel = lo, .op_sel_hi = hi};
        CHECK(result(move) == Pair{2 + (lo & 1), 4 + (lo >> 1)});
      }
    }
  }
}

// LLVM packs <-2, -1> into the constant -2, and keeps inline floats from 16-bit integer instructions because
// those get the single-precision bits.
TEST_CASE("inline constants of 16-bit operands") {
  for (const Build& b : lane_builds()) {
    Machine m(b);
    Wave& w = m.wave();
    const auto low = [&](const std::vector<uint32_t>& words) {
      m.reset();
      w.vgpr[1][5] = 0;
      step(m, words);
      return w.vgpr[2][5];
    };
    const auto pk_add_u16 = [&](unsigned constant, unsigned lo, unsigned hi) {
      return low(Vop3p{.op = 0x0a, .vdst = 2, .src0 = v(1), .src1 = constant, .op_sel = lo, .op_sel_hi = hi});
    };
    CHECK(pk_add_u16(194, 0, 3) == 0xfffffffe);  // -2: both halves of the sign-extended constant
    CHECK(pk_add_u16(194, 0, 1) == 0xfffefffe);
    CHECK(pk_add_u16(130, 0, 3) == 2);
    CHECK(pk_add_u16(242, 0, 3) == 0x3f800000);  // 1.0 in single precision
    const auto pk_add_f16 = [&](unsigned constant, unsigned hi) {
      return low(Vop3p{.op = 0x0f, .vdst = 2, .src0 = v(1), .src1 = constant, .op_sel_hi = hi});
    };
    CHECK(pk_add_f16(242, 3) == 0x3c00);
    CHECK(pk_add_f16(242, 1) == 0x3c003c00);
    CHECK(low(vop2(0x26, 2, 242, 1)) == 0);       // v_add_u16 v2, 1.0, v1
    CHECK(low(vop2(0x1f, 2, 242, 1)) == 0x3c00);  // v_add_f16
    CHECK(low(Vop3{.op = 0x29e, .vdst = 2, .src0 = 193, .src1 = v(1), .op_sel = 1}) ==
          0xffff);  // v_add_i16 -1, high half
  }
}

// Words by llvm-mc-15.
TEST_CASE("gfx90a: DPP row_newbcast, also with 64-bit operands") {
  for (const Build& b : lane_builds()) {
    Machine m(b, 90010), gfx906(b);
    Inst inst;
    number_lanes(m);
    Wave& w = m.wave();
    step(m, std::vector<uint32_t>{0x7e0002fa, 0xff015301});  // v_mov_b32_dpp v0, v1 row_newbcast:3
    CHECK(w.vgpr[0][0] == w.vgpr[1][3]);
    CHECK(w.vgpr[0][15] == w.vgpr[1][3]);
    CHECK(w.vgpr[0][47] == w.vgpr[1][35]);
    CHECK(gfx906.decode({0x7e0002fa, 0xff015301}, inst) == "v_mov_b32: DPP control 0x153 is reserved");
    m.reset();
    for (unsigned l = 0; l < 64; ++l) {
      w.vgpr[3][l] = l % 16 == 1 ? 0x3ff80000 : 0;                // 1.5 in lane 1 of each row
      w.vgpr[4][l] = 0, w.vgpr[5][l] = 0x40000000;                // 2.0
      w.vgpr[0][l] = 0, w.vgpr[1][l] = l < 32 ? 0 : 0x3ff00000u;  // 1.0 in the upper half
    }
    step(m, std::vector<uint32_t>{0x080008fa, 0xff015102});  // v_fmac_f64_dpp v[0:1], v[2:3], v[4:5] ..:1
    CHECK(w.vgpr[1][7] == 0x40080000);                       // 3.0
    CHECK(w.vgpr[1][63] == 0x40100000);                      // 4.0
    // v_ceil_f64_dpp v[0:1], -|v[2:3]| row_newbcast:1 row_mask:0xa bank_mask:0xf bound_ctrl:1
    step(m, std::vector<uint32_t>{0x7e0030fa, 0xaf395102});
    CHECK(w.vgpr[1][7] == 0x40080000);   // row 0 is masked
    CHECK(w.vgpr[1][20] == 0xbff00000);  // -1.0
    CHECK(m.decode({0x7e0030fa, 0xff010102}, inst) ==
          "v_ceil_f64: with 64-bit operands DPP is row_newbcast only");
    CHECK(gfx906.decode({0x7e0030fa, 0xff015302}, inst) == "v_ceil_f64: does not take DPP");
  }
}

TEST_CASE("gfx90a: accumulation registers") {
  for (const Build& b : lane_builds()) {
    Machine m(b, 90010);
    number_lanes(m);
    Wave& w = m.wave();
    w.set_exec(0x3);
    step(m, Vop3p{.op = 0x59, .vdst = 4, .src0 = v(1)});  // v_accvgpr_write_b32 a4, v1
    CHECK(w.vgpr[256 + 4][1] == 2);
    CHECK(w.vgpr[256 + 4][2] == 0);
    CHECK(w.vgpr[4][1] == 0);
    step(m, vop1(0x52, 5, v(4)));                         // v_accvgpr_mov_b32 a5, a4
    step(m, Vop3p{.op = 0x58, .vdst = 2, .src0 = v(5)});  // v_accvgpr_read_b32 v2, a5
    CHECK(w.vgpr[2][1] == 2);
    CHECK(w.vgpr[2][2] == kOld + 2);
    step(m, Vop3p{.op = 0x59, .vdst = 6, .src0 = 242});  // 1.0
    CHECK(w.vgpr[256 + 6][0] == 0x3f800000);
    CHECK(!m.run(Vop3p{.op = 0x59, .vdst = 6, .src0 = 242, .clamp = 1}).empty());
  }
}

TEST_CASE("clamp, omod, IEEE and DX10_CLAMP") {
  for (const Build& b : lane_builds()) {
    Machine m(b);
    Wave& w = m.wave();
    const auto add = [&](uint32_t x, unsigned omod, unsigned clamp, uint32_t mode) {
      m.reset();
      w.mode = mode;
      w.vgpr[1][0] = x;
      step(m, Vop3{.op = 0x101, .vdst = 2, .src0 = v(1), .src1 = 128, .omod = omod, .clamp = clamp});
      return w.vgpr[2][0];
    };
    const uint32_t keep = 0xf0, flush = 0xc0, dx10 = mode_bit::dx10_clamp, ieee = mode_bit::ieee;
    CHECK(add(0x40000000, 0, 1, keep) == 0x3f800000);
    CHECK(add(0xc0000000, 0, 1, keep) == 0);
    CHECK(add(0x3f000000, 0, 1, keep) == 0x3f000000);
    CHECK(add(0x7fc00000, 0, 1, keep | dx10) == 0);
    CHECK(add(0x7fc00000, 0, 1, keep) == 0x7fc00000);
    CHECK(add(0x3f800000, 1, 0, flush) == 0x40000000);
    CHECK(add(0x3f800000, 2, 0, flush) == 0x40800000);
    CHECK(add(0x3f800000, 3, 0, flush) == 0x3f000000);
    CHECK(add(0x7f7fffff, 1, 0, flush) == 0x7f800000);
    CHECK(add(0x00800000, 3, 0, flush) == 0);
    CHECK(add(0x3f800000, 1, 0, flush | ieee) == 0x3f800000);  // omod needs IEEE off
    CHECK(add(0x3f800000, 1, 0, keep) == 0x3f800000);          // and flushed results
    CHECK(add(0x3f400000, 1, 1, flush) == 0x3f800000);         // omod first, then clamp
    // signalling NaN in min: IEEE makes it win
    const auto least = [&](uint32_t mode) {
      m.reset();
      w.mode = mode;
      w.vgpr[1][0] = 0x7fa00000;
      step(m, vop2(0x0a, 2, v(1), 3));
      return w.vgpr[2][0];
    };
    CHECK(least(keep | ieee) == 0x7fe00000);
    CHECK(least(keep) == 0);
    // integer clamp
    m.reset();
    w.vgpr[1][0] = 0xfffffff0;
    step(m, Vop3{.op = 0x134, .vdst = 2, .src0 = v(1), .src1 = 144, .clamp = 1});  // v_add_u32 + 16
    CHECK(w.vgpr[2][0] == 0xffffffff);
    w.vgpr[1][0] = 0x7ffffff0;
    step(m, Vop3{.op = 0x29c, .vdst = 2, .src0 = v(1), .src1 = 144, .clamp = 1});  // v_add_i32 + 16
    CHECK(w.vgpr[2][0] == 0x7fffffff);
    step(m, Vop3{.op = 0x135, .vdst = 2, .src0 = 129, .src1 = v(1), .clamp = 1});  // v_sub_u32 1 - v1
    CHECK(w.vgpr[2][0] == 0);
  }
}
