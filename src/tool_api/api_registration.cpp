// Exported: versions, status strings, time, registration state, and the runtime's table.
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <string_view>

#include "rocprofiler-sdk/rocprofiler.h"
#include "tool_api/api_table.hpp"
#include "tool_api/guard.hpp"
#include "tool_api/kinds.hpp"
#include "tool_api/registry.hpp"

using namespace kreplay;            // NOLINT(google-build-using-namespace): a file of C functions
using namespace kreplay::tool_api;  // NOLINT(google-build-using-namespace)

namespace kreplay::tool_api {

TableLog& TableLog::current() {
  static TableLog* log = new TableLog;  // never destroyed: a runtime may register during exit
  return *log;
}

bool is_known_table(const char* name) {
  constexpr std::string_view kKnown[] = {"hsa",       "hip",     "hip_compiler", "roctx",   "rccl",
                                         "rocdecode", "rocjpeg", "rocshmem",     "hipfile", "rocattach"};
  return name != nullptr && std::find(std::begin(kKnown), std::end(kKnown), name) != std::end(kKnown);
}

}  // namespace kreplay::tool_api

extern "C" {

rocprofiler_status_t rocprofiler_get_version(uint32_t* major, uint32_t* minor, uint32_t* patch) {
  if (major != nullptr) *major = ROCPROFILER_VERSION_MAJOR;
  if (minor != nullptr) *minor = ROCPROFILER_VERSION_MINOR;
  if (patch != nullptr) *patch = ROCPROFILER_VERSION_PATCH;
  return ROCPROFILER_STATUS_SUCCESS;
}

rocprofiler_status_t rocprofiler_get_version_triplet(rocprofiler_version_triplet_t* info) {
  if (info == nullptr) return ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT;
  *info = {ROCPROFILER_VERSION_MAJOR, ROCPROFILER_VERSION_MINOR, ROCPROFILER_VERSION_PATCH};
  return ROCPROFILER_STATUS_SUCCESS;
}

rocprofiler_status_t rocprofiler_get_timestamp(rocprofiler_timestamp_t* ts) {
  if (ts == nullptr) return ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT;
  // The runtime's system clock, to which dispatch times are converted.
  timespec now = {};
  clock_gettime(CLOCK_BOOTTIME, &now);
  *ts = static_cast<uint64_t>(now.tv_sec) * 1'000'000'000u + static_cast<uint64_t>(now.tv_nsec);
  return ROCPROFILER_STATUS_SUCCESS;
}

rocprofiler_status_t rocprofiler_get_thread_id(rocprofiler_thread_id_t* tid) {
  if (tid == nullptr) return ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT;
  *tid = static_cast<rocprofiler_thread_id_t>(syscall(SYS_gettid));
  return ROCPROFILER_STATUS_SUCCESS;
}

const char* rocprofiler_get_status_name(rocprofiler_status_t status) {
  return status_name(number_of(status));
}
const char* rocprofiler_get_status_string(rocprofiler_status_t status) {
  return status_text(number_of(status));
}

rocprofiler_status_t rocprofiler_is_initialized(int* status) {
  return guarded("rocprofiler_is_initialized", [&] {
    if (status == nullptr) return ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT;
    *status = Registry::current().init_status();
    return ROCPROFILER_STATUS_SUCCESS;
  });
}

rocprofiler_status_t rocprofiler_is_finalized(int* status) {
  return guarded("rocprofiler_is_finalized", [&] {
    if (status == nullptr) return ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT;
    *status = Registry::current().fini_status();
    return ROCPROFILER_STATUS_SUCCESS;
  });
}

rocprofiler_status_t rocprofiler_force_configure(rocprofiler_configure_func_t configure_func) {
  return guarded("rocprofiler_force_configure",
                 [&] { return Registry::current().force_configure(configure_func); });
}

rocprofiler_status_t rocprofiler_iterate_runtime_registration_info(
    rocprofiler_runtime_registration_info_cb_t callback, void* data) {
  return guarded("rocprofiler_iterate_runtime_registration_info", [&] {
    if (callback == nullptr) return ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT;
    const auto rows = TableLog::current().rows();
    if (rows.empty()) return ROCPROFILER_STATUS_ERROR_INCOMPATIBLE_REGISTER_VERSION;
    for (const auto& row : rows) {
      rocprofiler_runtime_registration_info_t info = {sizeof(info), row.name.c_str(), row.lib_version,
                                                      row.tables};
      if (callback(&info, data) != 0) break;
    }
    return ROCPROFILER_STATUS_SUCCESS;
  });
}

/// Called by rocprofiler-register; not part of the headers. @return 0, or a rocprofiler_status_t
ROCPROFILER_EXPORT int rocprofiler_set_api_table(const char* name, uint64_t lib_version,
                                                 uint64_t lib_instance, void** tables, uint64_t num_tables) {
  int answer = 0;
  const rocprofiler_status_t status = guarded("rocprofiler_set_api_table", [&] {
    if (!is_known_table(name)) return ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT;
    Registry& registry = Registry::current();
    if (registry.fini_status() != 0) return ROCPROFILER_STATUS_SUCCESS;
    registry.start();
    TableLog::current().add({name, static_cast<uint32_t>(lib_version), num_tables});
    if (const ApiTableHandler handler = api_table_handler())
      answer = handler(name, lib_version, lib_instance, tables, num_tables);
    return ROCPROFILER_STATUS_SUCCESS;
  });
  return status != ROCPROFILER_STATUS_SUCCESS ? status : answer;
}

}  // extern "C"
