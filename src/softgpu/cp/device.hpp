// One emulated GPU as the command processor sees it: page table, clock, doorbells, queues.
//
// Threads: any. create_queue, destroy_queue and update_queue of one device may run at once; destroying waits
// for the queue's worker with no lock held.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>

#include "base/status.hpp"
#include "cp/device_clock.hpp"
#include "cp/doorbell_poller.hpp"
#include "cp/interrupts.hpp"
#include "cp/perfmon.hpp"
#include "cp/queue.hpp"
#include "cp/va_table.hpp"
#include "gfx9/grid.hpp"

namespace softgpu::cp {

constexpr uint32_t kDoorbellsPerDevice = 1024;
constexpr uint64_t kDoorbellPageBytes = kDoorbellsPerDevice * sizeof(uint64_t);

struct DeviceSetup {
  uint32_t gpu_id = 0;
  gfx9::DeviceConfig config;
  std::atomic<uint64_t>* doorbells = nullptr;  ///< kDoorbellsPerDevice words shared with the application
  InterruptSink* interrupts = nullptr;
  ProgressHub* progress = nullptr;
};

enum class QueueKind { aql, sdma };

struct QueueSetup {
  QueueKind kind = QueueKind::aql;
  GpuVa ring;
  uint64_t ring_bytes = 0;
  GpuVa read_pointer;  ///< AQL: amd_queue_t::read_dispatch_id, from which the amd_queue_t is found
  GpuVa save_area;     ///< AQL: context save area, an address of the process
  bool suspended = false;
};

class Device {
 public:
  explicit Device(const DeviceSetup& setup);
  ~Device();

  uint32_t gpu_id() const { return setup_.gpu_id; }
  VaTable& memory() { return memory_; }
  DeviceClock& clock() { return clock_; }
  const DoorbellPoller& poller() const { return poller_; }

  /// @param id the queue's number in the process, chosen by the caller
  /// @return the index of its doorbell
  /// Errors: invalid_argument (ring or pointers not mapped, size), budget (no doorbell left), runtime (no
  /// thread); each names the value.
  kreplay::Result<uint32_t> create_queue(uint32_t id, const QueueSetup& setup);
  /// Joins the queue's worker. @return false if there is no such queue
  bool destroy_queue(uint32_t id);
  /// @param ring_bytes zero leaves the ring as it is
  kreplay::Status update_queue(uint32_t id, GpuVa ring, uint64_t ring_bytes, bool suspended);
  /// Gives an AQL queue global wave sync. @return false if there is no such queue, or it is none
  bool set_cooperative(uint32_t id);
  /// @param mask of an AQL queue; bits beyond the device's compute units are ignored
  /// Errors: not_found (no such AQL queue), invalid_argument (no compute unit is left)
  kreplay::Status set_cu_mask(uint32_t id, const gfx9::CuMask& mask);

 private:
  struct Slot {
    std::unique_ptr<Queue> queue;
    uint32_t doorbell = 0;
    bool aql = false;
  };
  kreplay::Result<Ring> ring_at(GpuVa va, uint64_t size_bytes) const;
  kreplay::Result<std::unique_ptr<Engine>> make_engine(const QueueSetup& setup, const EngineContext& context,
                                                       const Ring& ring,
                                                       std::atomic<uint64_t>* doorbell) const;

  const DeviceSetup setup_;
  VaTable memory_;
  DeviceClock clock_;
  PerfMonitor perfmon_;
  std::atomic<uint64_t> code_epoch_{0};
  DoorbellPoller poller_;
  std::mutex mutex_;  ///< guards what follows
  std::map<uint32_t, Slot> queues_;
  std::vector<bool> doorbell_taken_ = std::vector<bool>(kDoorbellsPerDevice);
};

}  // namespace softgpu::cp
