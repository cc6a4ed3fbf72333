// Exported: agents.
#include "rocprofiler-sdk/agent.h"
#include "tool_api/agents.hpp"
#include "tool_api/guard.hpp"

using namespace kreplay::tool_api;  // NOLINT(google-build-using-namespace): a file of C functions

extern "C" rocprofiler_status_t rocprofiler_query_available_agents(
    rocprofiler_agent_version_t version, rocprofiler_query_available_agents_cb_t callback, size_t agent_size,
    void* user_data) {
  return guarded("rocprofiler_query_available_agents", [&] {
    if (number_of(version) != ROCPROFILER_AGENT_INFO_VERSION_0 || callback == nullptr)
      return ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT;
    if (agent_size > AgentList::kLongestLayout) return ROCPROFILER_STATUS_ERROR_INCOMPATIBLE_ABI;
    // A copy: the tool may write to the array it is given.
    std::vector<const void*> agents = AgentList::current().pointers();
    return callback(ROCPROFILER_AGENT_INFO_VERSION_0, agents.data(), agents.size(), user_data);
  });
}
