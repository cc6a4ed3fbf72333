// Pinned host memory that snapshots are copied to: segments from a memory pool of the CPU agent nearest to
// the device, kept at their high-water mark and reused. Pinning costs far more than copying, so a larger
// snapshot adds a segment and never moves the ones there are. The application's memory is never pinned in
// place: taking such a registration back stalls every queue of the process.
//
// Segments are made through the real runtime, so the hooks never see them as extents.
//
// Threads: one at a time. Calls the runtime; never call it under a lock.
#pragma once

#include <cstdint>
#include <vector>

#include "base/status.hpp"
#include "hsa/hsa_api.hpp"
#include "snapshot/copy_plan.hpp"

namespace kreplay::snapshot {

class Staging {
 public:
  /// @param device the agent that copies to and from the segments
  Staging(const hsa::HsaApi& api, hsa_agent_t device) : api_(api), device_(device) {}
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;

  /// Gives every range a place, allocating what is missing.
  /// @param limit_bytes most that may be held; 0 = half of the available host memory
  /// @param pieces emptied first; at most one piece more per segment and kMaxPieceBytes than there are ranges
  /// @return Error::budget or out_of_memory with bytes needed and available (everything held was given back),
  ///         not_found (no host pool the device can reach), runtime
  Status place(const std::vector<Range>& ranges, uint64_t limit_bytes, std::vector<Piece>* pieces);

  hsa_agent_t host_agent() const { return host_agent_; }
  uint64_t capacity_bytes() const { return capacity_; }
  /// Frees all segments and forgets the pool (the runtime may be shut down next).
  void release();
  /// Forgets all segments without freeing them: a copy that never ended may still use them.
  void abandon();

 private:
  struct Segment {
    std::byte* base = nullptr;
    uint64_t size = 0;
  };

  Status find_pool();
  /// @return bytes that found no place
  uint64_t fit(const std::vector<Range>& ranges, std::vector<Piece>* pieces) const;
  Status grow(uint64_t needed, uint64_t limit_bytes);

  const hsa::HsaApi& api_;
  const hsa_agent_t device_;
  hsa_agent_t host_agent_{};
  hsa_amd_memory_pool_t pool_{};
  bool pool_known_ = false;
  uint64_t granule_ = 4096;
  uint64_t most_per_allocation_ = UINT64_MAX;
  std::vector<Segment> segments_;
  uint64_t capacity_ = 0;
};

}  // namespace kreplay::snapshot
