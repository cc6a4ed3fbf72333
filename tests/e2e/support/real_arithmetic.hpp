// The arithmetic test of one real type; the including file defines `Real` first. Every operation here is
// exactly rounded on both sides, so host and device must agree in every bit. NaN results are compared as
// "is a NaN": IEEE 754 leaves the payload and sign open.
#pragma once

namespace {

constexpr int kOps = 15;
constexpr int kTests = 8;

// Small on purpose: these are calls at -O0 and inline at -O2.
__host__ __device__ inline Real quotient(Real a, Real b) { return a / b; }
__host__ __device__ inline Real polynomial(Real x) {
  Real r = Real(0.25);
  r = r * x + Real(-1.5);
  r = r * x + Real(3);
  return r * x - Real(0.125);
}

__host__ __device__ inline void compute(Real a, Real b, Real c, Real* out, unsigned stride) {
  out[0 * stride] = a + b;
  out[1 * stride] = a - b;
  out[2 * stride] = a * b;
  out[3 * stride] = quotient(a, b);
  out[4 * stride] = std::sqrt(a);
  out[5 * stride] = std::fma(a, b, c);
  out[6 * stride] = polynomial(a);
  out[7 * stride] = std::floor(a);
  out[8 * stride] = std::ceil(a);
  out[9 * stride] = std::trunc(a);
  out[10 * stride] = std::rint(a);
  out[11 * stride] = std::fabs(b) - c;
  out[12 * stride] = std::copysign(a, b);
  out[13 * stride] = -a * c;
  out[14 * stride] = std::fmod(a, b);
}

__host__ __device__ inline unsigned relations(Real a, Real b) {
  unsigned bits = 0;
  bits |= a < b ? 1u : 0u;
  bits |= a <= b ? 2u : 0u;
  bits |= a > b ? 4u : 0u;
  bits |= a >= b ? 8u : 0u;
  bits |= a == b ? 16u : 0u;
  bits |= a != b ? 32u : 0u;
  bits |= __builtin_isnan(a) ? 64u : 0u;
  bits |= __builtin_isinf(b) ? 128u : 0u;
  return bits;
}

__global__ void arithmetic(const Real* a, const Real* b, const Real* c, Real* out, unsigned count) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) {
    compute(a[i], b[i], c[i], out + i, count);
  }
}

__global__ void compare(const Real* a, const Real* b, unsigned* out, Real* extremes, unsigned count) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) {
    out[i] = relations(a[i], b[i]);
    extremes[i] = fmin(a[i], b[i]);
    extremes[count + i] = fmax(a[i], b[i]);
  }
}

/// Ordinary values, then all pairs of special ones.
std::pair<std::vector<Real>, std::vector<Real>> operands() {
  using Limits = std::numeric_limits<Real>;
  auto a = e2e::random_values<Real>(600, 41);
  auto b = e2e::random_values<Real>(600, 42);
  for (size_t i = 300; i < 600; ++i) {  // a wide range of exponents
    a[i] = std::ldexp(a[i], static_cast<int>(i % 80) - 40);
    b[i] = std::ldexp(b[i], static_cast<int>(i * 7 % 60) - 30);
  }
  const Real special[] = {Real(0),
                          -Real(0),
                          Real(1),
                          Real(-1),
                          Real(0.5),
                          Real(2.5),
                          Real(-3.5),
                          Limits::denorm_min(),
                          -Limits::min() / 4,
                          Limits::min(),
                          Limits::max(),
                          -Limits::max(),
                          Limits::infinity(),
                          -Limits::infinity(),
                          Limits::quiet_NaN(),
                          Limits::epsilon()};
  for (const Real x : special) {
    for (const Real y : special) {
      a.push_back(x);
      b.push_back(y);
    }
  }
  return {a, b};
}

/// One NaN stands for all.
void unify_nan(std::vector<Real>& values) {
  for (auto& value : values) {
    if (std::isnan(value)) {
      value = std::numeric_limits<Real>::quiet_NaN();
    }
  }
}

int run_real_arithmetic(const char* program) {
  e2e::Checks checks(program);
  const auto [a, b] = operands();
  const auto count = static_cast<unsigned>(a.size());
  auto c = e2e::random_values<Real>(count, 43);
  e2e::DeviceArray<Real> dev_a(a);
  e2e::DeviceArray<Real> dev_b(b);
  e2e::DeviceArray<Real> dev_c(c);
  e2e::DeviceArray<Real> dev_out(static_cast<size_t>(kOps) * count);
  arithmetic<<<e2e::groups_for(count, 128), 128>>>(dev_a.get(), dev_b.get(), dev_c.get(), dev_out.get(),
                                                   count);
  HIP_LAUNCHED();
  std::vector<Real> want(dev_out.count());
  for (unsigned i = 0; i < count; ++i) {
    compute(a[i], b[i], c[i], want.data() + i, count);
  }
  auto got = dev_out.download();
  unify_nan(got);
  unify_nan(want);
  static const char* const kNames[kOps] = {"add",  "sub",        "mul",      "div",     "sqrt",
                                           "fma",  "polynomial", "floor",    "ceil",    "trunc",
                                           "rint", "fabs",       "copysign", "neg_mul", "fmod"};
  for (int op = 0; op < kOps; ++op) {
    const size_t from = static_cast<size_t>(op) * count;
    checks.equal(kNames[op], got.data() + from, want.data() + from, count);
  }

  e2e::DeviceArray<unsigned> dev_bits(count);
  e2e::DeviceArray<Real> dev_extremes(2 * count);
  compare<<<e2e::groups_for(count, 64), 64>>>(dev_a.get(), dev_b.get(), dev_bits.get(), dev_extremes.get(),
                                              count);
  HIP_LAUNCHED();
  std::vector<unsigned> want_bits(count);
  for (unsigned i = 0; i < count; ++i) {
    want_bits[i] = relations(a[i], b[i]);
  }
  checks.equal("relations", dev_bits.download(), want_bits);
  auto extremes = dev_extremes.download();
  std::vector<Real> want_extremes(2 * count);
  for (unsigned i = 0; i < count; ++i) {
    want_extremes[i] = std::fmin(a[i], b[i]);
    want_extremes[count + i] = std::fmax(a[i], b[i]);
    if (a[i] == 0 && b[i] == 0) {  // fmin(-0, +0) may be either zero
      want_extremes[i] = extremes[i] == 0 ? extremes[i] : 1;
      want_extremes[count + i] = extremes[count + i] == 0 ? extremes[count + i] : 1;
    }
  }
  unify_nan(extremes);
  unify_nan(want_extremes);
  checks.equal("fmin_fmax", extremes, want_extremes);
  return checks.finish();
}

}  // namespace
