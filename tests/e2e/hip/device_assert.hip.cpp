// A failed assert in a kernel: the message names it once, then the process aborts; HIP 7 returns an error.
// e2e-exit: SIGABRT
// e2e-exit-7.2+: 5
// e2e-ignore-7.2+: rptr=\d+, wptr=\d+
// e2e-stderr-7.2+: Device-side assertion .*failed|^:0:rocdevice.*HSA_STATUS_ERROR_EXCEPTION
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
  e2e::end_with_gpu_error();
}
