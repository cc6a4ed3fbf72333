// A tool that fails in the way FAILING_TOOL names.
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>

#include "rocprofiler-sdk/rocprofiler.h"

namespace {

std::string how() {
  const char* text = std::getenv("FAILING_TOOL");
  return text != nullptr ? text : "";
}

void on_replay(rocprofiler_callback_tracing_record_t /*record*/, rocprofiler_user_data_t* /*data*/,
               void* /*args*/) {
  if (how() == "abort_late") std::abort();
  throw std::runtime_error("no such file: counters.yaml");
}

int initialize(rocprofiler_client_finalize_t /*end*/, void* /*data*/) {
  rocprofiler_context_id_t context = {0};
  rocprofiler_create_context(&context);
  const bool called = how() == "callback" || how() == "abort_late";
  if (called) {
    rocprofiler_configure_callback_tracing_service(context, ROCPROFILER_CALLBACK_TRACING_KERNEL_REPLAY,
                                                   nullptr, 0, on_replay, nullptr);
    rocprofiler_start_context(context);
  }
  if (how() == "idle" || called) return 0;
  // A kind and a service that this library does not serve.
  const rocprofiler_status_t status = rocprofiler_configure_callback_tracing_service(
      context, ROCPROFILER_CALLBACK_TRACING_OMPT, nullptr, 0, on_replay, nullptr);
  rocprofiler_load_counter_definition("", 0, ROCPROFILER_COUNTER_FLAG_NONE);
  if (how() == "abort" && status != ROCPROFILER_STATUS_SUCCESS) std::abort();
  if (how() == "throw") throw std::runtime_error("counters.yaml: no counter \"SQ_WAVES\"");
  if (how() == "throw_number") throw 7;
  return how() == "error" ? -3 : 0;
}

void finalize(void* /*data*/) {
  std::puts("failing: finalize");
  std::fflush(stdout);
}

}  // namespace

extern "C" __attribute__((visibility("default"))) rocprofiler_tool_configure_result_t* rocprofiler_configure(
    uint32_t /*version*/, const char* /*runtime_version*/, uint32_t /*priority*/,
    rocprofiler_client_id_t* id) {
  static rocprofiler_tool_configure_result_t result = {sizeof(result), initialize, finalize, nullptr};
  id->name = "failing";
  if (how() == "throw_configure") throw std::runtime_error("licence has run out");
  return how() == "null" ? nullptr : &result;
}
