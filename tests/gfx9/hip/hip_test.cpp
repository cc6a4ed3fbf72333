// Compiled HIP kernels, unoptimised and optimised, against the host's results. What the compiler emits is
// wider than what anybody would write by hand: calls, scratch, apertures, division expansions, waterfall
// loops.
#include <catch2/catch.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <random>

#include "gfx9/grid.hpp"
#include "hip/code_object.hpp"

namespace g = softgpu::gfx9;

namespace {

constexpr uint64_t kCode = 0x7f0000000000;
constexpr uint64_t kHeap = 0x7f1000000000;
constexpr uint64_t kKernarg = 0x7f2000000000;
constexpr uint64_t kPacket = 0x7f2000010000;
constexpr uint64_t kScratch = 0x7f3000000000;
constexpr uint32_t kLaneBytes = 17408, kScratchWaves = 16;

class Program {
 public:
  explicit Program(const std::string& level)
      : code_(std::string(GFX9_CASES) + "/hip/kernels_" + level + ".co", memory, kCode),
        grid_(g::DeviceConfig{}) {
    memory.add(kHeap, 4 << 20);
    memory.add(kKernarg, 4096);
    memory.add(kPacket, 64);
    memory.add(kScratch, size_t{kLaneBytes} * 64 * kScratchWaves);
  }
  template <typename T>
  uint64_t put(const std::vector<T>& values) {
    const uint64_t va = kHeap + used_;
    used_ += (values.size() * sizeof(T) + 255) / 256 * 256;
    std::memcpy(memory.at(va, values.size() * sizeof(T)), values.data(), values.size() * sizeof(T));
    return va;
  }
  template <typename T>
  std::vector<T> get(uint64_t va, size_t count) const {
    std::vector<T> values(count);
    std::memcpy(values.data(), memory.at(va, count * sizeof(T)), count * sizeof(T));
    return values;
  }
  /// Runs a kernel with its explicit arguments; the hidden ones are zero.
  template <typename... Args>
  void run(const std::string& kernel, std::vector<uint32_t> groups, std::vector<uint16_t> size,
           Args... args) {
    groups.resize(3, 1);
    size.resize(3, 1);
    std::memset(memory.at(kKernarg, 4096), 0, 4096);
    uint64_t offset = 0;
    const auto push = [&](auto value) {
      offset = (offset + sizeof value - 1) / sizeof value * sizeof value;
      memory.write(kKernarg + offset, value);
      offset += sizeof value;
    };
    (push(args), ...);
    g::GridDispatch d;
    d.kernel_object = g::GpuVa(code_.symbol(kernel + ".kd"));
    d.kernarg = g::GpuVa(kKernarg);
    d.packet = g::GpuVa(kPacket);
    for (unsigned n = 0; n < 3; ++n) {
      d.workgroup_size[n] = size[n];
      d.grid_size[n] = groups[n] * size[n];
      memory.write<uint16_t>(kPacket + 4 + 2 * n, size[n]);
      memory.write<uint32_t>(kPacket + 12 + 4 * n, d.grid_size[n]);
    }
    d.group_segment_bytes = memory.read<uint32_t>(d.kernel_object.value);
    d.private_segment_bytes = memory.read<uint32_t>(d.kernel_object.value + 4);
    d.scratch_base = g::GpuVa(kScratch);
    d.scratch_waves = kScratchWaves;
    d.scratch_lane_bytes = kLaneBytes;
    d.scratch_wave_bytes = kLaneBytes * 64;
    d.scratch_descriptor[0] = static_cast<uint32_t>(kScratch);
    d.scratch_descriptor[1] = static_cast<uint32_t>(kScratch >> 32) | 1u << 31;
    d.scratch_descriptor[2] = kLaneBytes * 64 * kScratchWaves;
    d.scratch_descriptor[3] = 0x00ea4fac;
    g::GridHost host;
    host.memory = &memory;
    const g::GridResult result = grid_.run(d, host);
    INFO(kernel << ": " << result.fault.text);
    REQUIRE(result.end == g::GridEnd::completed);
  }

