// The tables as a C++ tool sees them, and the C++ ends of the calls by value.
#include "layouts.h"

#define LAYOUT_SIZE(type, size) static_assert(sizeof(type) == (size), "size of " #type);
#define LAYOUT_MEMBER(type, member, offset) \
  static_assert(offsetof(type, member) == (offset), "offset of " #type "." #member);
#include "layouts.inc"
#define ENUM_VALUE(name, value) static_assert((name) == (value), "value of " #name);
#include "enums.inc"

int kreplay_abi_check_record(rocprofiler_callback_tracing_record_t record, rocprofiler_user_data_t* user_data,
                             void* callback_data) {
  const bool good = record.context_id.handle == 1 && record.thread_id == 2 &&
                    record.correlation_id.internal == 3 && record.correlation_id.ancestor == 4 &&
                    record.kind == ROCPROFILER_CALLBACK_TRACING_KERNEL_REPLAY &&
                    record.operation == ROCPROFILER_KERNEL_REPLAY_PASS &&
                    record.phase == ROCPROFILER_CALLBACK_PHASE_EXIT && record.payload == callback_data;
  user_data->value += 1;
  return good ? 1 : 0;
}

int kreplay_abi_check_continue(rocprofiler_kernel_dispatch_info_t info, uint64_t current_pass,
                               uint64_t total_passes, rocprofiler_user_data_t user_data) {
  return info.size == 72 && info.dispatch_id == 77 && info.workgroup_size.x == 67 && info.grid_size.z == 5 &&
         current_pass == 2 && total_passes == 4 && user_data.value == 100;
}

int kreplay_abi_check_client(rocprofiler_client_id_t client) {
  return client.size == 24 && client.name[0] == 't' && client.handle == 4711;
}
