// A GPU's memory for the fuzzers of the packet processors: one range at a fixed GPU address, so that inputs
// can name it, in memory of the sanitizer, so that a step beyond it is seen.
#pragma once

#include <cstring>
#include <memory>

#include "cp/engine.hpp"
#include "cp/perfmon.hpp"
#include "fuzz/fuzz.hpp"

namespace fuzz {

using softgpu::cp::FaultReason;
using softgpu::cp::GpuVa;

class NoInterrupts final : public softgpu::cp::InterruptSink {
 public:
  void signal_event(uint32_t) override {}
  void scan_event_slots() override {}
  void memory_fault(uint32_t, GpuVa, FaultReason) override {}
};

struct Gpu {
  static constexpr uint64_t kBase = 0x100000000;
  static constexpr size_t kBytes = 0x10000;

  Gpu() {
    static const bool quiet = (kreplay::log::set_level(kreplay::log::Level::error), true);
    static_cast<void>(quiet);
    memory.map(GpuVa(kBase), kBytes, kreplay::HostPtr(bytes.get()), true);
    // The part behind it may only be read.
    memory.map(GpuVa(kBase + 0x100000), kBytes, kreplay::HostPtr(constant.get()), false);
    context.memory = &memory;
    context.clock = &clock;
    context.interrupts = &interrupts;
    context.progress = &hub;
    context.code_epoch = &code_epoch;
    context.stop = &stop;
    context.perfmon = &perfmon;
  }
  /// Read-only memory is what it was.
  void check() const {
    for (size_t i = 0; i < kBytes; ++i) FUZZ_CHECK(constant[i] == std::byte{0});
  }

  struct Free {
    void operator()(std::byte* held) const { std::free(held); }
  };
  static std::byte* zeroed() {
    return static_cast<std::byte*>(std::memset(std::aligned_alloc(4096, kBytes), 0, kBytes));
  }
  std::unique_ptr<std::byte[], Free> bytes{zeroed()};
  std::unique_ptr<std::byte[], Free> constant{zeroed()};
  softgpu::cp::VaTable memory;
  softgpu::cp::DeviceClock clock{[] { return uint64_t{1000}; }};
  NoInterrupts interrupts;
  softgpu::cp::ProgressHub hub;
  std::atomic<uint64_t> code_epoch{0};
  std::atomic<bool> stop{false};
  softgpu::cp::PerfMonitor perfmon{{}};
  softgpu::cp::EngineContext context;
};

}  // namespace fuzz
