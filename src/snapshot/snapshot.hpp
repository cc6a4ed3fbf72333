// Saving and restoring what an agent can write: in memory of the same agent while there is room (tier T1, the
// shadow), else in pinned host memory (tier T3). Both are arenas that are allocated once at their high-water
// mark and reused, filled and written back by asynchronous copies that count down one signal. One snapshot
// may lie in both. In the steady state (epoch unchanged) a save or a restore allocates nothing and creates no
// signal.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "base/status.hpp"
#include "hsa/hsa_api.hpp"
#include "snapshot/extent.hpp"

namespace kreplay::snapshot {

struct SnapshotStats {
  uint64_t extents = 0;
  uint64_t bytes_saved = 0;
  uint64_t bytes_restored = 0;  ///< summed over the restores of this snapshot
  uint64_t link_bytes = 0;      ///< of the save and all restores: what crossed the host link
  uint64_t device_bytes = 0;    ///< the same: what was copied inside the agent's memory
  uint64_t shadowed = 0;        ///< of bytes_saved: what lies in the agent's own memory
  uint64_t copies = 0;          ///< runtime copy calls of this snapshot, both directions
  uint64_t save_ns = 0;
  uint64_t restore_ns = 0;
};

enum class SnapshotTier : uint8_t { automatic, shadow, host };

struct SnapshotLimits {
  /// Where saved bytes may lie. automatic: the agent's memory first, then the host's.
  SnapshotTier tier = SnapshotTier::automatic;
  uint64_t host_bytes = 0;    ///< host memory never grows above this; 0 = half of MemAvailable
  uint64_t device_bytes = 0;  ///< the shadow never grows above this; 0 = see Arena::Limit
  uint64_t copy_timeout_ns = 60'000'000'000;  ///< longest time in which no copy of a batch completes
  /// After an asynchronous copy failed, which loses the count of those in flight: the time without a
  /// completion after which none is expected any more.
  uint64_t settle_ns = 1'000'000'000;
};

/// The snapshot of one agent.
/// Threads: used by one thread at a time, the holder of the agent's window, but for what says otherwise.
/// Holds no lock across a call into the runtime. Frees of covered extents are held back by the window (see
/// replay/), so a covered extent stays mapped between save() and finish().
class AgentSnapshot {
 public:
  /// @param accessors 0: all saved extents of the agent; else those that one of these other agents may access
  ///        (bits of Extent::accessors)
  AgentSnapshot(const hsa::HsaApi& api, hsa_agent_t agent, ExtentTable& extents, const SnapshotLimits& limits,
                uint64_t accessors = 0);
  /// Calls nothing of the runtime, which may be gone: what release() did not give back stays allocated.
  ~AgentSnapshot();
  AgentSnapshot(const AgentSnapshot&) = delete;
  AgentSnapshot& operator=(const AgentSnapshot&) = delete;

  /// Bytes the next save() would cover; between save() and finish() those that it covered.
  uint64_t footprint_bytes();
  /// Saves what it is for.
  /// @return Error::budget or out_of_memory (arenas), device_copy, timeout: nothing is held, the caller
  ///         declines the replay; the sentence names extent, bytes needed and available.
  Status save();
  /// Writes the saved bytes back. What an asynchronous copy did not, a synchronous one is tried for. Extents
  /// freed since the save are left out.
  /// @return an error only when no path could complete: memory is then half restored, the caller must abort.
  ///         The sentence names extent, bytes and status of the first failure, and of the second path's.
  Status restore();
  /// The saved bytes of the code segments, in pieces: they always lie in host memory. Only between save() and
  /// finish().
  void visit_code_segments(
      const std::function<void(const std::byte* bytes, uint64_t size_bytes)>& visit) const;
  /// Ends the snapshot; arenas and signal are kept for the next one.
  void finish();
  /// Frees the shadow, unless a snapshot is in it. Threads: any. @return whether there was one
  bool give_way();
  /// What the runtime counts as used in the agent's memory because of the shadow. Threads: any.
  uint64_t shadow_bytes() const;
  /// Gives arenas and signals back to the runtime (shut down).
  void release();
  const SnapshotStats& stats() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace kreplay::snapshot
