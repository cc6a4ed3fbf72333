/* Counter collection of a whole agent, independent of dispatches. */
#ifndef KREPLAY_ROCPROFILER_SDK_DEVICE_COUNTING_SERVICE_H
#define KREPLAY_ROCPROFILER_SDK_DEVICE_COUNTING_SERVICE_H

#include <rocprofiler-sdk/agent.h>
#include <rocprofiler-sdk/counter_config.h>
#include <rocprofiler-sdk/fwd.h>

ROCPROFILER_EXTERN_C_INIT

typedef rocprofiler_status_t (*rocprofiler_device_counting_agent_cb_t)(
    rocprofiler_context_id_t context_id, rocprofiler_counter_config_id_t config_id);
typedef void (*rocprofiler_device_counting_service_cb_t)(rocprofiler_context_id_t context_id,
                                                         rocprofiler_agent_id_t agent_id,
                                                         rocprofiler_device_counting_agent_cb_t set_config,
                                                         void* user_data);

/* CONFIGURATION_LOCKED outside `initialize`, CONTEXT_NOT_FOUND, AGENT_NOT_FOUND, NOT_IMPLEMENTED. */
ROCPROFILER_API rocprofiler_status_t rocprofiler_configure_device_counting_service(
    rocprofiler_context_id_t context_id, rocprofiler_buffer_id_t buffer_id, rocprofiler_agent_id_t agent_id,
    rocprofiler_device_counting_service_cb_t cb, void* user_data);
/* `output_records` and `rec_count` may be NULL: the values then go into the buffer. */
ROCPROFILER_API rocprofiler_status_t rocprofiler_sample_device_counting_service(
    rocprofiler_context_id_t context_id, rocprofiler_user_data_t user_data, rocprofiler_counter_flag_t flags,
    rocprofiler_counter_record_t* output_records, size_t* rec_count);

ROCPROFILER_EXTERN_C_FINI

#endif
