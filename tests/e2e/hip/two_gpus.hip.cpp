// Two GPUs: separate memories, a kernel on each, peer copies both ways, replay on both at once.
// e2e-env: KREPLAY_SOFTGPU_GPUS=2
// e2e-replayed: ^advance 8
#include <thread>

#include "support/hip_check.hpp"

__global__ void advance(unsigned* x, unsigned factor, unsigned count) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) {
    x[i] = x[i] * factor + i;
  }
}

int main() {
  e2e::Checks checks("two_gpus");
  int gpus = 0;
  HIP_OK(hipGetDeviceCount(&gpus));
  checks.value("gpus", gpus, 2);
  if (gpus != 2) {
    return checks.finish();
  }
  const unsigned count = 2'048;
  const unsigned groups = e2e::groups_for(count, 256);
  std::vector<unsigned> want[2] = {e2e::random_values<unsigned>(count, 191),
                                   e2e::random_values<unsigned>(count, 192)};
  unsigned* dev[2];
  for (int gpu = 0; gpu < 2; ++gpu) {
    HIP_OK(hipSetDevice(gpu));
    HIP_OK(hipMalloc(reinterpret_cast<void**>(&dev[gpu]), count * sizeof(unsigned)));
    HIP_OK(hipMemcpy(dev[gpu], want[gpu].data(), count * sizeof(unsigned), hipMemcpyHostToDevice));
  }
  const auto advance_host = [&](int gpu, unsigned factor) {
    for (unsigned i = 0; i < count; ++i) {
      want[gpu][i] = want[gpu][i] * factor + i;
    }
  };
  const auto check = [&](const char* name) {
    for (int gpu = 0; gpu < 2; ++gpu) {
      HIP_OK(hipSetDevice(gpu));
      std::vector<unsigned> got(count);
      HIP_OK(hipMemcpy(got.data(), dev[gpu], count * sizeof(unsigned), hipMemcpyDeviceToHost));
      checks.equal(name, got, want[gpu]);
    }
  };
  for (int gpu = 0; gpu < 2; ++gpu) {
    HIP_OK(hipSetDevice(gpu));
    advance<<<groups, 256>>>(dev[gpu], 3u + static_cast<unsigned>(gpu), count);
    HIP_LAUNCHED();
    advance_host(gpu, 3u + static_cast<unsigned>(gpu));
  }
  check("own_memory");

  // Half of GPU 0's buffer to GPU 1, then a quarter back.
  HIP_OK(hipMemcpyPeer(dev[1], 1, dev[0], 0, count / 2 * sizeof(unsigned)));
  std::copy_n(want[0].begin(), count / 2, want[1].begin());
  check("peer_copy");
  HIP_OK(hipSetDevice(1));
  hipStream_t stream;
  HIP_OK(hipStreamCreate(&stream));
  advance<<<groups, 256, 0, stream>>>(dev[1], 7, count);
  HIP_LAUNCHED();
  advance_host(1, 7);
  HIP_OK(hipMemcpyPeerAsync(dev[0] + count / 2, 0, dev[1] + 17, 1, count / 4 * sizeof(unsigned), stream));
  HIP_OK(hipStreamSynchronize(stream));
  std::copy_n(want[1].begin() + 17, count / 4, want[0].begin() + count / 2);
  check("peer_copy_async");
  HIP_OK(hipStreamDestroy(stream));

  // One thread per GPU.
  std::thread threads[2];
  for (int gpu = 0; gpu < 2; ++gpu) {
    threads[gpu] = std::thread([&, gpu] {
      HIP_OK(hipSetDevice(gpu));
      for (unsigned k = 0; k < 20; ++k) {
        advance<<<groups, 256>>>(dev[gpu], 5u + k, count);
        HIP_LAUNCHED();
      }
      HIP_OK(hipDeviceSynchronize());
    });
  }
  for (auto& thread : threads) {
    thread.join();
  }
  for (int gpu = 0; gpu < 2; ++gpu) {
    for (unsigned k = 0; k < 20; ++k) {
      advance_host(gpu, 5u + k);
    }
  }
  check("thread_per_gpu");
  for (int gpu = 0; gpu < 2; ++gpu) {
    HIP_OK(hipSetDevice(gpu));
    HIP_OK(hipFree(dev[gpu]));
  }
  return checks.finish();
}
