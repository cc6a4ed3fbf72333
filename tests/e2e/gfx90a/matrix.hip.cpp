// Matrix instructions against a host multiplication. The values are small whole numbers, so every order of adding
// gives the same sum. Lanes are filled and read as AMD documents the layouts.
// e2e-replayed: multiply_ 12
#include "support/hip_check.hpp"

namespace {

/// A is m x k, B is k x m, C and D are m x m, per block.
struct Shape {
  const char* name;
  unsigned m, k, blocks;
  unsigned per_lane;  ///< elements of A (and of B) in a lane
  bool wide;          ///< doubles: rows of D go round the lane groups
};

template <class T>
using Matrices = std::vector<T>;  // [block][row][column]

/// Lane and position of element `inner` (along k) of row or column `outer` of a block.
unsigned lane_of(const Shape& s, unsigned block, unsigned outer, unsigned inner) {
  return outer + s.m * (block + s.blocks * (inner / s.per_lane));
}

}  // namespace

typedef float f4 __attribute__((ext_vector_type(4)));
typedef float f16 __attribute__((ext_vector_type(16)));
typedef float f32 __attribute__((ext_vector_type(32)));
typedef int i4 __attribute__((ext_vector_type(4)));
typedef int i16 __attribute__((ext_vector_type(16)));
typedef double d4 __attribute__((ext_vector_type(4)));
typedef _Float16 h4 __attribute__((ext_vector_type(4)));
typedef short s4 __attribute__((ext_vector_type(4)));

/// One wave: operands by lane, C and D by lane (registers together).
#define KERNEL(name, A, C, builtin)                                                            \
  __global__ void multiply_##name(const A* a, const A* b, C* c) {                              \
    const unsigned lane = threadIdx.x;                                                         \
    c[lane] = __builtin_amdgcn_mfma_##builtin(a[lane], b[lane], c[lane], 0, 0, 0);             \
  }
KERNEL(f32_32x32x1, float, f32, f32_32x32x1f32)
KERNEL(f32_16x16x1, float, f16, f32_16x16x1f32)
KERNEL(f32_4x4x1, float, f4, f32_4x4x1f32)
KERNEL(f32_32x32x2, float, f16, f32_32x32x2f32)
KERNEL(f32_16x16x4, float, f4, f32_16x16x4f32)
KERNEL(f16_32x32x8, h4, f16, f32_32x32x8f16)
KERNEL(f16_16x16x16, h4, f4, f32_16x16x16f16)
KERNEL(bf16_16x16x16, s4, f4, f32_16x16x16bf16_1k)
KERNEL(i8_32x32x8, int, i16, i32_32x32x8i8)
KERNEL(i8_16x16x16, int, i4, i32_16x16x16i8)
KERNEL(f64_16x16x4, double, d4, f64_16x16x4f64)
KERNEL(f64_4x4x4, double, double, f64_4x4x4f64)

