// Dynamically indexed private arrays: scratch memory, growing from kernel to kernel.
// e2e-replayed: ^small_array 2
// e2e-replayed: ^large_array 2
#include "support/hip_check.hpp"

template <int kSize>
__device__ unsigned scramble(const unsigned* in, unsigned count, unsigned i) {
  unsigned local[kSize];
  for (int k = 0; k < kSize; ++k) {
    local[k] = in[(i + k) % count];
  }
  for (int k = 0; k < 24; ++k) {
    const unsigned from = local[k % kSize] % kSize;
    const unsigned to = (local[from] >> 7) % kSize;
    local[to] = local[to] * 1664525u + local[from] + i;
  }
  unsigned sum = 0;
  for (int k = 0; k < kSize; ++k) {
    sum = sum * 31u + local[k];
  }
  return sum;
}

__global__ void small_array(const unsigned* in, unsigned* out, unsigned count) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) {
    out[i] += scramble<16>(in, count, i);
  }
}

__global__ void large_array(const unsigned* in, unsigned* out, unsigned count) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) {
    out[i] += scramble<200>(in, count, i);
  }
}

template <int kSize>
unsigned reference(const std::vector<unsigned>& in, unsigned i) {
  std::vector<unsigned> local(kSize);
  const auto count = static_cast<unsigned>(in.size());
  for (int k = 0; k < kSize; ++k) {
    local[k] = in[(i + k) % count];
  }
  for (int k = 0; k < 24; ++k) {
    const unsigned from = local[k % kSize] % kSize;
    const unsigned to = (local[from] >> 7) % kSize;
    local[to] = local[to] * 1664525u + local[from] + i;
  }
  unsigned sum = 0;
  for (int k = 0; k < kSize; ++k) {
    sum = sum * 31u + local[k];
  }
  return sum;
}

int main() {
  e2e::Checks checks("private_arrays");
  const unsigned count = 1'000;
  const auto in = e2e::random_values<unsigned>(count, 21);
  e2e::DeviceArray<unsigned> dev_in(in);
  e2e::DeviceArray<unsigned> dev_out(count);
  dev_out.clear();
  std::vector<unsigned> want(count, 0);
  for (int round = 0; round < 2; ++round) {
    small_array<<<e2e::groups_for(count, 128), 128>>>(dev_in.get(), dev_out.get(), count);
    HIP_LAUNCHED();
    for (unsigned i = 0; i < count; ++i) {
      want[i] += reference<16>(in, i);
    }
    checks.equal("small_array", dev_out.download(), want);
    large_array<<<e2e::groups_for(count, 128), 128>>>(dev_in.get(), dev_out.get(), count);
    HIP_LAUNCHED();
    for (unsigned i = 0; i < count; ++i) {
      want[i] += reference<200>(in, i);
    }
    checks.equal("large_array", dev_out.download(), want);
  }
  return checks.finish();
}
