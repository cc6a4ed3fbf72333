// Kernels of hip_test.cpp: ordinary HIP code whose results the host can compute. The code objects
// kernels_oN.co are made of this file by ./build.sh.
#include <hip/hip_fp16.h>
#include <hip/hip_runtime.h>

extern "C" __global__ void vec_ops(const float* a, const float* b, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = a[i] * b[i] + (a[i] - b[i]) / (1.0f + b[i] * b[i]);
}
extern "C" __global__ void reduce(const int* in, int* out, int n) {
  __shared__ int part[256];
  int t = threadIdx.x, sum = 0;
  for (int i = blockIdx.x * blockDim.x + t; i < n; i += gridDim.x * blockDim.x) sum += in[i];
  part[t] = sum;
  __syncthreads();
  for (int s = blockDim.x / 2; s > 0; s >>= 1) {
    if (t < s) part[t] += part[t + s];
    __syncthreads();
  }
  if (t == 0) atomicAdd(out, part[0]);
}
extern "C" __global__ void histogram(const unsigned char* in, unsigned* out, int n) {
  __shared__ unsigned bins[256];
  bins[threadIdx.x] = 0;
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += blockDim.x) atomicAdd(&bins[in[i]], 1u);
  __syncthreads();
  atomicAdd(&out[threadIdx.x], bins[threadIdx.x]);
}
extern "C" __global__ void private_array(const int* in, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int a[16];
  for (int k = 0; k < 16; ++k) a[k] = in[i] * (k + 1);
  for (int k = 0; k < 16; ++k) {
    int j = (in[i] + k * 7) & 15;
    int tmp = a[k];
    a[k] = a[j];
    a[j] = tmp;
  }
  long long h = 0;
  for (int k = 0; k < 16; ++k) h = h * 31 + a[k];
  if (i < n) out[i] = (int)(h ^ (h >> 32));
}
extern "C" __global__ void shuffles(const int* in, int* out) {
  int i = threadIdx.x, v = in[i];
  for (int d = 32; d > 0; d >>= 1) v += __shfl_down(v, d);
  int w = __shfl_xor(in[i], 5) + __shfl(in[i], 17) + __shfl_up(in[i], 3);
  unsigned long long b = __ballot(in[i] & 1);
  out[i] = (i == 0 ? v : 0) + w * 3 + (int)__popcll(b);
}
extern "C" __global__ void doubles(const double* a, const double* b, double* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = sqrt(a[i] * a[i] + b[i] * b[i]) / (b[i] + 3.0) + fma(a[i], b[i], -1.0) + floor(a[i]);
}
extern "C" __global__ void integers(const int* a, const int* b, long long* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int x = a[i], y = b[i] | 1;
  long long r = (long long)x * y;
  r += x / y;
  r = r * 7 + x % y;
  r ^= (unsigned)x / (unsigned)y;
  r += r / (y + 12345678901ll);
  r ^= (long long)__clz(x) << 40;
  r += __popc(y);
  r ^= (r >> 13);
  r += __brev(x);
  r += (unsigned long long)r % 1000003;
  out[i] = r + min(x, y) * max(x, y) + abs(x);
}
extern "C" __global__ void maths(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = sinf(in[i]) + expf(in[i] * 0.1f) + logf(fabsf(in[i]) + 1.0f) + powf(fabsf(in[i]), 0.3f) +
             rsqrtf(in[i] * in[i] + 1.0f);
}
extern "C" __global__ void halves(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  __half h = __float2half(in[i]);
  h = __hadd(__hmul(h, h), __float2half(0.5f));
  __half2 p = __halves2half2(h, __float2half(2.0f));
  p = __hfma2(p, p, p);
  out[i] = __half2float(__low2half(p)) + __half2float(__high2half(p));
}
__device__ __attribute__((noinline)) int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
__device__ __attribute__((noinline)) int twice(int n) { return n * 2; }
__device__ __attribute__((noinline)) int plus9(int n) { return n + 9; }
extern "C" __global__ void calls(const int* in, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int (*f)(int) = (in[i] & 1) ? twice : plus9;
  if (i < n) out[i] = f(in[i]) + fib(in[i] & 7);
}
extern "C" __global__ void grid3(int* out, int w, int h, int d) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y,
      z = blockIdx.z * blockDim.z + threadIdx.z;
  if (x < w && y < h && z < d)
    out[(z * h + y) * w + x] = x + 100 * y + 10000 * z + (int)(blockDim.x * gridDim.y);
}
extern "C" __global__ void atomics(int* i32, unsigned long long* u64, float* f32, double* f64) {
  int t = threadIdx.x + blockIdx.x * blockDim.x;
  atomicMax(&i32[0], t);
  atomicMin(&i32[1], -t);
  atomicXor(&i32[2], t);
  atomicCAS(&i32[3], 0, t + 1);
  atomicAdd(&u64[0], 0x100000001ull);
  atomicMax(&u64[1], (unsigned long long)t << 33);
  atomicAdd(f32, 0.5f);
  atomicAdd(f64, 0.25);
}
struct Big {
  short s[3];
  char c;
  float f;
};
extern "C" __global__ void structs(const Big* in, Big* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  Big b = in[i];
  switch (b.c & 7) {
    case 0:
      b.f += 1;
      break;
    case 1:
      b.f *= 2;
      break;
    case 2:
      b.s[0] += b.s[1];
      break;
    case 3:
      b.s[2] -= 5;
      break;
    case 5:
      b.c ^= 0x55;
      break;
    default:
      b.f = -b.f;
  }
  out[i] = b;
}
