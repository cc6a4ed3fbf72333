// Exported: contexts and external correlation.
#include <unistd.h>

#include "rocprofiler-sdk/rocprofiler.h"
#include "tool_api/guard.hpp"
#include "tool_api/kinds.hpp"
#include "tool_api/names.hpp"
#include "tool_api/registry.hpp"

using namespace kreplay::tool_api;  // NOLINT(google-build-using-namespace): a file of C functions

namespace {

rocprofiler_status_t check_thread_and_context(rocprofiler_context_id_t context, rocprofiler_thread_id_t tid) {
  if (tid < static_cast<rocprofiler_thread_id_t>(getpid())) return ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT;
  if (Registry::current().find_context(context) == nullptr) return ROCPROFILER_STATUS_ERROR_CONTEXT_NOT_FOUND;
  return ROCPROFILER_STATUS_SUCCESS;
}

}  // namespace

extern "C" {

rocprofiler_status_t rocprofiler_create_context(rocprofiler_context_id_t* context_id) {
  return guarded("rocprofiler_create_context",
                 [&] { return Registry::current().create_context(context_id); });
}

rocprofiler_status_t rocprofiler_start_context(rocprofiler_context_id_t context_id) {
  return guarded("rocprofiler_start_context", [&] { return Registry::current().start_context(context_id); });
}

rocprofiler_status_t rocprofiler_stop_context(rocprofiler_context_id_t context_id) {
  return guarded("rocprofiler_stop_context", [&] { return Registry::current().stop_context(context_id); });
}

rocprofiler_status_t rocprofiler_context_is_active(rocprofiler_context_id_t context_id, int* status) {
  return guarded("rocprofiler_context_is_active", [&] {
    if (status == nullptr) return ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT;
    *status = 0;
    const Context* context = Registry::current().find_context(context_id);
    if (context == nullptr) return ROCPROFILER_STATUS_ERROR_CONTEXT_NOT_FOUND;
    *status = Registry::current().is_active(context->index) ? 1 : 0;
    return ROCPROFILER_STATUS_SUCCESS;
  });
}

rocprofiler_status_t rocprofiler_context_is_valid(rocprofiler_context_id_t context_id, int* status) {
  return guarded("rocprofiler_context_is_valid", [&] {
    if (status == nullptr) return ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT;
    *status = 0;
    if (Registry::current().find_context(context_id) == nullptr)
      return ROCPROFILER_STATUS_ERROR_CONTEXT_NOT_FOUND;
    *status = 1;
    return ROCPROFILER_STATUS_SUCCESS;
  });
}

rocprofiler_status_t rocprofiler_push_external_correlation_id(
    rocprofiler_context_id_t context, rocprofiler_thread_id_t tid,
    rocprofiler_user_data_t external_correlation_id) {
  return guarded("rocprofiler_push_external_correlation_id", [&] {
    const rocprofiler_status_t status = check_thread_and_context(context, tid);
    if (status != ROCPROFILER_STATUS_SUCCESS) return status;
    Registry::current().external_correlation().push(context.handle, tid, external_correlation_id);
    return ROCPROFILER_STATUS_SUCCESS;
  });
}

rocprofiler_status_t rocprofiler_pop_external_correlation_id(
    rocprofiler_context_id_t context, rocprofiler_thread_id_t tid,
    rocprofiler_user_data_t* external_correlation_id) {
  return guarded("rocprofiler_pop_external_correlation_id", [&] {
    const rocprofiler_status_t status = check_thread_and_context(context, tid);
    if (status != ROCPROFILER_STATUS_SUCCESS) return status;
    const rocprofiler_user_data_t value = Registry::current().external_correlation().pop(context.handle, tid);
    if (external_correlation_id != nullptr) *external_correlation_id = value;
    return ROCPROFILER_STATUS_SUCCESS;
  });
}

rocprofiler_status_t rocprofiler_configure_external_correlation_id_request_service(
    rocprofiler_context_id_t context_id, const rocprofiler_external_correlation_id_request_kind_t* kinds,
    size_t kinds_count, rocprofiler_external_correlation_id_request_cb_t callback, void*) {
  return guarded("rocprofiler_configure_external_correlation_id_request_service", [&] {
    if (Registry::current().init_status() >= 0) return ROCPROFILER_STATUS_ERROR_CONFIGURATION_LOCKED;
    if (Registry::current().find_context(context_id) == nullptr)
      return ROCPROFILER_STATUS_ERROR_CONTEXT_NOT_FOUND;
    if ((kinds != nullptr) != (kinds_count != 0) || callback == nullptr)
      return ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT;
    for (size_t i = 0; i < kinds_count; ++i)
      if (number_of(kinds[i]) <= 0 || external_correlation_kind_name(number_of(kinds[i])) == nullptr)
        return ROCPROFILER_STATUS_ERROR_KIND_NOT_FOUND;
    // Nothing that has such a request is traced here, so the callback would never be asked.
    return ROCPROFILER_STATUS_ERROR_NOT_IMPLEMENTED;
  });
}

rocprofiler_status_t rocprofiler_query_external_correlation_id_request_kind_name(
    rocprofiler_external_correlation_id_request_kind_t kind, const char** name, uint64_t* name_len) {
  return guarded("rocprofiler_query_external_correlation_id_request_kind_name", [&] {
    return give_name(external_correlation_kind_name(number_of(kind)), name, name_len,
                     ROCPROFILER_STATUS_ERROR_KIND_NOT_FOUND);
  });
}

}  // extern "C"
