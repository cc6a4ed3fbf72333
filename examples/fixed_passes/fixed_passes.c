/* A tool that runs every kernel dispatch a fixed number of times. Plain C.
 *
 * FIXED_PASSES sets the number (default 4; 1 means no replay). What was done is printed to stderr at the end.
 * Page: docs/examples/fixed-passes.md
 */
#include <rocprofiler-sdk/rocprofiler.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

static uint64_t passes_wanted = 4;
static atomic_ulong dispatches;
static atomic_ulong passes;
static rocprofiler_context_id_t context;

/* Every call of the interface is checked: a tool that measures nothing must say so. */
static int check(rocprofiler_status_t status, const char* what) {
  if (status == ROCPROFILER_STATUS_SUCCESS) return 1;
  fprintf(stderr, "fixed_passes: %s: %s\n", what, rocprofiler_get_status_string(status));
  return 0;
}

/* Asked once per dispatch, after CONFIG ENTER. */
static uint64_t pass_count(rocprofiler_kernel_dispatch_info_t info, rocprofiler_user_data_t user_data) {
  (void)info;
  (void)user_data;
  return passes_wanted;
}

static void on_replay(rocprofiler_callback_tracing_record_t record, rocprofiler_user_data_t* user_data,
                      void* args) {
  rocprofiler_callback_tracing_kernel_replay_data_t* data = record.payload;
  (void)user_data;
  (void)args;
  if (record.phase != ROCPROFILER_CALLBACK_PHASE_ENTER) return;
  if (record.operation == ROCPROFILER_KERNEL_REPLAY_CONFIG) {
    atomic_fetch_add(&dispatches, 1);
    data->replay_pass_count = pass_count;
  } else if (record.operation == ROCPROFILER_KERNEL_REPLAY_PASS) {
    atomic_fetch_add(&passes, 1);
  }
}

static int initialize(rocprofiler_client_finalize_t finalize, void* tool_data) {
  (void)finalize;
  (void)tool_data;
  return check(rocprofiler_create_context(&context), "context") &&
                 check(rocprofiler_configure_callback_tracing_service(
                           context, ROCPROFILER_CALLBACK_TRACING_KERNEL_REPLAY, NULL, 0, on_replay, NULL),
                       "kernel replay") &&
                 check(rocprofiler_start_context(context), "start")
             ? 0
             : -1;
}

static void finalize(void* tool_data) {
  (void)tool_data;
  fprintf(stderr, "fixed_passes: %lu dispatches, %lu passes\n", atomic_load(&dispatches),
          atomic_load(&passes));
}

rocprofiler_tool_configure_result_t* rocprofiler_configure(uint32_t version, const char* runtime_version,
                                                           uint32_t priority, rocprofiler_client_id_t* id) {
  static rocprofiler_tool_configure_result_t result = {sizeof(result), initialize, finalize, NULL};
  const char* text = getenv("FIXED_PASSES");
  (void)version;
  (void)runtime_version;
  (void)priority;
  if (text != NULL) {
    char* end = NULL;
    passes_wanted = strtoull(text, &end, 10);
    if (end == text || *end != '\0' || passes_wanted == 0) {
      fprintf(stderr, "fixed_passes: FIXED_PASSES='%s' is not a number from 1\n", text);
      return NULL;
    }
  }
  id->name = "fixed_passes";
  return &result;
}
