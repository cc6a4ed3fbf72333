// Kernel arguments of every shape: small integers, bool, structures by value with padding and pointers, a
// 1 KiB structure, many arguments.
// e2e-replayed: ^small_arguments 1
// e2e-replayed: ^nested 1
// e2e-replayed: ^large 1
// e2e-replayed: ^many 1
#include "support/hip_check.hpp"

struct Inner {
  char tag;
  double weight;
};
struct Outer {
  char first;
  short numbers[3];
  Inner inner[2];
  const unsigned* in;
  unsigned* out;
  unsigned count;
};
struct Large {
  unsigned long long words[128];
};

__global__ void small_arguments(bool flag, signed char a, unsigned char b, short c, unsigned short d, float e,
                                long long f, unsigned long long* out) {
  out[0] = flag ? 17 : 99;
  out[1] = static_cast<unsigned long long>(static_cast<long long>(a));
  out[2] = b;
  out[3] = static_cast<unsigned long long>(static_cast<long long>(c));
  out[4] = d;
  out[5] = static_cast<unsigned long long>(e * 4.0f);
  out[6] = static_cast<unsigned long long>(f);
}

__global__ void nested(Outer o) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < o.count) {
    const unsigned scaled =
        static_cast<unsigned>(o.inner[i % 2].weight * 8.0) + static_cast<unsigned>(o.inner[i % 2].tag);
    o.out[i] = o.in[i] * scaled + static_cast<unsigned>(o.numbers[i % 3]) + static_cast<unsigned>(o.first);
  }
}

__global__ void large(Large l, unsigned long long* out) {
  out[threadIdx.x] += l.words[threadIdx.x] ^ l.words[127 - threadIdx.x];
}

__global__ void many(int a0, long long a1, int a2, double a3, short a4, int a5, float a6, int a7, char a8,
                     int a9, int a10, long long a11, int a12, int a13, int a14, int a15, double a16, int a17,
                     int a18, long long* out) {
  *out = a0 + 2 * a1 + 3 * a2 + 4 * static_cast<long long>(a3) + 5 * a4 + 6 * a5 +
         7 * static_cast<long long>(a6) + 8 * a7 + 9 * a8 + 10 * a9 + 11 * a10 + 12 * a11 + 13 * a12 +
         14 * a13 + 15 * a14 + 16 * a15 + 17 * static_cast<long long>(a16) + 18 * a17 + 19 * a18;
}

int main() {
  e2e::Checks checks("struct_args");
  e2e::DeviceArray<unsigned long long> dev_small(7);
  small_arguments<<<1, 1>>>(true, -5, 250, -30'000, 60'000, 2.75f, -(1ll << 40), dev_small.get());
  HIP_LAUNCHED();
  checks.equal("small_arguments", dev_small.download(),
               std::vector<unsigned long long>{17, static_cast<unsigned long long>(-5ll), 250,
                                               static_cast<unsigned long long>(-30'000ll), 60'000, 11,
                                               static_cast<unsigned long long>(-(1ll << 40))});

  const unsigned count = 700;
  const auto in = e2e::random_values<unsigned>(count, 91);
  e2e::DeviceArray<unsigned> dev_in(in);
  e2e::DeviceArray<unsigned> dev_out(count);
  Outer o{};
  o.first = 3;
  o.numbers[0] = 10;
  o.numbers[1] = -20;
  o.numbers[2] = 3'000;
  o.inner[0] = {7, 1.5};
  o.inner[1] = {9, 2.25};
  o.in = dev_in.get();
  o.out = dev_out.get();
  o.count = count;
  nested<<<e2e::groups_for(count, 64), 64>>>(o);
  HIP_LAUNCHED();
  std::vector<unsigned> want(count);
  for (unsigned i = 0; i < count; ++i) {
    const unsigned scaled = i % 2 == 0 ? 12u + 7u : 18u + 9u;
    want[i] = in[i] * scaled + static_cast<unsigned>(o.numbers[i % 3]) + 3u;
  }
  checks.equal("nested", dev_out.download(), want);

  Large l;
  for (unsigned i = 0; i < 128; ++i) {
    l.words[i] = 0x123456789abcdefull * (i + 1);
  }
  std::vector<unsigned long long> want_large(128, 5);
  e2e::DeviceArray<unsigned long long> dev_large(want_large);
  large<<<1, 128>>>(l, dev_large.get());
  HIP_LAUNCHED();
  for (unsigned i = 0; i < 128; ++i) {
    want_large[i] += l.words[i] ^ l.words[127 - i];
  }
  checks.equal("large", dev_large.download(), want_large);

  e2e::DeviceArray<long long> dev_many(1);
  many<<<1, 1>>>(1, 1ll << 33, 3, 4.0, 5, 6, 7.0f, 8, 9, 10, 11, -(1ll << 35), 13, 14, 15, 16, 17.0, 18, 19,
                 dev_many.get());
  HIP_LAUNCHED();
  long long sum = 2 * (1ll << 33) - 12 * (1ll << 35);
  for (long long k = 1; k <= 19; ++k) {
    sum += k == 2 || k == 12 ? 0 : k * k;
  }
  checks.equal("many", dev_many.download(), std::vector<long long>{sum});
  return checks.finish();
}
