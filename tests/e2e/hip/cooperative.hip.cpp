// Cooperative launch: phases separated by grid.sync(), where each workgroup reads what others wrote. All
// workgroups must be resident at once, so the grid is the largest that the runtime allows, and a small one.
// e2e-candidates: ^phases 2
#include <algorithm>

#include "support/hip_check.hpp"
// Needs the runtime header before it.
#include <hip/hip_cooperative_groups.h>

__global__ void phases(unsigned* a, unsigned* b, unsigned count, unsigned rounds) {
  const cooperative_groups::grid_group grid = cooperative_groups::this_grid();
  const unsigned size = gridDim.x * blockDim.x;
  const unsigned first = blockIdx.x * blockDim.x + threadIdx.x;
  for (unsigned round = 0; round < rounds; ++round) {
    for (unsigned i = first; i < count; i += size) {
      b[i] = a[(i * 7u + 13u) % count] + round;
    }
    grid.sync();
    for (unsigned i = first; i < count; i += size) {
      a[i] = a[i] * 3u + b[count - 1 - i];
    }
    grid.sync();
  }
}

int main() {
  e2e::Checks checks("cooperative");
  int supported = 0;
  HIP_OK(hipDeviceGetAttribute(&supported, hipDeviceAttributeCooperativeLaunch, 0));
  checks.that("supported", supported != 0);
  int per_cu = 0;
  hipDeviceProp_t properties{};
  HIP_OK(hipGetDeviceProperties(&properties, 0));
  HIP_OK(hipOccupancyMaxActiveBlocksPerMultiprocessor(&per_cu, phases, 64, 0));
  const unsigned most = static_cast<unsigned>(std::min(per_cu * properties.multiProcessorCount, 40));
  checks.that("occupancy", per_cu > 0);

  unsigned count = 3'000;
  auto a = e2e::random_values<unsigned>(count, 171);
  std::vector<unsigned> b(count, 0);
  e2e::DeviceArray<unsigned> dev_a(a);
  e2e::DeviceArray<unsigned> dev_b(b);
  for (const unsigned groups : {3u, most}) {
    unsigned* arg_a = dev_a.get();
    unsigned* arg_b = dev_b.get();
    unsigned rounds = 4;
    void* args[] = {&arg_a, &arg_b, &count, &rounds};
    HIP_OK(hipLaunchCooperativeKernel(reinterpret_cast<void*>(phases), dim3(groups), dim3(64), args, 0,
                                      nullptr));
    HIP_OK(hipDeviceSynchronize());
    for (unsigned round = 0; round < rounds; ++round) {
      for (unsigned i = 0; i < count; ++i) {
        b[i] = a[(i * 7u + 13u) % count] + round;
      }
      for (unsigned i = 0; i < count; ++i) {
        a[i] = a[i] * 3u + b[count - 1 - i];
      }
    }
    checks.equal("a", dev_a.download(), a);
    checks.equal("b", dev_b.download(), b);
  }
  return checks.finish();
}
