// One real queue we forward to, and the accounts that make it look like the application's own ring.
//
// `state` says who may write the real ring:
//   free        nobody; a doorbell takes it
//   forwarding  a thread is past the agent's gate and writes packets; short, never blocks on the gate
//   held        a thread owns the application's ring but writes nothing: it runs a tool callback, owns the
//               agent's window, or waits for one
// The opener of a window closes the gate and then waits until no queue is `forwarding`. Taking the state and
// closing the gate are both read-modify-write or sequentially consistent operations, so one of the two sides
// sees the other; the queue's word is needed anyway because threads share queues, hence no membarrier.
#pragma once

#include <hsa/hsa.h>

#include <atomic>
#include <cstdint>
#include <string>

#include "device/real_ring.hpp"
#include "hsa/aql.hpp"

namespace kreplay::replay {

class Agent;

class Queue {
 public:
  /// @param id our own, never reused
  Queue(const hsa::HsaApi& api, uint64_t id, Agent& agent, hsa_queue_t* real, hsa_queue_type32_t type)
      : ring(api, real), id_(id), agent_(agent), type_(type) {
    idle_at.store(ring.write_index(), std::memory_order_relaxed);
  }
  Queue(const Queue&) = delete;
  Queue& operator=(const Queue&) = delete;

  uint64_t id() const { return id_; }
  Agent& agent() const { return agent_; }
  bool cooperative() const { return type_ == HSA_QUEUE_TYPE_COOPERATIVE; }

  // --- ownership of the application's ring ---
  /// free -> forwarding; waits at most `timeout_ns` while another thread owns the queue.
  bool lock_for(uint64_t timeout_ns) { return try_lock() || lock_slow(timeout_ns); }
  bool try_lock() {
    uint32_t expected = kFree;
    return state_.compare_exchange_strong(expected, kForwarding, std::memory_order_seq_cst);
  }
  /// forwarding or held -> free
  void unlock() {
    state_.store(kFree, std::memory_order_release);
    if (waiters_.load(std::memory_order_relaxed) != 0) wake();
  }
  /// forwarding -> held
  void hold() { state_.store(kHeld, std::memory_order_release); }
  /// held -> forwarding; the caller then looks at the gate
  void resume() { state_.exchange(kForwarding, std::memory_order_seq_cst); }
  bool forwarding() const { return state_.load(std::memory_order_seq_cst) == kForwarding; }

  // --- what the application's read index shows ---
  /// Application packets taken from its ring so far.
  std::atomic<uint64_t> taken{0};
  /// Packets of ours in the real ring so far. Added before the packet is written.
  std::atomic<uint64_t> extra{0};
  /// Packets the application may consider consumed: monotonic, never beyond `taken`.
  uint64_t shown_read_index();

  /// Submits a packet the application did not write. The caller owns the queue or the agent's window.
  void submit_extra(const hsa::Packet& packet) {
    extra.fetch_add(1, std::memory_order_release);
    ring.submit(packet);
  }

  // --- waiting packets ---
  enum Parked : uint32_t { kNone, kWaiting, kStolen };
  /// A dispatch taken from the application's ring whose thread waits for another thread's window. The owner
  /// of that window may submit it in our place (kWaiting -> kStolen), see Window::break_into().
  std::atomic<uint32_t> parked{kNone};
  hsa::Packet parked_packet = {};
  /// Threads that wait at the gate with packets still in the application's ring.
  std::atomic<uint32_t> gate_waiters{0};
  /// Packets behind the one at `taken` that were forwarded early, from a callback inside its window.
  std::atomic<uint64_t> ahead{0};

  device::RealRing ring;
  /// Real write index up to which everything is known to be complete. Written by the window's owner.
  std::atomic<uint64_t> idle_at{0};
  /// Real write index up to which packets were looked at for signals of copies in flight. The copy fence's.
  std::atomic<uint64_t> carriers_seen{0};
  /// Status the runtime's error callback reported; 0 = none.
  std::atomic<uint32_t> error{0};
  bool failed() const { return error.load(std::memory_order_acquire) != 0; }
  /// "queue 7 failed: status 0x1016, HSA_STATUS_ERROR_...". Calls the runtime.
  std::string describe_failure(const hsa::HsaApi& api) const;

 private:
  static constexpr uint32_t kFree = 0;
  static constexpr uint32_t kForwarding = 1;
  static constexpr uint32_t kHeld = 2;

  bool lock_slow(uint64_t timeout_ns);
  void wake();

  const uint64_t id_;
  Agent& agent_;
  const hsa_queue_type32_t type_;
  alignas(64) std::atomic<uint32_t> state_{kFree};
  std::atomic<uint32_t> waiters_{0};
  alignas(64) std::atomic<uint64_t> shown_{0};
};

}  // namespace kreplay::replay
