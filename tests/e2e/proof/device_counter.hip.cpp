// __device__ variables: no argument of the kernel points at what it changes.
// e2e-replayed: ^device_counter LAUNCHES
// Threads that share a ring may publish together; each of their dispatches is still wanted.
#include "support/proof.hpp"

__device__ unsigned long long total;
__device__ unsigned per_thread[64];
static __device__ unsigned hidden[256];  // no symbol of the code object's dynamic table names it

__global__ void device_counter(unsigned thread, unsigned k) {
  const unsigned i = threadIdx.x;
  atomicAdd(&total, static_cast<unsigned long long>(i + 1u));
  if (i == 0) {
    per_thread[thread] = per_thread[thread] * 3u + k + 1u;
  }
  atomicAdd(&hidden[(i + thread) % 256u], 1u);
}

__global__ void collect(unsigned* out) { out[threadIdx.x] = hidden[threadIdx.x]; }

int main(int argc, char** argv) {
  const e2e::ProofShape shape = e2e::proof_shape(argc, argv);
  e2e::Checks checks("device_counter");
  const unsigned items = 96;
  e2e::run_proof(
      shape, [](unsigned thread) { return thread; },
      [&](unsigned thread, hipStream_t stream, unsigned k) {
        device_counter<<<1, items, 0, stream>>>(thread, k);
      });

  unsigned long long got_total = 0;
  HIP_OK(hipMemcpyFromSymbol(&got_total, HIP_SYMBOL(total), sizeof got_total));
  checks.value("total", got_total, items * (items + 1ull) / 2 * shape.launches * shape.threads);
  std::vector<unsigned> got(64);
  std::vector<unsigned> want(64, 0);
  HIP_OK(hipMemcpyFromSymbol(got.data(), HIP_SYMBOL(per_thread), 64 * sizeof(unsigned)));
  std::vector<unsigned> want_hidden(256, 0);
  for (unsigned thread = 0; thread < shape.threads; ++thread) {
    for (unsigned k = 0; k < shape.launches; ++k) {
      want[thread] = want[thread] * 3u + k + 1u;
      for (unsigned i = 0; i < items; ++i) {
        ++want_hidden[(i + thread) % 256u];
      }
    }
  }
  checks.equal("per_thread", got, want);
  e2e::DeviceArray<unsigned> out(256);
  collect<<<1, 256>>>(out.get());
  HIP_LAUNCHED();
  checks.equal("hidden", out.download(), want_hidden);
  return checks.finish();
}
