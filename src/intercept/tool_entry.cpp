// How the runtime finds us as one of its tools: OnLoad and OnUnload, called inside hsa_init and the last
// hsa_shut_down. HSA_AMD_TOOL_PRIORITY makes runtimes from 6.1 on look here without any variable.

#include <mutex>
#include <string>

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

}  // namespace

extern "C" {

/// Low = called early. After tools with smaller numbers, so that our wrappers stand in front of theirs.
KR_EXPORT extern const uint32_t HSA_AMD_TOOL_PRIORITY;
const uint32_t HSA_AMD_TOOL_PRIORITY = 1000;

KR_EXPORT bool OnLoad(void* table, uint64_t runtime_version, uint64_t failed_tool_count,
                      const char* const* failed_tool_names);
KR_EXPORT void OnUnload();

bool OnLoad(void* table, uint64_t /*runtime_version*/, uint64_t /*failed_tool_count*/,
            const char* const* /*failed_tool_names*/) {
  using namespace kreplay::intercept;
  try {
    if (second_instance() || process::forked()) return true;
    if (const std::string other = other_runtime(table); !other.empty()) {
      const std::string why =
          "two HSA runtimes are in use (" + other + " and " + kreplay::hsa::object_path(table) + ")";
      process::turn_off("OnLoad", why.c_str());
      return true;
    }
    (void)process::bind(false);
    const unsigned count = install_table(table);
    if (count != 0) process::table_installed();
    kreplay::log::debug("OnLoad", "{} entries of the runtime's table are observed", count);
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
