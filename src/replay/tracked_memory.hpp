// The memory side of a Replayer: what the application's calls say about allocations, registrations, access
// and exports becomes extents, and what would take memory away from an open window waits.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "base/mutex.hpp"
#include "replay/agent.hpp"
#include "replay/core.hpp"
#include "replay/memory_map.hpp"
#include "replay/virtual_memory.hpp"

namespace kreplay::replay {

/// Threads: any.
class TrackedMemory {
 public:
  /// @param agents GPU agents by index; must outlive this object
  TrackedMemory(Core& core, const std::vector<std::unique_ptr<Agent>>& agents);

  /// Before use: which pools there are. @return false when the runtime refused
  bool add_agent(hsa_agent_t agent, bool gpu) { return map_.add_agent(core_.api, agent, gpu); }
  uint64_t device_bytes(hsa_agent_t agent) const { return map_.device_bytes(agent.handle); }

  /// After an allocation succeeded. @param pool_or_region the handle it came from
  void allocated(void* address, uint64_t size_bytes, uint64_t pool_or_region, uint32_t flags);
  /// Before a free: takes the extent. @param release frees the memory; kept when a window covers it
  struct Freed {
    std::optional<snapshot::Extent> extent;
    bool deferred =
        false;  ///< `release` runs when the last window over it closes; the caller reports success
  };
  Freed freeing(void* address, const std::function<void()>& release);
  void not_freed(const Freed& freed);
  /// After an allocation failed: whether it should be tried again, since without us there would be more
  /// memory. Windows may hold frees back, which is waited for, for ten seconds or ten times
  /// KREPLAY_DRAIN_TIMEOUT at the most; then shadows are given back.
  bool make_room();
  /// Bytes of an agent's memory that shadows hold.
  uint64_t shadow_bytes(hsa_agent_t agent) const;
  /// Memory of an agent is given to other processes or devices, which may write it at any time: it is not put
  /// back from here on, and kernels that work on it are not replayed. Waits for windows that would.
  /// @return what was known of it, for not_exported() when the runtime refuses
  std::optional<snapshot::Extent> exported(const void* address);
  void not_exported(const std::optional<snapshot::Extent>& before);
  /// The same for the memory behind a handle.
  void handle_exported(uint64_t handle);
  /// After an allocation was moved to another pool.
  void migrated(void* address, uint64_t pool);

  /// After hsa_amd_agents_allow_access: `agents`, and nobody else but the owner, may access the memory at
  /// `address`. Waits until no window is open that does not know of it.
  void access_allowed(const void* address, const hsa_agent_t* agents, size_t count);
  /// After hsa_amd_vmem_set_access, as above for mapped memory; agents that are not named keep what they
  /// have.
  void access_set(void* va, uint64_t size_bytes, const hsa_amd_memory_access_desc_t* access, size_t count);

  /// A signal of the application: a kernel with an argument that leads to it is not replayed.
  void signal_made(hsa_signal_t signal);
  /// Before it is destroyed. @return what was known, to be put back when the runtime refuses
  std::optional<snapshot::Extent> signal_ends(hsa_signal_t signal);

  VirtualMemory& virtual_memory() { return virtual_memory_; }
  /// What memory of a pool is; empty for a pool that was not listed.
  std::optional<VirtualMemory::Backing> backing_of_pool(uint64_t pool) const;
  /// Before memory that is no longer in the table is unmapped, or code is unloaded: waits while a window
  /// covers it, since its address may be used anew at once. A thread that owns a window itself cannot wait:
  /// then `release` is kept. @return true when it was kept
  bool hold_extents(const std::vector<snapshot::Extent>& extents, const std::function<void()>& release);
  bool hold_executable(const std::vector<Agent*>& agents, const std::function<void()>& release);

  /// Shared virtual memory of GPU agents: the whole pages of [address, address + size). Not saved, but known.
  void shared(void* address, uint64_t size_bytes);
  /// Application memory became visible to agents at `agent_address`. Not saved, but known.
  void locked(void* host_address, void* agent_address, uint64_t size_bytes);
  /// Before it stops being so. @param release ends it; kept when a window is open, which may be comparing it
  struct Unlocked {
    std::optional<snapshot::Extent> extent;
    void* agent_address = nullptr;  ///< where it differs from the host's
    bool deferred = false;
  };
  Unlocked unlocking(void* host_address, const std::function<void()>& release);
  void not_unlocked(void* host_address, const Unlocked& unlocked);
  /// GPU agents whose memory the two pointers lie in.
  CopyFence::Agents agents_of(const void* first, const void* second) const;

 private:
  Agent* find_agent(uint64_t handle) const;
  AgentSet set_of(uint64_t agent) const;
  void changed_access(const snapshot::Extent& before, AgentSet accessors);
  bool hold(AgentSet agents, const std::function<void()>& release);

  Core& core_;
  const std::vector<std::unique_ptr<Agent>>& agents_;
  MemoryMap map_;
  VirtualMemory virtual_memory_;
  Mutex locked_mutex_;                  // guards locked_
  std::multimap<void*, void*> locked_;  ///< host address -> agent address where they differ
};

}  // namespace kreplay::replay
