/* Threads that deliver buffers, and notice of threads a runtime library starts. */
#ifndef KREPLAY_ROCPROFILER_SDK_INTERNAL_THREADING_H
#define KREPLAY_ROCPROFILER_SDK_INTERNAL_THREADING_H

#include <rocprofiler-sdk/fwd.h>

ROCPROFILER_EXTERN_C_INIT

typedef void (*rocprofiler_internal_thread_library_cb_t)(rocprofiler_runtime_library_t library, void* data);

/* `libs` is a set of rocprofiler_runtime_library_t bits. Either function may be NULL. */
ROCPROFILER_API rocprofiler_status_t rocprofiler_at_internal_thread_create(
    rocprofiler_internal_thread_library_cb_t precreate, rocprofiler_internal_thread_library_cb_t postcreate,
    int libs, void* data);
ROCPROFILER_API rocprofiler_status_t
rocprofiler_create_callback_thread(rocprofiler_callback_thread_t* cb_thread_id);
ROCPROFILER_API rocprofiler_status_t rocprofiler_assign_callback_thread(
    rocprofiler_buffer_id_t buffer_id, rocprofiler_callback_thread_t cb_thread_id);

ROCPROFILER_EXTERN_C_FINI

#endif
