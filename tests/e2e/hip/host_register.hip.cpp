// hipHostRegister: ordinary heap pages seen by the GPU under another address, written in place by kernels.
// e2e-candidates: ^scale_and_add 6
#include <memory>

#include "support/hip_check.hpp"

__global__ void scale_and_add(unsigned* x, const unsigned* y, unsigned count) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) {
    x[i] = x[i] * 3u + y[i];
  }
}

int main() {
  e2e::Checks checks("host_register");
  // Whole pages, part of a page, and an odd offset inside a larger block.
  const unsigned counts[] = {4'096, 300, 2'500};
  const unsigned offsets[] = {0, 0, 37};
  for (int k = 0; k < 3; ++k) {
    const unsigned count = counts[k];
    std::vector<unsigned> block =
        e2e::random_values<unsigned>(count + 1'024, 111u + static_cast<unsigned>(k));
    unsigned* host = block.data() + offsets[k];
    std::vector<unsigned> want = block;
    const auto y = e2e::random_values<unsigned>(count, 112);
    e2e::DeviceArray<unsigned> dev_y(y);
    HIP_OK(hipHostRegister(host, count * sizeof(unsigned), hipHostRegisterMapped));
    unsigned* device_view = nullptr;
    HIP_OK(hipHostGetDevicePointer(reinterpret_cast<void**>(&device_view), host, 0));
    for (int launch = 0; launch < 2; ++launch) {
      scale_and_add<<<e2e::groups_for(count, 128), 128>>>(device_view, dev_y.get(), count);
      HIP_LAUNCHED();
      for (unsigned i = 0; i < count; ++i) {
        want[offsets[k] + i] = want[offsets[k] + i] * 3u + y[i];
      }
    }
    HIP_OK(hipDeviceSynchronize());
    char name[32];
    std::snprintf(name, sizeof name, "registered_%u", count);
    checks.equal(name, block, want);
    // Copies in both directions with registered memory as one side.
    HIP_OK(hipMemcpy(dev_y.get(), host, count * sizeof(unsigned), hipMemcpyHostToDevice));
    std::snprintf(name, sizeof name, "copied_%u", count);
    checks.equal(name, dev_y.download(), std::vector<unsigned>(host, host + count));
    HIP_OK(hipHostUnregister(host));
  }
  return checks.finish();
}
