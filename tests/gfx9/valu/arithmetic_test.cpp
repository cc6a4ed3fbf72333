// Floating point against the host's own: conversions of every half, division sequences as compilers emit
// them, fused multiply-add, rounding and denormal modes.
#include <catch2/catch.hpp>
#include <cfenv>
#include <cmath>
#include <random>

#include "machine.hpp"

using namespace valu_test;

namespace {

template <typename To, typename From>
To as(From x) {
  static_assert(sizeof(To) == sizeof(From));
  To r;
  std::memcpy(&r, &x, sizeof r);
  return r;
}
uint32_t bits(float x) { return as<uint32_t>(x); }
void put64(Wave& w, unsigned reg, unsigned lane, uint64_t x) {
  w.vgpr[reg][lane] = static_cast<uint32_t>(x);
  w.vgpr[reg + 1][lane] = static_cast<uint32_t>(x >> 32);
}
uint64_t get64(const Wave& w, unsigned reg, unsigned lane) {
  return w.vgpr[reg][lane] | uint64_t{w.vgpr[reg + 1][lane]} << 32;
}
/// A half's value by its definition.
double half_value(uint16_t h) {
  const int e = h >> 10 & 31, f = h & 1023;
  const double m = e == 0 ? std::ldexp(f, -24) : std::ldexp(1024 + f, e - 25);
  return h & 0x8000 ? -m : m;
}
void step(Machine& m, const std::vector<uint32_t>& words) {
  const std::string error = m.run(words);
  INFO(error);
  REQUIRE(error.empty());
}

float random_single(std::mt19937_64& rng) {
  const uint64_t r = rng();
  switch (r & 7) {
    case 0:
      return as<float>(static_cast<uint32_t>(r >> 8) & 0x807fffffu);  // denormal
    case 1:
      return as<float>(static_cast<uint32_t>(r >> 8 & 0x80ffffffu) | 0x7e000000u);
    case 2:
      return as<float>((static_cast<uint32_t>(r >> 8) & 0x80ffffffu) | 0x3f000000u);
    default:
      return as<float>(static_cast<uint32_t>(r >> 8));
  }
}
double random_double(std::mt19937_64& rng) {
  const uint64_t r = rng(), s = rng();
  switch (r & 7) {
    case 0:
      return as<double>(s & 0x800fffffffffffffu);
    case 1:
      return as<double>((s & 0x801fffffffffffffu) | 0x7fc0000000000000u);
    case 2:
      return as<double>((s & 0x801fffffffffffffu) | 0x3fe0000000000000u);
    default:
      return as<double>(s);
  }
}
struct HostRounding {
  explicit HostRounding(unsigned mode) : old(std::fegetround()) {
    static constexpr int kModes[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    std::fesetround(kModes[mode]);
  }
  ~HostRounding() { std::fesetround(old); }
  int old;
};

}  // namespace

TEST_CASE("every half converts to single and back") {
  for (const Build& b : lane_builds()) {
    Machine m(b);
    for (uint32_t base = 0; base < 0x10000; base += kLanes) {
      m.reset();
      for (unsigned l = 0; l < kLanes; ++l) m.wave().vgpr[1][l] = base + l;
      step(m, vop1(0x0b, 2, v(1)));  // v_cvt_f32_f16
      step(m, vop1(0x0a, 3, v(2)));  // v_cvt_f16_f32
      for (unsigned l = 0; l < kLanes; ++l) {
        const uint16_t h = static_cast<uint16_t>(base + l);
        const bool nan = (h & 0x7fff) > 0x7c00;
        CHECK(m.wave().vgpr[3][l] == (nan ? h | 0x200u : h));
        if ((h & 0x7c00) != 0x7c00)
          CHECK(as<float>(m.wave().vgpr[2][l]) == static_cast<float>(half_value(h)));
      }
    }
  }
}

TEST_CASE("half arithmetic is correctly rounded in all four modes") {
  // Reference: exact in double, rounded to the last place of a half by an integer rounding of the host.
  std::mt19937_64 rng(16);
  const auto reference = [](double exact, unsigned mode) -> uint16_t {
    const double a = std::fabs(exact);
    int e = a == 0 ? -14 : std::ilogb(a);
    if (e < -14) e = -14;
    double units;
    {
      HostRounding r(mode);
      units = std::nearbyint(std::ldexp(exact, 10 - e));
    }
    const double rounded = std::ldexp(units, e - 10);
    const uint16_t sign = std::signbit(exact) ? 0x8000 : 0;
    if (std::fabs(rounded) >= 65536) {
      const bool inf = mode == 0 || (mode == 1 && sign == 0) || (mode == 2 && sign != 0);
      return sign | (inf ? 0x7c00 : 0x7bff);
    }
    if (rounded == 0) return sign;
    int re = std::ilogb(rounded);
    if (re < -14) return static_cast<uint16_t>(sign | static_cast<int>(std::ldexp(std::fabs(rounded), 24)));
    return static_cast<uint16_t>(sign | (re + 15) << 10 |
                                 (static_cast<int>(std::ldexp(std::fabs(rounded), 10 - re)) & 1023));
  };
  const auto finite_half = [&] {
    uint16_t h = static_cast<uint16_t>(rng());
    if ((rng() & 1) != 0) h = static_cast<uint16_t>((h & 0x83ff) | (12 + rng() % 7) << 10);
    return static_cast<uint16_t>((h & 0x7c00) == 0x7c00 ? h ^ 0x4000 : h);
  };
  for (const Build& b : lane_builds()) {
    Machine m(b);
    for (unsigned mode = 0; mode < 4; ++mode) {
      for (unsigned round = 0; round < 60; ++round) {
        m.reset();
        m.wave().mode |= mode << mode_bit::round_f64_f16_shift;
        uint16_t x[kLanes], y[kLanes], z[kLanes];
        for (unsigned l = 0; l < kLanes; ++l) {
          m.wave().vgpr[1][l] = x[l] = finite_half();
          m.wave().vgpr[2][l] = y[l] = finite_half();
          m.wave().vgpr[3][l] = z[l] = finite_half();
        }
        step(m, vop2(0x1f, 4, v(1), 2));                                                  // v_add_f16
        step(m, vop2(0x22, 5, v(1), 2));                                                  // v_mul_f16
        step(m, Vop3{.op = 0x206, .vdst = 6, .src0 = v(1), .src1 = v(2), .src2 = v(3)});  // v_fma_f16
        for (unsigned l = 0; l < kLanes; ++l) {
          const double a = half_value(x[l]), c = half_value(y[l]), d = half_value(z[l]);
          if (a + c != 0) CHECK(m.wave().vgpr[4][l] == reference(a + c, mode));
          CHECK(m.wave().vgpr[5][l] == reference(a * c, mode));
          // 53 bits hold the sum unless the addends lie far apart; leave those to the agreement test
          const double p = a * c, s = p + d;
          if (s - p == d && s - d == p && s != 0) CHECK(m.wave().vgpr[6][l] == reference(s, mode));
        }
      }
    }
  }
}

TEST_CASE("fma is rounded once in every mode") {
  std::mt19937_64 rng(3);
  for (const Build& b : lane_builds()) {
    Machine m(b);
    for (unsigned mode = 0; mode < 4; ++mode) {
      for (unsigned round = 0; round < 150; ++round) {
        m.reset();
        m.wave().mode |= mode << mode_bit::round_f32_shift | mode << mode_bit::round_f64_f16_shift;
        float a[kLanes], c[kLanes], d[kLanes];
        double p[kLanes], q[kLanes], r[kLanes];
        for (unsigned l = 0; l < kLanes; ++l) {
          a[l] = random_single(rng), c[l] = random_single(rng);
          d[l] = (rng() & 1) != 0 ? random_single(rng) : -a[l] * c[l];  // cancellation
          p[l] = random_double(rng), q[l] = random_double(rng);
          r[l] = (rng() & 1) != 0 ? random_double(rng) : -p[l] * q[l];
          m.wave().vgpr[1][l] = bits(a[l]), m.wave().vgpr[2][l] = bits(c[l]),
          m.wave().vgpr[3][l] = bits(d[l]);
          put64(m.wave(), 4, l, as<uint64_t>(p[l]));
          put64(m.wave(), 6, l, as<uint64_t>(q[l]));
          put64(m.wave(), 8, l, as<uint64_t>(r[l]));
        }
        step(m, Vop3{.op = 0x1cb, .vdst = 10, .src0 = v(1), .src1 = v(2), .src2 = v(3)});
        step(m, Vop3{.op = 0x1cc, .vdst = 12, .src0 = v(4), .src1 = v(6), .src2 = v(8)});
        HostRounding host(mode);
        for (unsigned l = 0; l < kLanes; ++l) {
          const float single = std::fma(a[l], c[l], d[l]);
          const double wide = std::fma(p[l], q[l], r[l]);
          if (single == single) CHECK(m.wave().vgpr[10][l] == bits(single));
          if (wide == wide) CHECK(get64(m.wave(), 12, l) == as<uint64_t>(wide));
        }
      }
    }
  }
}

// The sequence clang emits for a / b in single precision with denormals kept.
TEST_CASE("the single-precision division sequence is correctly rounded") {
  std::mt19937_64 rng(32);
  for (const Build& b : lane_builds()) {
    Machine m(b);
    for (unsigned round = 0; round < 800; ++round) {
      m.reset();
      Wave& w = m.wave();
      for (unsigned l = 0; l < kLanes; ++l) {
        w.vgpr[0][l] = bits(random_single(rng));  // numerator
        w.vgpr[1][l] = bits(random_single(rng));  // denominator
        if (round == 0) {
          static constexpr uint32_t kEdge[] = {0,          0x80000000, 0x7f800000, 0xff800000,
                                               0x7fc00000, 1,          0x007fffff, 0x7f7fffff};
          w.vgpr[0][l] = kEdge[l / 8], w.vgpr[1][l] = kEdge[l % 8];
        }
      }
      const unsigned n = v(0), d = v(1), one = 242;
      step(m, Vop3{.op = 0x1e0, .vdst = 2, .src0 = d, .src1 = d, .src2 = n, .sdst = 8});  // s[8:9] not used
      step(m, Vop3{.op = 0x1e0, .vdst = 3, .src0 = n, .src1 = d, .src2 = n, .sdst = sgpr_no::vcc});
      step(m, vop1(0x22, 4, v(2)));  // rcp
      step(m, Vop3{.op = 0x1cb, .vdst = 5, .src0 = v(2), .src1 = v(4), .src2 = one, .neg = 1});
      step(m, Vop3{.op = 0x1cb, .vdst = 4, .src0 = v(5), .src1 = v(4), .src2 = v(4)});
      step(m, vop2(0x05, 5, v(3), 4));  // q = n * rcp
      step(m, Vop3{.op = 0x1cb, .vdst = 6, .src0 = v(2), .src1 = v(5), .src2 = v(3), .neg = 1});
      step(m, Vop3{.op = 0x1cb, .vdst = 5, .src0 = v(6), .src1 = v(4), .src2 = v(5)});
      step(m, Vop3{.op = 0x1cb, .vdst = 2, .src0 = v(2), .src1 = v(5), .src2 = v(3), .neg = 1});
      step(m, Vop3{.op = 0x1e2, .vdst = 2, .src0 = v(2), .src1 = v(4), .src2 = v(5)});  // div_fmas
      step(m, Vop3{.op = 0x1de, .vdst = 2, .src0 = v(2), .src1 = d, .src2 = n});        // div_fixup
      for (unsigned l = 0; l < kLanes; ++l) {
        const float x = as<float>(w.vgpr[0][l]), y = as<float>(w.vgpr[1][l]);
        const volatile float want = x / y;
        INFO(std::hex << w.vgpr[0][l] << " / " << w.vgpr[1][l] << " = " << w.vgpr[2][l] << " want "
                      << bits(want));
        if (want == want) {
          CHECK(w.vgpr[2][l] == bits(want));
        } else {
          CHECK((w.vgpr[2][l] & 0x7fc00000) == 0x7fc00000);
        }
      }
    }
  }
}

TEST_CASE("the double-precision division sequence is correctly rounded") {
  std::mt19937_64 rng(64);
  for (const Build& b : lane_builds()) {
    Machine m(b);
    for (unsigned round = 0; round < 400; ++round) {
      m.reset();
      Wave& w = m.wave();
      for (unsigned l = 0; l < kLanes; ++l) {
        put64(w, 0, l, as<uint64_t>(random_double(rng)));
        put64(w, 2, l, as<uint64_t>(random_double(rng)));
        if (round == 0) {
          static constexpr uint64_t kEdge[] = {
              0, uint64_t{1} << 63,  0x7ff0000000000000, 0xfff0000000000000, 0x7ff8000000000000,
              1, 0x000fffffffffffff, 0x7fefffffffffffff};
          put64(w, 0, l, kEdge[l / 8]);
          put64(w, 2, l, kEdge[l % 8]);
        }
      }
      const unsigned n = v(0), d = v(2), one = 242;
      step(m, Vop3{.op = 0x1e1, .vdst = 4, .src0 = d, .src1 = d, .src2 = n, .sdst = 8});
      step(m, vop1(0x25, 8, v(4)));
      step(m, Vop3{.op = 0x1cc, .vdst = 10, .src0 = v(4), .src1 = v(8), .src2 = one, .neg = 1});
      step(m, Vop3{.op = 0x1cc, .vdst = 8, .src0 = v(8), .src1 = v(10), .src2 = v(8)});
      step(m, Vop3{.op = 0x1cc, .vdst = 10, .src0 = v(4), .src1 = v(8), .src2 = one, .neg = 1});
      step(m, Vop3{.op = 0x1cc, .vdst = 8, .src0 = v(8), .src1 = v(10), .src2 = v(8)});
      step(m, Vop3{.op = 0x1e1, .vdst = 6, .src0 = n, .src1 = d, .src2 = n, .sdst = sgpr_no::vcc});
      step(m, Vop3{.op = 0x281, .vdst = 10, .src0 = v(6), .src1 = v(8)});
      step(m, Vop3{.op = 0x1cc, .vdst = 12, .src0 = v(4), .src1 = v(10), .src2 = v(6), .neg = 1});
      step(m, Vop3{.op = 0x1e3, .vdst = 8, .src0 = v(12), .src1 = v(8), .src2 = v(10)});
      step(m, Vop3{.op = 0x1df, .vdst = 8, .src0 = v(8), .src1 = d, .src2 = n});
      for (unsigned l = 0; l < kLanes; ++l) {
        const double x = as<double>(get64(w, 0, l)), y = as<double>(get64(w, 2, l));
        const volatile double want = x / y;
        INFO(std::hex << get64(w, 0, l) << " / " << get64(w, 2, l));
        if (want == want) {
          CHECK(get64(w, 8, l) == as<uint64_t>(double{want}));
        } else {
          CHECK((get64(w, 8, l) & 0x7ff8000000000000) == 0x7ff8000000000000);
        }
      }
    }
  }
}

TEST_CASE("MODE: rounding of single and double are separate") {
  for (const Build& b : lane_builds()) {
    Machine m(b);
    Wave& w = m.wave();
    const auto sum = [&](uint32_t mode) {
      m.reset();
      w.mode = (w.mode & ~0xfu) | mode;
      w.vgpr[1][0] = 0x3f800000, w.vgpr[2][0] = 0x33000000;  // 1 + 2^-25: between 1 and its successor
      put64(w, 4, 0, 0x3ff0000000000000);
      put64(w, 6, 0, 0x3c80000000000000);  // 2^-55
      step(m, vop2(0x01, 3, v(1), 2));
      step(m, Vop3{.op = 0x280, .vdst = 8, .src0 = v(4), .src1 = v(6)});
    };
    sum(0x0);
    CHECK(w.vgpr[3][0] == 0x3f800000);
    CHECK(get64(w, 8, 0) == 0x3ff0000000000000);
    sum(0x1);  // single up
    CHECK(w.vgpr[3][0] == 0x3f800001);
    CHECK(get64(w, 8, 0) == 0x3ff0000000000000);
    sum(0x4);  // double up
    CHECK(w.vgpr[3][0] == 0x3f800000);
    CHECK(get64(w, 8, 0) == 0x3ff0000000000001);
    sum(0xe);  // single down, double towards zero
    CHECK(w.vgpr[3][0] == 0x3f800000);
    CHECK(get64(w, 8, 0) == 0x3ff0000000000000);
  }
}

TEST_CASE("MODE: denormals are flushed on the way in and out, by precision") {
  for (const Build& b : lane_builds()) {
    Machine m(b);
    Wave& w = m.wave();
    const auto setup = [&](uint32_t denorm) {  // bits 7:4
      m.reset();
      w.mode = (w.mode & ~0xf0u) | denorm << 4;
      w.vgpr[1][0] = 0x80000005;                             // denormal single
      w.vgpr[2][0] = 0x80800000, w.vgpr[3][0] = 0x3f000000;  // smallest normal, times one half
      w.vgpr[4][0] = 0x8003, w.vgpr[5][0] = 0x0400, w.vgpr[6][0] = 0x3800;
      put64(w, 8, 0, 7), put64(w, 10, 0, 0x0010000000000000), put64(w, 12, 0, 0x3fe0000000000000);
      step(m, vop2(0x01, 20, 242, 1));   // 1.0 + denormal (visible in min below)
      step(m, vop2(0x0a, 21, 128, 1));   // v_min_f32 0, denormal
      step(m, vop2(0x05, 22, v(2), 3));  // product is denormal
      step(m, vop2(0x2d, 23, v(4), 4));  // v_max_f16 of a denormal half
      step(m, vop2(0x22, 24, v(5), 6));  // half product is denormal
      step(m, Vop3{.op = 0x282, .vdst = 26, .src0 = v(8), .src1 = v(8)});
      step(m, Vop3{.op = 0x281, .vdst = 28, .src0 = v(10), .src1 = v(12)});
      step(m, Vop3{.op = 0x1cb, .vdst = 30, .src0 = v(2), .src1 = v(3), .src2 = 128});  // fma
      step(m, Vop3{.op = 0x1c1, .vdst = 31, .src0 = v(2), .src1 = v(3), .src2 = 128});  // mad
    };
    setup(0xf);
    CHECK(w.vgpr[21][0] == 0x80000005);
    CHECK(w.vgpr[22][0] == 0x80400000);
    CHECK(w.vgpr[23][0] == 0x8003);
    CHECK(w.vgpr[24][0] == 0x0200);
    CHECK(get64(w, 26, 0) == 7);
    CHECK(get64(w, 28, 0) == 0x0008000000000000);
    CHECK(w.vgpr[30][0] == 0x80400000);
    CHECK(w.vgpr[31][0] == 0x80400000);
    setup(0xc);  // singles flushed
    CHECK((w.vgpr[21][0] & 0x7fffffff) == 0);
    CHECK(w.vgpr[22][0] == 0x80000000);
    CHECK(w.vgpr[23][0] == 0x8003);
    CHECK(get64(w, 28, 0) == 0x0008000000000000);
    CHECK((w.vgpr[30][0] & 0x7fffffff) == 0);
    CHECK((w.vgpr[31][0] & 0x7fffffff) == 0);
    setup(0x3);  // halves and doubles flushed
    CHECK(w.vgpr[21][0] == 0x80000005);
    CHECK(w.vgpr[22][0] == 0x80400000);
    CHECK(w.vgpr[23][0] == 0x8000);
    CHECK(w.vgpr[24][0] == 0);
    CHECK(get64(w, 26, 0) == 0);
    CHECK(get64(w, 28, 0) == 0);
  }
}

TEST_CASE("the host's floating-point environment does not matter to an op of its own mode") {
  for (const Build& b : lane_builds()) {
    Machine m(b);
    Wave& w = m.wave();
    m.reset();
    w.vgpr[1][0] = bits(3.0f);
    HostRounding up(1);
    step(m, vop1(0x22, 2, v(1)));  // v_rcp_f32 rounds to nearest
    CHECK(w.vgpr[2][0] == 0x3eaaaaab);
    CHECK(std::fegetround() == FE_UPWARD);
  }
}
