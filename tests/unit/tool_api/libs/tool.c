/* A tool library of the smallest kind, in C. TOOL_NAME is given by the build. */
#include <rocprofiler-sdk/rocprofiler.h>
#include <stdio.h>
#include <unistd.h>

static int tool_initialize(rocprofiler_client_finalize_t finalize, void* data) {
  rocprofiler_context_id_t context = {0};
  (void)finalize;
  (void)data;
  printf("%s: initialize %d\n", TOOL_NAME, rocprofiler_create_context(&context));
  fflush(stdout);
  return 0;
}

/* After main: stdio may be flushed already. */
static void tool_finalize(void* data) {
  static const char text[] = TOOL_NAME ": finalize\n";
  (void)data;
  (void)!write(1, text, sizeof(text) - 1);
}

rocprofiler_tool_configure_result_t* rocprofiler_configure(uint32_t version, const char* runtime_version,
                                                           uint32_t priority, rocprofiler_client_id_t* id) {
  static rocprofiler_tool_configure_result_t result = {sizeof(result), tool_initialize, tool_finalize, NULL};
  id->name = TOOL_NAME;
  printf("%s: configure version %u (%s) priority %u\n", TOOL_NAME, version, runtime_version, priority);
  fflush(stdout);
  return &result;
}
