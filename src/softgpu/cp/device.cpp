#include "cp/device.hpp"

#include <fmt/format.h>
#include <hsa/amd_hsa_queue.h>

#include <algorithm>
#include <cstddef>
#include <system_error>
#include <utility>

#include "cp/aql_engine.hpp"
#include "cp/memory_access.hpp"
#include "cp/sdma_engine.hpp"

namespace softgpu::cp {
namespace {

using kreplay::Error;
using kreplay::Result;
using kreplay::Status;

constexpr uint64_t kMinRingBytes = 64;
/// No packet has this index, so the first ring, of index 0, is seen as a change.
constexpr uint64_t kAqlDoorbellAtRest = ~uint64_t{0};

}  // namespace

Device::Device(const DeviceSetup& setup) : setup_(setup), perfmon_(setup.config) {}

Device::~Device() {
  std::map<uint32_t, Slot> queues;
  const std::lock_guard lock(mutex_);
  queues.swap(queues_);
}

Result<Ring> Device::ring_at(GpuVa va, uint64_t size_bytes) const {
  if (size_bytes < kMinRingBytes || (size_bytes & (size_bytes - 1)) != 0)
    return {Error::invalid_argument, fmt::format("ring of {} bytes; a power of two is needed", size_bytes)};
  std::byte* host = host_bytes(memory_, va, size_bytes, Access::write);
  if (host == nullptr)
    return {Error::invalid_argument,
            fmt::format("ring {:#x} of {} bytes is not one mapped, writable range", va.value, size_bytes)};
  return Ring{host, va, size_bytes};
}

Result<std::unique_ptr<Engine>> Device::make_engine(const QueueSetup& setup, const EngineContext& context,
                                                    const Ring& ring, std::atomic<uint64_t>* doorbell) const {
  if (setup.kind == QueueKind::sdma) {
    auto* read = host_object<uint64_t>(memory_, setup.read_pointer, Access::write);
    if (read == nullptr)
      return {Error::invalid_argument,
              fmt::format("read pointer {:#x} is not mapped", setup.read_pointer.value)};
    doorbell->store(std::atomic_ref<uint64_t>(*read).load(std::memory_order_acquire),
                    std::memory_order_release);
    return std::unique_ptr<Engine>(std::make_unique<SdmaEngine>(context, ring, doorbell, read));
  }
  const GpuVa queue_va(setup.read_pointer.value - offsetof(amd_queue_t, read_dispatch_id));
  auto* queue = host_object<amd_queue_t>(memory_, queue_va, Access::write);
  if (queue == nullptr)
    return {Error::invalid_argument,
            fmt::format("amd_queue_t {:#x} (from the read pointer) is not mapped", queue_va.value)};
  doorbell->store(kAqlDoorbellAtRest, std::memory_order_release);
  return std::unique_ptr<Engine>(std::make_unique<AqlEngine>(context, queue, queue_va, ring));
}

Result<uint32_t> Device::create_queue(uint32_t id, const QueueSetup& setup) {
  const Result<Ring> ring = ring_at(setup.ring, setup.ring_bytes);
  if (!ring) return ring.status();
  const std::lock_guard lock(mutex_);
  const auto free = std::find(doorbell_taken_.begin(), doorbell_taken_.end(), false);
  if (free == doorbell_taken_.end())
    return {Error::budget, fmt::format("all {} doorbells of the device are taken", kDoorbellsPerDevice)};
  const auto index = static_cast<uint32_t>(free - doorbell_taken_.begin());
  std::atomic<uint64_t>* doorbell = setup_.doorbells + index;

  auto queue = std::make_unique<Queue>(id, *setup_.progress, poller_, doorbell);
  EngineContext context;
  context.gpu_id = setup_.gpu_id;
  context.queue_id = id;
  context.config = setup_.config;
  context.memory = &memory_;
  context.clock = &clock_;
  context.interrupts = setup_.interrupts;
  context.save_area = setup.save_area;
  context.progress = setup_.progress;
  context.perfmon = &perfmon_;
  context.code_epoch = &code_epoch_;
  context.stop = &queue->stop_flag();
  Result<std::unique_ptr<Engine>> engine = make_engine(setup, context, *ring, doorbell);
  if (!engine) return engine.status();
  try {
    queue->start(std::move(*engine), setup.suspended);
  } catch (const std::system_error& e) {
    return {Error::runtime, fmt::format("the queue's thread cannot be started: {}", e.what())};
  }
  *free = true;
  queues_[id] = Slot{std::move(queue), index, setup.kind == QueueKind::aql};
  return index;
}

bool Device::destroy_queue(uint32_t id) {
  Slot slot;
  {
    const std::lock_guard lock(mutex_);
    const auto at = queues_.find(id);
    if (at == queues_.end()) return false;
    slot = std::move(at->second);
    queues_.erase(at);
  }
  slot.queue.reset();  // joins
  const std::lock_guard lock(mutex_);
  doorbell_taken_[slot.doorbell] = false;
  return true;
}

Status Device::update_queue(uint32_t id, GpuVa ring, uint64_t ring_bytes, bool suspended) {
  std::optional<Ring> new_ring;
  if (ring_bytes != 0) {
    const Result<Ring> found = ring_at(ring, ring_bytes);
    if (!found) return found.status();
    new_ring = *found;
  }
  const std::lock_guard lock(mutex_);
  const auto at = queues_.find(id);
  if (at == queues_.end()) return {Error::not_found, fmt::format("no queue {}", id)};
  at->second.queue->update(new_ring, suspended);
  return {};
}

bool Device::set_cooperative(uint32_t id) {
  const std::lock_guard lock(mutex_);
  const auto at = queues_.find(id);
  if (at == queues_.end() || !at->second.aql) return false;
  static_cast<AqlEngine&>(at->second.queue->engine()).set_cooperative();
  return true;
}

Status Device::set_cu_mask(uint32_t id, const gfx9::CuMask& mask) {
  bool any = false;
  for (uint32_t unit = 0; unit < setup_.config.compute_units; ++unit) any |= mask.has(unit);
  if (!any) {
    return {Error::invalid_argument,
            fmt::format("the mask has none of the {} compute units", setup_.config.compute_units)};
  }
  const std::lock_guard lock(mutex_);
  const auto at = queues_.find(id);
  if (at == queues_.end() || !at->second.aql) return {Error::not_found, fmt::format("no AQL queue {}", id)};
  static_cast<AqlEngine&>(at->second.queue->engine()).set_cu_mask(mask);
  return {};
}

}  // namespace softgpu::cp
