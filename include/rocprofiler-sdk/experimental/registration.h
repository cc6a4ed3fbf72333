/* Attaching to a running process, and the runtimes that registered their tables. */
#ifndef KREPLAY_ROCPROFILER_SDK_EXPERIMENTAL_REGISTRATION_H
#define KREPLAY_ROCPROFILER_SDK_EXPERIMENTAL_REGISTRATION_H

#include <rocprofiler-sdk/fwd.h>
#include <rocprofiler-sdk/registration.h>

ROCPROFILER_EXTERN_C_INIT

typedef void (*rocprofiler_client_detach_t)(rocprofiler_client_id_t client_id);
typedef int (*rocprofiler_tool_attach_t)(rocprofiler_client_detach_t detach_func,
                                         rocprofiler_context_id_t* context_ids, uint64_t context_ids_length,
                                         void* tool_data);
typedef void (*rocprofiler_tool_detach_t)(void* tool_data);

typedef struct rocprofiler_tool_configure_attach_result_t {
  size_t size;
  rocprofiler_tool_attach_t tool_attach;
  rocprofiler_tool_detach_t tool_detach;
  void* tool_data;
} rocprofiler_tool_configure_attach_result_t;

/* Optional symbol of a tool. */
rocprofiler_tool_configure_attach_result_t* rocprofiler_configure_attach(
    uint32_t version, const char* runtime_version, uint32_t priority,
    rocprofiler_client_id_t* client_id) ROCPROFILER_EXPORT;

typedef rocprofiler_tool_configure_attach_result_t* (*rocprofiler_configure_attach_func_t)(
    uint32_t version, const char* runtime_version, uint32_t priority, rocprofiler_client_id_t* client_id);

typedef struct rocprofiler_runtime_registration_info_t {
  size_t size;
  const char* common_name;
  uint32_t lib_version;
  uint64_t api_table_length;
} rocprofiler_runtime_registration_info_t;

/* A non-zero return ends the iteration. */
typedef int (*rocprofiler_runtime_registration_info_cb_t)(rocprofiler_runtime_registration_info_t* info,
                                                          void* data);

ROCPROFILER_API rocprofiler_status_t rocprofiler_iterate_runtime_registration_info(
    rocprofiler_runtime_registration_info_cb_t callback, void* data);

ROCPROFILER_EXTERN_C_FINI

#endif
