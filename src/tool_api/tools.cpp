#include "tool_api/tools.hpp"

#include <atomic>

#include "tool_api/agents.hpp"
#include "tool_api/api_table.hpp"
#include "tool_api/registry.hpp"
#include "tool_api/services/services.hpp"

namespace kreplay::tool_api {
namespace {

std::atomic<ApiTableHandler> g_handler{nullptr};  // set by the interceptor, for the life of the process

}  // namespace

void start(const Options& options) {
  Registry& registry = Registry::current();
  if (registry.init_status() == 1) return;
  try {
    static std::atomic<bool> prepared{false};
    if (!prepared.exchange(true)) registry.set_options(options);
  } catch (...) {  // out of memory: the registry reads the environment itself
  }
  registry.start();
}

ReplayTool* replay_tool() noexcept {
  Registry* registry = Registry::existing();
  return registry == nullptr ? nullptr : registry->replay_tool();
}
KernelServices* kernel_services() noexcept {
  Registry* registry = Registry::existing();
  return registry == nullptr ? nullptr : &registry->services().kernels;
}
CodeObjectTracing* code_object_tracing() noexcept {
  Registry* registry = Registry::existing();
  if (registry == nullptr || !registry->services().code_objects.wanted()) return nullptr;
  return &registry->services().code_objects;
}
void finalize() noexcept {
  if (Registry* registry = Registry::existing()) registry->finalize();
}
bool tool_present() noexcept {
  Registry* registry = Registry::existing();
  return registry != nullptr && registry->tool_present();
}
std::string tool_names() {
  Registry* registry = Registry::existing();
  return registry == nullptr ? std::string() : registry->tool_names();
}

rocprofiler_agent_id_t agent_id_of_node(uint32_t node) noexcept {
  try {
    const rocprofiler_agent_v0_t* agent = AgentList::current().find_node(node);
    return agent != nullptr ? agent->id : rocprofiler_agent_id_t{0};
  } catch (...) {
    return {0};
  }
}

void set_api_table_handler(ApiTableHandler handler) noexcept { g_handler.store(handler); }
ApiTableHandler api_table_handler() noexcept { return g_handler.load(); }

}  // namespace kreplay::tool_api
