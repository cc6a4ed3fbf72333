// One emulated GPU as the driver sees it: its numbers, its memory, and the device of the command processor.
#pragma once

#include <cstdint>
#include <memory>

#include "base/status.hpp"
#include "cp/device.hpp"
#include "kfd/backing.hpp"
#include "kfd/options.hpp"

namespace softgpu::kfd {

/// Shader apertures, the same in every process. Source: what the runtime was seen to accept on gfx9.
constexpr uint64_t kLdsAperture = 0x1000000000000;
constexpr uint64_t kScratchAperture = 0x2000000000000;
constexpr uint64_t kApertureBytes = uint64_t{1} << 32;
constexpr uint64_t kGpuvmBase = 0x4000;
constexpr uint64_t kGpuvmLimit = 0x7fffffffffff;

struct Gpu {
  uint32_t index = 0;
  uint32_t gpu_id = 0;
  uint64_t vram_bytes = 0;
  std::unique_ptr<Backing> vram;
  std::unique_ptr<Backing> gtt;
  std::unique_ptr<Backing> control;  ///< doorbell page, then the MMIO remap page
  std::unique_ptr<cp::Device> device;

  static constexpr uint64_t kDoorbellOffset = 0;
  static constexpr uint64_t kMmioOffset = cp::kDoorbellPageBytes;
  static constexpr uint64_t kMmioBytes = 4096;

  /// Errors: io, out_of_memory
  static kreplay::Result<std::unique_ptr<Gpu>> create(const Options& options, uint32_t index,
                                                      cp::InterruptSink& interrupts,
                                                      cp::ProgressHub& progress);
  void abandon_in_child();
};

}  // namespace softgpu::kfd
