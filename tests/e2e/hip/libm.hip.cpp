// The device library's elementary functions against the host's in higher precision. The allowance of each
// function is its OpenCL bound (or tighter), in units of the last place.
// e2e-replayed: evaluate< 4
#include "support/hip_check.hpp"

namespace {

enum Range { kAny, kUnit, kPositive, kSmall, kAboveOne };

// name, call on the device, call on the host in long double, argument range, ulps float, ulps double
#define ONE_ARGUMENT(X)                               \
  X(sin, sin(x), sinl(x), kAny, 4, 4)                 \
  X(cos, cos(x), cosl(x), kAny, 4, 4)                 \
  X(tan, tan(x), tanl(x), kAny, 5, 5)                 \
  X(asin, asin(x), asinl(x), kUnit, 4, 4)             \
  X(acos, acos(x), acosl(x), kUnit, 4, 4)             \
  X(atan, atan(x), atanl(x), kAny, 5, 5)              \
  X(sinh, sinh(x), sinhl(x), kAny, 4, 4)              \
  X(cosh, cosh(x), coshl(x), kAny, 4, 4)              \
  X(tanh, tanh(x), tanhl(x), kAny, 5, 5)              \
  X(asinh, asinh(x), asinhl(x), kAny, 4, 4)           \
  X(acosh, acosh(x), acoshl(x), kAboveOne, 4, 4)      \
  X(atanh, atanh(x), atanhl(x), kUnit, 5, 5)          \
  X(exp, exp(x), expl(x), kAny, 3, 3)                 \
  X(exp2, exp2(x), exp2l(x), kAny, 3, 3)              \
  X(expm1, expm1(x), expm1l(x), kSmall, 3, 3)         \
  X(log, log(x), logl(x), kPositive, 3, 3)            \
  X(log2, log2(x), log2l(x), kPositive, 3, 3)         \
  X(log10, log10(x), log10l(x), kPositive, 3, 3)      \
  X(log1p, log1p(x), log1pl(x), kPositive, 2, 2)      \
  X(cbrt, cbrt(x), cbrtl(x), kAny, 2, 2)              \
  X(erf, erf(x), erfl(x), kAny, 16, 16)               \
  X(erfc, erfc(x), erfcl(x), kSmall, 16, 16)          \
  X(tgamma, tgamma(x), tgammal(x), kPositive, 16, 16) \
  X(rsqrt, rsqrt(x), 1 / sqrtl(x), kPositive, 2, 2)   \
  X(round, round(x), roundl(x), kAny, 0, 0)           \
  X(logb, logb(x), logbl(x), kPositive, 0, 0)

#define TWO_ARGUMENTS(X)                           \
  X(pow, pow(x, y), powl(x, y), kPositive, 16, 16) \
  X(atan2, atan2(x, y), atan2l(x, y), kAny, 6, 6)  \
  X(hypot, hypot(x, y), hypotl(x, y), kAny, 4, 4)  \
  X(fdim, fdim(x, y), fdiml(x, y), kAny, 0, 0)     \
  X(remainder, remainder(x, y), remainderl(x, y), kAny, 0, 0)

enum Function {
#define NAME(name, device, host, range, ulps_float, ulps_double) k_##name,
  ONE_ARGUMENT(NAME) TWO_ARGUMENTS(NAME)
#undef NAME
      kFunctions
};

// The device library names single-precision functions with an f; overloads pick the one of the type.
template <class Real>
__device__ Real call(int function, Real x, Real y) {
  switch (function) {
#define CASE(name, device, host, range, ulps_float, ulps_double) \
  case k_##name:                                                 \
    return device;
    ONE_ARGUMENT(CASE)
    TWO_ARGUMENTS(CASE)
#undef CASE
    default:
      return Real(0);
  }
}

template <class Real>
__global__ void evaluate(const Real* x, const Real* y, Real* out, int from, int to, int count) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  for (int function = from; i < count && function < to; ++function) {
    const int at = function * count + i;
    out[at] = call<Real>(function, x[at], y[at]);
  }
}

long double reference(int function, long double x, long double y) {
  switch (function) {
#define CASE(name, device, host, range, ulps_float, ulps_double) \
  case k_##name:                                                 \
    return host;
    ONE_ARGUMENT(CASE)
    TWO_ARGUMENTS(CASE)
#undef CASE
    default:
      return 0;
  }
}

struct Row {
  const char* name;
  Range range;
  double ulps_float, ulps_double;
};
const Row kRows[] = {
#define ROW(name, device, host, range, ulps_float, ulps_double) {#name, range, ulps_float, ulps_double},
    ONE_ARGUMENT(ROW) TWO_ARGUMENTS(ROW)
#undef ROW
};

template <class Real>
std::vector<Real> arguments(int count, uint64_t seed) {
  e2e::Random random(seed);
  std::vector<Real> values;
  for (const Row& row : kRows) {
    for (int i = 0; i < count; ++i) {
      double v = random.real(-9, 9);
      switch (row.range) {
        case kAny:
          break;
        case kUnit:
          v = random.real(-0.999, 0.999);
          break;
        case kPositive:
          v = random.real(0.01, 30);
          break;
        case kSmall:
          v = random.real(-2, 2);
          break;
        case kAboveOne:
          v = random.real(1.01, 50);
          break;
      }
      values.push_back(static_cast<Real>(v));
    }
  }
  return values;
}

template <class Real>
void run(e2e::Checks& checks, const char* type) {
  const int count = 64;
  const auto x = arguments<Real>(count, 51);
  const auto y = arguments<Real>(count, 52);
  e2e::DeviceArray<Real> dev_x(x);
  e2e::DeviceArray<Real> dev_y(y);
  e2e::DeviceArray<Real> dev_out(x.size());
  dev_out.clear();
  // Two launches, so that each also has results of the other in its snapshot.
  evaluate<Real><<<1, count>>>(dev_x.get(), dev_y.get(), dev_out.get(), 0, kFunctions / 2, count);
  HIP_LAUNCHED();
  evaluate<Real><<<1, count>>>(dev_x.get(), dev_y.get(), dev_out.get(), kFunctions / 2, kFunctions, count);
  HIP_LAUNCHED();
  const auto out = dev_out.download();
  for (int function = 0; function < kFunctions; ++function) {
    std::vector<Real> got;
    std::vector<Real> want;
    for (int i = function * count; i < (function + 1) * count; ++i) {
      got.push_back(out[i]);
      want.push_back(static_cast<Real>(reference(function, x[i], y[i])));
    }
    char name[64];
    std::snprintf(name, sizeof name, "%s_%s", kRows[function].name, type);
    checks.close(name, got, want,
                 sizeof(Real) == 4 ? kRows[function].ulps_float : kRows[function].ulps_double);
  }
}

}  // namespace

int main() {
  e2e::Checks checks("libm");
  run<float>(checks, "float");
  run<double>(checks, "double");
  return checks.finish();
}
