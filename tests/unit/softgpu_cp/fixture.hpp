// A page table over plain memory, an AQL queue as the runtime would lay it out, and a sink that writes down
// what it was told.
#pragma once

#include <hsa/amd_hsa_queue.h>
#include <hsa/amd_hsa_signal.h>
#include <hsa/hsa.h>

#include <atomic>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cp/aql_engine.hpp"
#include "cp/engine.hpp"
#include "grid_double.hpp"

namespace softgpu::cp::test {

class Sink final : public InterruptSink {
 public:
  struct Fault {
    uint32_t gpu_id;
    uint64_t address;
    FaultReason reason;
  };
  void signal_event(uint32_t id) override {
    events.push_back(id);
    if (on_event) on_event(id);
  }
  void scan_event_slots() override { ++scans; }
  void memory_fault(uint32_t gpu_id, GpuVa address, FaultReason reason) override {
    faults.push_back({gpu_id, address.value, reason});
  }
  std::vector<uint32_t> events;
  std::vector<Fault> faults;
  unsigned scans = 0;
  std::function<void(uint32_t)> on_event;
};

/// Memory at one host address and, if asked for, another GPU address.
struct Arena {
  static constexpr size_t kBytes = 1 << 20;
  Arena() : bytes(static_cast<std::byte*>(std::aligned_alloc(4096, kBytes))) {
    std::memset(bytes, 0, kBytes);
  }
  ~Arena() { std::free(bytes); }
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;
  template <typename T>
  T* at(size_t offset) {
    return reinterpret_cast<T*>(bytes + offset);
  }
  std::byte* bytes;
};

inline uint64_t va_of(const void* p) { return reinterpret_cast<uint64_t>(p); }

struct Fixture {
  Fixture() {
    gfx9::GridDouble::reset();
    tick = 1000;
    memory.map(GpuVa(arena.bytes), Arena::kBytes, HostPtr(arena.bytes), true);
    context.gpu_id = 77;
    context.queue_id = 5;
    context.memory = &memory;
    context.clock = &clock;
    context.interrupts = &sink;
    context.progress = &hub;
    context.code_epoch = &code_epoch;
    context.stop = &stop;
  }

  static inline std::atomic<uint64_t> tick{1000};

  Arena arena;
  VaTable memory;
  DeviceClock clock{[] { return tick.load(); }};
  Sink sink;
  ProgressHub hub;
  std::atomic<uint64_t> code_epoch{0};
  std::atomic<bool> stop{false};
  EngineContext context;
};

/// Layout inside the arena.
constexpr size_t kQueueOffset = 0;
constexpr size_t kSignalsOffset = 0x1000;
constexpr size_t kSlotsOffset = 0x2000;
constexpr size_t kRingOffset = 0x4000;
constexpr size_t kKernelOffset = 0x8000;
constexpr size_t kDataOffset = 0x10000;
constexpr size_t kRingPackets = 16;

struct AqlFixture : Fixture {
  AqlFixture() : queue(arena.at<amd_queue_t>(kQueueOffset)), ring(arena.at<std::byte>(kRingOffset)) {
    for (size_t i = 0; i < kRingPackets; ++i)
      slot<hsa_barrier_and_packet_t>(i)->header = HSA_PACKET_TYPE_INVALID;
    queue->queue_inactive_signal.handle = va_of(signal(0));
    signal(0)->event_mailbox_ptr = va_of(mailbox(0));
    signal(0)->event_id = 100;
    engine = std::make_unique<AqlEngine>(context, queue, GpuVa(queue),
                                         Ring{ring, GpuVa(ring), kRingPackets * kAqlPacketBytes});
  }

  template <typename Packet>
  Packet* slot(size_t index) {
    return reinterpret_cast<Packet*>(ring + (index % kRingPackets) * kAqlPacketBytes);
  }
  amd_signal_t* signal(size_t i) { return arena.at<amd_signal_t>(kSignalsOffset) + i; }
  uint64_t* mailbox(size_t i) { return arena.at<uint64_t>(kSlotsOffset) + i; }
  hsa_signal_t handle(size_t i) { return {va_of(signal(i))}; }

  /// A signal with a mailbox and event id 100 + i.
  hsa_signal_t armed(size_t i, int64_t value) {
    signal(i)->value = value;
    signal(i)->event_mailbox_ptr = va_of(mailbox(i));
    signal(i)->event_id = static_cast<uint32_t>(100 + i);
    return handle(i);
  }

  /// @return its index
  uint64_t submit_dispatch(hsa_signal_t completion, uint32_t private_bytes = 0,
                           uint16_t extra_header_bits = 0) {
    const uint64_t index = queue->write_dispatch_id;
    auto* packet = slot<hsa_kernel_dispatch_packet_t>(index);
    std::memset(static_cast<void*>(packet), 0, sizeof *packet);
    packet->setup = 1;
    packet->workgroup_size_x = 64;
    packet->workgroup_size_y = 1;
    packet->workgroup_size_z = 1;
    packet->grid_size_x = 256;
    packet->grid_size_y = 1;
    packet->grid_size_z = 1;
    packet->private_segment_size = private_bytes;
    packet->kernel_object = va_of(arena.bytes + kKernelOffset);
    packet->completion_signal = completion;
    publish(index, static_cast<uint16_t>(HSA_PACKET_TYPE_KERNEL_DISPATCH | extra_header_bits));
    return index;
  }
  uint64_t submit_barrier(hsa_packet_type_t type, std::vector<hsa_signal_t> dependencies,
                          hsa_signal_t completion) {
    const uint64_t index = queue->write_dispatch_id;
    auto* packet = slot<hsa_barrier_and_packet_t>(index);
    std::memset(static_cast<void*>(packet), 0, sizeof *packet);
    for (size_t i = 0; i < dependencies.size(); ++i) packet->dep_signal[i] = dependencies[i];
    packet->completion_signal = completion;
    publish(index, static_cast<uint16_t>(type));
    return index;
  }
  void publish(uint64_t index, uint16_t header) {
    slot<hsa_barrier_and_packet_t>(index)->header = header;
    queue->write_dispatch_id = index + 1;
  }
  /// Steps until there is nothing more to do. @return the last answer
  Step run() {
    Step step = Step::progress;
    while (step == Step::progress) step = engine->step();
    return step;
  }

  amd_queue_t* queue;
  std::byte* ring;
  std::unique_ptr<AqlEngine> engine;
};

}  // namespace softgpu::cp::test
