// Calls on the device: functions kept out of line, function pointers chosen per lane, virtual functions of
// objects made on the device, recursion with data-dependent depth.
// e2e-hipcc: --hipcc-func-supp
// e2e-replayed: ^by_pointer 1
// e2e-replayed: ^by_virtual 1
// e2e-replayed: ^recursive 1
#include <new>

#include "support/hip_check.hpp"

using Operation = unsigned (*)(unsigned, unsigned);

__host__ __device__ __attribute__((noinline)) unsigned op_add(unsigned a, unsigned b) { return a + b; }
__host__ __device__ __attribute__((noinline)) unsigned op_mul(unsigned a, unsigned b) { return a * b; }
__host__ __device__ __attribute__((noinline)) unsigned op_xor(unsigned a, unsigned b) { return (a ^ b) + 1u; }

__device__ Operation device_operations[3] = {op_add, op_mul, op_xor};

__global__ void by_pointer(unsigned* x, const unsigned* y, unsigned count) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) {
    x[i] = device_operations[y[i] % 3u](x[i], y[i]);
  }
}

struct Shape {
  __host__ __device__ virtual unsigned area(unsigned scale) const = 0;
};
struct Square : Shape {
  unsigned side;
  __host__ __device__ explicit Square(unsigned s) : side(s) {}
  __host__ __device__ unsigned area(unsigned scale) const override { return side * side * scale; }
};
struct Strip : Shape {
  unsigned width, height;
  __host__ __device__ Strip(unsigned w, unsigned h) : width(w), height(h) {}
  __host__ __device__ unsigned area(unsigned scale) const override { return width * height + scale; }
};

__global__ void by_virtual(const unsigned* y, unsigned* x, unsigned count) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) {
    return;
  }
  Square square(y[i] % 100u);
  Strip strip(i, 3);
  const Shape* shapes[2] = {&square, &strip};
  x[i] += shapes[y[i] / 7u % 2u]->area(i);
}

__host__ __device__ __attribute__((noinline)) unsigned descend(unsigned n, unsigned seed) {
  if (n < 2) {
    return seed + n;
  }
  return descend(n - 1, seed * 3u) + descend(n - 2, seed ^ n);
}

__global__ void recursive(const unsigned* y, unsigned* x, unsigned count) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) {
    x[i] += descend(y[i] % 7u, i);
  }
}

int main() {
  e2e::Checks checks("device_calls");
  const unsigned count = 500;
  auto x = e2e::random_values<unsigned>(count, 211);
  const auto y = e2e::random_values<unsigned>(count, 212);
  e2e::DeviceArray<unsigned> dev_x(x);
  e2e::DeviceArray<unsigned> dev_y(y);
  const unsigned groups = e2e::groups_for(count, 128);

  by_pointer<<<groups, 128>>>(dev_x.get(), dev_y.get(), count);
  HIP_LAUNCHED();
  const Operation operations[3] = {op_add, op_mul, op_xor};
  for (unsigned i = 0; i < count; ++i) {
    x[i] = operations[y[i] % 3u](x[i], y[i]);
  }
  checks.equal("function_pointers", dev_x.download(), x);

  by_virtual<<<groups, 128>>>(dev_y.get(), dev_x.get(), count);
  HIP_LAUNCHED();
  for (unsigned i = 0; i < count; ++i) {
    const unsigned side = y[i] % 100u;
    x[i] += y[i] / 7u % 2u == 0 ? side * side * i : i * 3u + i;
  }
  checks.equal("virtual_functions", dev_x.download(), x);

  recursive<<<groups, 128>>>(dev_y.get(), dev_x.get(), count);
  HIP_LAUNCHED();
  for (unsigned i = 0; i < count; ++i) {
    x[i] += descend(y[i] % 7u, i);
  }
  checks.equal("recursion", dev_x.download(), x);
  return checks.finish();
}
