// What an agent keeps for its windows, so that a steady window allocates nothing and creates no signal. Used
// by the owner of the agent's window only.
#pragma once

#include <hsa/hsa.h>

#include <memory>
#include <vector>

#include "replay/drain.hpp"
#include "replay/host_writes.hpp"
#include "replay/saved_memory.hpp"
#include "report/outcome.hpp"
#include "snapshot/cache_flush.hpp"

namespace kreplay::replay {

class Agent;
class Queue;

struct AgentWindow {
  std::unique_ptr<SavedMemory> memory;  ///< never null once the Replayer has started
  std::unique_ptr<snapshot::CacheFlush> cache_flush;
  std::unique_ptr<Drain> drain;
  HostWrites host_writes;
  std::vector<report::PassTime> pass_times;
  std::vector<Agent*> members;              ///< of the open window: this agent and those isolated with it
  std::vector<Queue*> queues;               ///< of all members, pinned
  std::vector<std::shared_ptr<void>> kept;  ///< see OpenWindows::defer
  hsa_signal_t pass_signal = {0};
  hsa_signal_t drain_signal = {0};
};

}  // namespace kreplay::replay
