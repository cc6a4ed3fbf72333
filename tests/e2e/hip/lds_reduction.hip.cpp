// Workgroup reductions in LDS: tree with barriers, LDS atomics, and a histogram merged with global atomics.
// e2e-replayed: ^tree_sum 1
// e2e-replayed: ^histogram 2
#include "support/hip_check.hpp"

constexpr unsigned kGroup = 256;
constexpr unsigned kBins = 64;

__global__ void tree_sum(const float* in, float* out, unsigned count) {
  __shared__ float part[kGroup];
  const unsigned t = threadIdx.x;
  const unsigned i = blockIdx.x * kGroup + t;
  part[t] = i < count ? in[i] : 0.0f;
  __syncthreads();
  for (unsigned step = kGroup / 2; step > 0; step /= 2) {
    if (t < step) {
      part[t] += part[t + step];
    }
    __syncthreads();
  }
  if (t == 0) {
    out[blockIdx.x] = part[0];
  }
}

__global__ void histogram(const unsigned* in, unsigned* bins, unsigned count) {
  __shared__ unsigned local[kBins];
  __shared__ unsigned largest;
  const unsigned t = threadIdx.x;
  if (t < kBins) {
    local[t] = 0;
  }
  if (t == 0) {
    largest = 0;
  }
  __syncthreads();
  for (unsigned i = blockIdx.x * kGroup + t; i < count; i += gridDim.x * kGroup) {
    atomicAdd(&local[in[i] % kBins], 1u);
    atomicMax(&largest, in[i] >> 8);
  }
  __syncthreads();
  if (t < kBins) {
    atomicAdd(&bins[t], local[t]);
  }
  if (t == 0) {
    atomicMax(&bins[kBins], largest);
  }
}

int main() {
  e2e::Checks checks("lds_reduction");
  const unsigned count = 5'000;
  const unsigned groups = e2e::groups_for(count, kGroup);
  const auto in = e2e::random_values<float>(count, 11);
  e2e::DeviceArray<float> dev_in(in);
  e2e::DeviceArray<float> dev_out(groups);
  tree_sum<<<groups, kGroup>>>(dev_in.get(), dev_out.get(), count);
  HIP_LAUNCHED();
  std::vector<float> want(groups);
  for (unsigned b = 0; b < groups; ++b) {
    float part[kGroup];
    for (unsigned t = 0; t < kGroup; ++t) {
      part[t] = b * kGroup + t < count ? in[b * kGroup + t] : 0.0f;
    }
    for (unsigned step = kGroup / 2; step > 0; step /= 2) {
      for (unsigned t = 0; t < step; ++t) {
        part[t] += part[t + step];
      }
    }
    want[b] = part[0];
  }
  checks.equal("tree_sum", dev_out.download(), want);

  const auto keys = e2e::random_values<unsigned>(count, 12);
  e2e::DeviceArray<unsigned> dev_keys(keys);
  e2e::DeviceArray<unsigned> dev_bins(kBins + 1);
  dev_bins.clear();
  std::vector<unsigned> want_bins(kBins + 1, 0);
  for (int launch = 0; launch < 2; ++launch) {
    histogram<<<5, kGroup>>>(dev_keys.get(), dev_bins.get(), count);
    HIP_LAUNCHED();
    for (unsigned key : keys) {
      ++want_bins[key % kBins];
      want_bins[kBins] = std::max(want_bins[kBins], key >> 8);
    }
  }
  checks.equal("histogram", dev_bins.download(), want_bins);
  return checks.finish();
}
