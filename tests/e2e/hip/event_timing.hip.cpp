// Event and device clocks: they run forward and nest. No length of time is checked: with replay an interval
// between two events holds all passes.
// e2e-replayed: ^spin 4
#include <hip/hip_ext.h>

#include "support/hip_check.hpp"

__global__ void spin(unsigned* out, long long* clocks, unsigned rounds) {
  const long long begin = clock64();
  unsigned v = threadIdx.x;
  for (unsigned k = 0; k < rounds; ++k) {
    v = v * 1664525u + 1013904223u;
  }
  out[threadIdx.x] += v;
  const long long end = clock64();
  if (threadIdx.x == 0) {
    clocks[0] = begin;
    clocks[1] = end;
  }
}

namespace {
void spin_host(std::vector<unsigned>& out, unsigned rounds) {
  for (unsigned i = 0; i < out.size(); ++i) {
    unsigned v = i;
    for (unsigned k = 0; k < rounds; ++k) {
      v = v * 1664525u + 1013904223u;
    }
    out[i] += v;
  }
}
}  // namespace

int main() {
  e2e::Checks checks("event_timing");
  std::vector<unsigned> want(64, 0);
  e2e::DeviceArray<unsigned> dev(want);
  e2e::DeviceArray<long long> clocks(2);
  hipStream_t stream;
  HIP_OK(hipStreamCreate(&stream));
  hipEvent_t event[3];
  for (auto& e : event) {
    HIP_OK(hipEventCreate(&e));
  }
  HIP_OK(hipEventRecord(event[0], stream));
  spin<<<1, 64, 0, stream>>>(dev.get(), clocks.get(), 20);
  HIP_LAUNCHED();
  HIP_OK(hipEventRecord(event[1], stream));
  spin<<<1, 64, 0, stream>>>(dev.get(), clocks.get(), 300);
  HIP_LAUNCHED();
  HIP_OK(hipEventRecord(event[2], stream));
  HIP_OK(hipEventSynchronize(event[2]));
  float first = -1;
  float second = -1;
  float both = -1;
  HIP_OK(hipEventElapsedTime(&first, event[0], event[1]));
  HIP_OK(hipEventElapsedTime(&second, event[1], event[2]));
  HIP_OK(hipEventElapsedTime(&both, event[0], event[2]));
  checks.that("elapsed_is_positive", first > 0 && second > 0);
  checks.that("intervals_add_up", both >= first && both >= second);
  spin_host(want, 20);
  spin_host(want, 300);
  checks.equal("result", dev.download(), want);
  const auto ticks = clocks.download();
  checks.that("device_clock_runs", ticks[1] > ticks[0]);

  // Start and stop events of one launch: these come from the dispatch's own completion signal.
  hipExtLaunchKernelGGL(spin, dim3(1), dim3(64), 0, stream, event[0], event[1], 0, dev.get(), clocks.get(),
                        100u);
  HIP_LAUNCHED();
  HIP_OK(hipStreamSynchronize(stream));
  float launch = -1;
  HIP_OK(hipEventElapsedTime(&launch, event[0], event[1]));
  checks.that("launch_events", launch > 0);
  spin_host(want, 100);

  // The null stream as well.
  HIP_OK(hipEventRecord(event[0], nullptr));
  spin<<<1, 64>>>(dev.get(), clocks.get(), 5);
  HIP_LAUNCHED();
  HIP_OK(hipEventRecord(event[1], nullptr));
  HIP_OK(hipEventSynchronize(event[1]));
  float null_stream = -1;
  HIP_OK(hipEventElapsedTime(&null_stream, event[0], event[1]));
  checks.that("null_stream", null_stream > 0);
  spin_host(want, 5);
  checks.equal("result_at_end", dev.download(), want);
  for (auto& e : event) {
    HIP_OK(hipEventDestroy(e));
  }
  HIP_OK(hipStreamDestroy(stream));
  return checks.finish();
}
