// A queue for many threads that keeps no memory of what it submitted: kernel arguments live in a ring of
// their own.
#pragma once

#include <atomic>
#include <thread>

#include "e2e/support/hsa_check.hpp"

namespace stress {

/// Threads: any may submit; creation and destruction by one.
/// All packets carry the barrier bit, so when a slot comes round again the kernel that used it before has
/// ended.
class SharedQueue {
 public:
  static constexpr uint32_t kPackets = 128;
  static constexpr uint32_t kArguments = 2 * kPackets;
  static constexpr size_t kArgumentBytes = 64;

  explicit SharedQueue(const e2e::Agents& agents) {
    HSA_OK(hsa_queue_create(agents.gpu, kPackets, HSA_QUEUE_TYPE_MULTI, nullptr, nullptr, UINT32_MAX,
                            UINT32_MAX, &queue_));
    arguments_ = e2e::allocate<char>(agents, agents.kernarg, kArguments * kArgumentBytes);
  }
  ~SharedQueue() {
    HSA_OK(hsa_queue_destroy(queue_));
    HSA_OK(hsa_amd_memory_pool_free(arguments_));
  }
  SharedQueue(const SharedQueue&) = delete;
  SharedQueue& operator=(const SharedQueue&) = delete;

  struct Packet {
    const e2e::Kernel* kernel = nullptr;  ///< null: a barrier
    uint32_t items = 0;
    hsa_signal_t done{};
    hsa_signal_t after{};  ///< of a barrier
    unsigned char arguments[kArgumentBytes] = {};
    size_t bytes = 0;

    template <class... Args>
    static Packet dispatch(const e2e::Kernel& kernel, uint32_t items, hsa_signal_t done, Args... args) {
      Packet packet;
      packet.kernel = &kernel;
      packet.items = items;
      packet.done = done;
      (
          [&] {
            packet.bytes = (packet.bytes + sizeof(Args) - 1) / sizeof(Args) * sizeof(Args);
            std::memcpy(packet.arguments + packet.bytes, &args, sizeof(Args));
            packet.bytes += sizeof(Args);
          }(),
          ...);
      return packet;
    }
    static Packet barrier(hsa_signal_t after, hsa_signal_t done) {
      Packet packet;
      packet.after = after;
      packet.done = done;
      return packet;
    }
  };

  /// Several packets, reserved together, one doorbell; headers last to first.
  void submit(const std::vector<Packet>& packets) {
    const auto count = static_cast<uint64_t>(packets.size());
    const uint64_t first = hsa_queue_add_write_index_screlease(queue_, count);
    while (first + count - hsa_queue_load_read_index_scacquire(queue_) > kPackets) std::this_thread::yield();
    for (uint64_t i = 0; i < count; ++i) body(first + i, packets[i]);
    for (uint64_t i = count; i-- > 0;) {
      const bool dispatch = packets[i].kernel != nullptr;
      e2e::Queue::publish(
          slot(first + i),
          e2e::packet_header(dispatch ? HSA_PACKET_TYPE_KERNEL_DISPATCH : HSA_PACKET_TYPE_BARRIER_AND),
          dispatch ? 1 : 0);
    }
    hsa_signal_store_screlease(queue_->doorbell_signal, static_cast<hsa_signal_value_t>(first + count - 1));
  }

 private:
  void* slot(uint64_t index) const {
    return static_cast<char*>(queue_->base_address) + (index % kPackets) * 64;
  }
  void body(uint64_t index, const Packet& from) {
    if (from.kernel == nullptr) {
      auto* packet = static_cast<hsa_barrier_and_packet_t*>(slot(index));
      std::memset(reinterpret_cast<char*>(packet) + 4, 0, 60);
      packet->dep_signal[0] = from.after;
      packet->completion_signal = from.done;
      return;
    }
    char* block = arguments_ + index % kArguments * kArgumentBytes;
    std::memcpy(block, from.arguments, kArgumentBytes);
    auto* packet = static_cast<hsa_kernel_dispatch_packet_t*>(slot(index));
    packet->workgroup_size_x = 64;
    packet->workgroup_size_y = packet->workgroup_size_z = 1;
    packet->reserved0 = 0;
    packet->grid_size_x = from.items;
    packet->grid_size_y = packet->grid_size_z = 1;
    packet->private_segment_size = from.kernel->private_bytes;
    packet->group_segment_size = from.kernel->group_bytes;
    packet->kernel_object = from.kernel->object;
    packet->kernarg_address = block;
    packet->reserved2 = 0;
    packet->completion_signal = from.done;
  }

  hsa_queue_t* queue_ = nullptr;
  char* arguments_ = nullptr;
};

}  // namespace stress
