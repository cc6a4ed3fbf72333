// Conversions between integers, float, double and half, and half arithmetic. The host side of the half
// format is written out here, so that it does not share an error with the compiler.
// e2e-replayed: \bconvert 1
// e2e-replayed: \bhalf_arithmetic 1
// e2e-replayed: \bhalf_patterns 1
#include <hip/hip_fp16.h>

#include "support/hip_check.hpp"

namespace {

/// float to half, nearest even, with denormals. Finite or infinite input.
uint16_t to_half(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, 4);
  const uint32_t sign = bits >> 16 & 0x8000u;
  const uint32_t magnitude = bits & 0x7fffffffu;
  if (magnitude >= 0x477ff000u) {  // rounds to 65536 or above
    return static_cast<uint16_t>(sign | 0x7c00u);
  }
  // Scale so that one unit is the last place of the half, then round to an integer, ties to even.
  const int exponent = static_cast<int>(magnitude >> 23) - 127;
  const int unit = exponent < -14 ? -24 : exponent - 10;
  float absolute;
  std::memcpy(&absolute, &magnitude, 4);
  const auto units = static_cast<uint32_t>(std::nearbyint(std::ldexp(static_cast<double>(absolute), -unit)));
  // The carry into the exponent falls out of the addition.
  const uint32_t base = exponent < -14 ? 0u : (static_cast<uint32_t>(exponent + 14) << 10);
  return static_cast<uint16_t>(sign | (base + units));
}

float from_half(uint16_t half) {
  const int exponent = half >> 10 & 31;
  const int fraction = half & 0x3ff;
  const double sign = half & 0x8000 ? -1.0 : 1.0;
  if (exponent == 31) {
    return static_cast<float>(fraction != 0 ? std::numeric_limits<double>::quiet_NaN() : sign * HUGE_VAL);
  }
  const double value = exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25);
  return static_cast<float>(sign * value);
}

constexpr unsigned kConversions = 20;

__global__ void convert(const float* f, const double* d, const int* n, const long long* w, double* out,
                        unsigned count) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) {
    return;
  }
  unsigned k = 0;
  const auto put = [&](double v) { out[k++ * count + i] = v; };
  put(static_cast<int>(f[i]));
  put(static_cast<unsigned>(fabsf(f[i])));
  put(static_cast<double>(static_cast<long long>(f[i])));
  put(static_cast<double>(static_cast<unsigned long long>(fabsf(f[i]))));
  put(static_cast<int>(d[i]));
  put(static_cast<double>(static_cast<long long>(d[i] * 1e9)));
  put(static_cast<double>(static_cast<float>(d[i])));
  put(static_cast<double>(f[i]));
  put(static_cast<double>(static_cast<float>(n[i])));
  put(static_cast<double>(n[i]));
  put(static_cast<double>(static_cast<float>(static_cast<unsigned>(n[i]))));
  put(static_cast<double>(static_cast<unsigned>(n[i])));
  put(static_cast<double>(w[i]));
  put(static_cast<double>(static_cast<float>(w[i])));
  put(static_cast<double>(static_cast<unsigned long long>(w[i])));
  put(static_cast<double>(static_cast<float>(static_cast<unsigned long long>(w[i]))));
  put(__float2int_rn(f[i]));
  put(__float2int_rd(f[i]));
  put(__float2int_ru(f[i]));
  put(static_cast<signed char>(n[i]) + static_cast<float>(static_cast<unsigned char>(n[i] >> 8)));
}

void reference(const std::vector<float>& f, const std::vector<double>& d, const std::vector<int>& n,
               const std::vector<long long>& w, std::vector<double>& out) {
  const size_t count = f.size();
  for (size_t i = 0; i < count; ++i) {
    size_t k = 0;
    const auto put = [&](double v) { out[k++ * count + i] = v; };
    put(static_cast<int>(f[i]));
    put(static_cast<unsigned>(std::fabs(f[i])));
    put(static_cast<double>(static_cast<long long>(f[i])));
    put(static_cast<double>(static_cast<unsigned long long>(std::fabs(f[i]))));
    put(static_cast<int>(d[i]));
    put(static_cast<double>(static_cast<long long>(d[i] * 1e9)));
    put(static_cast<double>(static_cast<float>(d[i])));
    put(static_cast<double>(f[i]));
    put(static_cast<double>(static_cast<float>(n[i])));
    put(static_cast<double>(n[i]));
    put(static_cast<double>(static_cast<float>(static_cast<unsigned>(n[i]))));
    put(static_cast<double>(static_cast<unsigned>(n[i])));
    put(static_cast<double>(w[i]));
    put(static_cast<double>(static_cast<float>(w[i])));
    put(static_cast<double>(static_cast<unsigned long long>(w[i])));
    put(static_cast<double>(static_cast<float>(static_cast<unsigned long long>(w[i]))));
    put(std::nearbyint(static_cast<double>(f[i])));
    put(std::floor(static_cast<double>(f[i])));
    put(std::ceil(static_cast<double>(f[i])));
    put(static_cast<signed char>(n[i]) + static_cast<float>(static_cast<unsigned char>(n[i] >> 8)));
  }
}

/// All 65536 patterns to float; the float values of `in` to half.
__global__ void half_patterns(float* widened, const float* in, unsigned short* narrowed, unsigned count) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  widened[i] = __half2float(__ushort_as_half(static_cast<unsigned short>(i)));
  if (i < count) {
    narrowed[i] = __half_as_ushort(__float2half_rn(in[i]));
  }
}

