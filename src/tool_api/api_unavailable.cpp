// Exported: services that this library does not have. Each says so by name; none succeeds in silence.
// Arguments that could be checked are, so that a tool sees the same complaint as upstream's where it is at
// fault.
#include "rocprofiler-sdk/experimental/spm.h"
#include "rocprofiler-sdk/experimental/thread-trace/dispatch.h"
#include "rocprofiler-sdk/rocprofiler.h"
#include "tool_api/agents.hpp"
#include "tool_api/guard.hpp"
#include "tool_api/registry.hpp"

using namespace kreplay::tool_api;  // NOLINT(google-build-using-namespace): a file of C functions

namespace {

constexpr rocprofiler_status_t kMissing = ROCPROFILER_STATUS_ERROR_NOT_IMPLEMENTED;

bool outside_initialize() { return Registry::current().init_status() >= 0; }
bool no_context(rocprofiler_context_id_t id) { return Registry::current().find_context(id) == nullptr; }
bool no_agent(rocprofiler_agent_id_t id) { return AgentList::current().find(id) == nullptr; }

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

// ---- tables

rocprofiler_status_t rocprofiler_at_intercept_table_registration(rocprofiler_intercept_library_cb_t, int,
                                                                 void*) {
  return Registry::current().init_status() > 0 ? ROCPROFILER_STATUS_ERROR_CONFIGURATION_LOCKED : kMissing;
}

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

// ---- PC sampling, thread trace, SPM

rocprofiler_status_t rocprofiler_query_pc_sampling_agent_configurations(
    rocprofiler_agent_id_t, rocprofiler_available_pc_sampling_configurations_cb_t, void*) {
  return kMissing;
}
rocprofiler_status_t rocprofiler_configure_pc_sampling_service(rocprofiler_context_id_t,
                                                               rocprofiler_agent_id_t,
                                                               rocprofiler_pc_sampling_method_t,
                                                               rocprofiler_pc_sampling_unit_t, uint64_t,
                                                               rocprofiler_buffer_id_t, int) {
  return kMissing;
}
rocprofiler_status_t rocprofiler_configure_dispatch_thread_trace_service(
    rocprofiler_context_id_t context_id, rocprofiler_agent_id_t, rocprofiler_thread_trace_parameter_t*,
    size_t, rocprofiler_thread_trace_dispatch_callback_t, rocprofiler_thread_trace_shader_data_callback_t,
    void*) {
  return missing_for_context("rocprofiler_configure_dispatch_thread_trace_service", context_id,
                             ROCPROFILER_STATUS_ERROR_CONTEXT_NOT_FOUND);
}
rocprofiler_status_t rocprofiler_spm_configure_callback_dispatch_service(
    rocprofiler_context_id_t, rocprofiler_spm_dispatch_counting_service_cb_t, void*,
    rocprofiler_spm_dispatch_counting_record_cb_t, void*) {
  return kMissing;
}
rocprofiler_status_t rocprofiler_spm_iterate_agent_supported_counters(rocprofiler_agent_id_t,
                                                                      rocprofiler_available_counters_cb_t,
                                                                      void*) {
  return kMissing;
}
rocprofiler_status_t rocprofiler_spm_create_counter_config(rocprofiler_agent_id_t, rocprofiler_counter_id_t*,
                                                           size_t, rocprofiler_spm_parameters_t**, size_t,
                                                           rocprofiler_counter_config_id_t*) {
  return kMissing;
}
rocprofiler_status_t rocprofiler_spm_destroy_counter_config(rocprofiler_counter_config_id_t) {
  return kMissing;
}
rocprofiler_status_t rocprofiler_spm_query_agent_configurations(rocprofiler_agent_id_t,
                                                                rocprofiler_spm_available_configurations_cb_t,
                                                                void*) {
  return kMissing;
}

}  // extern "C"
