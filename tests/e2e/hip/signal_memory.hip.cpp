// hipMallocSignalMemory: the value of a signal of the runtime's, which kernels may write. One launch counts
// once, whatever the number of passes; so does a launch that other work has changed the signal beside.
// e2e-candidates: ^add 6
#include "support/hip_check.hpp"

__global__ void add(unsigned long long* signal, unsigned long long by, unsigned* seen) {
  if (threadIdx.x == 0) {
    atomicAdd_system(signal, by);
    *seen += 1;
  }
}

int main() {
  e2e::Checks checks("signal_memory");
  unsigned long long* value = nullptr;
  HIP_OK(hipExtMallocWithFlags(reinterpret_cast<void**>(&value), sizeof *value, hipMallocSignalMemory));
  const e2e::DeviceArray<unsigned> launches(std::vector<unsigned>{0});
  HIP_OK(hipStreamWriteValue64(nullptr, value, 1000, 0));
  for (unsigned launch = 1; launch <= 3; ++launch) {
    add<<<1, 64>>>(value, launch, launches.get());
    HIP_LAUNCHED();
  }
  HIP_OK(hipDeviceSynchronize());
  checks.value("added_up", *static_cast<volatile unsigned long long*>(value), 1006ull);
  // What a launch adds is taken away again: nothing is left to be seen of a launch that ran twice.
  HIP_OK(hipStreamWriteValue64(nullptr, value, 0, 0));
  for (int launch = 0; launch < 3; ++launch) {
    add<<<1, 64>>>(value, launch == 1 ? ~0ull : 1ull, launches.get());
    HIP_LAUNCHED();
  }
  HIP_OK(hipDeviceSynchronize());
  checks.value("up_and_down", *static_cast<volatile unsigned long long*>(value), 1ull);
  checks.equal("launches", launches.download(), {6u});
  HIP_OK(hipFree(value));
  return checks.finish();
}
