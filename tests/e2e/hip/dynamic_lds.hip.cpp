// LDS whose size is given at launch, from a few bytes to the whole 64 KiB, next to static LDS.
// e2e-replayed: ^reverse 4
// e2e-replayed: ^mixed 1
#include "support/hip_check.hpp"

constexpr unsigned kGroup = 256;

__global__ void reverse(unsigned* data, unsigned per_group) {
  extern __shared__ unsigned lds[];
  unsigned* mine = data + blockIdx.x * per_group;
  for (unsigned i = threadIdx.x; i < per_group; i += blockDim.x) {
    lds[i] = mine[i];
  }
  __syncthreads();
  for (unsigned i = threadIdx.x; i < per_group; i += blockDim.x) {
    mine[i] = lds[per_group - 1 - i] + i;
  }
}

__global__ void mixed(const unsigned char* in, unsigned* out) {
  extern __shared__ unsigned char bytes[];
  __shared__ unsigned total;
  if (threadIdx.x == 0) {
    total = 0;
  }
  bytes[(threadIdx.x * 5) % kGroup] = in[blockIdx.x * kGroup + threadIdx.x];
  __syncthreads();
  atomicAdd(&total, bytes[threadIdx.x] * (threadIdx.x + 1u));
  __syncthreads();
  out[blockIdx.x * kGroup + threadIdx.x] = total + bytes[kGroup - 1 - threadIdx.x];
}

int main() {
  e2e::Checks checks("dynamic_lds");
  for (const unsigned per_group : {1u, 100u, 4096u, 16'384u}) {
    const unsigned groups = 3;
    auto want = e2e::random_values<unsigned>(static_cast<size_t>(groups) * per_group, per_group);
    e2e::DeviceArray<unsigned> dev(want);
    reverse<<<groups, kGroup, per_group * sizeof(unsigned)>>>(dev.get(), per_group);
    HIP_LAUNCHED();
    const auto before = want;
    for (unsigned g = 0; g < groups; ++g) {
      for (unsigned i = 0; i < per_group; ++i) {
        want[g * per_group + i] = before[g * per_group + per_group - 1 - i] + i;
      }
    }
    char name[32];
    std::snprintf(name, sizeof name, "reverse_%u", per_group);
    checks.equal(name, dev.download(), want);
  }

  const unsigned groups = 4;
  const auto in = e2e::random_values<unsigned char>(groups * kGroup, 61);
  e2e::DeviceArray<unsigned char> dev_in(in);
  e2e::DeviceArray<unsigned> dev_out(groups * kGroup);
  mixed<<<groups, kGroup, kGroup>>>(dev_in.get(), dev_out.get());
  HIP_LAUNCHED();
  std::vector<unsigned> want(groups * kGroup);
  for (unsigned g = 0; g < groups; ++g) {
    unsigned char shuffled[kGroup];
    unsigned total = 0;
    for (unsigned t = 0; t < kGroup; ++t) {
      shuffled[(t * 5) % kGroup] = in[g * kGroup + t];
    }
    for (unsigned t = 0; t < kGroup; ++t) {
      total += shuffled[t] * (t + 1u);
    }
    for (unsigned t = 0; t < kGroup; ++t) {
      want[g * kGroup + t] = total + shuffled[kGroup - 1 - t];
    }
  }
  checks.equal("mixed", dev_out.download(), want);
  return checks.finish();
}
