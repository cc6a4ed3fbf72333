// SDMA packets: the input is the ring; addresses of memory begin at 0x100000000.
#include "cp/sdma_engine.hpp"
#include "cp/sdma_packets.hpp"
#include "fuzz/softgpu.hpp"

namespace {

/// Rows of a sub-window copy: a valid packet may ask for 33 million, which takes as long as it takes.
uint64_t rows(const uint32_t* d) { return uint64_t{(d[11] >> 16 & 0x3fff) + 1} * ((d[12] & 0x7ff) + 1); }

}  // namespace

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace softgpu::cp;  // NOLINT(google-build-using-namespace): test code
  constexpr size_t kRingBytes = 4096, kRing = 0x1000;
  fuzz::Gpu gpu;
  const size_t bytes = std::min(size, kRingBytes) / 4 * 4;
  std::memcpy(gpu.bytes.get() + kRing, data, bytes);
  for (size_t at = 0; at + 13 * 4 <= bytes; at += 4) {
    uint32_t d[13];
    std::memcpy(d, data + at, sizeof d);
    if ((d[0] & 0xffff) == 0x0401 && rows(d) > 10'000) return 0;
  }
  std::atomic<uint64_t> doorbell{bytes};
  auto* read = reinterpret_cast<uint64_t*>(gpu.bytes.get());
  SdmaEngine engine(gpu.context, Ring{gpu.bytes.get() + kRing, GpuVa(fuzz::Gpu::kBase + kRing), kRingBytes},
                    &doorbell, read);
  Step step = Step::progress;
  for (size_t steps = 0; step == Step::progress && steps <= bytes / 4; ++steps) step = engine.step();
  FUZZ_CHECK(step != Step::progress);
  if (step == Step::halted) FUZZ_CHECK(engine.step() == Step::halted);
  gpu.check();
  return 0;
}
