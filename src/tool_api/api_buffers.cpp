// Exported: buffers, buffered tracing, and the threads that deliver them.
#include "rocprofiler-sdk/rocprofiler.h"
#include "tool_api/guard.hpp"
#include "tool_api/registry.hpp"
#include "tool_api/services/services.hpp"

using namespace kreplay::tool_api;  // NOLINT(google-build-using-namespace): a file of C functions

extern "C" {

rocprofiler_status_t rocprofiler_create_buffer(rocprofiler_context_id_t context, size_t size,
                                               size_t watermark, rocprofiler_buffer_policy_t policy,
                                               rocprofiler_buffer_tracing_cb_t callback, void* callback_data,
                                               rocprofiler_buffer_id_t* buffer_id) {
  return guarded("rocprofiler_create_buffer", [&] {
    Registry& registry = Registry::current();
    if (registry.init_status() >= 0) return ROCPROFILER_STATUS_ERROR_CONFIGURATION_LOCKED;
    const int number = number_of(policy);
    if (number != ROCPROFILER_BUFFER_POLICY_DISCARD && number != ROCPROFILER_BUFFER_POLICY_LOSSLESS)
      return ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT;
    const BufferSetup setup = {
        context, size, watermark, number == ROCPROFILER_BUFFER_POLICY_LOSSLESS, callback, callback_data};
    return registry.services().buffers.create(setup, buffer_id);
  });
}

rocprofiler_status_t rocprofiler_destroy_buffer(rocprofiler_buffer_id_t buffer_id) {
  return guarded("rocprofiler_destroy_buffer",
                 [&] { return Registry::current().services().buffers.destroy(buffer_id); });
}

rocprofiler_status_t rocprofiler_flush_buffer(rocprofiler_buffer_id_t buffer_id) {
  return guarded("rocprofiler_flush_buffer", [&] {
    Registry& registry = Registry::current();
    if (registry.fini_status() > 0) return ROCPROFILER_STATUS_ERROR_FINALIZED;
    const std::shared_ptr<Buffer> buffer = registry.services().buffers.find(buffer_id);
    if (!buffer) return ROCPROFILER_STATUS_ERROR_BUFFER_NOT_FOUND;
    registry.settle_services();
    return buffer->flush();
  });
}

rocprofiler_status_t rocprofiler_configure_buffer_tracing_service(
    rocprofiler_context_id_t context_id, rocprofiler_buffer_tracing_kind_t kind,
    const rocprofiler_tracing_operation_t* operations, size_t operations_count,
    rocprofiler_buffer_id_t buffer_id) {
  return guarded("rocprofiler_configure_buffer_tracing_service", [&] {
    return Registry::current().configure_buffer_tracing(context_id, number_of(kind), operations,
                                                        operations_count, buffer_id);
  });
}

rocprofiler_status_t rocprofiler_create_callback_thread(rocprofiler_callback_thread_t* cb_thread_id) {
  return guarded("rocprofiler_create_callback_thread", [&] {
    if (Registry::current().init_status() > 0) return ROCPROFILER_STATUS_ERROR_CONFIGURATION_LOCKED;
    return Registry::current().services().buffers.create_thread(cb_thread_id);
  });
}

rocprofiler_status_t rocprofiler_assign_callback_thread(rocprofiler_buffer_id_t buffer_id,
                                                        rocprofiler_callback_thread_t cb_thread_id) {
  return guarded("rocprofiler_assign_callback_thread", [&] {
    if (Registry::current().init_status() > 0) return ROCPROFILER_STATUS_ERROR_CONFIGURATION_LOCKED;
    return Registry::current().services().buffers.assign(buffer_id, cb_thread_id);
  });
}

rocprofiler_status_t rocprofiler_at_internal_thread_create(
    rocprofiler_internal_thread_library_cb_t precreate, rocprofiler_internal_thread_library_cb_t postcreate,
    int libs, void* data) {
  return guarded("rocprofiler_at_internal_thread_create", [&] {
    Registry::current().services().internal_threads.add({precreate, postcreate, libs, data});
    return ROCPROFILER_STATUS_SUCCESS;
  });
}

}  // extern "C"
