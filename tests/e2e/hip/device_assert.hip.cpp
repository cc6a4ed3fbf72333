// A failed assert in a kernel: the message names it once, then the process aborts.
// e2e-exit: SIGABRT
// e2e-skip-7.2+: HIP 7 does not abort: some later call returns the error, and HIP prints what it finds in its queue
// e2e-stderr: Device-side assertion .*failed
#include <cassert>

#include "support/hip_check.hpp"

#undef NDEBUG
__global__ void check_all(const int* in, int* out) {
  assert(in[threadIdx.x] != 37);
  out[threadIdx.x] = in[threadIdx.x];
}

int main() {
  e2e::Checks checks("device_assert");
  std::vector<int> in(64);
  for (int i = 0; i < 64; ++i) {
    in[i] = i + 100;
  }
  e2e::DeviceArray<int> dev(in);
  e2e::DeviceArray<int> out(64);
  check_all<<<1, 64>>>(dev.get(), out.get());
  HIP_LAUNCHED();
  checks.equal("holds", out.download(), in);
  in[5] = 37;
  dev.upload(in);
  check_all<<<1, 64>>>(dev.get(), out.get());
  HIP_LAUNCHED();
  HIP_OK(hipDeviceSynchronize());
  std::printf("survived a failed assert\n");
  return checks.finish();
}
