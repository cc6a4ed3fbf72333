// The real queue below a proxy: the only place that writes packets the packet processor will see.
//
// One writer at a time: whoever holds the queue's forwarding state (queue.hpp), or the owner of the agent's
// window. Readers of the indices and of past packets may be any thread.
// Order of a packet: index, body, header, doorbell. Source: HSA Platform System Architecture (AQL).
#pragma once

#include <hsa/amd_hsa_queue.h>
#include <hsa/amd_hsa_signal.h>

#include <atomic>
#include <cstdint>
#include <memory>

#include "hsa/aql.hpp"
#include "hsa/hsa_api.hpp"

namespace kreplay::device {

class RealRing {
 public:
  /// @param queue the real queue; must outlive this object
  RealRing(const hsa::HsaApi& api, hsa_queue_t* queue);

  hsa_queue_t* queue() const { return queue_; }
  uint32_t size() const { return size_; }
  /// Packets written so far, by us.
  uint64_t write_index() const { return write_.load(std::memory_order_acquire); }
  /// Packets the packet processor has taken out of the ring.
  uint64_t read_index() const {
    if (direct_) return __atomic_load_n(&amd_queue()->read_dispatch_id, __ATOMIC_ACQUIRE);
    return api_.hsa_queue_load_read_index_scacquire(queue_);
  }
  /// The queue's write index as the runtime sees it; differs from write_index() when somebody else wrote.
  uint64_t runtime_write_index() const {
    if (direct_) return __atomic_load_n(&amd_queue()->write_dispatch_id, __ATOMIC_ACQUIRE);
    return api_.hsa_queue_load_write_index_scacquire(queue_);
  }
  /// Slots that can be written now; the read index is looked up again when fewer than `wanted` are known.
  uint64_t free_slots(uint64_t wanted = 1) {
    uint64_t used = write_.load(std::memory_order_relaxed) - read_cache_;
    if (used + wanted > size_) {
      read_cache_ = read_index();
      used = write_.load(std::memory_order_relaxed) - read_cache_;
    }
    return used >= size_ ? 0 : size_ - used;
  }

  /// Whether a slot is free, without the writer's memory of the read index: for any thread.
  bool has_room() const { return write_index() - read_index() < size_; }

  /// Reserves slots for `count` packets. @return index of the first; count <= free_slots() is required
  uint64_t begin(uint32_t count) {
    const uint64_t first = write_.load(std::memory_order_relaxed);
    write_.store(first + count, std::memory_order_release);
    if (direct_)
      __atomic_store_n(&amd_queue()->write_dispatch_id, first + count, __ATOMIC_RELAXED);
    else
      api_.hsa_queue_store_write_index_relaxed(queue_, first + count);
    return first;
  }
  /// Writes one reserved packet: body first, then the 32-bit header word with release.
  /// @param packet 64 bytes; the header word is taken from `word0` instead
  void put(uint64_t index, const void* packet, uint32_t word0);
  /// Tells the packet processor about everything up to and including `last`.
  void ring(uint64_t last) {
    if (direct_) {
      if (device_memory_) fence_stores();
      __atomic_store_n(doorbell_, last, __ATOMIC_RELEASE);
    } else {
      api_.hsa_signal_store_screlease(queue_->doorbell_signal, static_cast<hsa_signal_value_t>(last));
    }
  }
  /// begin, put, ring for one packet.
  void submit(const hsa::Packet& packet) {
    const uint64_t index = begin(1);
    put(index, &packet, packet.word[0]);
    ring(index);
  }

  /// What was written at `index`; only for the last size() packets.
  hsa::PacketKind kind_at(uint64_t index) const;
  bool barrier_at(uint64_t index) const;
  /// The packet at `index` with the header word we gave it (the packet processor overwrites it in the ring).
  hsa::Packet packet_at(uint64_t index) const;
  /// Whether packets can be read back (not from a ring in device memory).
  bool readable() const { return !device_memory_; }

 private:
  amd_queue_t* amd_queue() const { return reinterpret_cast<amd_queue_t*>(queue_); }
  static void fence_stores();

  const hsa::HsaApi& api_;
  hsa_queue_t* queue_;
  std::byte* base_;
  uint32_t size_;
  uint32_t mask_;
  bool direct_ = false;         ///< indices and doorbell are plain memory (hardware queue, 64-bit doorbell)
  bool device_memory_ = false;  ///< ring is write-combined: never read it
  volatile uint64_t* doorbell_ = nullptr;
  uint64_t read_cache_ = 0;
  std::atomic<uint64_t> write_{0};
  std::unique_ptr<uint32_t[]> headers_;  ///< header word of each slot, as we wrote it
};

}  // namespace kreplay::device
