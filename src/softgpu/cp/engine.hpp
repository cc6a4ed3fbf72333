// What the two packet processors (AQL and SDMA) have in common: they are stepped by a queue's worker, one
// packet at a time, and never wait inside a step other than by running a grid.
#pragma once

#include <atomic>
#include <cstdint>

#include "cp/device_clock.hpp"
#include "cp/interrupts.hpp"
#include "cp/va_table.hpp"
#include "cp/worker.hpp"
#include "gfx9/grid.hpp"

namespace softgpu::cp {

enum class Step {
  progress,  ///< a packet was retired; there may be another
  idle,      ///< nothing to do until the doorbell rings
  blocked,   ///< the packet at the read pointer waits for memory to change
  halted,    ///< stopped for good: an error was reported, or the queue is being destroyed
};

class PerfMonitor;

/// What a packet processor may use. All of it outlives every queue of the device.
struct EngineContext {
  uint32_t gpu_id = 0;
  uint32_t queue_id = 0;
  gfx9::DeviceConfig config;
  const VaTable* memory = nullptr;
  DeviceClock* clock = nullptr;
  InterruptSink* interrupts = nullptr;
  GpuVa save_area;  ///< AQL: context save area; the driver reports errors there
  ProgressHub* progress = nullptr;
  PerfMonitor* perfmon = nullptr;               ///< null: the device has no counters
  std::atomic<uint64_t>* code_epoch = nullptr;  ///< moves when some queue invalidated instruction caches
  const std::atomic<bool>* stop = nullptr;      ///< the queue is being destroyed
};

/// The part of a queue that UPDATE_QUEUE may change.
struct Ring {
  std::byte* host = nullptr;
  GpuVa va;
  uint64_t size_bytes = 0;  ///< a power of two
};

/// Threads: step() and set_ring() on the queue's worker only.
class Engine {
 public:
  virtual ~Engine() = default;
  virtual Step step() = 0;
  virtual void set_ring(const Ring& ring) = 0;
};

}  // namespace softgpu::cp
