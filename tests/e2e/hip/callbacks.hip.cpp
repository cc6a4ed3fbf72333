// Stream callbacks run between the kernels of their stream, each once and in order, and what they write is
// what the next kernel reads. (hipLaunchHostFunc is declared but not exported in 5.2.3.)
// e2e-replayed: ^grow 1
// e2e-candidates: ^grow 8
#include <mutex>

#include "support/hip_check.hpp"

__global__ void grow(unsigned* x, const unsigned* pinned, unsigned count) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) {
    x[i] = x[i] * 2u + pinned[0];
  }
}

namespace {

struct Log {
  std::mutex mutex;
  std::vector<unsigned> order;
  unsigned* pinned = nullptr;
};

void on_first(hipStream_t, hipError_t status, void* data) {
  auto& log = *static_cast<Log*>(data);
  const std::lock_guard<std::mutex> lock(log.mutex);
  log.order.push_back(status == hipSuccess ? 1 : 98);
  log.pinned[0] += 10;  // the next kernel of the stream reads it
}

void on_second(hipStream_t, hipError_t status, void* data) {
  auto& log = *static_cast<Log*>(data);
  const std::lock_guard<std::mutex> lock(log.mutex);
  log.order.push_back(status == hipSuccess ? 2 : 99);
  log.pinned[0] *= 3;
}

}  // namespace

int main() {
  e2e::Checks checks("callbacks");
  const unsigned count = 600;
  auto want = e2e::random_values<unsigned>(count, 201);
  e2e::DeviceArray<unsigned> dev(want);
  Log log;
  HIP_OK(hipHostMalloc(reinterpret_cast<void**>(&log.pinned), 64));
  log.pinned[0] = 1;
  unsigned pinned = 1;
  hipStream_t stream;
  HIP_OK(hipStreamCreate(&stream));
  std::vector<unsigned> want_order;
  for (int round = 0; round < 4; ++round) {
    grow<<<e2e::groups_for(count, 128), 128, 0, stream>>>(dev.get(), log.pinned, count);
    HIP_LAUNCHED();
    HIP_OK(hipStreamAddCallback(stream, on_first, &log, 0));
    grow<<<e2e::groups_for(count, 128), 128, 0, stream>>>(dev.get(), log.pinned, count);
    HIP_LAUNCHED();
    HIP_OK(hipStreamAddCallback(stream, on_second, &log, 0));
    for (auto& v : want) {
      v = v * 2u + pinned;
    }
    pinned += 10;
    for (auto& v : want) {
      v = v * 2u + pinned;
    }
    pinned *= 3;
    want_order.insert(want_order.end(), {1, 2});
  }
  HIP_OK(hipStreamSynchronize(stream));
  checks.equal("order", log.order, want_order);
  checks.value("pinned", log.pinned[0], pinned);
  checks.equal("result", dev.download(), want);
  HIP_OK(hipStreamDestroy(stream));
  HIP_OK(hipHostFree(log.pinned));
  return checks.finish();
}
