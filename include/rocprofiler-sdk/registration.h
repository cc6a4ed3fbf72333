/* How a tool becomes known: it exports rocprofiler_configure and returns its initialize and finalize
 * functions. */
#ifndef KREPLAY_ROCPROFILER_SDK_REGISTRATION_H
#define KREPLAY_ROCPROFILER_SDK_REGISTRATION_H

#include <rocprofiler-sdk/fwd.h>

ROCPROFILER_EXTERN_C_INIT

/* Given to the tool; it may set `name` to a string that stays valid. */
typedef struct rocprofiler_client_id_t {
  size_t size;
  const char* name;
  const uint32_t handle;
} rocprofiler_client_id_t;

/* Asks for an early finalisation of the client. */
typedef void (*rocprofiler_client_finalize_t)(rocprofiler_client_id_t client_id);

/* Contexts and services are created here and nowhere else. The result is not looked at. */
typedef int (*rocprofiler_tool_initialize_t)(rocprofiler_client_finalize_t finalize_func, void* tool_data);

/* Called once, at process exit or through the finalize function. */
typedef void (*rocprofiler_tool_finalize_t)(void* tool_data);

/* Copied by the library, so it may be static or on the heap. */
typedef struct rocprofiler_tool_configure_result_t {
  size_t size;
  rocprofiler_tool_initialize_t initialize;
  rocprofiler_tool_finalize_t finalize;
  void* tool_data;
} rocprofiler_tool_configure_result_t;

/* The symbol a tool exports. `version` is 10000*major + 100*minor + patch of the library, `priority` the
 * tool's place in the order of discovery. NULL: the tool does not take part. */
rocprofiler_tool_configure_result_t* rocprofiler_configure(
    uint32_t version, const char* runtime_version, uint32_t priority,
    rocprofiler_client_id_t* client_id) ROCPROFILER_EXPORT;

typedef rocprofiler_tool_configure_result_t* (*rocprofiler_configure_func_t)(
    uint32_t version, const char* runtime_version, uint32_t priority, rocprofiler_client_id_t* client_id);

/* 0 = not begun, -1 = running now, 1 = done. */
ROCPROFILER_API rocprofiler_status_t rocprofiler_is_initialized(int* status);
ROCPROFILER_API rocprofiler_status_t rocprofiler_is_finalized(int* status);

/* Registers a tool that is no shared library of its own, and initialises now. */
ROCPROFILER_API rocprofiler_status_t rocprofiler_force_configure(rocprofiler_configure_func_t configure_func);

ROCPROFILER_EXTERN_C_FINI

#endif
