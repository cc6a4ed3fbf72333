// Matrix instructions, every one of gfx90a, against a host multiplication. The values are small whole numbers, so every
// order of adding gives the same sum. Lanes are filled and read as AMD documents the layouts.
// e2e-replayed: multiply_ 34
#include "support/hip_check.hpp"

namespace {

/// A is m x k, B is k x m, C and D are m x m, per block.
struct Shape {
  const char* name;
  unsigned m, k, blocks;
  unsigned per_lane;  ///< elements of A (and of B) in a lane
  bool wide = false;  ///< doubles: rows of D go round the lane groups
  /// Groups of 2^cbsz blocks share the A of block abid of their group; blgp moves the lanes of B.
  unsigned cbsz = 0, abid = 0, blgp = 0;
};

/// Lane of element `inner` (along k) of row or column `outer` of a block.
unsigned lane_of(const Shape& s, unsigned block, unsigned outer, unsigned inner) {
  return outer + s.m * (block + s.blocks * (inner / s.per_lane));
}

/// The block whose A is used for a block.
unsigned block_of_a(const Shape& s, unsigned block) {
  return s.cbsz == 0 ? block : block / (1u << s.cbsz) * (1u << s.cbsz) + s.abid;
}

/// The lane that a lane's B is taken from. Source: "CDNA2" ISA manual, BLGP.
unsigned lane_of_b(const Shape& s, unsigned lane) {
  const unsigned half = lane % 32, quarter = lane % 16;
  const unsigned moved[] = {lane,    half,         half + 32,    (lane + 16) % 64,
                            quarter, quarter + 16, quarter + 32, quarter + 48};
  return moved[s.blgp];
}

}  // namespace

typedef float f4 __attribute__((ext_vector_type(4)));
typedef float f16 __attribute__((ext_vector_type(16)));
typedef float f32 __attribute__((ext_vector_type(32)));
typedef int i4 __attribute__((ext_vector_type(4)));
typedef int i16 __attribute__((ext_vector_type(16)));
typedef int i32 __attribute__((ext_vector_type(32)));
typedef double d4 __attribute__((ext_vector_type(4)));
typedef _Float16 h4 __attribute__((ext_vector_type(4)));
typedef short s2 __attribute__((ext_vector_type(2)));
typedef short s4 __attribute__((ext_vector_type(4)));

/// One wave: operands by lane, C and D by lane (registers together).
#define KERNEL(name, A, C, builtin, cbsz, abid, blgp)                                          \
  __global__ void multiply_##name(const A* a, const A* b, C* c) {                              \
    const unsigned lane = threadIdx.x;                                                         \
    c[lane] = __builtin_amdgcn_mfma_##builtin(a[lane], b[lane], c[lane], cbsz, abid, blgp);    \
  }
KERNEL(f32_32x32x1, float, f32, f32_32x32x1f32, 0, 0, 0)
KERNEL(f32_16x16x1, float, f16, f32_16x16x1f32, 0, 0, 0)
KERNEL(f32_4x4x1, float, f4, f32_4x4x1f32, 0, 0, 0)
KERNEL(f32_32x32x2, float, f16, f32_32x32x2f32, 0, 0, 0)
KERNEL(f32_16x16x4, float, f4, f32_16x16x4f32, 0, 0, 0)
KERNEL(f16_32x32x4, h4, f32, f32_32x32x4f16, 0, 0, 0)
KERNEL(f16_16x16x4, h4, f16, f32_16x16x4f16, 0, 0, 0)
KERNEL(f16_4x4x4, h4, f4, f32_4x4x4f16, 0, 0, 0)
KERNEL(f16_32x32x8, h4, f16, f32_32x32x8f16, 0, 0, 0)
KERNEL(f16_16x16x16, h4, f4, f32_16x16x16f16, 0, 0, 0)
KERNEL(i8_32x32x4, int, i32, i32_32x32x4i8, 0, 0, 0)
KERNEL(i8_16x16x4, int, i16, i32_16x16x4i8, 0, 0, 0)
KERNEL(i8_4x4x4, int, i4, i32_4x4x4i8, 0, 0, 0)
KERNEL(i8_32x32x8, int, i16, i32_32x32x8i8, 0, 0, 0)
KERNEL(i8_16x16x16, int, i4, i32_16x16x16i8, 0, 0, 0)
KERNEL(bf16_32x32x4, s4, f32, f32_32x32x4bf16_1k, 0, 0, 0)
KERNEL(bf16_16x16x4, s4, f16, f32_16x16x4bf16_1k, 0, 0, 0)
KERNEL(bf16_4x4x4, s4, f4, f32_4x4x4bf16_1k, 0, 0, 0)
KERNEL(bf16_32x32x8, s4, f16, f32_32x32x8bf16_1k, 0, 0, 0)
KERNEL(bf16_16x16x16, s4, f4, f32_16x16x16bf16_1k, 0, 0, 0)
KERNEL(bf16_32x32x2, s2, f32, f32_32x32x2bf16, 0, 0, 0)
KERNEL(bf16_16x16x2, s2, f16, f32_16x16x2bf16, 0, 0, 0)
KERNEL(bf16_4x4x2, s2, f4, f32_4x4x2bf16, 0, 0, 0)
KERNEL(bf16_32x32x4_pairs, s2, f16, f32_32x32x4bf16, 0, 0, 0)
KERNEL(bf16_16x16x8, s2, f4, f32_16x16x8bf16, 0, 0, 0)
KERNEL(f64_16x16x4, double, d4, f64_16x16x4f64, 0, 0, 0)
KERNEL(f64_4x4x4, double, double, f64_4x4x4f64, 0, 0, 0)
KERNEL(pair_shares_a, float, f16, f32_16x16x1f32, 1, 1, 0)
KERNEL(all_share_a, h4, f4, f32_4x4x4f16, 4, 9, 0)
KERNEL(first_half_of_b, float, f32, f32_32x32x1f32, 0, 0, 1)
KERNEL(second_half_of_b, float, f32, f32_32x32x1f32, 0, 0, 2)
KERNEL(b_rotated, int, i16, i32_16x16x4i8, 0, 0, 3)
KERNEL(quarter_of_b, int, i4, i32_16x16x16i8, 0, 0, 6)
KERNEL(both_controls, s4, f16, f32_16x16x4bf16_1k, 2, 3, 5)

