// The demo application: an ordinary HIP program whose kernels are not idempotent, so it gives the right
// answer only if a replaying tool puts memory back between the passes. It knows nothing of libkreplay.
//
// Exit status: 0 and "verdict: PASS" when every result equals the host's, else 1 and "verdict: FAIL".
#include <hip/hip_runtime.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

__device__ uint32_t launches_seen;

namespace {

void check(hipError_t status, const char* what) {
  if (status == hipSuccess) return;
  std::fprintf(stderr, "demo: %s: %s\n", what, hipGetErrorString(status));
  std::exit(1);
}

/// y[i] += a * x[i]: in place, so every extra execution shows.
__global__ void saxpy(int n, float a, const float* x, float* y) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) y[i] += a * x[i];
}

/// Counts into bins with atomics, first in LDS, then in device memory.
__global__ void histogram(int n, const uint32_t* keys, uint32_t* bins) {
  __shared__ uint32_t local[64];
  if (threadIdx.x < 64) local[threadIdx.x] = 0;
  __syncthreads();
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) atomicAdd(&local[keys[i] & 63u], 1u);
  __syncthreads();
  if (threadIdx.x < 64 && local[threadIdx.x] != 0) atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);
}

/// Counts launches in a device variable.
__global__ void count_launch() {
  if (blockIdx.x == 0 && threadIdx.x == 0) launches_seen += 1;
}

}  // namespace

int main() {
  constexpr int kN = 1 << 14;
  constexpr int kRounds = 4;
  constexpr unsigned kBlock = 256;
  constexpr unsigned kGrid = (kN + kBlock - 1) / kBlock;

  std::vector<float> x(kN), y(kN), y_host(kN);
  std::vector<uint32_t> keys(kN), bins(64, 0), bins_host(64, 0);
  for (int i = 0; i < kN; ++i) {
    x[i] = static_cast<float>(i % 97) * 0.5f;
    y[i] = y_host[i] = static_cast<float>(i % 31);
    keys[i] = static_cast<uint32_t>(i) * 2654435761u >> 7;
  }

  float *dx = nullptr, *dy = nullptr;
  uint32_t *dkeys = nullptr, *dbins = nullptr;
  check(hipMalloc(&dx, kN * sizeof(float)), "hipMalloc x");
  check(hipMalloc(&dy, kN * sizeof(float)), "hipMalloc y");
  check(hipMalloc(&dkeys, kN * sizeof(uint32_t)), "hipMalloc keys");
  check(hipMalloc(&dbins, 64 * sizeof(uint32_t)), "hipMalloc bins");
  check(hipMemcpy(dx, x.data(), kN * sizeof(float), hipMemcpyHostToDevice), "copy x");
  check(hipMemcpy(dy, y.data(), kN * sizeof(float), hipMemcpyHostToDevice), "copy y");
  check(hipMemcpy(dkeys, keys.data(), kN * sizeof(uint32_t), hipMemcpyHostToDevice), "copy keys");
  check(hipMemset(dbins, 0, 64 * sizeof(uint32_t)), "clear bins");

  for (int round = 0; round < kRounds; ++round) {
    saxpy<<<kGrid, kBlock>>>(kN, 2.0f, dx, dy);
    histogram<<<kGrid, kBlock>>>(kN, dkeys, dbins);
    count_launch<<<1, 64>>>();
    for (int i = 0; i < kN; ++i) {
      y_host[i] += 2.0f * x[i];
      ++bins_host[keys[i] & 63u];
    }
  }
  check(hipDeviceSynchronize(), "synchronise");

  uint32_t seen = 0;
  check(hipMemcpy(y.data(), dy, kN * sizeof(float), hipMemcpyDeviceToHost), "copy y back");
  check(hipMemcpy(bins.data(), dbins, 64 * sizeof(uint32_t), hipMemcpyDeviceToHost), "copy bins back");
  check(hipMemcpyFromSymbol(&seen, HIP_SYMBOL(launches_seen), sizeof(seen)), "read launches_seen");

  bool good = true;
  for (int i = 0; i < kN && good; ++i)
    if (y[i] != y_host[i]) {
      std::printf("y[%d] is %g, expected %g\n", i, static_cast<double>(y[i]), static_cast<double>(y_host[i]));
      good = false;
    }
  for (int i = 0; i < 64 && good; ++i)
    if (bins[i] != bins_host[i]) {
      std::printf("bins[%d] is %u, expected %u\n", i, bins[i], bins_host[i]);
      good = false;
    }
  if (seen != kRounds) {
    std::printf("launches_seen is %u, expected %d\n", seen, kRounds);
    good = false;
  }
  check(hipFree(dx), "free x");
  check(hipFree(dy), "free y");
  check(hipFree(dkeys), "free keys");
  check(hipFree(dbins), "free bins");
  std::printf("verdict: %s\n", good ? "PASS" : "FAIL");
  return good ? 0 : 1;
}
