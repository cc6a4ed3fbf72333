// A tool library for tests on the whole stack: loaded through ROCP_TOOL_LIBRARIES, it subscribes to
// KERNEL_REPLAY and hands every callback to the program that runs above it. The program finds it with dlopen
// and dlsym.
#pragma once

#include <rocprofiler-sdk/rocprofiler.h>

#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace stack {

using Record = rocprofiler_callback_tracing_record_t;
using Payload = rocprofiler_callback_tracing_kernel_replay_data_t;

/// One callback as the tool saw it on entry.
struct Seen {
  Record record = {};
  Payload payload = {};
  rocprofiler_user_data_t user = {};
  std::thread::id thread;
  bool config() const { return record.operation == ROCPROFILER_KERNEL_REPLAY_CONFIG; }
  bool enter() const { return record.phase == ROCPROFILER_CALLBACK_PHASE_ENTER; }
  bool is(bool config_operation, bool enter_phase) const {
    return config() == config_operation && enter() == enter_phase;
  }
};

/// What the tool is told to do, and what it saw. `on_callback` is changed only while nothing is submitted.
struct Tool {
  std::function<void(Record, Payload&, rocprofiler_user_data_t*)> on_callback;
  std::mutex mutex;                        ///< guards `seen`
  std::vector<Seen> seen;                  ///< all callbacks, all threads
  rocprofiler_context_id_t context = {0};  ///< carries the subscription; started
  rocprofiler_context_id_t idle = {0};     ///< carries nothing, never started by the tool
  int subscribed = -1;                     ///< status of the subscription
  int second = -1;                         ///< status of another one, on `idle`
  int sampling = -1;                       ///< status of PC sampling on `idle`, which does not exist here
  int finalized = 0;

  // With STACK_TOOL_SERVICES=1: contexts with one service each, not started except for `code`.
  std::function<void(Record, rocprofiler_user_data_t*)> on_service;  ///< dispatch and code-object callbacks
  std::function<void(rocprofiler_record_header_t**, size_t, uint64_t dropped)> on_buffer;
  rocprofiler_context_id_t tracing = {0};   ///< dispatch callbacks
  rocprofiler_context_id_t buffered = {0};  ///< dispatch records into `buffer`
  rocprofiler_context_id_t code = {0};
  rocprofiler_buffer_id_t buffer = {0};
  std::vector<int> configured;  ///< statuses, in this order
  using CountingData = rocprofiler_dispatch_counting_service_data_t;
  std::function<void(const CountingData&, rocprofiler_counter_config_id_t*, rocprofiler_user_data_t*)>
      on_dispatch;
  std::function<void(const CountingData&, std::vector<rocprofiler_counter_record_t>, rocprofiler_user_data_t)>
      on_counters;
  rocprofiler_context_id_t counting = {0};           ///< callbacks
  rocprofiler_context_id_t counting_buffered = {0};  ///< records into `buffer`
  std::vector<int> counting_configured;
  struct CodeEvent {
    int operation = 0;
    int phase = 0;
    uint64_t code_object = 0;
    uint64_t kernel_id = 0;
    std::string name;  ///< of the kernel, or the object's URI
    uint64_t kernel_object = 0;
    uint32_t kernarg_bytes = 0;
  };
  std::vector<CodeEvent> code_events;  ///< guarded by `mutex`

  bool called_in_initialize = false;  ///< a thread that initialize waited for has called the runtime

  // The library's functions, as the tool library is bound to them.
  decltype(&rocprofiler_start_context) start_context = nullptr;
  decltype(&rocprofiler_stop_context) stop_context = nullptr;
  decltype(&rocprofiler_context_is_active) context_is_active = nullptr;
  decltype(&rocprofiler_query_available_agents) query_available_agents = nullptr;
  decltype(&rocprofiler_push_external_correlation_id) push_external_correlation_id = nullptr;
  decltype(&rocprofiler_pop_external_correlation_id) pop_external_correlation_id = nullptr;
  decltype(&rocprofiler_get_thread_id) get_thread_id = nullptr;
  decltype(&rocprofiler_flush_buffer) flush_buffer = nullptr;
  decltype(&rocprofiler_iterate_agent_supported_counters) iterate_counters = nullptr;
  decltype(&rocprofiler_query_counter_info) query_counter_info = nullptr;
  decltype(&rocprofiler_create_counter_config) create_counter_config = nullptr;
  decltype(&rocprofiler_create_counter) create_counter = nullptr;
  decltype(&rocprofiler_query_counter_instance_count) query_counter_instance_count = nullptr;

  std::vector<Seen> take_seen() {
    const std::lock_guard lock(mutex);
    return std::move(seen);
  }
};

}  // namespace stack

/// The one tool of the process.
extern "C" stack::Tool* stack_tool();
