/* PC sampling: what an agent offers, and the switch. */
#ifndef KREPLAY_ROCPROFILER_SDK_PC_SAMPLING_H
#define KREPLAY_ROCPROFILER_SDK_PC_SAMPLING_H

#include <rocprofiler-sdk/agent.h>
#include <rocprofiler-sdk/fwd.h>

ROCPROFILER_EXTERN_C_INIT

typedef struct rocprofiler_pc_sampling_configuration_t {
  uint64_t size;
  rocprofiler_pc_sampling_method_t method;
  rocprofiler_pc_sampling_unit_t unit;
  uint64_t min_interval;
  uint64_t max_interval;
  uint64_t flags;
} rocprofiler_pc_sampling_configuration_t;

typedef rocprofiler_status_t (*rocprofiler_available_pc_sampling_configurations_cb_t)(
    const rocprofiler_pc_sampling_configuration_t* configs, size_t num_config, void* user_data);

ROCPROFILER_API rocprofiler_status_t rocprofiler_query_pc_sampling_agent_configurations(
    rocprofiler_agent_id_t agent_id, rocprofiler_available_pc_sampling_configurations_cb_t cb,
    void* user_data);
ROCPROFILER_API rocprofiler_status_t rocprofiler_configure_pc_sampling_service(
    rocprofiler_context_id_t context_id, rocprofiler_agent_id_t agent_id,
    rocprofiler_pc_sampling_method_t method, rocprofiler_pc_sampling_unit_t unit, uint64_t interval,
    rocprofiler_buffer_id_t buffer_id, int flags);

ROCPROFILER_EXTERN_C_FINI

#endif
