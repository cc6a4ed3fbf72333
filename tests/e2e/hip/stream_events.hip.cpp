// Streams ordered by events: a diamond of dependencies on four streams, several times; queries and waits.
// e2e-replayed: ^mix 30
#include "support/hip_check.hpp"

__global__ void mix(unsigned* out, const unsigned* a, const unsigned* b, unsigned factor, unsigned count) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) {
    out[i] = (a[i] * factor) ^ (b[i] + out[i]);
  }
}

namespace {
void mix_host(std::vector<unsigned>& out, const std::vector<unsigned>& a, const std::vector<unsigned>& b,
              unsigned factor) {
  for (size_t i = 0; i < out.size(); ++i) {
    out[i] = (a[i] * factor) ^ (b[i] + out[i]);
  }
}
}  // namespace

int main() {
  e2e::Checks checks("stream_events");
  const unsigned count = 4'000;
  const unsigned groups = e2e::groups_for(count, 256);
  std::vector<std::vector<unsigned>> host;
  std::vector<e2e::DeviceArray<unsigned>> dev;
  for (unsigned k = 0; k < 4; ++k) {
    host.push_back(e2e::random_values<unsigned>(count, 131 + k));
    dev.emplace_back(host.back());
  }
  hipStream_t stream[4];
  hipEvent_t event[4];
  for (int k = 0; k < 4; ++k) {
    HIP_OK(hipStreamCreateWithFlags(&stream[k], k % 2 == 0 ? hipStreamDefault : hipStreamNonBlocking));
    HIP_OK(hipEventCreateWithFlags(&event[k], k < 2 ? hipEventDefault : hipEventDisableTiming));
  }
  HIP_OK(hipDeviceSynchronize());

  for (unsigned round = 0; round < 10; ++round) {
    // 0 -> {1, 2} -> 3 -> (next round's 0)
    mix<<<groups, 256, 0, stream[0]>>>(dev[0].get(), dev[3].get(), dev[3].get(), 3 + round, count);
    HIP_LAUNCHED();
    HIP_OK(hipEventRecord(event[0], stream[0]));
    for (int k = 1; k <= 2; ++k) {
      HIP_OK(hipStreamWaitEvent(stream[k], event[0], 0));
      mix<<<groups, 256, 0, stream[k]>>>(dev[k].get(), dev[0].get(), dev[0].get(),
                                         5u + static_cast<unsigned>(k), count);
      HIP_LAUNCHED();
      HIP_OK(hipEventRecord(event[k], stream[k]));
      HIP_OK(hipStreamWaitEvent(stream[3], event[k], 0));
    }
    mix<<<groups, 256, 0, stream[3]>>>(dev[3].get(), dev[1].get(), dev[2].get(), 11, count);
    HIP_LAUNCHED();
    HIP_OK(hipEventRecord(event[3], stream[3]));
    HIP_OK(hipStreamWaitEvent(stream[0], event[3], 0));
    mix_host(host[0], host[3], host[3], 3 + round);
    mix_host(host[1], host[0], host[0], 6);
    mix_host(host[2], host[0], host[0], 7);
    mix_host(host[3], host[1], host[2], 11);
  }
  HIP_OK(hipEventSynchronize(event[3]));
  checks.that("event_done", hipEventQuery(event[3]) == hipSuccess);
  for (int k = 0; k < 4; ++k) {
    HIP_OK(hipStreamSynchronize(stream[k]));
    checks.that("stream_idle", hipStreamQuery(stream[k]) == hipSuccess);
  }
  for (unsigned k = 0; k < 4; ++k) {
    checks.equal("diamond", dev[k].download(), host[k]);
  }
  for (int k = 0; k < 4; ++k) {
    HIP_OK(hipEventDestroy(event[k]));
    HIP_OK(hipStreamDestroy(stream[k]));
  }
  return checks.finish();
}
