// __builtin_trap in a kernel: the queue goes into error and HIP aborts the process or, from 7 on, returns it.
// e2e-exit: SIGABRT
// e2e-exit-7.2+: 5
// e2e-ignore-7.2+: rptr=\d+, wptr=\d+
// e2e-stderr: rocdevice.*HSA_STATUS_ERROR_EXCEPTION
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
  e2e::end_with_gpu_error();
}
