// AQL packets: the input is a ring of packets, then memory that they may name (GPU address 0x100000000).
#include "cp/aql_engine.hpp"
#include "fuzz/softgpu.hpp"
#include "unit/softgpu_cp/grid_double.hpp"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace softgpu::cp;  // NOLINT(google-build-using-namespace): test code
  constexpr size_t kPackets = 16;
  constexpr size_t kQueue = 0, kRing = 0x1000, kMemory = 0x2000;
  softgpu::gfx9::GridDouble::reset();
  fuzz::Gpu gpu;
  const size_t packets = std::min(size / kAqlPacketBytes, kPackets);
  std::memcpy(gpu.bytes.get() + kRing, data, packets * kAqlPacketBytes);
  const size_t rest = std::min(size - packets * kAqlPacketBytes, fuzz::Gpu::kBytes - kMemory);
  std::memcpy(gpu.bytes.get() + kMemory, data + packets * kAqlPacketBytes, rest);

  auto* queue = reinterpret_cast<amd_queue_t*>(gpu.bytes.get() + kQueue);
  queue->write_dispatch_id = packets;
  queue->queue_inactive_signal.handle = fuzz::Gpu::kBase + kMemory;
  AqlEngine engine(
      gpu.context, queue, GpuVa(fuzz::Gpu::kBase + kQueue),
      Ring{gpu.bytes.get() + kRing, GpuVa(fuzz::Gpu::kBase + kRing), kPackets * kAqlPacketBytes});
  Step step = Step::progress;
  size_t steps = 0;
  // A packet may write the queue itself, so the indices may say anything.
  for (; step == Step::progress && steps <= kPackets; ++steps) step = engine.step();
  // Once halted, halted for good.
  if (step == Step::halted) FUZZ_CHECK(engine.step() == Step::halted);
  gpu.check();
  return 0;
}