namespace {

/// A number as the element type of a lane's operand stores it.
void put(float* to, unsigned, int value) { *to = static_cast<float>(value); }
void put(double* to, unsigned, int value) { *to = value; }
void put(h4* to, unsigned at, int value) { (*to)[at] = static_cast<_Float16>(value); }
template <class Shorts>
void put_bf16(Shorts* to, unsigned at, int value) {
  const float single = static_cast<float>(value);
  unsigned bits;
  std::memcpy(&bits, &single, 4);
  (*to)[at] = static_cast<short>(bits >> 16);
}
void put(s2* to, unsigned at, int value) { put_bf16(to, at, value); }
void put(s4* to, unsigned at, int value) { put_bf16(to, at, value); }
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

/// Small whole numbers, one for each element of each lane.
std::vector<int> lane_values(size_t count, unsigned seed) {
  std::vector<int> values;
  for (const unsigned value : e2e::random_values<unsigned>(count, seed)) {
    values.push_back(static_cast<int>(value % 31) - 15);
  }
  return values;
}

template <class A>
e2e::DeviceArray<A> operands(const Shape& s, const std::vector<int>& values) {
  std::vector<A> lanes(64);
  for (unsigned i = 0; i < values.size(); ++i) put(&lanes[i / s.per_lane], i % s.per_lane, values[i]);
  return e2e::DeviceArray<A>(lanes);
}

template <class Number, class C>
Number* element(const Shape& s, std::vector<C>& lanes, unsigned block, unsigned i, unsigned j) {
  unsigned lane = 0;
  unsigned reg = 0;
  place(s, block, i, j, lane, reg);
  return reinterpret_cast<Number*>(&lanes[lane]) + reg;
}

template <class A, class C, class Number>
void check(e2e::Checks& checks, const Shape& s, void (*kernel)(const A*, const A*, C*)) {
  static unsigned seed = 0;
  seed += 10;
  const auto a = lane_values(64 * s.per_lane, seed), b = lane_values(64 * s.per_lane, seed + 1);
  const auto start = lane_values(s.m * s.m * s.blocks, seed + 2);
  std::vector<C> lanes(64), want(64);
  for (unsigned block = 0; block < s.blocks; ++block) {
    for (unsigned i = 0; i < s.m; ++i) {
      for (unsigned j = 0; j < s.m; ++j) {
        int sum = start[(block * s.m + i) * s.m + j];
        *element<Number>(s, lanes, block, i, j) = static_cast<Number>(sum);
        for (unsigned k = 0; k < s.k; ++k) {
          sum += a[lane_of(s, block_of_a(s, block), i, k) * s.per_lane + k % s.per_lane] *
                 b[lane_of_b(s, lane_of(s, block, j, k)) * s.per_lane + k % s.per_lane];
        }
        *element<Number>(s, want, block, i, j) = static_cast<Number>(sum);
      }
    }
  }
  const auto dev_a = operands<A>(s, a), dev_b = operands<A>(s, b);
  e2e::DeviceArray<C> dev_c(lanes);
  kernel<<<1, 64>>>(dev_a.get(), dev_b.get(), dev_c.get());
  HIP_LAUNCHED();
  lanes = dev_c.download();
  const auto numbers = [](const std::vector<C>& from) {
    const auto* first = reinterpret_cast<const Number*>(from.data());
    return std::vector<Number>(first, first + from.size() * sizeof(C) / sizeof(Number));
  };
  checks.equal(s.name, numbers(lanes), numbers(want));
}

}  // namespace

