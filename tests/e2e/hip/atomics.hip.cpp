// Global atomics of every type and operation, with results that do not depend on the order; and those that
// return the old value, checked as a permutation.
// e2e-replayed: integers< 3
// e2e-replayed: ^reals 1
// e2e-replayed: ^tickets 1
// e2e-candidates: ^system_scope 2
#include <algorithm>

#include "support/hip_check.hpp"

template <class T>
__global__ void integers(T* cells, const T* in, unsigned count) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) {
    return;
  }
  atomicAdd(&cells[0], in[i]);
  atomicMin(&cells[1], in[i]);
  atomicMax(&cells[2], in[i]);
  atomicAnd(&cells[3], in[i] | static_cast<T>(0xff0));
  atomicOr(&cells[4], in[i] & static_cast<T>(0x123456));
  atomicXor(&cells[5], in[i]);
  T seen = cells[6];
  for (;;) {  // addition by compare and swap
    const T old = atomicCAS(&cells[6], seen, static_cast<T>(seen + in[i]));
    if (old == seen) {
      break;
    }
    seen = old;
  }
}

__global__ void reals(float* f, double* d, unsigned count) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) {
    // Small whole numbers: every order gives the same sum.
    atomicAdd(&f[i % 3u], static_cast<float>(i % 17u));
    atomicAdd(&d[i % 5u], static_cast<double>(i) * 0.5);
  }
}

__global__ void tickets(unsigned* counters, unsigned* taken, unsigned count) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) {
    taken[i] = atomicAdd(&counters[0], 1u);
    taken[count + i] = atomicInc(&counters[1], 99u);
    taken[2 * count + i] = atomicDec(&counters[2], 99u);
    taken[3 * count + i] = atomicExch(&counters[3], i + 1u);
    atomicSub(&counters[4], 3u);
  }
}

__global__ void system_scope(unsigned* host, unsigned count) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) {
    atomicAdd_system(&host[0], 2u);
    atomicOr_system(&host[1], 1u << (i % 32u));
  }
}

namespace {

template <class T>
void run_integers(e2e::Checks& checks, const char* name) {
  const unsigned count = 600;
  const auto in = e2e::random_values<T>(count, 221);
  std::vector<T> want = {
      5, std::numeric_limits<T>::max(), std::numeric_limits<T>::min(), static_cast<T>(-1), 0, 9, 1};
  e2e::DeviceArray<T> dev(want);
  e2e::DeviceArray<T> dev_in(in);
  integers<T><<<e2e::groups_for(count, 128), 128>>>(dev.get(), dev_in.get(), count);
  HIP_LAUNCHED();
  using Unsigned = std::make_unsigned_t<T>;
  for (const T v : in) {
    want[0] = static_cast<T>(static_cast<Unsigned>(want[0]) + static_cast<Unsigned>(v));
    want[1] = std::min(want[1], v);
    want[2] = std::max(want[2], v);
    want[3] &= v | static_cast<T>(0xff0);
    want[4] |= v & static_cast<T>(0x123456);
    want[5] ^= v;
    want[6] = static_cast<T>(static_cast<Unsigned>(want[6]) + static_cast<Unsigned>(v));
  }
  checks.equal(name, dev.download(), want);
}

}  // namespace

int main() {
  e2e::Checks checks("atomics");
  run_integers<int>(checks, "int");
  run_integers<unsigned>(checks, "unsigned");
  run_integers<unsigned long long>(checks, "unsigned_long_long");

  const unsigned count = 1'000;
  std::vector<float> f = {1, 2, 3};
  std::vector<double> d = {1, 2, 3, 4, 5};
  e2e::DeviceArray<float> dev_f(f);
  e2e::DeviceArray<double> dev_d(d);
  reals<<<e2e::groups_for(count, 128), 128>>>(dev_f.get(), dev_d.get(), count);
  HIP_LAUNCHED();
  for (unsigned i = 0; i < count; ++i) {
    f[i % 3] += static_cast<float>(i % 17u);
    d[i % 5] += i * 0.5;
  }
  checks.equal("float", dev_f.download(), f);
  checks.equal("double", dev_d.download(), d);

  e2e::DeviceArray<unsigned> counters(std::vector<unsigned>{100, 0, 99, 0, 5'000});
  e2e::DeviceArray<unsigned> taken(4 * count);
  tickets<<<e2e::groups_for(count, 64), 64>>>(counters.get(), taken.get(), count);
  HIP_LAUNCHED();
  auto got = taken.download();
  const auto after = counters.download();
  // Which item got which ticket is open; together they are all there.
  got[3 * count] = got[3 * count];
  std::vector<unsigned> exchanged(got.begin() + 3 * count, got.end());
  exchanged.push_back(after[3]);
  std::vector<unsigned> want(3 * count);
  for (unsigned i = 0; i < count; ++i) {
    want[i] = 100 + i;
    want[count + i] = i / (count / 100);
    want[2 * count + i] = i / (count / 100);
  }
  for (int part = 0; part < 3; ++part) {
    std::sort(got.begin() + part * count, got.begin() + (part + 1) * count);
  }
  got.resize(3 * count);
  checks.equal("tickets", got, want);
  std::sort(exchanged.begin(), exchanged.end());
  std::vector<unsigned> want_exchanged(count + 1);
  for (unsigned i = 0; i <= count; ++i) {
    want_exchanged[i] = i;
  }
  checks.equal("exchange", exchanged, want_exchanged);
  checks.equal("counters", std::vector<unsigned>{after[0], after[1], after[2], after[4]},
               std::vector<unsigned>{1'100, 0, 99, 2'000});

  unsigned* host = nullptr;
  HIP_OK(hipHostMalloc(reinterpret_cast<void**>(&host), 64, hipHostMallocCoherent));
  host[0] = 7;
  host[1] = 0;
  for (int launch = 0; launch < 2; ++launch) {
    system_scope<<<e2e::groups_for(count, 128), 128>>>(host, count);
    HIP_LAUNCHED();
    HIP_OK(hipDeviceSynchronize());
  }
  checks.equal("system_scope", std::vector<unsigned>(host, host + 2),
               std::vector<unsigned>{7 + 4 * count, ~0u});
  HIP_OK(hipHostFree(host));
  return checks.finish();
}
