#include "support/stack/stack_tool.hpp"

#include <dlfcn.h>

#include <cstdlib>
#include <thread>

namespace {

stack::Tool& tool() {
  static auto* instance = new stack::Tool;  // callbacks may come until the process ends
  return *instance;
}

void on_replay(stack::Record record, rocprofiler_user_data_t* user, void* data) {
  auto& self = *static_cast<stack::Tool*>(data);
  auto& payload = *static_cast<stack::Payload*>(record.payload);
  {
    const std::lock_guard lock(self.mutex);
    self.seen.push_back({record, payload, *user, std::this_thread::get_id()});
  }
  if (self.on_callback) self.on_callback(record, payload, user);
}

/// A thread of the tool's own that uses the runtime, waited for while the library waits for the tool.
void call_from_a_thread(stack::Tool& self) {
  std::thread([&self] {
    const auto call = reinterpret_cast<int (*)(void*)>(dlsym(RTLD_DEFAULT, "hsa_amd_memory_pool_free"));
    self.called_in_initialize = call != nullptr && call(nullptr) == 0;
  }).join();
}

void on_service(stack::Record record, rocprofiler_user_data_t* user, void* data) {
  auto& self = *static_cast<stack::Tool*>(data);
  if (record.kind == ROCPROFILER_CALLBACK_TRACING_CODE_OBJECT) {
    stack::Tool::CodeEvent event;
    event.operation = record.operation;
    event.phase = record.phase;
    if (record.operation == ROCPROFILER_CODE_OBJECT_LOAD) {
      const auto& load = *static_cast<rocprofiler_callback_tracing_code_object_load_data_t*>(record.payload);
      event.code_object = load.code_object_id;
      event.name = load.uri;
    } else {
      const auto& kernel =
          *static_cast<rocprofiler_callback_tracing_code_object_kernel_symbol_register_data_t*>(
              record.payload);
      event.code_object = kernel.code_object_id;
      event.kernel_id = kernel.kernel_id;
      event.name = kernel.kernel_name;
      event.kernel_object = kernel.kernel_object;
      event.kernarg_bytes = kernel.kernarg_segment_size;
    }
    const std::lock_guard lock(self.mutex);
    self.code_events.push_back(event);
    return;
  }
  if (self.on_service) self.on_service(record, user);
}

void on_buffer(rocprofiler_context_id_t, rocprofiler_buffer_id_t, rocprofiler_record_header_t** headers,
               size_t n, void* data, uint64_t dropped) {
  auto& self = *static_cast<stack::Tool*>(data);
  if (self.on_buffer) self.on_buffer(headers, n, dropped);
}

void on_dispatch(rocprofiler_dispatch_counting_service_data_t data, rocprofiler_counter_config_id_t* config,
                 rocprofiler_user_data_t* user, void* args) {
  auto& self = *static_cast<stack::Tool*>(args);
  if (self.on_dispatch) self.on_dispatch(data, config, user);
}

void on_counters(rocprofiler_dispatch_counting_service_data_t data, rocprofiler_counter_record_t* records,
                 size_t n, rocprofiler_user_data_t user, void* args) {
  auto& self = *static_cast<stack::Tool*>(args);
  if (self.on_counters) self.on_counters(data, {records, records + n}, user);
}

void configure_services(stack::Tool& self) {
  auto& status = self.configured;
  for (rocprofiler_context_id_t* context : {&self.tracing, &self.buffered, &self.code})
    rocprofiler_create_context(context);
  status.push_back(rocprofiler_configure_callback_tracing_service(
      self.tracing, ROCPROFILER_CALLBACK_TRACING_KERNEL_DISPATCH, nullptr, 0, on_service, &self));
  status.push_back(rocprofiler_configure_callback_tracing_service(
      self.code, ROCPROFILER_CALLBACK_TRACING_CODE_OBJECT, nullptr, 0, on_service, &self));
  status.push_back(rocprofiler_create_buffer(
      self.buffered, 64 * 1024, 1000, ROCPROFILER_BUFFER_POLICY_LOSSLESS, on_buffer, &self, &self.buffer));
  status.push_back(rocprofiler_configure_buffer_tracing_service(
      self.buffered, ROCPROFILER_BUFFER_TRACING_KERNEL_DISPATCH, nullptr, 0, self.buffer));
  status.push_back(rocprofiler_start_context(self.code));
  for (rocprofiler_context_id_t* context : {&self.counting, &self.counting_buffered})
    rocprofiler_create_context(context);
  self.counting_configured.push_back(rocprofiler_configure_callback_dispatch_counting_service(
      self.counting, on_dispatch, &self, on_counters, &self));
  self.counting_configured.push_back(rocprofiler_configure_buffer_dispatch_counting_service(
      self.counting_buffered, self.buffer, on_dispatch, &self));
}

int initialize(rocprofiler_client_finalize_t, void* data) {
  auto& self = *static_cast<stack::Tool*>(data);
  const auto kind = static_cast<rocprofiler_callback_tracing_kind_t>(25);
  rocprofiler_create_context(&self.context);
  rocprofiler_create_context(&self.idle);
  self.subscribed =
      rocprofiler_configure_callback_tracing_service(self.context, kind, nullptr, 0, on_replay, data);
  self.second = rocprofiler_configure_callback_tracing_service(self.idle, kind, nullptr, 0, on_replay, data);
  self.sampling =
      rocprofiler_configure_pc_sampling_service(self.idle, {1}, ROCPROFILER_PC_SAMPLING_METHOD_HOST_TRAP,
                                                ROCPROFILER_PC_SAMPLING_UNIT_TIME, 1000, {1}, 0);
  if (std::getenv("STACK_TOOL_SERVICES") != nullptr) configure_services(self);
  if (std::getenv("STACK_TOOL_THREAD_IN_INITIALIZE") != nullptr) call_from_a_thread(self);
  // A program that wants to see what a stopped subscription does starts it itself.
  if (std::getenv("STACK_TOOL_STOPPED") == nullptr) rocprofiler_start_context(self.context);
  return 0;
}

void finalize(void* data) { ++static_cast<stack::Tool*>(data)->finalized; }

}  // namespace

extern "C" {

__attribute__((visibility("default"))) stack::Tool* stack_tool() { return &tool(); }

__attribute__((visibility("default"))) rocprofiler_tool_configure_result_t* rocprofiler_configure(
    uint32_t, const char*, uint32_t, rocprofiler_client_id_t* id) {
  stack::Tool& self = tool();
  id->name = "stack_tool";
  self.start_context = rocprofiler_start_context;
  self.stop_context = rocprofiler_stop_context;
  self.context_is_active = rocprofiler_context_is_active;
  self.query_available_agents = rocprofiler_query_available_agents;
  self.push_external_correlation_id = rocprofiler_push_external_correlation_id;
  self.pop_external_correlation_id = rocprofiler_pop_external_correlation_id;
  self.get_thread_id = rocprofiler_get_thread_id;
  self.flush_buffer = rocprofiler_flush_buffer;
  self.iterate_counters = rocprofiler_iterate_agent_supported_counters;
  self.query_counter_info = rocprofiler_query_counter_info;
  self.create_counter_config = rocprofiler_create_counter_config;
  self.create_counter = rocprofiler_create_counter;
  self.query_counter_instance_count = rocprofiler_query_counter_instance_count;
  static rocprofiler_tool_configure_result_t result;
  result = {sizeof result, initialize, finalize, &self};
  return &result;
}

}  // extern "C"
