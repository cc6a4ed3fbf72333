// Saving and restoring what an agent can write, tier T3: pinned host staging that is allocated once at its
// high-water mark and reused, filled and written back by asynchronous copies that count down one signal.
// In the steady state (epoch unchanged) a save or a restore allocates nothing and creates no signal.
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
  uint64_t copies = 0;          ///< runtime copy calls of this snapshot, both directions
  uint64_t save_ns = 0;
  uint64_t restore_ns = 0;
};

struct SnapshotLimits {
  uint64_t host_bytes = 0;                    ///< staging never grows above this; 0 = half of MemAvailable
  uint64_t copy_timeout_ns = 60'000'000'000;  ///< longest time in which no copy of a batch completes
  /// After an asynchronous copy failed, which loses the count of those in flight: the time without a
  /// completion after which none is expected any more.
  uint64_t settle_ns = 1'000'000'000;
};

/// The snapshot of one agent.
/// Threads: used by one thread at a time, the holder of the agent's window. Holds no lock across a call
/// into the runtime. Frees of covered extents are held back by the window (see replay/), so a covered
/// extent stays mapped between save() and finish().
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
  /// @return Error::budget or out_of_memory (staging), device_copy, timeout: nothing is held, the caller
  ///         declines the replay; the sentence names extent, bytes needed and available.
  Status save();
  /// Writes the saved bytes back. What an asynchronous copy did not, a synchronous one is tried for. Extents
  /// freed since the save are left out.
  /// @return an error only when no path could complete: memory is then half restored, the caller must abort.
  ///         The sentence names extent, bytes and status of the first failure, and of the second path's.
  Status restore();
  /// The saved bytes of every extent of one class, in pieces. Only between save() and finish().
  void visit_saved(MemoryClass memory_class,
                   const std::function<void(const std::byte* bytes, uint64_t size_bytes)>& visit) const;
  /// Ends the snapshot; staging and signal are kept for the next one.
  void finish();
  /// Gives staging and signals back to the runtime (shut down).
  void release();
  const SnapshotStats& stats() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace kreplay::snapshot
