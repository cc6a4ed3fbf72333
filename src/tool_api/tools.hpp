// What the rest of the library needs of the tool interface. All of it acts on the process's registry.
// Threads: any, from any hook; nothing throws.
#pragma once

#include <cstdint>
#include <string>

#include "base/options.hpp"
#include "tool_api/replay_tool.hpp"
#include "tool_api/services/code_objects/code_object_tracing.hpp"
#include "tool_api/services/kernel_services.hpp"

namespace kreplay::tool_api {

/// Finds the tools, then calls all rocprofiler_configure, then all initialize. Once per process; later calls
/// are one load. A call from inside a tool's initialize returns at once; one from another thread waits,
/// bounded. No lock is held while a tool runs.
/// @throws std::bad_alloc when there is no memory for the first of it: there are no tools then
void start(const Options& options);

/// Who decides about replays now: the tool that subscribed to KERNEL_REPLAY; the built-in timing tool when no
/// tool is present; null when tools are present and none replays, when replay is off, and before start(). One
/// load; ask per dispatch, as rocprofiler_force_configure may change it.
ReplayTool* replay_tool() noexcept;

/// Whether services act around kernels now. One load, for every dispatch.
inline bool kernel_services_listen() noexcept {
  return g_kernel_services_listen.load(std::memory_order_relaxed);
}
/// The services around kernels; null when nobody has needed them yet.
KernelServices* kernel_services() noexcept;
/// The code objects that tools are told of; null when none asks.
CodeObjectTracing* code_object_tracing() noexcept;

/// Stops the tools' contexts and calls each finalize(tool_data) once. Idempotent; start() also registers it
/// with atexit. Waits a bounded time for tool callbacks that run on other threads.
void finalize() noexcept;

bool tool_present() noexcept;
/// "timing", or the tools' names; empty when nothing replays.
std::string tool_names();

/// The rocprofiler_agent_id_t of a KFD topology node (HSA_AMD_AGENT_INFO_DRIVER_NODE_ID); 0 when unknown.
rocprofiler_agent_id_t agent_id_of_node(uint32_t node) noexcept;

/// A runtime that was built with rocprofiler-register offers its tables through rocprofiler_set_api_table.
/// @param tables as the runtime gives them, live and writable
/// @return 0, or a status that register reports to the runtime
using ApiTableHandler = int (*)(const char* name, uint64_t lib_version, uint64_t lib_instance, void** tables,
                                uint64_t num_tables);
/// Replaces the handler; null removes it. Called on the thread that initialises the runtime, after start().
void set_api_table_handler(ApiTableHandler handler) noexcept;

}  // namespace kreplay::tool_api