__global__ void half_arithmetic(const unsigned short* a, const unsigned short* b, unsigned short* out,
                                unsigned count) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) {
    return;
  }
  const __half x = __ushort_as_half(a[i]);
  const __half y = __ushort_as_half(b[i]);
  out[0 * count + i] = __half_as_ushort(__hadd(x, y));
  out[1 * count + i] = __half_as_ushort(__hsub(x, y));
  out[2 * count + i] = __half_as_ushort(__hmul(x, y));
  const __half2 pair = __hadd2(__halves2half2(x, y), __halves2half2(y, y));
  out[3 * count + i] = __half_as_ushort(__low2half(pair));
  out[4 * count + i] = __half_as_ushort(__high2half(pair));
  out[5 * count + i] = __hlt(x, y) ? 1 : 0;
}

}  // namespace

int main() {
  e2e::Checks checks("conversions");
  const unsigned count = 512;
  e2e::Random random(81);
  std::vector<float> f(count);
  std::vector<double> d(count);
  for (unsigned i = 0; i < count; ++i) {
    f[i] = static_cast<float>(random.real(-100'000, 100'000));
    d[i] = random.real(-2e9, 2e9);
  }
  f[0] = 0.5f;
  f[1] = 1.5f;
  f[2] = -0.5f;
  f[3] = -2.5f;
  const auto n = e2e::random_values<int>(count, 82);
  const auto w = e2e::random_values<long long>(count, 83);
  e2e::DeviceArray<float> dev_f(f);
  e2e::DeviceArray<double> dev_d(d);
  e2e::DeviceArray<int> dev_n(n);
  e2e::DeviceArray<long long> dev_w(w);
  e2e::DeviceArray<double> dev_out(static_cast<size_t>(kConversions) * count);
  convert<<<2, 256>>>(dev_f.get(), dev_d.get(), dev_n.get(), dev_w.get(), dev_out.get(), count);
  HIP_LAUNCHED();
  std::vector<double> want(dev_out.count());
  reference(f, d, n, w, want);
  const auto out = dev_out.download();
  for (unsigned k = 0; k < kConversions; ++k) {
    char name[32];
    std::snprintf(name, sizeof name, "convert_%u", k);
    // 0 and -0 both come out of "to integer" on the way back through double; they compare as values.
    std::vector<double> got(out.begin() + k * count, out.begin() + (k + 1) * count);
    std::vector<double> expected(want.begin() + k * count, want.begin() + (k + 1) * count);
    for (unsigned i = 0; i < count; ++i) {
      got[i] = got[i] + 0.0;
      expected[i] = expected[i] + 0.0;
    }
    checks.equal(name, got, expected);
  }

  const unsigned patterns = 65'536;
  std::vector<float> in(4'000);
  for (size_t i = 0; i < in.size(); ++i) {
    in[i] = static_cast<float>(std::ldexp(random.real(-1, 1), static_cast<int>(i % 44) - 27));
  }
  in[0] = 65'519.0f;
  in[1] = 65'520.0f;
  in[2] = 1.0f + 0x1p-11f;
  in[3] = 1.0f + 3 * 0x1p-11f;
  in[4] = 0x1p-25f;
  in[5] = 3 * 0x1p-25f;
  in[6] = HUGE_VALF;
  e2e::DeviceArray<float> dev_in(in);
  e2e::DeviceArray<float> dev_widened(patterns);
  e2e::DeviceArray<unsigned short> dev_narrowed(in.size());
  half_patterns<<<patterns / 256, 256>>>(dev_widened.get(), dev_in.get(), dev_narrowed.get(),
                                         static_cast<unsigned>(in.size()));
  HIP_LAUNCHED();
  auto widened = dev_widened.download();
  std::vector<float> want_widened(patterns);
  std::vector<unsigned short> want_narrowed(in.size());
  for (unsigned i = 0; i < patterns; ++i) {
    want_widened[i] = from_half(static_cast<uint16_t>(i));
    if (std::isnan(widened[i])) {  // the payload is free
      widened[i] = std::numeric_limits<float>::quiet_NaN();
    }
    if (std::isnan(want_widened[i])) {
      want_widened[i] = std::numeric_limits<float>::quiet_NaN();
    }
  }
  for (size_t i = 0; i < in.size(); ++i) {
    want_narrowed[i] = to_half(in[i]);
  }
  checks.equal("half_to_float", widened, want_widened);
  checks.equal("float_to_half", dev_narrowed.download(), want_narrowed);

  std::vector<unsigned short> a(count);
  std::vector<unsigned short> b(count);
  for (unsigned i = 0; i < count; ++i) {
    a[i] = to_half(static_cast<float>(std::ldexp(random.real(-1, 1), static_cast<int>(i % 20) - 10)));
    b[i] = to_half(static_cast<float>(std::ldexp(random.real(-1, 1), static_cast<int>(i % 17) - 8)));
  }
  e2e::DeviceArray<unsigned short> dev_a(a);
  e2e::DeviceArray<unsigned short> dev_b(b);
  e2e::DeviceArray<unsigned short> dev_half(6 * count);
  half_arithmetic<<<2, 256>>>(dev_a.get(), dev_b.get(), dev_half.get(), count);
  HIP_LAUNCHED();
  std::vector<unsigned short> want_half(6 * count);
  for (unsigned i = 0; i < count; ++i) {
    // Sums and products of two halves are exact in float, so one rounding is left.
    const float x = from_half(a[i]);
    const float y = from_half(b[i]);
    want_half[0 * count + i] = to_half(x + y);
    want_half[1 * count + i] = to_half(x - y);
    want_half[2 * count + i] = to_half(x * y);
    want_half[3 * count + i] = to_half(x + y);
    want_half[4 * count + i] = to_half(y + y);
    want_half[5 * count + i] = x < y ? 1 : 0;
  }
  checks.equal("half_arithmetic", dev_half.download(), want_half);
  return checks.finish();
}
