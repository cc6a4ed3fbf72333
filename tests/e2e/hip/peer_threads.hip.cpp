// Several GPUs and host threads at once: every thread updates a buffer of its own GPU, takes it to others
// with peer copies of both directions, updates it there, by a kernel of that GPU or by one of its own GPU
// through peer access, and brings it back. Peer access is given and taken away by the main thread between
// rounds. Arguments: threads, rounds. KREPLAY_SOFTGPU_GPUS says how many GPUs. e2e-env: AMD_DIRECT_DISPATCH=0
#include <thread>

#include "support/hip_check.hpp"

namespace {

__global__ void step(unsigned* x, unsigned count, unsigned factor, unsigned term) {
  const unsigned i = blockIdx.x * 64 + threadIdx.x;
  if (i < count) {
    x[i] = x[i] * factor + term + i;
  }
}

void step_host(std::vector<unsigned>& x, unsigned factor, unsigned term) {
  for (unsigned i = 0; i < x.size(); ++i) {
    x[i] = x[i] * factor + term + i;
  }
}

/// One thread's rounds. @return how many of them ended with other values than the host's
unsigned work(unsigned number, unsigned rounds, int gpus, bool peers) {
  const int home = static_cast<int>(number) % gpus;
  const unsigned count = 500 + 300 * number;
  const unsigned groups = (count + 63) / 64;
  const size_t size = count * sizeof(unsigned);
  std::vector<unsigned> want = e2e::random_values<unsigned>(count, number + 1);
  std::vector<unsigned> got(count);
  unsigned* x = nullptr;
  hipStream_t here{};
  HIP_OK(hipSetDevice(home));
  HIP_OK(hipMalloc(reinterpret_cast<void**>(&x), size));
  HIP_OK(hipStreamCreate(&here));
  HIP_OK(hipMemcpy(x, want.data(), size, hipMemcpyHostToDevice));
  unsigned wrong = 0;
  for (unsigned round = 1; round <= rounds; ++round) {
    const int away = (home + 1 + static_cast<int>(round) % (gpus - 1)) % gpus;
    for (unsigned k = 0; k < 6; ++k) {
      step<<<groups, 64, 0, here>>>(x, count, 2 * k + 3, round);
      step_host(want, 2 * k + 3, round);
    }
    unsigned* y = nullptr;
    hipStream_t there{};
    hipEvent_t done{};
    HIP_OK(hipSetDevice(away));
    HIP_OK(hipMalloc(reinterpret_cast<void**>(&y), size));
    HIP_OK(hipStreamCreate(&there));
    HIP_OK(hipEventCreate(&done));
    HIP_OK(hipSetDevice(home));
    HIP_OK(hipMemcpyPeerAsync(y, away, x, home, size, here));
    HIP_OK(hipStreamSynchronize(here));
    if (peers && round % 2 == 0) {  // this GPU's kernel writes the other GPU's memory
      step<<<groups, 64, 0, here>>>(y, count, 7, number);
    } else {
      HIP_OK(hipSetDevice(away));
      step<<<groups, 64, 0, there>>>(y, count, 7, number);
      HIP_OK(hipEventRecord(done, there));
      HIP_OK(hipSetDevice(home));
      HIP_OK(hipStreamWaitEvent(here, done, 0));
    }
    step_host(want, 7, number);
    HIP_OK(hipMemcpyPeerAsync(x, home, y, away, size, here));
    HIP_OK(hipStreamSynchronize(here));
    HIP_OK(hipMemcpy(got.data(), x, size, hipMemcpyDeviceToHost));
    if (got != want) {
      ++wrong;
      want = got;
    }
    HIP_OK(hipSetDevice(away));
    HIP_OK(hipStreamDestroy(there));
    HIP_OK(hipEventDestroy(done));
    HIP_OK(hipFree(y));
    HIP_OK(hipSetDevice(home));
  }
  HIP_OK(hipStreamDestroy(here));
  HIP_OK(hipFree(x));
  return wrong;
}

void peer_access(int gpus, bool enable) {
  for (int from = 0; from < gpus; ++from) {
    HIP_OK(hipSetDevice(from));
    for (int to = 0; to < gpus; ++to) {
      if (from != to) {
        HIP_OK(enable ? hipDeviceEnablePeerAccess(to, 0) : hipDeviceDisablePeerAccess(to));
      }
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  e2e::Checks checks("peer_threads");
  const unsigned threads = argc > 1 ? static_cast<unsigned>(std::atoi(argv[1])) : 2;
  const unsigned rounds = argc > 2 ? static_cast<unsigned>(std::atoi(argv[2])) : 6;
  int gpus = 0;
  HIP_OK(hipGetDeviceCount(&gpus));
  for (const bool peers : {false, true, false}) {
    if (peers) {
      peer_access(gpus, true);
    }
    std::vector<unsigned> wrong(threads);
    std::vector<std::thread> all;
    for (unsigned t = 0; t < threads; ++t) {
      all.emplace_back([&, t] { wrong[t] = work(t, rounds, gpus, peers); });
    }
    for (std::thread& thread : all) {
      thread.join();
    }
    if (peers) {
      peer_access(gpus, false);
    }
    checks.equal(peers ? "with_access" : "without", wrong, std::vector<unsigned>(threads));
  }
  return checks.finish();
}
