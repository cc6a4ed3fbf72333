/* Kernel replay: payload and function types of the KERNEL_REPLAY callback domain.
 *
 * One candidate dispatch brings CONFIG ENTER, then for each pass PASS ENTER and PASS EXIT, then CONFIG EXIT,
 * all on the thread that submits it. What each field means at which moment is tabulated in
 * docs/tool-contract.md.
 */
#ifndef KREPLAY_ROCPROFILER_SDK_EXPERIMENTAL_KERNEL_REPLAY_H
#define KREPLAY_ROCPROFILER_SDK_EXPERIMENTAL_KERNEL_REPLAY_H

#include <rocprofiler-sdk/fwd.h>

ROCPROFILER_EXTERN_C_INIT

/* How many times to run the dispatch: 1 = no replay, 0 = until `replay_continue` says stop. Asked once, after
 * CONFIG ENTER. */
typedef uint64_t (*rocprofiler_kernel_replay_pass_count_cb_t)(
    rocprofiler_kernel_dispatch_info_t dispatch_info, rocprofiler_user_data_t user_data);

/* Zero = stop after this pass, anything else = go on. Asked after PASS EXIT when another pass could follow.
 */
typedef int (*rocprofiler_kernel_replay_continue_cb_t)(rocprofiler_kernel_dispatch_info_t dispatch_info,
                                                       uint64_t current_pass, uint64_t total_passes,
                                                       rocprofiler_user_data_t user_data);

/* Starts or stops a context for the rest of this replay loop on this thread. Only inside PASS ENTER. */
typedef rocprofiler_status_t (*rocprofiler_kernel_replay_context_cb_t)(rocprofiler_context_id_t context_id);

typedef struct rocprofiler_callback_tracing_kernel_replay_data_t {
  uint64_t size; /* 184 */
  rocprofiler_kernel_dispatch_info_t dispatch_info;
  uint64_t current_pass;                                       /* from 0; PASS only */
  uint64_t total_passes;                                       /* 0 = until stopped; PASS only */
  rocprofiler_kernel_replay_pass_count_cb_t replay_pass_count; /* set by the tool in CONFIG ENTER */
  rocprofiler_kernel_replay_continue_cb_t replay_continue; /* set in CONFIG ENTER; per pass in PASS EXIT */
  rocprofiler_kernel_replay_context_cb_t replay_start_context; /* given in PASS ENTER */
  rocprofiler_kernel_replay_context_cb_t replay_stop_context;  /* given in PASS ENTER */
} rocprofiler_callback_tracing_kernel_replay_data_t;

ROCPROFILER_EXTERN_C_FINI

#endif
