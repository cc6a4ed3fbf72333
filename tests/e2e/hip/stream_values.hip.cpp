// hipStreamWriteValue and hipStreamWaitValue: between streams, and a wait that the host ends after it has
// queued a kernel behind it. That last one is a legal program that no drain can wait for.
// e2e-candidates: ^triple 3
// e2e-env-replayed: KREPLAY_DRAIN_TIMEOUT=2
// e2e-env-replayed: KREPLAY_ON_STUCK_DRAIN=decline
#include "support/hip_check.hpp"

__global__ void triple(unsigned* x, unsigned count) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) {
    x[i] = x[i] * 3u + 1u;
  }
}

int main() {
  e2e::Checks checks("stream_values");
  const unsigned count = 1'000;
  auto want = e2e::random_values<unsigned>(count, 151);
  e2e::DeviceArray<unsigned> dev(want);
  uint32_t* flag = nullptr;
  uint64_t* wide = nullptr;
  HIP_OK(hipExtMallocWithFlags(reinterpret_cast<void**>(&wide), 8, hipMallocSignalMemory));
  HIP_OK(hipHostMalloc(reinterpret_cast<void**>(&flag), 64));
  *flag = 0;
  hipStream_t first;
  hipStream_t second;
  HIP_OK(hipStreamCreate(&first));
  HIP_OK(hipStreamCreate(&second));
  const auto step = [&] {
    for (auto& v : want) {
      v = v * 3u + 1u;
    }
  };

  // second waits for what first writes after its kernel
  triple<<<e2e::groups_for(count, 256), 256, 0, first>>>(dev.get(), count);
  HIP_LAUNCHED();
  HIP_OK(hipStreamWriteValue32(first, flag, 7, 0));
  HIP_OK(hipStreamWaitValue32(second, flag, 7, hipStreamWaitValueEq, 0xffffffffu));
  triple<<<e2e::groups_for(count, 256), 256, 0, second>>>(dev.get(), count);
  HIP_LAUNCHED();
  HIP_OK(hipStreamSynchronize(second));
  HIP_OK(hipStreamSynchronize(first));
  step();
  step();
  checks.equal("stream_to_stream", dev.download(), want);
  checks.value("flag", *flag, 7u);

  HIP_OK(hipStreamWriteValue64(first, wide, 0x1122334455667788ull, 0));
  HIP_OK(
      hipStreamWaitValue64(first, wide, 0x1122334400000000ull, hipStreamWaitValueEq, 0xffffffff00000000ull));
  HIP_OK(hipStreamSynchronize(first));
  uint64_t read_back = 0;
  HIP_OK(hipMemcpy(&read_back, wide, 8, hipMemcpyDefault));
  checks.value("masked_64", read_back, uint64_t{0x1122334455667788ull});

  // first waits for the host, which writes only after it has queued the kernel
  HIP_OK(hipStreamWaitValue32(first, flag, 9, hipStreamWaitValueGte, 0xffffffffu));
  triple<<<e2e::groups_for(count, 256), 256, 0, first>>>(dev.get(), count);
  HIP_LAUNCHED();
  __atomic_store_n(flag, 9u, __ATOMIC_RELEASE);
  HIP_OK(hipStreamSynchronize(first));
  step();
  checks.equal("host_to_stream", dev.download(), want);

  HIP_OK(hipStreamDestroy(first));
  HIP_OK(hipStreamDestroy(second));
  HIP_OK(hipHostFree(flag));
  HIP_OK(hipFree(wide));
  return checks.finish();
}
