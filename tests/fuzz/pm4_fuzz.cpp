// PM4 indirect buffers.
#include "cp/pm4.hpp"
#include "fuzz/softgpu.hpp"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  fuzz::Gpu gpu;
  const size_t bytes = std::min(size, fuzz::Gpu::kBytes) / 4 * 4;
  std::memcpy(gpu.bytes.get(), data, bytes);
  const auto dwords = static_cast<uint32_t>(bytes / 4);
  softgpu::cp::QueueRegisters registers;
  const auto whole = softgpu::cp::run_pm4(gpu.context, registers, fuzz::GpuVa(fuzz::Gpu::kBase), dwords);
  FUZZ_CHECK(!whole.fault || whole.fault->write);  // a counter is stored where the packet says
  // At the very end of what is mapped, and one dword beyond.
  const auto beyond = softgpu::cp::run_pm4(
      gpu.context, registers, fuzz::GpuVa(fuzz::Gpu::kBase + fuzz::Gpu::kBytes - bytes), dwords + 1);
  FUZZ_CHECK(beyond.fault);
  gpu.check();
  return 0;
}