int main() {
  e2e::Checks checks("matrix");
  check<float, f32, float>(checks, {"f32_32x32x1", 32, 1, 2, 1}, multiply_f32_32x32x1);
  check<float, f16, float>(checks, {"f32_16x16x1", 16, 1, 4, 1}, multiply_f32_16x16x1);
  check<float, f4, float>(checks, {"f32_4x4x1", 4, 1, 16, 1}, multiply_f32_4x4x1);
  check<float, f16, float>(checks, {"f32_32x32x2", 32, 2, 1, 1}, multiply_f32_32x32x2);
  check<float, f4, float>(checks, {"f32_16x16x4", 16, 4, 1, 1}, multiply_f32_16x16x4);
  check<h4, f32, float>(checks, {"f16_32x32x4", 32, 4, 2, 4}, multiply_f16_32x32x4);
  check<h4, f16, float>(checks, {"f16_16x16x4", 16, 4, 4, 4}, multiply_f16_16x16x4);
  check<h4, f4, float>(checks, {"f16_4x4x4", 4, 4, 16, 4}, multiply_f16_4x4x4);
  check<h4, f16, float>(checks, {"f16_32x32x8", 32, 8, 1, 4}, multiply_f16_32x32x8);
  check<h4, f4, float>(checks, {"f16_16x16x16", 16, 16, 1, 4}, multiply_f16_16x16x16);
  check<int, i32, int>(checks, {"i8_32x32x4", 32, 4, 2, 4}, multiply_i8_32x32x4);
  check<int, i16, int>(checks, {"i8_16x16x4", 16, 4, 4, 4}, multiply_i8_16x16x4);
  check<int, i4, int>(checks, {"i8_4x4x4", 4, 4, 16, 4}, multiply_i8_4x4x4);
  check<int, i16, int>(checks, {"i8_32x32x8", 32, 8, 1, 4}, multiply_i8_32x32x8);
  check<int, i4, int>(checks, {"i8_16x16x16", 16, 16, 1, 4}, multiply_i8_16x16x16);
  check<s4, f32, float>(checks, {"bf16_32x32x4", 32, 4, 2, 4}, multiply_bf16_32x32x4);
  check<s4, f16, float>(checks, {"bf16_16x16x4", 16, 4, 4, 4}, multiply_bf16_16x16x4);
  check<s4, f4, float>(checks, {"bf16_4x4x4", 4, 4, 16, 4}, multiply_bf16_4x4x4);
  check<s4, f16, float>(checks, {"bf16_32x32x8", 32, 8, 1, 4}, multiply_bf16_32x32x8);
  check<s4, f4, float>(checks, {"bf16_16x16x16", 16, 16, 1, 4}, multiply_bf16_16x16x16);
  check<s2, f32, float>(checks, {"bf16_32x32x2", 32, 2, 2, 2}, multiply_bf16_32x32x2);
  check<s2, f16, float>(checks, {"bf16_16x16x2", 16, 2, 4, 2}, multiply_bf16_16x16x2);
  check<s2, f4, float>(checks, {"bf16_4x4x2", 4, 2, 16, 2}, multiply_bf16_4x4x2);
  check<s2, f16, float>(checks, {"bf16_32x32x4_pairs", 32, 4, 1, 2}, multiply_bf16_32x32x4_pairs);
  check<s2, f4, float>(checks, {"bf16_16x16x8", 16, 8, 1, 2}, multiply_bf16_16x16x8);
  check<double, d4, double>(checks, {"f64_16x16x4", 16, 4, 1, 1, true}, multiply_f64_16x16x4);
  check<double, double, double>(checks, {"f64_4x4x4", 4, 4, 4, 1, true}, multiply_f64_4x4x4);
  check<float, f16, float>(checks, {"pair_shares_a", 16, 1, 4, 1, false, 1, 1, 0}, multiply_pair_shares_a);
  check<h4, f4, float>(checks, {"all_share_a", 4, 4, 16, 4, false, 4, 9, 0}, multiply_all_share_a);
  check<float, f32, float>(checks, {"first_half_of_b", 32, 1, 2, 1, false, 0, 0, 1}, multiply_first_half_of_b);
  check<float, f32, float>(checks, {"second_half_of_b", 32, 1, 2, 1, false, 0, 0, 2}, multiply_second_half_of_b);
  check<int, i16, int>(checks, {"b_rotated", 16, 4, 4, 4, false, 0, 0, 3}, multiply_b_rotated);
  check<int, i4, int>(checks, {"quarter_of_b", 16, 16, 1, 4, false, 0, 0, 6}, multiply_quarter_of_b);
  check<s4, f16, float>(checks, {"both_controls", 16, 4, 4, 4, false, 2, 3, 5}, multiply_both_controls);
  return checks.finish();
}
