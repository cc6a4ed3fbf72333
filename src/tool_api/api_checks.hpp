// What several exported functions ask before they answer.
#pragma once

#include "tool_api/agents.hpp"
#include "tool_api/registry.hpp"

namespace kreplay::tool_api {

constexpr rocprofiler_status_t kMissing = ROCPROFILER_STATUS_ERROR_NOT_IMPLEMENTED;

inline bool outside_initialize() { return Registry::current().init_status() >= 0; }
inline bool no_context(rocprofiler_context_id_t id) {
  return Registry::current().find_context(id) == nullptr;
}
inline bool no_agent(rocprofiler_agent_id_t id) { return AgentList::current().find(id) == nullptr; }

}  // namespace kreplay::tool_api
