// Sets of counters that are collected together, and the packets made for them.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "rocprofiler-sdk/rocprofiler.h"
#include "tool_api/services/counting/aqlprofile.hpp"
#include "tool_api/services/counting/definitions.hpp"

namespace kreplay::tool_api {

class CounterConfig {
 public:
  /// A basic counter on the agent.
  struct Basic {
    const CounterDefinition* definition;
    PmcBlock block;
  };
  CounterConfig(AqlProfile& library, rocprofiler_agent_id_t agent, uint64_t handle)
      : library_(library), agent_(agent), handle_(handle) {}

  rocprofiler_agent_id_t agent() const { return agent_; }
  const std::vector<const CounterDefinition*>& counters() const { return counters_; }
  /// @return EXCEEDS_HW_LIMIT, AST_NOT_FOUND, PROFILE_COUNTER_NOT_FOUND, or success
  rocprofiler_status_t add(const CounterDefinition& counter);

  /// Packets that are in nobody's hand, made when there are none. Threads: any.
  Result<std::unique_ptr<PmcPackets>> take(PacketMemory& memory);
  /// After the last use of them has ended.
  void give(std::unique_ptr<PmcPackets> packets) noexcept;
  /// Evaluates all counters. @param out (counter, sample), in the order of the set
  Status read(PmcPackets& packets, std::vector<std::pair<const CounterDefinition*, Sample>>& out) const;

 private:
  AqlProfile& library_;
  const rocprofiler_agent_id_t agent_;
  const uint64_t handle_;  ///< the library's, of the agent
  std::vector<const CounterDefinition*> counters_;
  std::vector<Basic> basics_;
  std::mutex mutex_;  // guards idle_
  std::vector<std::unique_ptr<PmcPackets>> idle_;
};

/// Threads: any.
class CounterConfigs {
 public:
  rocprofiler_status_t create(rocprofiler_agent_id_t agent, const rocprofiler_counter_id_t* ids, size_t count,
                              rocprofiler_counter_config_id_t* config);
  void destroy(rocprofiler_counter_config_id_t id);
  std::shared_ptr<CounterConfig> find(rocprofiler_counter_config_id_t id) const;

 private:
  mutable std::mutex mutex_;  // guards everything below
  std::map<uint64_t, std::shared_ptr<CounterConfig>> configs_;
  uint64_t next_ = 1;
};

}  // namespace kreplay::tool_api
