// __builtin_trap in a kernel: the queue goes into error and HIP aborts the process.
// e2e-exit: SIGABRT
// e2e-skip-7.2+: HIP 7 does not abort: some later call returns the error, and HIP prints what it finds in its queue
// e2e-stderr: HSA_STATUS_ERROR_EXCEPTION
#include "support/hip_check.hpp"

__global__ void maybe_trap(int* x, int limit) {
  if (x[threadIdx.x] > limit) {
    __builtin_trap();
  }
  x[threadIdx.x] += 1;
}

int main() {
  e2e::Checks checks("device_trap");
  e2e::DeviceArray<int> dev(std::vector<int>(64, 5));
  maybe_trap<<<1, 64>>>(dev.get(), 5);
  HIP_LAUNCHED();
  checks.equal("no_trap", dev.download(), std::vector<int>(64, 6));
  maybe_trap<<<1, 64>>>(dev.get(), 5);
  HIP_LAUNCHED();
  HIP_OK(hipDeviceSynchronize());
  std::printf("survived a trap\n");
  return checks.finish();
}
