/* Contexts: bundles of services that are started and stopped together. */
#ifndef KREPLAY_ROCPROFILER_SDK_CONTEXT_H
#define KREPLAY_ROCPROFILER_SDK_CONTEXT_H

#include <rocprofiler-sdk/fwd.h>

ROCPROFILER_EXTERN_C_INIT

/* Allowed only while the tool's `initialize` runs. The handle must be 0 on entry and is never 0 on success.
 * CONTEXT_ID_NOT_ZERO, CONFIGURATION_LOCKED, CONTEXT_ERROR (none could be made). */
ROCPROFILER_API rocprofiler_status_t rocprofiler_create_context(rocprofiler_context_id_t* context_id);

/* SUCCESS also for a context that is active already. CONTEXT_NOT_FOUND; CONFIGURATION_LOCKED while
 * finalising. */
ROCPROFILER_API rocprofiler_status_t rocprofiler_start_context(rocprofiler_context_id_t context_id);

/* CONTEXT_NOT_FOUND for an unknown context and for one that is not active. */
ROCPROFILER_API rocprofiler_status_t rocprofiler_stop_context(rocprofiler_context_id_t context_id);

/* Writes 0 or 1. CONTEXT_NOT_FOUND (with 0 written) for an unknown context. */
ROCPROFILER_API rocprofiler_status_t rocprofiler_context_is_active(rocprofiler_context_id_t context_id,
                                                                   int* status);
ROCPROFILER_API rocprofiler_status_t rocprofiler_context_is_valid(rocprofiler_context_id_t context_id,
                                                                  int* status);

ROCPROFILER_EXTERN_C_FINI

#endif
