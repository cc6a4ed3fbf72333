/* A tool that replays each kernel a few times and then leaves it alone. Plain C.
 *
 * A dispatch runs 3 times as long as its kernel has been replayed fewer than OPT_OUT_AFTER times (default 2)
 * and has at least OPT_OUT_MIN_WORKITEMS work-items (default 0). Otherwise the tool opts out by setting no
 * pass count: the dispatch runs once, undisturbed. A table per kernel goes to stderr at the end. Page:
 * docs/examples/opt-out.md
 */
#include <pthread.h>
#include <rocprofiler-sdk/rocprofiler.h>
#include <stdio.h>
#include <stdlib.h>

enum { kMaxKernels = 1024, kPasses = 3 };

typedef struct {
  uint64_t kernel_id; /* 0 = free */
  uint64_t replayed;
  uint64_t opted_out;
  uint64_t passes;
} kernel_row_t;

static uint64_t replay_limit = 2;
static uint64_t min_workitems = 0;
static pthread_mutex_t rows_mutex = PTHREAD_MUTEX_INITIALIZER; /* guards rows; never held across a call out */
static kernel_row_t rows[kMaxKernels];

/* The row of a kernel; the last one is shared by all kernels that found no row. Call with rows_mutex held. */
static kernel_row_t* row_of(uint64_t kernel_id) {
  int i = 0;
  while (i < kMaxKernels - 1 && rows[i].kernel_id != 0 && rows[i].kernel_id != kernel_id) ++i;
  if (rows[i].kernel_id == 0) rows[i].kernel_id = kernel_id;
  return &rows[i];
}

static uint64_t pass_count(rocprofiler_kernel_dispatch_info_t info, rocprofiler_user_data_t user_data) {
  (void)info;
  (void)user_data;
  return kPasses;
}

static int wants(const rocprofiler_kernel_dispatch_info_t* info, const kernel_row_t* row) {
  const uint64_t workitems = (uint64_t)info->grid_size.x * info->grid_size.y * info->grid_size.z;
  return row->replayed < replay_limit && workitems >= min_workitems;
}

static void on_replay(rocprofiler_callback_tracing_record_t record, rocprofiler_user_data_t* user_data,
                      void* args) {
  rocprofiler_callback_tracing_kernel_replay_data_t* data = record.payload;
  kernel_row_t* row = NULL;
  (void)user_data;
  (void)args;
  if (record.phase != ROCPROFILER_CALLBACK_PHASE_ENTER) return;
  pthread_mutex_lock(&rows_mutex);
  row = row_of(data->dispatch_info.kernel_id);
  if (record.operation == ROCPROFILER_KERNEL_REPLAY_PASS) {
    row->passes += 1;
  } else if (wants(&data->dispatch_info, row)) {
    row->replayed += 1;
    data->replay_pass_count = pass_count;
  } else {
    row->opted_out += 1;
  }
  pthread_mutex_unlock(&rows_mutex);
}

static int check(rocprofiler_status_t status, const char* what) {
  if (status == ROCPROFILER_STATUS_SUCCESS) return 1;
  fprintf(stderr, "opt_out: %s: %s\n", what, rocprofiler_get_status_string(status));
  return 0;
}

static int initialize(rocprofiler_client_finalize_t finalize, void* tool_data) {
  rocprofiler_context_id_t context = {0};
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
  int i = 0;
  (void)tool_data;
  pthread_mutex_lock(&rows_mutex);
  for (i = 0; i < kMaxKernels && rows[i].kernel_id != 0; ++i)
    fprintf(stderr, "opt_out: kernel %lu: %lu replayed, %lu passes, %lu opted out\n", rows[i].kernel_id,
            rows[i].replayed, rows[i].passes, rows[i].opted_out);
  if (i == 0) fprintf(stderr, "opt_out: no dispatch was seen\n");
  pthread_mutex_unlock(&rows_mutex);
}

/* 0 after a message when the variable is set and is no number. */
static int read_number(const char* name, uint64_t* value) {
  const char* text = getenv(name);
  char* end = NULL;
  if (text == NULL) return 1;
  *value = strtoull(text, &end, 10);
  if (end != text && *end == '\0') return 1;
  fprintf(stderr, "opt_out: %s='%s' is not a number\n", name, text);
  return 0;
}

rocprofiler_tool_configure_result_t* rocprofiler_configure(uint32_t version, const char* runtime_version,
                                                           uint32_t priority, rocprofiler_client_id_t* id) {
  static rocprofiler_tool_configure_result_t result = {sizeof(result), initialize, finalize, NULL};
  (void)version;
  (void)runtime_version;
  (void)priority;
  if (!read_number("OPT_OUT_AFTER", &replay_limit) || !read_number("OPT_OUT_MIN_WORKITEMS", &min_workitems))
    return NULL;
  id->name = "opt_out";
  return &result;
}
