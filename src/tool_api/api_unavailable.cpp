// Exported: counters, which this library does not have yet. Each says so by name; none succeeds in silence.
// Arguments that could be checked are, so that a tool sees the same complaint as upstream's where it is at
// fault.
#include "rocprofiler-sdk/rocprofiler.h"
#include "tool_api/api_checks.hpp"
#include "tool_api/guard.hpp"

using namespace kreplay::tool_api;  // NOLINT(google-build-using-namespace): a file of C functions

namespace {

rocprofiler_status_t missing_for_agent(const char* function, rocprofiler_agent_id_t agent) {
  return guarded(function,
                 [&] { return no_agent(agent) ? ROCPROFILER_STATUS_ERROR_AGENT_NOT_FOUND : kMissing; });
}

/// @param unknown what this service answers to an unknown context
rocprofiler_status_t missing_for_context(const char* function, rocprofiler_context_id_t context,
                                         rocprofiler_status_t unknown) {
  return guarded(function, [&] {
    if (outside_initialize()) return ROCPROFILER_STATUS_ERROR_CONFIGURATION_LOCKED;
    return no_context(context) ? unknown : kMissing;
  });
}

}  // namespace

extern "C" {

// ---- counters

rocprofiler_status_t rocprofiler_iterate_agent_supported_counters(rocprofiler_agent_id_t agent_id,
                                                                  rocprofiler_available_counters_cb_t,
                                                                  void*) {
  return missing_for_agent("rocprofiler_iterate_agent_supported_counters", agent_id);
}
rocprofiler_status_t rocprofiler_query_counter_info(rocprofiler_counter_id_t,
                                                    rocprofiler_counter_info_version_id_t, void*) {
  return kMissing;
}
rocprofiler_status_t rocprofiler_query_record_counter_id(rocprofiler_counter_instance_id_t,
                                                         rocprofiler_counter_id_t*) {
  return kMissing;
}
rocprofiler_status_t rocprofiler_query_record_dimension_position(rocprofiler_counter_instance_id_t,
                                                                 rocprofiler_counter_dimension_id_t,
                                                                 size_t*) {
  return kMissing;
}
rocprofiler_status_t rocprofiler_iterate_counter_dimensions(rocprofiler_counter_id_t,
                                                            rocprofiler_available_dimensions_cb_t, void*) {
  return kMissing;
}
rocprofiler_status_t rocprofiler_query_counter_instance_count(rocprofiler_agent_id_t agent_id,
                                                              rocprofiler_counter_id_t, size_t*) {
  return missing_for_agent("rocprofiler_query_counter_instance_count", agent_id);
}
rocprofiler_status_t rocprofiler_create_counter(const char*, size_t, const char*, size_t,
                                                rocprofiler_agent_id_t agent, const char*, size_t,
                                                rocprofiler_counter_id_t*) {
  return missing_for_agent("rocprofiler_create_counter", agent);
}
rocprofiler_status_t rocprofiler_load_counter_definition(const char*, size_t, rocprofiler_counter_flag_t) {
  return kMissing;
}
rocprofiler_status_t rocprofiler_create_counter_config(rocprofiler_agent_id_t agent_id,
                                                       rocprofiler_counter_id_t*, size_t,
                                                       rocprofiler_counter_config_id_t*) {
  return missing_for_agent("rocprofiler_create_counter_config", agent_id);
}
rocprofiler_status_t rocprofiler_destroy_counter_config(rocprofiler_counter_config_id_t) { return kMissing; }
rocprofiler_status_t rocprofiler_configure_callback_dispatch_counting_service(
    rocprofiler_context_id_t context_id, rocprofiler_dispatch_counting_service_cb_t, void*,
    rocprofiler_dispatch_counting_record_cb_t, void*) {
  return missing_for_context("rocprofiler_configure_callback_dispatch_counting_service", context_id,
                             ROCPROFILER_STATUS_ERROR_CONTEXT_INVALID);
}
rocprofiler_status_t rocprofiler_configure_buffer_dispatch_counting_service(
    rocprofiler_context_id_t context_id, rocprofiler_buffer_id_t, rocprofiler_dispatch_counting_service_cb_t,
    void*) {
  return missing_for_context("rocprofiler_configure_buffer_dispatch_counting_service", context_id,
                             ROCPROFILER_STATUS_ERROR_CONTEXT_INVALID);
}

}  // extern "C"
