// The accounts that make the real ring look like the application's own: how many of its packets were taken,
// and which packets of the real ring are ours (extras: barriers of a drain, passes after the first).
//
// Written by whoever may write the real ring (queue_protocol.hpp); read by any thread.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <type_traits>

#include "base/check.hpp"
#include "replay/queue_sync.hpp"

namespace kreplay::replay {

template <typename Sync>
class BasicRingAccounts {
 public:
  /// @param ring_packets size of the real ring, a power of two: more extras are never in it at a time
  explicit BasicRingAccounts(uint32_t ring_packets)
      : mask_(ring_packets - 1), positions_(new Cell[ring_packets]()) {}

  // --- what was taken from the application's ring ---
  uint64_t taken() const { return taken_.load(std::memory_order_acquire); }
  void take_to(uint64_t next) { taken_.store(next, std::memory_order_release); }
  /// Behind the packet at taken(), for which the queue is held: the next one to be forwarded early.
  uint64_t next_behind() const {
    return taken_.load(std::memory_order_relaxed) + 1 + ahead_.load(std::memory_order_relaxed);
  }
  void forwarded_behind() {
    ahead_.store(ahead_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }
  /// The packet at taken() is done with: it and what was forwarded behind it are taken.
  /// @return index of the next packet
  uint64_t take_held() {
    const uint64_t next = next_behind();
    ahead_.store(0, std::memory_order_relaxed);
    take_to(next);
    return next;
  }

  // --- what of the real ring is ours ---
  /// Before the packet is written there.
  void add_extra(uint64_t position) {
    const uint64_t count = extras_.load(std::memory_order_relaxed);
    if constexpr (std::is_same_v<Sync, FutexSync>)
      KR_CHECK(count == 0 || positions_[(count - 1) & mask_].load(std::memory_order_relaxed) < position,
               "packets of ours stand in rising order");
    positions_[count & mask_].store(position, std::memory_order_relaxed);
    extras_.store(count + 1, std::memory_order_release);
  }
  uint64_t extras() const { return extras_.load(std::memory_order_acquire); }
  bool is_extra(uint64_t position) const {
    const uint64_t count = extras();
    return extras_from(position, count) != extras_from(position + 1, count);
  }
  /// How many of the first `real` packets of the real ring are the application's.
  /// @param real an index that was read before: extras it counts are known by now
  uint64_t application_packets(uint64_t real) const {
    for (uint64_t count = extras();;) {
      if (count == 0) return real;
      if constexpr (Sync::kMutation == Mutation::one_extra_count) return real - count;
      const uint64_t ahead = extras_from(real, count);
      // Their places are used anew once a ring's length of them has been added.
      const uint64_t again = extras();
      if (again == count) {
        if constexpr (Sync::kMutation == Mutation::none)
          KR_CHECK(count - ahead <= real, "packets of ours are some of those in the ring");
        return real - (count - ahead);
      }
      count = again;
    }
  }
  /// What the application may be told of its read index: packets the packet processor has taken, without
  /// ours, never beyond taken() (which hides the passes of a window). Exact, hence it never steps back.
  uint64_t shown(uint64_t real_read) const { return std::min(application_packets(real_read), taken()); }

 private:
  using Cell = typename Sync::template Atomic<uint64_t>;

  /// Of the first `count` extras, those at `position` or behind it. They stand in rising order.
  uint64_t extras_from(uint64_t position, uint64_t count) const {
    uint64_t found = 0;
    const uint64_t most = std::min<uint64_t>(count, uint64_t{mask_} + 1);
    while (found < most &&
           positions_[(count - found - 1) & mask_].load(std::memory_order_relaxed) >= position)
      ++found;
    return found;
  }

  const uint32_t mask_;
  alignas(64) Cell taken_{0};
  Cell extras_{0};
  Cell ahead_{0};
  const std::unique_ptr<Cell[]> positions_;
};

using RingAccounts = BasicRingAccounts<FutexSync>;

}  // namespace kreplay::replay
