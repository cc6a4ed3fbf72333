// Three kernels; the inner loop of one has INNER rounds, so that two builds differ in that loop alone.
#include <hip/hip_runtime.h>

#include <cstdio>
#include <vector>

#ifndef INNER
#define INNER 1000
#endif

constexpr int kItems = 256;

__global__ void grown(float* data) {
  float value = data[threadIdx.x];
#pragma nounroll
  for (int i = 0; i < INNER; ++i) value = value * 0.5f + 1.0f;
  data[threadIdx.x] = value;
}

__global__ void unchanged_loop(float* data) {
  float value = data[threadIdx.x];
#pragma nounroll
  for (int i = 0; i < 500; ++i) value = value * 0.25f + 3.0f;
  data[threadIdx.x] = value;
}

__global__ void unchanged_copy(float* to, const float* from) { to[threadIdx.x] = from[threadIdx.x]; }

int main() {
  float* device = nullptr;
  if (hipMalloc(reinterpret_cast<void**>(&device), 2 * kItems * sizeof(float)) != hipSuccess) return 1;
  const std::vector<float> ones(2 * kItems, 1.0f);
  if (hipMemcpy(device, ones.data(), ones.size() * sizeof(float), hipMemcpyHostToDevice) != hipSuccess) return 1;
  for (int launch = 0; launch < 3; ++launch) {
    hipLaunchKernelGGL(grown, dim3(1), dim3(kItems), 0, nullptr, device);
    hipLaunchKernelGGL(unchanged_loop, dim3(1), dim3(kItems), 0, nullptr, device);
    hipLaunchKernelGGL(unchanged_copy, dim3(1), dim3(kItems), 0, nullptr, device + kItems, device);
  }
  float out = 0;
  if (hipMemcpy(&out, device + kItems, sizeof out, hipMemcpyDeviceToHost) != hipSuccess) return 1;
  std::printf("%g\n", out);
  return 0;
}
