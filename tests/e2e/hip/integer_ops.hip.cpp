// Integer arithmetic of all widths: 64-bit multiply, divide, remainder, shifts, bit counts, bit fields.
// e2e-replayed: ^compute_32 1
// e2e-replayed: ^compute_64 1
// e2e-replayed: ^compute_small 1
// e2e-replayed: ^intrinsics 1
#include "support/hip_check.hpp"

constexpr unsigned kOps32 = 17;
constexpr unsigned kOps64 = 18;
constexpr unsigned kOpsSmall = 10;
constexpr unsigned kIntrinsics = 14;

__host__ __device__ inline void ops_32(uint32_t a, uint32_t b, uint32_t* out, unsigned stride) {
  const auto sa = static_cast<int32_t>(a);
  const auto sb = static_cast<int32_t>(b | 1u);  // never zero
  const uint32_t ub = b | 1u;
  unsigned k = 0;
  const auto put = [&](uint32_t v) { out[k++ * stride] = v; };
  put(a + b);
  put(a - b);
  put(a * b);
  put(a / ub);
  put(a % ub);
  put(static_cast<uint32_t>(static_cast<int32_t>(static_cast<int64_t>(sa) / sb)));
  put(static_cast<uint32_t>(static_cast<int32_t>(static_cast<int64_t>(sa) % sb)));
  put(a << (b & 31u));
  put(a >> (b & 31u));
  put(static_cast<uint32_t>(sa >> (b & 31u)));
  put(a & ~b);
  put((a | b) ^ (a >> 3));
  put(sa < sb ? a : b);
  put(a > b ? a - b : b - a);
  put((a >> 5) & 0x3ffu);
  put(static_cast<uint32_t>(sa << 7 >> 19));
  put((a << 13) | (a >> 19));
}

__host__ __device__ inline void ops_64(uint64_t a, uint64_t b, uint64_t* out, unsigned stride) {
  const auto sa = static_cast<int64_t>(a) >> 1;  // keeps the most negative value out of the division
  const auto sb = static_cast<int64_t>(b >> (b & 31u)) | 1;
  const uint64_t ub = (b >> (a & 63u)) | 1u;
  unsigned k = 0;
  const auto put = [&](uint64_t v) { out[k++ * stride] = v; };
  put(a + b);
  put(a - b);
  put(a * b);
  put(a / ub);
  put(a % ub);
  put(static_cast<uint64_t>(sa / sb));
  put(static_cast<uint64_t>(sa % sb));
  put(a << (b & 63u));
  put(a >> (b & 63u));
  put(static_cast<uint64_t>(static_cast<int64_t>(a) >> (b & 63u)));
  put(a & ~b);
  put(a ^ (b << 1));
  put(a < b ? a : b);
  put(static_cast<uint64_t>(sa < sb ? sa : sb));
  put(a == b ? 1u : (a > b ? 2u : 3u));
  put(static_cast<uint64_t>(static_cast<uint32_t>(a)) * static_cast<uint32_t>(b));
  put(static_cast<uint64_t>(static_cast<int64_t>(static_cast<int32_t>(a)) * static_cast<int32_t>(b)));
  put((a << 29) | (a >> 35));
}

__host__ __device__ inline void ops_small(uint32_t a, uint32_t b, uint32_t* out, unsigned stride) {
  const auto a8 = static_cast<int8_t>(a);
  const auto b8 = static_cast<uint8_t>(b | 1u);
  const auto a16 = static_cast<int16_t>(a >> 8);
  const auto b16 = static_cast<uint16_t>((b >> 4) | 1u);
  unsigned k = 0;
  const auto put = [&](uint32_t v) { out[k++ * stride] = v; };
  put(static_cast<uint8_t>(a8 + b8));
  put(static_cast<uint32_t>(a8 * b8));
  put(static_cast<uint32_t>(a8 / b8));
  put(static_cast<uint32_t>(a8 % b8));
  put(static_cast<uint16_t>(a16 * b16));
  put(static_cast<uint32_t>(a16 / b16));
  put(static_cast<uint32_t>(a16 % b16));
  put(static_cast<uint32_t>(static_cast<int8_t>(a8 >> 2)));
  put(static_cast<uint16_t>(static_cast<uint16_t>(a16) << 3));
  put(static_cast<uint32_t>(a16 < static_cast<int>(b16) ? a8 : b8));
}

__global__ void compute_32(const uint32_t* a, const uint32_t* b, uint32_t* out, unsigned count) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) {
    ops_32(a[i], b[i], out + i, count);
  }
}

__global__ void compute_64(const uint64_t* a, const uint64_t* b, uint64_t* out, unsigned count) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) {
    ops_64(a[i], b[i], out + i, count);
  }
}

__global__ void compute_small(const uint32_t* a, const uint32_t* b, uint32_t* out, unsigned count) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) {
    ops_small(a[i], b[i], out + i, count);
  }
}

