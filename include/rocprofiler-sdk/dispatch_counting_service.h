/* Counter collection per kernel dispatch. */
#ifndef KREPLAY_ROCPROFILER_SDK_DISPATCH_COUNTING_SERVICE_H
#define KREPLAY_ROCPROFILER_SDK_DISPATCH_COUNTING_SERVICE_H

#include <rocprofiler-sdk/agent.h>
#include <rocprofiler-sdk/counter_config.h>
#include <rocprofiler-sdk/fwd.h>

ROCPROFILER_EXTERN_C_INIT

/* Passed by value. Timestamps are 0 in the dispatch callback. */
typedef struct rocprofiler_dispatch_counting_service_data_t {
  uint64_t size;
  rocprofiler_async_correlation_id_t correlation_id;
  rocprofiler_timestamp_t start_timestamp;
  rocprofiler_timestamp_t end_timestamp;
  rocprofiler_kernel_dispatch_info_t dispatch_info;
} rocprofiler_dispatch_counting_service_data_t;

/* Header record of the buffered form; num_records value records follow it. */
typedef struct rocprofiler_dispatch_counting_service_record_t {
  uint64_t size;
  uint64_t num_records;
  rocprofiler_async_correlation_id_t correlation_id;
  rocprofiler_timestamp_t start_timestamp;
  rocprofiler_timestamp_t end_timestamp;
  rocprofiler_kernel_dispatch_info_t dispatch_info;
} rocprofiler_dispatch_counting_service_record_t;

/* Leaving `config` 0 means: collect nothing for this dispatch. */
typedef void (*rocprofiler_dispatch_counting_service_cb_t)(
    rocprofiler_dispatch_counting_service_data_t dispatch_data, rocprofiler_counter_config_id_t* config,
    rocprofiler_user_data_t* user_data, void* callback_data_args);
typedef void (*rocprofiler_dispatch_counting_record_cb_t)(
    rocprofiler_dispatch_counting_service_data_t dispatch_data, rocprofiler_counter_record_t* record_data,
    size_t record_count, rocprofiler_user_data_t user_data, void* callback_data_args);

ROCPROFILER_API rocprofiler_status_t rocprofiler_configure_buffer_dispatch_counting_service(
    rocprofiler_context_id_t context_id, rocprofiler_buffer_id_t buffer_id,
    rocprofiler_dispatch_counting_service_cb_t callback, void* callback_data_args);
ROCPROFILER_API rocprofiler_status_t rocprofiler_configure_callback_dispatch_counting_service(
    rocprofiler_context_id_t context_id, rocprofiler_dispatch_counting_service_cb_t dispatch_callback,
    void* dispatch_callback_args, rocprofiler_dispatch_counting_record_cb_t record_callback,
    void* record_callback_args);
/* Restricts the context's service to these agents; none: all of them. While the context is not active.
 * CONTEXT_NOT_FOUND, CONTEXT_INVALID (no service), CONTEXT_CONFLICT (active), AGENT_NOT_FOUND. */
ROCPROFILER_API rocprofiler_status_t rocprofiler_dispatch_counting_service_set_agents(
    rocprofiler_context_id_t context_id, const rocprofiler_agent_id_t* agents, size_t agents_count);

ROCPROFILER_EXTERN_C_FINI

#endif
