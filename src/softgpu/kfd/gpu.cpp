#include "kfd/gpu.hpp"

#include <algorithm>
#include <atomic>

#include "kfd/topology.hpp"

namespace softgpu::kfd {

using kreplay::Result;

Result<std::unique_ptr<Gpu>> Gpu::create(const Options& options, uint32_t index,
                                         cp::InterruptSink& interrupts, cp::ProgressHub& progress) {
  // VRAM is accounted exactly, but a slice is contiguous: twice the address space hides fragmentation, which
  // hardware does not have either.
  constexpr uint64_t kMinGttBytes = uint64_t{4} << 30;
  auto gpu = std::make_unique<Gpu>();
  gpu->index = index;
  gpu->gpu_id = gpu_id_of(index);
  gpu->vram_bytes = options.vram_bytes;

  auto vram = Backing::create("softgpu-vram", 2 * options.vram_bytes);
  if (!vram) return vram.status();
  auto gtt =
      Backing::create("softgpu-gtt", std::max(kMinGttBytes, host_facts().memory_bytes & ~uint64_t{4095}));
  if (!gtt) return gtt.status();
  auto control = Backing::create("softgpu-control", kMmioOffset + kMmioBytes);
  if (!control) return control.status();
  gpu->vram = std::move(*vram);
  gpu->gtt = std::move(*gtt);
  gpu->control = std::move(*control);

  cp::DeviceSetup setup;
  setup.gpu_id = gpu->gpu_id;
  setup.config.gfx_target_version = options.gfx_target_version;
  setup.config.compute_units = options.compute_units;
  setup.config.lds_aperture = kLdsAperture;
  setup.config.scratch_aperture = kScratchAperture;
  static_assert(sizeof(std::atomic<uint64_t>) == sizeof(uint64_t));
  setup.doorbells = reinterpret_cast<std::atomic<uint64_t>*>(gpu->control->host(kDoorbellOffset));
  setup.interrupts = &interrupts;
  setup.progress = &progress;
  gpu->device = std::make_unique<cp::Device>(setup);
  return gpu;
}

void Gpu::abandon_in_child() {
  vram->abandon_in_child();
  gtt->abandon_in_child();
  control->abandon_in_child();
}

}  // namespace softgpu::kfd
