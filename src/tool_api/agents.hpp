// Agents as the kernel driver's topology lists them. Read once, with fopen and opendir on the paths the
// runtime itself reads, so that a redirected topology is seen; works before the runtime is up.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "rocprofiler-sdk/agent.h"

namespace kreplay::tool_api {

struct TopologyPaths {
  std::string topology = "/sys/class/kfd/kfd/topology";
  std::string cpuinfo = "/proc/cpuinfo";
};

/// What *_VISIBLE_DEVICES say; empty strings are as unset.
struct VisibleDevices {
  std::string rocr;  ///< ROCR_VISIBLE_DEVICES
  std::string hip;   ///< HIP_VISIBLE_DEVICES
};

class AgentList {
 public:
  /// Nodes that cannot be read are left out; no topology at all gives an empty list.
  static std::unique_ptr<AgentList> read(const TopologyPaths& paths, const VisibleDevices& visible);
  /// The process's list: read on first use, never destroyed (tools keep pointers into it).
  static const AgentList& current();

  /// Pointers to structures with room for the longest layout known (see kLongestLayout), by node number.
  const std::vector<const void*>& pointers() const { return pointers_; }
  const rocprofiler_agent_v0_t* find(rocprofiler_agent_id_t id) const;
  const rocprofiler_agent_v0_t* find_node(uint32_t node) const;

  /// A branch of upstream appends 64 bytes of firmware versions; a tool built against it is given zeros
  /// there.
  static constexpr size_t kLongestLayout = 376;

  AgentList(const AgentList&) = delete;
  AgentList& operator=(const AgentList&) = delete;
  ~AgentList();

 private:
  AgentList();
  struct Node;
  void add(std::unique_ptr<Node> node);

  std::vector<std::unique_ptr<Node>> nodes_;
  std::vector<const void*> pointers_;
};

}  // namespace kreplay::tool_api
