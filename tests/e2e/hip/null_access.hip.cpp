// A store through a null pointer: the runtime reports the fault with its address and aborts the process.
// e2e-exit: SIGABRT
// e2e-skip-7.2+: HIP 7 does not abort: some later call returns the error, and HIP prints what it finds in its queue
// e2e-stderr: Memory access fault by GPU node
#include "support/hip_check.hpp"

__global__ void store(int* x) { x[threadIdx.x] = 1; }

int main() {
  e2e::Checks checks("null_access");
  e2e::DeviceArray<int> dev(64);
  store<<<1, 64>>>(dev.get());
  HIP_LAUNCHED();
  checks.equal("valid", dev.download(), std::vector<int>(64, 1));
  store<<<1, 64>>>(nullptr);
  HIP_LAUNCHED();
  HIP_OK(hipDeviceSynchronize());
  std::printf("survived a null store\n");
  return checks.finish();
}
