// Vector addition and an in-place update: the first program that has to work.
// e2e-replayed: ^add 1
// e2e-replayed: ^accumulate 3
#include "support/hip_check.hpp"

__global__ void add(const float* a, const float* b, float* c, int count) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < count) {
    c[i] = a[i] + b[i];
  }
}

__global__ void accumulate(float* x, const float* y, int count) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < count) {
    x[i] += y[i];
  }
}

int main() {
  e2e::Checks checks("vector_add");
  const int count = 10'007;
  const auto a = e2e::random_values<float>(count, 1);
  const auto b = e2e::random_values<float>(count, 2);
  e2e::DeviceArray<float> dev_a(a);
  e2e::DeviceArray<float> dev_b(b);
  e2e::DeviceArray<float> dev_c(count);

  add<<<e2e::groups_for(count, 256), 256>>>(dev_a.get(), dev_b.get(), dev_c.get(), count);
  HIP_LAUNCHED();
  std::vector<float> want(count);
  for (int i = 0; i < count; ++i) {
    want[i] = a[i] + b[i];
  }
  checks.equal("add", dev_c.download(), want);

  for (int launch = 0; launch < 3; ++launch) {
    accumulate<<<e2e::groups_for(count, 192), 192>>>(dev_c.get(), dev_a.get(), count);
    HIP_LAUNCHED();
    for (int i = 0; i < count; ++i) {
      want[i] += a[i];
    }
  }
  checks.equal("accumulate", dev_c.download(), want);
  checks.equal("input_untouched", dev_a.download(), a);
  return checks.finish();
}