  gfx9_test::FakeMemory memory;

 private:
  gfx9_test::CodeObject code_;
  g::Grid grid_;
  uint64_t used_ = 0;
};

constexpr int kN = 500;  // not a multiple of the workgroup size

template <typename T>
std::vector<T> randoms(size_t count, T low, T high, unsigned seed) {
  std::mt19937_64 engine(seed);
  std::vector<T> values(count);
  for (T& v : values) {
    if constexpr (std::is_floating_point_v<T>) {
      v = std::uniform_real_distribution<T>(low, high)(engine);
    } else {
      v = static_cast<T>(std::uniform_int_distribution<int64_t>(low, high)(engine));
    }
  }
  return values;
}

const char* level() { return GENERATE("o0", "o2"); }

}  // namespace

TEST_CASE("float arithmetic and division") {
  Program p(level());
  const auto a = randoms<float>(512, -100, 100, 1), b = randoms<float>(512, -100, 100, 2);
  const uint64_t out = p.put(std::vector<float>(512, -1));
  p.run("vec_ops", {2}, {256}, p.put(a), p.put(b), out, kN);
  const auto got = p.get<float>(out, 512);
  for (int n = 0; n < kN; ++n) {
    INFO(n << " " << a[n] << " " << b[n]);
    REQUIRE(got[n] == Approx(a[n] * b[n] + (a[n] - b[n]) / (1.0f + b[n] * b[n])).epsilon(1e-6));
  }
  for (int n = kN; n < 512; ++n) REQUIRE(got[n] == -1);
}

TEST_CASE("reduction through LDS and an atomic") {
  Program p(level());
  const auto in = randoms<int>(10000, -1000, 1000, 3);
  const uint64_t out = p.put(std::vector<int>{7});
  p.run("reduce", {5}, {256}, p.put(in), out, 10000);
  int want = 7;
  for (const int v : in) want += v;
  CHECK(p.get<int>(out, 1)[0] == want);
}

TEST_CASE("histogram") {
  Program p(level());
  const auto in = randoms<uint8_t>(3000, 0, 255, 4);
  const uint64_t out = p.put(std::vector<uint32_t>(256, 1));
  p.run("histogram", {1}, {256}, p.put(in), out, 3000);
  std::vector<uint32_t> want(256, 1);
  for (const uint8_t v : in) ++want[v];
  CHECK(p.get<uint32_t>(out, 256) == want);
}

TEST_CASE("private arrays indexed at run time") {
  Program p(level());
  const auto in = randoms<int>(512, 0, 100000, 5);
  const uint64_t out = p.put(std::vector<int>(512, 0));
  p.run("private_array", {2}, {256}, p.put(in), out, 512);
  const auto got = p.get<int>(out, 512);
  for (int i = 0; i < 512; ++i) {
    int a[16];
    for (int k = 0; k < 16; ++k) a[k] = in[i] * (k + 1);
    for (int k = 0; k < 16; ++k) std::swap(a[k], a[(in[i] + k * 7) & 15]);
    uint64_t h = 0;
    for (const int v : a) h = h * 31 + static_cast<uint64_t>(int64_t{v});
    const auto s = static_cast<int64_t>(h);
    REQUIRE(got[i] == static_cast<int>(s ^ (s >> 32)));
  }
}

TEST_CASE("shuffles and ballots") {
  Program p(level());
  const auto in = randoms<int>(64, -1000, 1000, 6);
  const uint64_t out = p.put(std::vector<int>(64, 0));
  p.run("shuffles", {1}, {64}, p.put(in), out);
  const auto got = p.get<int>(out, 64);
  int sum = 0, odd = 0;
  for (const int v : in) {
    sum += v;
    odd += v & 1;
  }
  for (int i = 0; i < 64; ++i) {
    const int w = in[i ^ 5] + in[17] + (i >= 3 ? in[i - 3] : in[i]);
    REQUIRE(got[i] == (i == 0 ? sum : 0) + w * 3 + odd);
  }
}

