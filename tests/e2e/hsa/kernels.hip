// Kernels of the HSA programs, compiled to a plain code object (no offload bundle). They use no hidden
// arguments and take their ids from the dispatch packet.
#include <hip/hip_runtime.h>

/// Workgroups of 64.
extern "C" __global__ void in_place(unsigned* x, const unsigned* y, unsigned count) {
  // The workgroup size is written out, as blockDim is smaller in a partial last workgroup, which HIP never
  // launches but HSA does.
  const unsigned i = blockIdx.x * 64u + threadIdx.x;
  if (i < count) {
    x[i] = x[i] * 3u + y[i];
  }
}

extern "C" __global__ void append(unsigned* log, unsigned value) {
  // log[0] is the length: shows in which order dispatches ran, and how often.
  if (threadIdx.x == 0 && blockIdx.x == 0) {
    log[1 + log[0] % 1000u] = value;
    log[0] += 1;
  }
}

extern "C" {
__device__ unsigned counter;
}

extern "C" __global__ void count_up(unsigned by) { atomicAdd(&counter, by); }

extern "C" __global__ void wait_for_host(unsigned* flag, unsigned* x) {
  if (threadIdx.x == 0) {
    while (__hip_atomic_load(flag, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_SYSTEM) == 0) {
      __builtin_amdgcn_s_sleep(8);
    }
    x[0] += 1;
  }
}
