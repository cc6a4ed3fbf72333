// Six host threads, each on its own stream, mix kernels, copies, fills, allocations and frees of many sizes;
// all share one atomic counter. Nobody's work may be lost or rolled back by a neighbour's.
// e2e-replayed: ^work 60
#include <thread>

#include "support/hip_check.hpp"

constexpr unsigned kThreads = 6;
constexpr unsigned kRounds = 12;

__device__ unsigned long long shared_total = 0;

__global__ void work(unsigned* x, const unsigned* y, unsigned count) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) {
    x[i] = x[i] * 3u + y[i];
    atomicAdd(&shared_total, 1ull);
  }
}

namespace {

struct Result {
  std::vector<unsigned> got, want;
  unsigned long long items = 0;
};

void run_thread(unsigned id, Result& result) {
  hipStream_t stream;
  HIP_OK(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking));
  for (unsigned round = 0; round < kRounds; ++round) {
    const unsigned count = 257u + 911u * ((id * 5u + round * 3u) % 7u);
    auto x = e2e::random_values<unsigned>(count, id * 1000u + round);
    const auto y = e2e::random_values<unsigned>(count, id * 2000u + round);
    unsigned* dev_x = nullptr;
    unsigned* dev_y = nullptr;
    HIP_OK(hipMalloc(reinterpret_cast<void**>(&dev_x), count * sizeof(unsigned)));
    HIP_OK(hipMalloc(reinterpret_cast<void**>(&dev_y), count * sizeof(unsigned)));
    HIP_OK(hipMemcpyAsync(dev_x, x.data(), count * sizeof(unsigned), hipMemcpyHostToDevice, stream));
    HIP_OK(hipMemcpyAsync(dev_y, y.data(), count * sizeof(unsigned), hipMemcpyHostToDevice, stream));
    work<<<e2e::groups_for(count, 256), 256, 0, stream>>>(dev_x, dev_y, count);
    HIP_LAUNCHED();
    HIP_OK(hipMemsetAsync(dev_y, static_cast<int>(round), count * sizeof(unsigned), stream));
    work<<<e2e::groups_for(count, 64), 64, 0, stream>>>(dev_x, dev_y, count);
    HIP_LAUNCHED();
    const size_t at = result.got.size();
    result.got.resize(at + count);
    HIP_OK(hipMemcpyAsync(result.got.data() + at, dev_x, count * sizeof(unsigned), hipMemcpyDeviceToHost,
                          stream));
    HIP_OK(hipStreamSynchronize(stream));
    HIP_OK(hipFree(dev_x));
    HIP_OK(hipFree(dev_y));
    for (unsigned i = 0; i < count; ++i) {
      x[i] = x[i] * 3u + y[i];
      x[i] = x[i] * 3u + round * 0x01010101u;
    }
    result.want.insert(result.want.end(), x.begin(), x.end());
    result.items += 2ull * count;
  }
  HIP_OK(hipStreamDestroy(stream));
}

}  // namespace

int main() {
  e2e::Checks checks("host_threads");
  HIP_OK(hipSetDevice(0));
  Result results[kThreads];
  std::vector<std::thread> threads;
  for (unsigned id = 0; id < kThreads; ++id) {
    threads.emplace_back([id, &results] { run_thread(id, results[id]); });
  }
  for (auto& thread : threads) {
    thread.join();
  }
  unsigned long long items = 0;
  for (const Result& result : results) {
    checks.equal("thread", result.got, result.want);
    items += result.items;
  }
  unsigned long long total = 0;
  HIP_OK(hipMemcpyFromSymbol(&total, HIP_SYMBOL(shared_total), sizeof total));
  checks.value("shared_total", total, items);
  return checks.finish();
}
