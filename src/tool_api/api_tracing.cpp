// Exported: callback tracing, and the names of both tracing forms.
#include "rocprofiler-sdk/rocprofiler.h"
#include "tool_api/guard.hpp"
#include "tool_api/kinds.hpp"
#include "tool_api/names.hpp"
#include "tool_api/registry.hpp"

using namespace kreplay::tool_api;  // NOLINT(google-build-using-namespace): a file of C functions

namespace {

using Names = std::span<const char* const>;

rocprofiler_status_t operation_name(bool kind_exists, int kind, int operation, Names names, const char** name,
                                    uint64_t* name_len) {
  if (!kind_exists) return give_name(nullptr, name, name_len, ROCPROFILER_STATUS_ERROR_KIND_NOT_FOUND);
  if (kind == 0) return give_name(nullptr, name, name_len, ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT);
  const bool known = operation >= 0 && static_cast<size_t>(operation) < names.size();
  return give_name(known ? names[static_cast<size_t>(operation)] : nullptr, name, name_len,
                   ROCPROFILER_STATUS_ERROR_OPERATION_NOT_FOUND);
}

/// Every value below LAST, NONE included; none for a domain whose operations this build does not trace.
template <typename Kind, typename Callback>
rocprofiler_status_t each_operation(bool kind_exists, bool is_last, int kind, Names names, Callback callback,
                                    void* data) {
  if (callback == nullptr || kind == 0 || is_last) return ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT;
  if (!kind_exists) return ROCPROFILER_STATUS_ERROR_KIND_NOT_FOUND;
  for (size_t i = 0; i < names.size(); ++i)
    if (callback(static_cast<Kind>(kind), static_cast<rocprofiler_tracing_operation_t>(i), data) != 0) break;
  return ROCPROFILER_STATUS_SUCCESS;
}

}  // namespace

extern "C" {

rocprofiler_status_t rocprofiler_configure_callback_tracing_service(
    rocprofiler_context_id_t context_id, rocprofiler_callback_tracing_kind_t kind,
    const rocprofiler_tracing_operation_t* operations, size_t operations_count,
    rocprofiler_callback_tracing_cb_t callback, void* callback_args) {
  const int number = number_of(kind);
  return guarded(
      "rocprofiler_configure_callback_tracing_service",
      [&] {
        return Registry::current().configure_callback_tracing(context_id, number, operations,
                                                              operations_count, callback, callback_args);
      },
      callback_kind_name(number, Registry::current().replay_kind()));
}

rocprofiler_status_t rocprofiler_query_callback_tracing_kind_name(rocprofiler_callback_tracing_kind_t kind,
                                                                  const char** name, uint64_t* name_len) {
  return guarded("rocprofiler_query_callback_tracing_kind_name", [&] {
    const int number = number_of(kind);
    return give_name(callback_kind_name(number, Registry::current().replay_kind()), name, name_len,
                     ROCPROFILER_STATUS_ERROR_KIND_NOT_FOUND);
  });
}

rocprofiler_status_t rocprofiler_query_callback_tracing_kind_operation_name(
    rocprofiler_callback_tracing_kind_t kind, rocprofiler_tracing_operation_t operation, const char** name,
    uint64_t* name_len) {
  return guarded("rocprofiler_query_callback_tracing_kind_operation_name", [&] {
    const int number = number_of(kind);
    const unsigned preferred = Registry::current().replay_kind();
    return operation_name(callback_kind_name(number, preferred) != nullptr, number, operation,
                          callback_operation_names(number, preferred), name, name_len);
  });
}

rocprofiler_status_t rocprofiler_iterate_callback_tracing_kinds(
    rocprofiler_callback_tracing_kind_cb_t callback, void* data) {
  return guarded("rocprofiler_iterate_callback_tracing_kinds", [&] {
    if (callback == nullptr) return ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT;
    const int end = callback_kind_end(Registry::current().replay_kind());
    for (int kind = 0; kind < end; ++kind)
      if (callback(static_cast<rocprofiler_callback_tracing_kind_t>(kind), data) != 0) break;
    return ROCPROFILER_STATUS_SUCCESS;
  });
}

rocprofiler_status_t rocprofiler_iterate_callback_tracing_kind_operations(
    rocprofiler_callback_tracing_kind_t kind, rocprofiler_callback_tracing_kind_operation_cb_t callback,
    void* data) {
  return guarded("rocprofiler_iterate_callback_tracing_kind_operations", [&] {
    const int number = number_of(kind);
    const unsigned preferred = Registry::current().replay_kind();
    return each_operation<rocprofiler_callback_tracing_kind_t>(
        callback_kind_name(number, preferred) != nullptr, number == callback_kind_end(preferred), number,
        callback_operation_names(number, preferred), callback, data);
  });
}

rocprofiler_status_t rocprofiler_iterate_callback_tracing_kind_operation_args(
    rocprofiler_callback_tracing_record_t, rocprofiler_callback_tracing_operation_args_cb_t, int32_t, void*) {
  // The kinds that have arguments are the API domains, of which none is traced.
  return ROCPROFILER_STATUS_ERROR_NOT_IMPLEMENTED;
}

rocprofiler_status_t rocprofiler_query_buffer_tracing_kind_name(rocprofiler_buffer_tracing_kind_t kind,
                                                                const char** name, uint64_t* name_len) {
  return guarded("rocprofiler_query_buffer_tracing_kind_name", [&] {
    const int number = number_of(kind);
    return give_name(buffer_kind_name(number), name, name_len, ROCPROFILER_STATUS_ERROR_KIND_NOT_FOUND);
  });
}

rocprofiler_status_t rocprofiler_query_buffer_tracing_kind_operation_name(
    rocprofiler_buffer_tracing_kind_t kind, rocprofiler_tracing_operation_t operation, const char** name,
    uint64_t* name_len) {
  return guarded("rocprofiler_query_buffer_tracing_kind_operation_name", [&] {
    const int number = number_of(kind);
    return operation_name(buffer_kind_name(number) != nullptr, number, operation,
                          buffer_operation_names(number), name, name_len);
  });
}

rocprofiler_status_t rocprofiler_iterate_buffer_tracing_kinds(rocprofiler_buffer_tracing_kind_cb_t callback,
                                                              void* data) {
  return guarded("rocprofiler_iterate_buffer_tracing_kinds", [&] {
    if (callback == nullptr) return ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT;
    for (int kind = 0; kind < ROCPROFILER_BUFFER_TRACING_LAST; ++kind)
      if (callback(static_cast<rocprofiler_buffer_tracing_kind_t>(kind), data) != 0) break;
    return ROCPROFILER_STATUS_SUCCESS;
  });
}

rocprofiler_status_t rocprofiler_iterate_buffer_tracing_kind_operations(
    rocprofiler_buffer_tracing_kind_t kind, rocprofiler_buffer_tracing_kind_operation_cb_t callback,
    void* data) {
  return guarded("rocprofiler_iterate_buffer_tracing_kind_operations", [&] {
    const int number = number_of(kind);
    return each_operation<rocprofiler_buffer_tracing_kind_t>(
        buffer_kind_name(number) != nullptr, number == ROCPROFILER_BUFFER_TRACING_LAST, number,
        buffer_operation_names(number), callback, data);
  });
}

}  // extern "C"