namespace {

/// A number as the element type of a lane's operand stores it.
void put(float* to, unsigned, int value) { *to = static_cast<float>(value); }
void put(double* to, unsigned, int value) { *to = value; }
void put(h4* to, unsigned at, int value) { (*to)[at] = static_cast<_Float16>(value); }
void put(s4* to, unsigned at, int value) {
  const float single = static_cast<float>(value);
  unsigned bits;
  std::memcpy(&bits, &single, 4);
  (*to)[at] = static_cast<short>(bits >> 16);
}
void put(int* to, unsigned at, int value) {
  *to = static_cast<int>((static_cast<unsigned>(*to) & ~(0xffu << 8 * at)) |
                         (static_cast<unsigned>(value) & 0xffu) << 8 * at);
}

/// Lane and register of element (i, j) of a block of D.
void place(const Shape& s, unsigned block, unsigned i, unsigned j, unsigned& lane, unsigned& reg) {
  if (s.wide) {
    lane = s.m == 16 ? 16 * (i % 4) + j : 16 * i + 4 * block + j;
    reg = s.m == 16 ? i / 4 : 0;
  } else if (s.m == 32) {  // two groups of 32 lanes, four rows each in turn
    lane = 32 * (i / 4 % 2) + j;
    reg = 16 * block + 4 * (i / 8) + i % 4;
  } else if (s.m == 16) {  // four groups of 16 lanes
    lane = 16 * (i / 4) + j;
    reg = 4 * block + i % 4;
  } else {
    lane = 4 * block + j;
    reg = i;
  }
}

template <class A, class C, class Number>
void check(e2e::Checks& checks, const Shape& s, void (*kernel)(const A*, const A*, C*), unsigned seed) {
  const unsigned area = s.m * s.k;
  const auto raw_a = e2e::random_values<unsigned>(area * s.blocks, seed);
  const auto raw_b = e2e::random_values<unsigned>(area * s.blocks, seed + 1);
  const auto raw_c = e2e::random_values<unsigned>(s.m * s.m * s.blocks, seed + 2);
  const auto small = [](unsigned value) { return static_cast<int>(value % 31) - 15; };

  std::vector<A> a(64), b(64);
  std::vector<C> c(64);
  std::vector<Number> want(s.m * s.m * s.blocks), got(want.size());
  for (unsigned block = 0; block < s.blocks; ++block) {
    for (unsigned i = 0; i < s.m; ++i) {
      for (unsigned k = 0; k < s.k; ++k) {
        put(&a[lane_of(s, block, i, k)], k % s.per_lane, small(raw_a[block * area + i * s.k + k]));
        put(&b[lane_of(s, block, i, k)], k % s.per_lane, small(raw_b[block * area + k * s.m + i]));
      }
    }
    for (unsigned i = 0; i < s.m; ++i) {
      for (unsigned j = 0; j < s.m; ++j) {
        const unsigned at = (block * s.m + i) * s.m + j;
        int sum = small(raw_c[at]);
        unsigned lane = 0;
        unsigned reg = 0;
        place(s, block, i, j, lane, reg);
        const Number start = static_cast<Number>(sum);
        std::memcpy(reinterpret_cast<char*>(&c[lane]) + reg * sizeof(Number), &start, sizeof start);
        for (unsigned k = 0; k < s.k; ++k) {
          sum += small(raw_a[block * area + i * s.k + k]) * small(raw_b[block * area + k * s.m + j]);
        }
        want[at] = static_cast<Number>(sum);
      }
    }
  }
  const e2e::DeviceArray<A> dev_a(a), dev_b(b);
  e2e::DeviceArray<C> dev_c(c);
  kernel<<<1, 64>>>(dev_a.get(), dev_b.get(), dev_c.get());
  HIP_LAUNCHED();
  c = dev_c.download();
  for (unsigned block = 0; block < s.blocks; ++block) {
    for (unsigned i = 0; i < s.m; ++i) {
      for (unsigned j = 0; j < s.m; ++j) {
        unsigned lane = 0;
        unsigned reg = 0;
        place(s, block, i, j, lane, reg);
        std::memcpy(&got[(block * s.m + i) * s.m + j],
                    reinterpret_cast<const char*>(&c[lane]) + reg * sizeof(Number), sizeof(Number));
      }
    }
  }
  checks.equal(s.name, got, want);
}

}  // namespace

int main() {
  e2e::Checks checks("matrix");
  check<float, f32, float>(checks, {"f32_32x32x1", 32, 1, 2, 1, false}, multiply_f32_32x32x1, 10);
  check<float, f16, float>(checks, {"f32_16x16x1", 16, 1, 4, 1, false}, multiply_f32_16x16x1, 20);
  check<float, f4, float>(checks, {"f32_4x4x1", 4, 1, 16, 1, false}, multiply_f32_4x4x1, 30);
  check<float, f16, float>(checks, {"f32_32x32x2", 32, 2, 1, 1, false}, multiply_f32_32x32x2, 40);
  check<float, f4, float>(checks, {"f32_16x16x4", 16, 4, 1, 1, false}, multiply_f32_16x16x4, 50);
  check<h4, f16, float>(checks, {"f16_32x32x8", 32, 8, 1, 4, false}, multiply_f16_32x32x8, 60);
  check<h4, f4, float>(checks, {"f16_16x16x16", 16, 16, 1, 4, false}, multiply_f16_16x16x16, 70);
  check<s4, f4, float>(checks, {"bf16_16x16x16", 16, 16, 1, 4, false}, multiply_bf16_16x16x16, 80);
  check<int, i16, int>(checks, {"i8_32x32x8", 32, 8, 1, 4, false}, multiply_i8_32x32x8, 90);
  check<int, i4, int>(checks, {"i8_16x16x16", 16, 16, 1, 4, false}, multiply_i8_16x16x16, 100);
  check<double, d4, double>(checks, {"f64_16x16x4", 16, 4, 1, 1, true}, multiply_f64_16x16x4, 110);
  check<double, double, double>(checks, {"f64_4x4x4", 4, 4, 4, 1, true}, multiply_f64_4x4x4, 120);
  return checks.finish();
}
