// hipMallocManaged and __managed__ variables: host and device take turns on the same bytes.
// e2e-candidates: ^step 6
// e2e-candidates: ^bump 2
#include "support/hip_check.hpp"

__managed__ unsigned counter = 41;

__global__ void step(unsigned* x, unsigned count) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) {
    x[i] = x[i] * 5u + i;
  }
}

__global__ void bump() { atomicAdd(&counter, 1u); }

int main() {
  e2e::Checks checks("managed");
  const unsigned count = 2'222;
  unsigned* x = nullptr;
  HIP_OK(hipMallocManaged(reinterpret_cast<void**>(&x), count * sizeof(unsigned)));
  std::vector<unsigned> want = e2e::random_values<unsigned>(count, 121);
  std::memcpy(x, want.data(), count * sizeof(unsigned));
  for (int round = 0; round < 3; ++round) {
    for (int launch = 0; launch < 2; ++launch) {
      step<<<e2e::groups_for(count, 256), 256>>>(x, count);
      HIP_LAUNCHED();
      for (unsigned i = 0; i < count; ++i) {
        want[i] = want[i] * 5u + i;
      }
    }
    HIP_OK(hipDeviceSynchronize());
    checks.equal("managed", std::vector<unsigned>(x, x + count), want);
    x[round] = want[round] = 77;  // the host's turn
  }
  HIP_OK(hipFree(x));

  for (int launch = 0; launch < 2; ++launch) {
    bump<<<3, 64>>>();
    HIP_LAUNCHED();
    HIP_OK(hipDeviceSynchronize());
    counter += 1000;
  }
  checks.value("managed_variable", static_cast<unsigned>(counter), 41u + 2u * (192u + 1000u));
  return checks.finish();
}
