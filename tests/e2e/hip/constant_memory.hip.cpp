// __constant__ and __device__ variables: initial values, copies to and from symbols at offsets, addresses
// taken by the host, a pointer to device memory kept in a constant.
// e2e-replayed: ^use 3
#include "support/hip_check.hpp"

__constant__ unsigned table[256];
__constant__ float factors[4] = {0.5f, 2.0f, -1.0f, 8.0f};
__constant__ const unsigned* pointer;
__device__ unsigned state[16] = {1, 2, 3, 4};
__device__ double sum = 0.25;

__global__ void use(float* out, unsigned count) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) {
    out[i] = static_cast<float>(table[i % 256u] & 0xffffu) * factors[i % 4u] +
             static_cast<float>(pointer[i] & 0xffu);
  }
  if (i < 16) {
    state[i] = state[i] * 2u + i;
  }
  if (i == 0) {
    sum += 1.5;
  }
}

int main() {
  e2e::Checks checks("constant_memory");
  const unsigned count = 1'000;
  auto host_table = e2e::random_values<unsigned>(256, 241);
  const auto data = e2e::random_values<unsigned>(count, 242);
  e2e::DeviceArray<unsigned> dev_data(data);
  HIP_OK(hipMemcpyToSymbol(HIP_SYMBOL(table), host_table.data(), 256 * sizeof(unsigned)));
  const unsigned* address = dev_data.get();
  HIP_OK(hipMemcpyToSymbol(HIP_SYMBOL(pointer), &address, sizeof address));
  e2e::DeviceArray<float> dev_out(count);
  float factor[4] = {0.5f, 2.0f, -1.0f, 8.0f};
  std::vector<unsigned> host_state(16, 0);
  for (unsigned i = 0; i < 4; ++i) {
    host_state[i] = i + 1;
  }
  double host_sum = 0.25;
  for (unsigned round = 0; round < 3; ++round) {
    use<<<e2e::groups_for(count, 128), 128>>>(dev_out.get(), count);
    HIP_LAUNCHED();
    std::vector<float> want(count);
    for (unsigned i = 0; i < count; ++i) {
      want[i] = static_cast<float>(host_table[i % 256] & 0xffffu) * factor[i % 4] +
                static_cast<float>(data[i] & 0xffu);
    }
    checks.equal("out", dev_out.download(), want);
    for (unsigned i = 0; i < 16; ++i) {
      host_state[i] = host_state[i] * 2u + i;
    }
    host_sum += 1.5;
    // Parts of the symbols change between launches.
    host_table[17 + round] = 4711 + round;
    HIP_OK(hipMemcpyToSymbol(HIP_SYMBOL(table), &host_table[17 + round], sizeof(unsigned),
                             (17 + round) * sizeof(unsigned)));
    factor[1] += 1.0f;
    HIP_OK(hipMemcpyToSymbol(HIP_SYMBOL(factors), factor, sizeof factor));
  }
  std::vector<unsigned> state_back(16);
  HIP_OK(hipMemcpyFromSymbol(state_back.data(), HIP_SYMBOL(state), 16 * sizeof(unsigned)));
  checks.equal("device_variable", state_back, host_state);
  void* where = nullptr;
  size_t size = 0;
  HIP_OK(hipGetSymbolAddress(&where, HIP_SYMBOL(sum)));
  HIP_OK(hipGetSymbolSize(&size, HIP_SYMBOL(sum)));
  checks.value("symbol_size", size, sizeof(double));
  double sum_back = 0;
  HIP_OK(hipMemcpy(&sum_back, where, sizeof sum_back, hipMemcpyDeviceToHost));
  checks.value("symbol_by_address", sum_back, host_sum);
  return checks.finish();
}
