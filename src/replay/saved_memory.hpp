// The device memory that one agent's kernels can write, saved before the first pass and put back between
// passes: the agent's own, and what it was given access to of other agents.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "base/mutex.hpp"
#include "base/status.hpp"
#include "hsa/hsa_api.hpp"
#include "snapshot/snapshot.hpp"

namespace kreplay::replay {

class Agent;

/// Threads: one at a time, the owner of the agent's window, but for what says otherwise. Calls the runtime.
class SavedMemory {
 public:
  SavedMemory(const hsa::HsaApi& api, const Agent& agent, snapshot::ExtentTable& extents,
              const snapshot::SnapshotLimits& limits);
  ~SavedMemory();
  SavedMemory(const SavedMemory&) = delete;
  SavedMemory& operator=(const SavedMemory&) = delete;

  /// @param members the agents that stand still; memory of those only is saved
  /// @return as snapshot::AgentSnapshot::save(); nothing is held after an error
  Status save(const std::vector<Agent*>& members);
  /// @return as snapshot::AgentSnapshot::restore()
  Status restore();
  /// The saved bytes of this agent's own code segments, in pieces. Between save() and finish().
  void visit_code_segments(
      const std::function<void(const std::byte* bytes, uint64_t size_bytes)>& visit) const;
  void finish();
  /// Gives arenas and signals back to the runtime (shut down).
  void release();
  /// Frees the shadows that no snapshot is in. Threads: any. @return whether there was one
  bool give_way();
  /// What the runtime counts as used in the memory of `agent` because of shadows here. Threads: any.
  uint64_t shadow_bytes(hsa_agent_t agent) const;
  /// Of the last save, over all agents.
  snapshot::SnapshotStats stats() const;

 private:
  const hsa::HsaApi& api_;
  const Agent& agent_;
  snapshot::ExtentTable& extents_;
  const snapshot::SnapshotLimits limits_;
  snapshot::AgentSnapshot own_;
  snapshot::AgentSnapshot& of_other(hsa_agent_t agent);
  std::vector<snapshot::AgentSnapshot*> others() const;

  mutable Mutex others_mutex_;  // guards others_; what it points at stays
  std::map<uint64_t, std::unique_ptr<snapshot::AgentSnapshot>> others_;  ///< by agent handle
  std::vector<snapshot::AgentSnapshot*> saved_;                          ///< by the last save()
};

}  // namespace kreplay::replay
