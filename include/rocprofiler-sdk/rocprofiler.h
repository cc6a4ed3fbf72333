/* The tool interface as a whole, with versions, status strings and time. */
#ifndef KREPLAY_ROCPROFILER_SDK_ROCPROFILER_H
#define KREPLAY_ROCPROFILER_SDK_ROCPROFILER_H

#include <rocprofiler-sdk/agent.h>
#include <rocprofiler-sdk/buffer.h>
#include <rocprofiler-sdk/buffer_tracing.h>
#include <rocprofiler-sdk/callback_tracing.h>
#include <rocprofiler-sdk/context.h>
#include <rocprofiler-sdk/counter_config.h>
#include <rocprofiler-sdk/counters.h>
#include <rocprofiler-sdk/defines.h>
#include <rocprofiler-sdk/dispatch_counting_service.h>
#include <rocprofiler-sdk/external_correlation.h>
#include <rocprofiler-sdk/fwd.h>
#include <rocprofiler-sdk/intercept_table.h>
#include <rocprofiler-sdk/internal_threading.h>
#include <rocprofiler-sdk/pc_sampling.h>
#include <rocprofiler-sdk/registration.h>
#include <rocprofiler-sdk/version.h>

ROCPROFILER_EXTERN_C_INIT

/* Any output may be NULL. */
ROCPROFILER_API rocprofiler_status_t rocprofiler_get_version(uint32_t* major, uint32_t* minor,
                                                             uint32_t* patch);
ROCPROFILER_API rocprofiler_status_t rocprofiler_get_version_triplet(rocprofiler_version_triplet_t* info);

/* Nanoseconds on the clock of the records. */
ROCPROFILER_API rocprofiler_status_t rocprofiler_get_timestamp(rocprofiler_timestamp_t* ts);
ROCPROFILER_API rocprofiler_status_t rocprofiler_get_thread_id(rocprofiler_thread_id_t* tid);

/* The enumerator's name, and a sentence. NULL for an unknown value. */
ROCPROFILER_API const char* rocprofiler_get_status_name(rocprofiler_status_t status);
ROCPROFILER_API const char* rocprofiler_get_status_string(rocprofiler_status_t status);

ROCPROFILER_EXTERN_C_FINI

#endif