TEST_CASE("double arithmetic") {
  Program p(level());
  const auto a = randoms<double>(512, -100, 100, 7), b = randoms<double>(512, 0, 100, 8);
  const uint64_t out = p.put(std::vector<double>(512, 0));
  p.run("doubles", {2}, {256}, p.put(a), p.put(b), out, kN);
  const auto got = p.get<double>(out, 512);
  for (int n = 0; n < kN; ++n) {
    const double want =
        std::sqrt(a[n] * a[n] + b[n] * b[n]) / (b[n] + 3.0) + std::fma(a[n], b[n], -1.0) + std::floor(a[n]);
    INFO(n);
    REQUIRE(got[n] == Approx(want).epsilon(1e-14));
  }
}

TEST_CASE("integer arithmetic, 32 and 64 bits") {
  Program p(level());
  const auto a = randoms<int>(512, INT32_MIN + 1, INT32_MAX, 9), b = randoms<int>(512, -5000, 5000, 10);
  const uint64_t out = p.put(std::vector<int64_t>(512, 0));
  p.run("integers", {2}, {256}, p.put(a), p.put(b), out, kN);
  const auto got = p.get<int64_t>(out, 512);
  for (int n = 0; n < kN; ++n) {
    const int x = a[n], y = b[n] | 1;
    const auto ux = static_cast<uint32_t>(x), uy = static_cast<uint32_t>(y);
    int64_t r = int64_t{x} * y;
    const auto add = [&](int64_t v) {
      r = static_cast<int64_t>(static_cast<uint64_t>(r) + static_cast<uint64_t>(v));
    };
    add(x / y);
    r = static_cast<int64_t>(static_cast<uint64_t>(r) * 7);
    add(x % y);
    r ^= int64_t{ux / uy};
    add(r / (y + 12345678901ll));
    r ^= int64_t{std::countl_zero(ux)} << 40;
    add(std::popcount(uy));
    r ^= r >> 13;
    uint32_t reversed = 0;
    for (int k = 0; k < 32; ++k) reversed |= (ux >> k & 1) << (31 - k);
    add(int64_t{reversed});
    add(static_cast<int64_t>(static_cast<uint64_t>(r) % 1000003));
    const auto product =
        static_cast<int32_t>(static_cast<uint32_t>(std::min(x, y)) * static_cast<uint32_t>(std::max(x, y)));
    const auto tail = static_cast<int32_t>(static_cast<uint32_t>(product));
    add(int64_t{tail});
    add(int64_t{std::abs(x)});
    INFO(n << " " << x << " " << y);
    REQUIRE(got[n] == r);
  }
}

TEST_CASE("float functions of the device library") {
  Program p(level());
  const auto in = randoms<float>(512, -50, 50, 11);
  const uint64_t out = p.put(std::vector<float>(512, 0));
  p.run("maths", {2}, {256}, p.put(in), out, kN);
  const auto got = p.get<float>(out, 512);
  for (int n = 0; n < kN; ++n) {
    const double x = in[n];
    const double want = std::sin(x) + std::exp(x * 0.1) + std::log(std::fabs(x) + 1.0) +
                        std::pow(std::fabs(x), 0.3) + 1.0 / std::sqrt(x * x + 1.0);
    INFO(n << " " << x);
    REQUIRE(got[n] == Approx(want).epsilon(1e-5).margin(1e-5));
  }
}

TEST_CASE("half precision") {
  Program p(level());
  const auto in = randoms<float>(512, -3, 3, 12);
  const uint64_t out = p.put(std::vector<float>(512, 0));
  p.run("halves", {2}, {256}, p.put(in), out, kN);
  const auto got = p.get<float>(out, 512);
  for (int n = 0; n < kN; ++n) {
    const double h = double{in[n]} * in[n] + 0.5;
    INFO(n << " " << in[n]);
    REQUIRE(got[n] == Approx(h * h + h + 6.0).epsilon(5e-3));
  }
}