__global__ void intrinsics(const uint64_t* a, const uint64_t* b, uint64_t* out, unsigned count) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) {
    return;
  }
  const uint64_t x = a[i] >> (i % 64u);
  const auto lo = static_cast<uint32_t>(x);
  const auto hi = static_cast<uint32_t>(b[i]);
  unsigned k = 0;
  const auto put = [&](uint64_t v) { out[k++ * count + i] = v; };
  put(static_cast<uint64_t>(__clz(static_cast<int>(lo))));
  put(static_cast<uint64_t>(__clzll(static_cast<long long>(x))));
  put(static_cast<uint64_t>(__popc(lo)));
  put(static_cast<uint64_t>(__popcll(x)));
  put(static_cast<uint64_t>(__ffs(static_cast<int>(lo))));
  put(static_cast<uint64_t>(__ffsll(static_cast<unsigned long long>(x))));
  put(__brev(lo));
  put(__brevll(x));
  put(__umulhi(lo, hi));
  put(static_cast<uint32_t>(__mulhi(static_cast<int>(lo), static_cast<int>(hi))));
  put(__umul64hi(a[i], b[i]));
  put(static_cast<uint64_t>(__mul64hi(static_cast<long long>(a[i]), static_cast<long long>(b[i]))));
  put(__byte_perm(lo, hi, 0x3715));
  put(static_cast<uint32_t>(__umul24(lo & 0xffffffu, hi & 0xffffffu)));  // declared int in 5.2
}

uint64_t reference_intrinsic(unsigned op, uint64_t a, uint64_t b, unsigned i) {
  const uint64_t x = a >> (i % 64u);
  const auto lo = static_cast<uint32_t>(x);
  const auto hi = static_cast<uint32_t>(b);
  const auto reverse = [](uint64_t v, int bits) {
    uint64_t r = 0;
    for (int k = 0; k < bits; ++k) {
      r |= (v >> k & 1u) << (bits - 1 - k);
    }
    return r;
  };
  switch (op) {
    case 0:
      return lo == 0 ? 32 : static_cast<uint64_t>(__builtin_clz(lo));
    case 1:
      return x == 0 ? 64 : static_cast<uint64_t>(__builtin_clzll(x));
    case 2:
      return static_cast<uint64_t>(__builtin_popcount(lo));
    case 3:
      return static_cast<uint64_t>(__builtin_popcountll(x));
    case 4:
      return static_cast<uint64_t>(__builtin_ffs(static_cast<int>(lo)));
    case 5:
      return static_cast<uint64_t>(__builtin_ffsll(static_cast<long long>(x)));
    case 6:
      return reverse(lo, 32);
    case 7:
      return reverse(x, 64);
    case 8:
      return static_cast<uint64_t>(lo) * hi >> 32;
    case 9:
      return static_cast<uint32_t>(
          static_cast<int64_t>(static_cast<int32_t>(lo)) * static_cast<int32_t>(hi) >> 32);
    case 10:
      return static_cast<uint64_t>(static_cast<unsigned __int128>(a) * b >> 64);
    case 11:
      return static_cast<uint64_t>(static_cast<__int128>(static_cast<int64_t>(a)) * static_cast<int64_t>(b) >>
                                   64);
    case 12: {
      const uint64_t both = static_cast<uint64_t>(hi) << 32 | lo;
      const auto byte = [&](unsigned n) { return both >> (8 * n) & 0xffu; };
      return byte(5) | byte(1) << 8 | byte(7) << 16 | byte(3) << 24;
    }
    default:
      return static_cast<uint32_t>((lo & 0xffffffu) * (hi & 0xffffffu));
  }
}

template <class T, class Kernel, class Host>
void run(e2e::Checks& checks, const char* name, unsigned ops, Kernel kernel, Host host) {
  const unsigned count = 500;
  auto a = e2e::random_values<T>(count, 71);
  auto b = e2e::random_values<T>(count, 72);
  const T edges[] = {0, 1, static_cast<T>(-1), static_cast<T>(T{1} << (8 * sizeof(T) - 1))};
  for (unsigned i = 0; i < 16; ++i) {
    a[i] = edges[i / 4];
    b[i] = edges[i % 4];
  }
  e2e::DeviceArray<T> dev_a(a);
  e2e::DeviceArray<T> dev_b(b);
  e2e::DeviceArray<T> dev_out(static_cast<size_t>(ops) * count);
  kernel<<<e2e::groups_for(count, 256), 256>>>(dev_a.get(), dev_b.get(), dev_out.get(), count);
  HIP_LAUNCHED();
  std::vector<T> want(dev_out.count());
  host(a, b, want, count);
  const auto got = dev_out.download();
  for (unsigned op = 0; op < ops; ++op) {
    char line[48];
    std::snprintf(line, sizeof line, "%s_%u", name, op);
    checks.equal(line, got.data() + static_cast<size_t>(op) * count,
                 want.data() + static_cast<size_t>(op) * count, count);
  }
}

int main() {
  e2e::Checks checks("integer_ops");
  run<uint32_t>(checks, "op32", kOps32, compute_32,
                [](const auto& a, const auto& b, auto& want, unsigned count) {
                  for (unsigned i = 0; i < count; ++i) {
                    ops_32(a[i], b[i], want.data() + i, count);
                  }
                });
  run<uint64_t>(checks, "op64", kOps64, compute_64,
                [](const auto& a, const auto& b, auto& want, unsigned count) {
                  for (unsigned i = 0; i < count; ++i) {
                    ops_64(a[i], b[i], want.data() + i, count);
                  }
                });
  run<uint32_t>(checks, "small", kOpsSmall, compute_small,
                [](const auto& a, const auto& b, auto& want, unsigned count) {
                  for (unsigned i = 0; i < count; ++i) {
                    ops_small(a[i], b[i], want.data() + i, count);
                  }
                });
  run<uint64_t>(checks, "intrinsic", kIntrinsics, intrinsics,
                [](const auto& a, const auto& b, auto& want, unsigned count) {
                  for (unsigned op = 0; op < kIntrinsics; ++op) {
                    for (unsigned i = 0; i < count; ++i) {
                      want[static_cast<size_t>(op) * count + i] = reference_intrinsic(op, a[i], b[i], i);
                    }
                  }
                });
  return checks.finish();
}
