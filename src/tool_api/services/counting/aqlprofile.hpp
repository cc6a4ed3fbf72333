// AMD's aqlprofile, opened when it is first needed: it knows the packets that program and read counters.
// Layouts and functions are those of its second interface (aql_profile_v2.h); they are public.
//
// One mutex serialises all calls: the library's tables are not locked. It is held while the library asks for
// memory, which calls the runtime: nothing of ours that takes this mutex is called from there.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/status.hpp"
#include "hsa/aql.hpp"
#include "rocprofiler-sdk/agent.h"
#include "tool_api/services/kernel_run.hpp"

namespace kreplay::tool_api {

/// One event on one instance of a block, as the library takes it.
struct PmcEvent {
  uint32_t instance = 0;
  uint32_t event = 0;
  uint32_t flags = 0;
  uint32_t block = 0;  ///< the library's number
  bool operator==(const PmcEvent&) const = default;
};
static_assert(sizeof(PmcEvent) == 16);

struct PmcBlock {
  uint32_t id = 0;
  uint32_t instances = 0;
  uint32_t counters = 0;  ///< per instance
};

/// A value with its position: one 6-bit field per dimension as record ids have them.
struct PmcValue {
  PmcEvent event;
  uint64_t position = 0;
  uint64_t value = 0;
};

/// Start, read and stop for one set of events, with their memory. Not in flight twice.
class PmcPackets;

/// Threads: any.
class AqlProfile {
 public:
  /// The process's. Opened at the first call; what failed then fails for good.
  static Result<AqlProfile*> current();
  /// For tests: another library instead of the installed one, by path. Before current().
  static Result<std::unique_ptr<AqlProfile>> open(const char* library);
  ~AqlProfile();

  /// @return the library's handle of the agent
  Result<uint64_t> agent(const rocprofiler_agent_v0_t& agent);
  Result<PmcBlock> block(uint64_t agent, const std::string& name);
  /// Positions an event's samples have on this agent, by dimension number and extent.
  struct Dimension {
    unsigned number = 0;  ///< rocprofiler's: 1 XCC, 2 AID, 3 SHADER_ENGINE, 5 SHADER_ARRAY, 6 WGP, 7 INSTANCE
    uint32_t extent = 0;
  };
  Result<std::vector<Dimension>> dimensions(uint64_t agent, const PmcEvent& event);
  Result<std::unique_ptr<PmcPackets>> create(uint64_t agent, const std::vector<PmcEvent>& events,
                                             PacketMemory& memory);

 private:
  friend class PmcPackets;
  struct Functions;
  explicit AqlProfile(std::unique_ptr<Functions> functions);

  std::unique_ptr<Functions> functions_;
  std::mutex mutex_;  // serialises the library; guards what follows
  struct Agent {
    uint64_t id;  ///< rocprofiler_agent_id_t::handle
    std::string name;
    uint64_t handle;
  };
  std::vector<Agent> agents_;
};

class PmcPackets {
 public:
  ~PmcPackets();
  PmcPackets(const PmcPackets&) = delete;
  PmcPackets& operator=(const PmcPackets&) = delete;

  const PacketMemory& memory() const { return memory_; }
  const hsa::Packet& start() const { return packets_[0]; }
  const hsa::Packet& stop() const { return packets_[1]; }
  const hsa::Packet& read() const { return packets_[2]; }
  /// What the last read packet stored.
  Status values(const std::function<void(const PmcValue&)>& each);

 private:
  friend class AqlProfile;
  PmcPackets(AqlProfile& library, uint64_t agent, PacketMemory& memory)
      : library_(library), agent_(agent), memory_(memory) {}

  AqlProfile& library_;
  const uint64_t agent_;
  PacketMemory& memory_;
  uint64_t handle_ = 0;
  hsa::Packet packets_[3] = {};
};

}  // namespace kreplay::tool_api
