// Memory that snapshots are copied to: segments from one memory pool, kept at their high-water mark and
// reused. Allocating costs far more than copying, so a larger snapshot adds a segment and never moves the
// ones there are. An arena of place `device` lies in the agent's own memory (a shadow); one of place `host`
// is pinned host memory of the CPU agent nearest to the device. The application's memory is never pinned in
// place: taking such a registration back stalls every queue of the process.
//
// Segments are made through the real runtime, so the hooks never see them as extents.
//
// Threads: one at a time, but for held_bytes(). Calls the runtime; never call it under a lock.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "base/status.hpp"
#include "device/pools.hpp"
#include "hsa/hsa_api.hpp"
#include "snapshot/copy_plan.hpp"

namespace kreplay::snapshot {

class Arena {
 public:
  struct Limit {
    /// Most that may be held. 0: for host half of the available host memory; for device what the agent has
    /// left beside a reserve of 10 % (at least 1 GiB) for the application.
    uint64_t bytes = 0;
    /// Of the application on the agent, for runtimes that do not tell what is available.
    uint64_t known_bytes = 0;
  };

  /// @param device the agent that copies to and from the segments
  Arena(const hsa::HsaApi& api, hsa_agent_t device, Place place)
      : api_(api), device_(device), place_(place) {}
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  /// Gives every range a place, allocating what is missing.
  /// @param pieces appended to; at most one piece more per segment and kMaxPieceBytes than there are ranges
  /// @param left null: everything or an error. Else what found no place is appended, and that is no error
  /// @return Error::budget or out_of_memory with bytes needed and available (everything held was given back),
  ///         not_found (no pool the device can reach), runtime
  Status place(const std::vector<Range>& ranges, const Limit& limit, std::vector<Piece>* pieces,
               std::vector<Range>* left = nullptr);

  /// The agent that host segments belong to; the device's own for place device.
  hsa_agent_t owner() const { return owner_; }
  uint64_t capacity_bytes() const { return capacity_; }
  /// What the runtime counts as used because of this arena, given up segments included. Threads: any.
  uint64_t held_bytes() const { return held_.load(std::memory_order_relaxed); }
  /// Frees all segments; the next place() allocates anew.
  void release_segments();
  /// The same, and forgets the pool (the runtime may be shut down next).
  void release();
  /// Forgets all segments without freeing them: a copy that never ended may still use them.
  void abandon();

 private:
  struct Segment {
    std::byte* base = nullptr;
    uint64_t size = 0;
  };

  Status find_pool();
  Status find_device_pool();
  Status find_host_pool();
  void use_pool(const device::Pool& pool, hsa_agent_t owner);
  uint64_t device_room(uint64_t known_bytes) const;
  uint64_t most_bytes(const Limit& limit) const;
  /// @return bytes that found no place
  uint64_t fit(const std::vector<Range>& ranges, std::vector<Piece>* pieces, std::vector<Range>* left) const;
  Status grow(uint64_t needed, uint64_t most, bool asked);
  Status allocate(uint64_t wanted, uint64_t needed, uint64_t most);

  const hsa::HsaApi& api_;
  const hsa_agent_t device_;
  const Place place_;
  hsa_agent_t owner_{};
  hsa_amd_memory_pool_t pool_{};
  bool pool_known_ = false;
  uint64_t pool_bytes_ = 0;
  uint64_t granule_ = 4096;
  uint64_t most_per_allocation_ = UINT64_MAX;
  std::vector<Segment> segments_;
  uint64_t capacity_ = 0;
  std::atomic<uint64_t> held_{0};
};

}  // namespace kreplay::snapshot
