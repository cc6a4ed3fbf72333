// Source of sample_gfx906.hsaco:
//   clang++-15 -x hip --cuda-device-only --offload-arch=gfx906 -O2 --rocm-path=/usr
//     --rocm-device-lib-path=/usr/lib/x86_64-linux-gnu/amdgcn/bitcode sample.hip -o sample.bundle
//   clang-offload-bundler-15 -unbundle -type=o -targets=hipv4-amdgcn-amd-amdhsa--gfx906
//     -input=sample.bundle -output=sample_gfx906.hsaco
#include <hip/hip_runtime.h>

struct Pair {
  int count;
  float* data;
};

__device__ int counter = 3;
static __device__ int hidden[16];

__global__ void scale(float* x, float factor, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= factor;
}

__global__ void indirect(Pair pair) {
  if (threadIdx.x == 0) pair.data[0] += pair.count + atomicAdd(&counter, 1) + atomicAdd(&hidden[pair.count & 15], 2);
}

__global__ void talks(int n) { printf("%d\n", n); }
