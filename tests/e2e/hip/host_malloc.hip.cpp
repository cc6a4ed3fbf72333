// hipHostMalloc: kernels read and write pinned host memory, plain, mapped and write-combined. The in-place
// update of host memory must happen once per launch, however often the launch is replayed.
// e2e-candidates: ^twice 1
// e2e-candidates: ^increment 4
#include "support/hip_check.hpp"

__global__ void twice(const int* in, int* out, int count) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < count) {
    out[i] = 2 * in[i];
  }
}

__global__ void increment(int* x, int count) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < count) {
    x[i] += i + 1;
  }
}

int main() {
  e2e::Checks checks("host_malloc");
  const int count = 3'000;
  int* mapped = nullptr;
  int* coherent = nullptr;
  int* combined = nullptr;
  HIP_OK(hipHostMalloc(reinterpret_cast<void**>(&mapped), count * sizeof(int), hipHostMallocMapped));
  HIP_OK(hipHostMalloc(reinterpret_cast<void**>(&coherent), count * sizeof(int), hipHostMallocCoherent));
  HIP_OK(hipHostMalloc(reinterpret_cast<void**>(&combined), count * sizeof(int),
                       hipHostMallocMapped | hipHostMallocWriteCombined));
  const auto in = e2e::random_values<int>(count, 101);
  std::vector<int> want(count);
  for (int i = 0; i < count; ++i) {
    mapped[i] = in[i] / 4;
    coherent[i] = i;
    combined[i] = -i;
  }

  int* device_view = nullptr;
  HIP_OK(hipHostGetDevicePointer(reinterpret_cast<void**>(&device_view), mapped, 0));
  e2e::DeviceArray<int> dev_out(count);
  twice<<<e2e::groups_for(count, 256), 256>>>(device_view, dev_out.get(), count);
  HIP_LAUNCHED();
  for (int i = 0; i < count; ++i) {
    want[i] = in[i] / 4 * 2;
  }
  checks.equal("read_host", dev_out.download(), want);

  increment<<<e2e::groups_for(count, 256), 256>>>(device_view, count);
  HIP_LAUNCHED();
  increment<<<e2e::groups_for(count, 256), 256>>>(coherent, count);
  HIP_LAUNCHED();
  increment<<<e2e::groups_for(count, 256), 256>>>(combined, count);
  HIP_LAUNCHED();
  increment<<<e2e::groups_for(count, 256), 256>>>(coherent, count);
  HIP_LAUNCHED();
  HIP_OK(hipDeviceSynchronize());
  for (int i = 0; i < count; ++i) {
    want[i] = in[i] / 4 + i + 1;
  }
  checks.equal("write_mapped", std::vector<int>(mapped, mapped + count), want);
  for (int i = 0; i < count; ++i) {
    want[i] = 3 * i + 2;
  }
  checks.equal("write_coherent_twice", std::vector<int>(coherent, coherent + count), want);
  checks.equal("write_combined", std::vector<int>(combined, combined + count), std::vector<int>(count, 1));

  hipPointerAttribute_t attributes{};
  HIP_OK(hipPointerGetAttributes(&attributes, mapped));
  int version = 0;  // HIP 6 numbers the kinds of memory anew
  HIP_OK(hipRuntimeGetVersion(&version));
  const int host_type = version >= 60'000'000 ? 1 : static_cast<int>(hipMemoryTypeHost);
  checks.that("is_host_memory",
              static_cast<int>(attributes.memoryType) == host_type && attributes.hostPointer == mapped);
  HIP_OK(hipHostFree(mapped));
  HIP_OK(hipHostFree(coherent));
  HIP_OK(hipHostFree(combined));
  return checks.finish();
}