TEST_CASE("calls through pointers and recursion") {
  Program p(level());
  const auto in = randoms<int>(256, 0, 1000, 13);
  const uint64_t out = p.put(std::vector<int>(256, 0));
  p.run("calls", {4}, {64}, p.put(in), out, 256);
  const auto got = p.get<int>(out, 256);
  constexpr int kFib[] = {0, 1, 1, 2, 3, 5, 8, 13};
  for (int n = 0; n < 256; ++n) REQUIRE(got[n] == ((in[n] & 1) ? in[n] * 2 : in[n] + 9) + kFib[in[n] & 7]);
}

TEST_CASE("three-dimensional grid") {
  Program p(level());
  constexpr int kW = 13, kH = 9, kD = 5;
  const uint64_t out = p.put(std::vector<int>(kW * kH * kD, -1));
  p.run("grid3", {4, 3, 3}, {4, 4, 2}, out, kW, kH, kD);
  const auto got = p.get<int>(out, kW * kH * kD);
  for (int n = 0; n < kW * kH * kD; ++n) {
    REQUIRE(got[n] == n % kW + 100 * (n / kW % kH) + 10000 * (n / (kW * kH)) + 4 * 3);
  }
}

TEST_CASE("global atomics of all widths") {
  Program p(level());
  const uint64_t i32 = p.put(std::vector<int>{0, 0, 0, 0}), u64 = p.put(std::vector<uint64_t>{0, 0});
  const uint64_t f32 = p.put(std::vector<float>{1}), f64 = p.put(std::vector<double>{1});
  p.run("atomics", {4}, {128}, i32, u64, f32, f64);
  const auto i = p.get<int>(i32, 4);
  CHECK(i[0] == 511);
  CHECK(i[1] == -511);
  CHECK(i[2] == 0);  // xor of 0 .. 511
  CHECK(i[3] == 1);
  const auto u = p.get<uint64_t>(u64, 2);
  CHECK(u[0] == 512 * 0x100000001ull);
  CHECK(u[1] == 511ull << 33);
  CHECK(p.get<float>(f32, 1)[0] == 257);
  CHECK(p.get<double>(f64, 1)[0] == 129);
}

TEST_CASE("structures, narrow members and switches") {
  struct Big {
    int16_t s[3];
    int8_t c;
    float f;
  };
  static_assert(sizeof(Big) == 12);
  Program p(level());
  std::vector<Big> in(512);
  const auto bits = randoms<uint32_t>(512, 0, INT32_MAX, 14);
  for (int n = 0; n < 512; ++n) {
    in[n] = {{static_cast<int16_t>(bits[n]), static_cast<int16_t>(bits[n] >> 8), static_cast<int16_t>(n)},
             static_cast<int8_t>(bits[n] >> 16),
             static_cast<float>(n) * 0.5f};
  }
  const uint64_t out = p.put(in);
  p.run("structs", {2}, {256}, p.put(in), out, kN);
  const auto got = p.get<Big>(out, 512);
  for (int n = 0; n < kN; ++n) {
    Big b = in[n];
    switch (b.c & 7) {
      case 0:
        b.f += 1;
        break;
      case 1:
        b.f *= 2;
        break;
      case 2:
        b.s[0] = static_cast<int16_t>(b.s[0] + b.s[1]);
        break;
      case 3:
        b.s[2] = static_cast<int16_t>(b.s[2] - 5);
        break;
      case 5:
        b.c = static_cast<int8_t>(b.c ^ 0x55);
        break;
      default:
        b.f = -b.f;
    }
    INFO(n << " case " << (in[n].c & 7));
    REQUIRE(std::equal(b.s, b.s + 3, got[n].s));
    REQUIRE(b.c == got[n].c);
    REQUIRE(b.f == got[n].f);
  }
}
