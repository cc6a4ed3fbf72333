/* Every public header, for layouts.c and layouts.cpp. */
#ifndef KREPLAY_TESTS_ABI_LAYOUTS_H
#define KREPLAY_TESTS_ABI_LAYOUTS_H

#include <rocprofiler-sdk/experimental/registration.h>
#include <rocprofiler-sdk/experimental/spm.h>
#include <rocprofiler-sdk/experimental/thread_trace.h>
#include <rocprofiler-sdk/rocprofiler.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A callback record by value: filled by one language, checked by the other. */
int kreplay_abi_check_record(rocprofiler_callback_tracing_record_t record, rocprofiler_user_data_t* user_data,
                             void* callback_data);
/* 128 bytes by value, then registers. */
int kreplay_abi_check_continue(rocprofiler_kernel_dispatch_info_t info, uint64_t current_pass,
                               uint64_t total_passes, rocprofiler_user_data_t user_data);
/* 24 bytes by value. */
int kreplay_abi_check_client(rocprofiler_client_id_t client);

#ifdef __cplusplus
}
#endif

#endif
