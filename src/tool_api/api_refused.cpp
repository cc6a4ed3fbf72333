// Exported: services that need hardware or driver support that is not here, or that this library does not
// have. Each answers with upstream's status for that case, and one line names the tool and the service.
// Arguments that can be checked are, so that a tool sees the same complaint as upstream's where it is at
// fault.
#include "rocprofiler-sdk/device_counting_service.h"
#include "rocprofiler-sdk/experimental/spm.h"
#include "rocprofiler-sdk/experimental/thread-trace/dispatch.h"
#include "rocprofiler-sdk/rocprofiler.h"
#include "tool_api/api_checks.hpp"
#include "tool_api/guard.hpp"

using namespace kreplay::tool_api;  // NOLINT(google-build-using-namespace): a file of C functions

namespace {

constexpr rocprofiler_context_id_t kNoContext = {0};

/// The line, and the status of what is not here.
rocprofiler_status_t refuse(rocprofiler_context_id_t context, const char* service, const char* why) {
  Registry::current().tell_refused(context, service, why);
  return kMissing;
}

rocprofiler_status_t refuse_sampling(const char* function, rocprofiler_context_id_t context) {
  return guarded(function, [&] {
    return refuse(context, "PC sampling", "it needs a driver interface that this library does not use");
  });
}
rocprofiler_status_t refuse_spm(const char* function, rocprofiler_context_id_t context = kNoContext) {
  return guarded(function, [&] {
    return refuse(context, "SPM",
                  "counters are not streamed here; dispatch counting reads them after a kernel");
  });
}

}  // namespace

extern "C" {

// ---- device counting

rocprofiler_status_t rocprofiler_configure_device_counting_service(rocprofiler_context_id_t context_id,
                                                                   rocprofiler_buffer_id_t,
                                                                   rocprofiler_agent_id_t agent_id,
                                                                   rocprofiler_device_counting_service_cb_t,
                                                                   void*) {
  return guarded("rocprofiler_configure_device_counting_service", [&] {
    if (outside_initialize()) return ROCPROFILER_STATUS_ERROR_CONFIGURATION_LOCKED;
    if (no_context(context_id)) return ROCPROFILER_STATUS_ERROR_CONTEXT_NOT_FOUND;
    if (no_agent(agent_id)) return ROCPROFILER_STATUS_ERROR_AGENT_NOT_FOUND;
    return refuse(context_id, "device counting", "counters are collected per dispatch only");
  });
}
rocprofiler_status_t rocprofiler_sample_device_counting_service(rocprofiler_context_id_t context_id,
                                                                rocprofiler_user_data_t,
                                                                rocprofiler_counter_flag_t,
                                                                rocprofiler_counter_record_t*, size_t*) {
  // No context can have the service.
  return guarded("rocprofiler_sample_device_counting_service", [&] {
    return no_context(context_id) ? ROCPROFILER_STATUS_ERROR_CONTEXT_NOT_FOUND
                                  : ROCPROFILER_STATUS_ERROR_CONTEXT_INVALID;
  });
}

// ---- PC sampling

rocprofiler_status_t rocprofiler_query_pc_sampling_agent_configurations(
    rocprofiler_agent_id_t, rocprofiler_available_pc_sampling_configurations_cb_t, void*) {
  return refuse_sampling("rocprofiler_query_pc_sampling_agent_configurations", kNoContext);
}
rocprofiler_status_t rocprofiler_configure_pc_sampling_service(rocprofiler_context_id_t context_id,
                                                               rocprofiler_agent_id_t,
                                                               rocprofiler_pc_sampling_method_t,
                                                               rocprofiler_pc_sampling_unit_t, uint64_t,
                                                               rocprofiler_buffer_id_t, int) {
  return refuse_sampling("rocprofiler_configure_pc_sampling_service", context_id);
}

// ---- thread trace

rocprofiler_status_t rocprofiler_configure_dispatch_thread_trace_service(
    rocprofiler_context_id_t context_id, rocprofiler_agent_id_t, rocprofiler_thread_trace_parameter_t*,
    size_t, rocprofiler_thread_trace_dispatch_callback_t, rocprofiler_thread_trace_shader_data_callback_t,
    void*) {
  return guarded("rocprofiler_configure_dispatch_thread_trace_service", [&] {
    if (outside_initialize()) return ROCPROFILER_STATUS_ERROR_CONFIGURATION_LOCKED;
    if (no_context(context_id)) return ROCPROFILER_STATUS_ERROR_CONTEXT_NOT_FOUND;
    return refuse(context_id, "thread trace", "its packets are not built here");
  });
}

// ---- SPM

rocprofiler_status_t rocprofiler_spm_configure_callback_dispatch_service(
    rocprofiler_context_id_t context_id, rocprofiler_spm_dispatch_counting_service_cb_t, void*,
    rocprofiler_spm_dispatch_counting_record_cb_t, void*) {
  return refuse_spm("rocprofiler_spm_configure_callback_dispatch_service", context_id);
}
rocprofiler_status_t rocprofiler_spm_iterate_agent_supported_counters(rocprofiler_agent_id_t,
                                                                      rocprofiler_available_counters_cb_t,
                                                                      void*) {
  return refuse_spm("rocprofiler_spm_iterate_agent_supported_counters");
}
rocprofiler_status_t rocprofiler_spm_create_counter_config(rocprofiler_agent_id_t, rocprofiler_counter_id_t*,
                                                           size_t, rocprofiler_spm_parameters_t**, size_t,
                                                           rocprofiler_counter_config_id_t*) {
  return refuse_spm("rocprofiler_spm_create_counter_config");
}
rocprofiler_status_t rocprofiler_spm_destroy_counter_config(rocprofiler_counter_config_id_t) {
  return refuse_spm("rocprofiler_spm_destroy_counter_config");
}
rocprofiler_status_t rocprofiler_spm_query_agent_configurations(rocprofiler_agent_id_t,
                                                                rocprofiler_spm_available_configurations_cb_t,
                                                                void*) {
  return refuse_spm("rocprofiler_spm_query_agent_configurations");
}

// ---- tables

rocprofiler_status_t rocprofiler_at_intercept_table_registration(rocprofiler_intercept_library_cb_t, int,
                                                                 void*) {
  return guarded("rocprofiler_at_intercept_table_registration", [&] {
    if (Registry::current().init_status() > 0) return ROCPROFILER_STATUS_ERROR_CONFIGURATION_LOCKED;
    return refuse(kNoContext, "runtime function tables", "tables are not handed on to tools");
  });
}

}  // extern "C"
