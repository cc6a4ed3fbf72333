// Device properties, free memory before and after allocations, running out of memory and going on after it.
// e2e-replayed: ^fill 1
#include "support/hip_check.hpp"

__global__ void fill(unsigned* x, unsigned value) { x[blockIdx.x * blockDim.x + threadIdx.x] += value; }

int main() {
  e2e::Checks checks("memory_info");
  hipDeviceProp_t properties{};
  HIP_OK(hipGetDeviceProperties(&properties, 0));
  std::printf("architecture %s, wavefront %d, compute units %d\n", properties.gcnArchName,
              properties.warpSize, properties.multiProcessorCount);
  checks.value("wavefront", properties.warpSize, 64);
  checks.that("compute_units", properties.multiProcessorCount > 0);
  checks.that("lds", properties.sharedMemPerBlock >= 64 * 1024);

  size_t free_before = 0;
  size_t total = 0;
  HIP_OK(hipMemGetInfo(&free_before, &total));
  checks.that("free_is_in_total", free_before > 0 && free_before <= total);
  const size_t size = 64u << 20;
  void* block = nullptr;
  HIP_OK(hipMalloc(&block, size));
  size_t free_with = 0;
  HIP_OK(hipMemGetInfo(&free_with, &total));
  checks.that("allocation_counts", free_with <= free_before - size);

  void* impossible = nullptr;
  const hipError_t status = hipMalloc(&impossible, total * 2);
  checks.value("out_of_memory", static_cast<int>(status), static_cast<int>(hipErrorOutOfMemory));
  (void)hipGetLastError();

  auto* x = static_cast<unsigned*>(block);
  HIP_OK(hipMemset(x, 0, 4096));
  fill<<<4, 256>>>(x, 9);
  HIP_LAUNCHED();
  std::vector<unsigned> got(1024);
  HIP_OK(hipMemcpy(got.data(), x, 4096, hipMemcpyDeviceToHost));
  checks.equal("after_failure", got, std::vector<unsigned>(1024, 9));
  size_t free_before_release = 0;  // the launch took memory of its own: queue, code, scratch
  size_t free_after = 0;
  HIP_OK(hipMemGetInfo(&free_before_release, &total));
  HIP_OK(hipFree(block));
  HIP_OK(hipMemGetInfo(&free_after, &total));
  checks.that("free_counts", free_after >= free_before_release + size);
  return checks.finish();
}
