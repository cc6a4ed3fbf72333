// One real queue we forward to: the protocol that says who may write it, and the accounts that make it look
// like the application's own ring.
#pragma once

#include <hsa/hsa.h>

#include <atomic>
#include <cstdint>
#include <string>

#include "device/real_ring.hpp"
#include "hsa/aql.hpp"
#include "replay/queue_protocol.hpp"
#include "replay/ring_accounts.hpp"

namespace kreplay::replay {

class Agent;

class Queue : public QueueProtocol {
 public:
  /// @param id our own, never reused
  Queue(const hsa::HsaApi& api, uint64_t id, Agent& agent, hsa_queue_t* real, hsa_queue_type32_t type)
      : ring(api, real), accounts(real->size), id_(id), agent_(agent), type_(type) {
    idle_at.store(ring.write_index(), std::memory_order_relaxed);
  }
  Queue(const Queue&) = delete;
  Queue& operator=(const Queue&) = delete;

  uint64_t id() const { return id_; }
  Agent& agent() const { return agent_; }
  bool cooperative() const { return type_ == HSA_QUEUE_TYPE_COOPERATIVE; }

  /// held -> parked with a packet: the owner of the window it waits for may submit it, see unpark().
  void park(const hsa::Packet& packet) {
    parked_packet = packet;
    QueueProtocol::park();
  }
  /// Of the thread the queue belongs to, or of the thief while it submits.
  hsa::Packet parked_packet = {};

  /// Packets the application may consider consumed.
  uint64_t shown_read_index() const { return accounts.shown(ring.read_index()); }
  /// Packets of the application in the real ring so far. For whoever may write it.
  uint64_t submitted() const { return ring.write_index() - accounts.extras(); }
  /// Submits a packet the application did not write. For whoever may write the real ring.
  void submit_extra(const hsa::Packet& packet) {
    accounts.add_extra(ring.write_index());
    ring.submit(packet);
  }

  device::RealRing ring;
  RingAccounts accounts;
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
  const uint64_t id_;
  Agent& agent_;
  const hsa_queue_type32_t type_;
};

}  // namespace kreplay::replay
