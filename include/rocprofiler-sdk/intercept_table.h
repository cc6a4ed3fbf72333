/* Notice of a runtime's function table, with the right to change it. */
#ifndef KREPLAY_ROCPROFILER_SDK_INTERCEPT_TABLE_H
#define KREPLAY_ROCPROFILER_SDK_INTERCEPT_TABLE_H

#include <rocprofiler-sdk/fwd.h>

ROCPROFILER_EXTERN_C_INIT

typedef void (*rocprofiler_intercept_library_cb_t)(rocprofiler_intercept_table_t type, uint64_t lib_version,
                                                   uint64_t lib_instance, void** tables, uint64_t num_tables,
                                                   void* user_data);

/* `libs` is a set of rocprofiler_intercept_table_t bits. */
ROCPROFILER_API rocprofiler_status_t rocprofiler_at_intercept_table_registration(
    rocprofiler_intercept_library_cb_t callback, int libs, void* data);

ROCPROFILER_EXTERN_C_FINI

#endif
