// How the runtime finds us as one of its tools: OnLoad and OnUnload, called inside hsa_init and the last
// hsa_shut_down. HSA_AMD_TOOL_PRIORITY makes runtimes from 6.1 on look here without any variable. A runtime
// built with rocprofiler-register (AMD's own packages) gives its table to rocprofiler_set_api_table instead,
// once register has seen that there is a tool; it then asks no OnLoad, unless HSA_TOOLS_ROCPROFILER_V1_TOOLS
// is set.

#include <mutex>
#include <string>
#include <string_view>

#include "base/log.hpp"
#include "hsa/runtime_binding.hpp"
#include "intercept/api_table.hpp"
#include "intercept/exports.hpp"
#include "intercept/instance.hpp"
#include "intercept/process.hpp"
#include "tool_api/tools.hpp"

namespace {

/// A thunk in a table goes on to the original of the table that came last, so two runtimes in use would call
/// each other's functions. @return the path of the other runtime, when `table` is not of the one that is
/// observed and that one is still loaded; else empty
std::string other_runtime(const void* table) {
  using namespace kreplay;
  static std::mutex mutex;                          // two threads may initialise two runtimes
  static std::string& observed = *new std::string;  // guarded by mutex; outlives our destructors
  const std::string path = hsa::object_path(table);
  const std::lock_guard lock(mutex);
  if (!path.empty() && !observed.empty() && observed != path)
    for (const hsa::LoadedObject& object : hsa::loaded_objects("libhsa-runtime64.so"))
      if (object.path == observed) return observed;
  observed = path;
  return {};
}

/// @param by who offers it, for messages
void take_table(const char* by, void* table) {
  using namespace kreplay::intercept;
  if (second_instance() || process::forked()) return;
  if (const std::string other = other_runtime(table); !other.empty()) {
    const std::string why =
        "two HSA runtimes are in use (" + other + " and " + kreplay::hsa::object_path(table) + ")";
    process::turn_off(by, why.c_str());
    return;
  }
  (void)process::bind(false);
  const unsigned count = install_table(table);
  if (count != 0) process::table_installed();
  kreplay::log::debug(by, "{} entries of the runtime's table are observed", count);
}

/// Tables of other libraries (HIP, roctx, RCCL) are left alone: what we need of them is seen below them.
int take_registered_table(const char* name, uint64_t /*version*/, uint64_t /*instance*/, void** tables,
                          uint64_t count) {
  if (std::string_view(name) != "hsa") return 0;
  if (tables == nullptr || count == 0) return ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT;
  take_table("rocprofiler_set_api_table", tables[0]);
  return 0;
}

}  // namespace

void kreplay::intercept::accept_registered_tables() {
  kreplay::tool_api::set_api_table_handler(take_registered_table);
}

extern "C" {

/// Low = called early. After tools with smaller numbers, so that our wrappers stand in front of theirs.
KR_EXPORT extern const uint32_t HSA_AMD_TOOL_PRIORITY;
const uint32_t HSA_AMD_TOOL_PRIORITY = 1000;

KR_EXPORT bool OnLoad(void* table, uint64_t runtime_version, uint64_t failed_tool_count,
                      const char* const* failed_tool_names);
KR_EXPORT void OnUnload();

bool OnLoad(void* table, uint64_t /*runtime_version*/, uint64_t /*failed_tool_count*/,
            const char* const* /*failed_tool_names*/) {
  try {
    take_table("OnLoad", table);
  } catch (...) {  // nothing of ours may reach the runtime
  }
  return true;
}

void OnUnload() {
  try {
    if (!kreplay::intercept::second_instance() && !kreplay::intercept::process::forked())
      kreplay::intercept::process::unloading();
  } catch (...) {  // as above
  }
}

}  // extern "C"
