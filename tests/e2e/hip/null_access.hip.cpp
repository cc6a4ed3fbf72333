// A store through a null pointer: the runtime reports the fault with its address and aborts the process; HIP 7 returns an
// error.
// e2e-exit: SIGABRT
// e2e-exit-7.2+: 5
// e2e-stderr-7.2+: (memory fault, write of 0x0)
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
  e2e::end_with_gpu_error();
}
