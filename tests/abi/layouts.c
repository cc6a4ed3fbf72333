/* The tables as a C tool sees them, and calls by value from C into C++. */
#include "layouts.h"

#include <stdio.h>
#include <string.h>

#define LAYOUT_SIZE(type, size) _Static_assert(sizeof(type) == (size), "size of " #type);
#define LAYOUT_MEMBER(type, member, offset) \
  _Static_assert(offsetof(type, member) == (offset), "offset of " #type "." #member);
#include "layouts.inc"
#define ENUM_VALUE(name, value) _Static_assert((name) == (value), "value of " #name);
#include "enums.inc"

int main(void) {
  rocprofiler_kernel_dispatch_info_t info;
  memset(&info, 0, sizeof(info));
  info.size = 72;
  info.dispatch_id = 77;
  info.workgroup_size.x = 67;
  info.grid_size.z = 5;

  rocprofiler_callback_tracing_record_t record;
  memset(&record, 0, sizeof(record));
  record.context_id.handle = 1;
  record.thread_id = 2;
  record.correlation_id.internal = 3;
  record.correlation_id.ancestor = 4;
  record.kind = ROCPROFILER_CALLBACK_TRACING_KERNEL_REPLAY;
  record.operation = ROCPROFILER_KERNEL_REPLAY_PASS;
  record.phase = ROCPROFILER_CALLBACK_PHASE_EXIT;
  record.payload = &info;

  rocprofiler_user_data_t user = {.value = 99};
  const rocprofiler_client_id_t client = {
      .size = sizeof(rocprofiler_client_id_t), .name = "tool", .handle = 4711};
  const rocprofiler_kernel_replay_continue_cb_t probe = kreplay_abi_check_continue;

  if (!kreplay_abi_check_record(record, &user, &info))
    return fputs("record by value is not read back\n", stderr), 1;
  if (user.value != 100) return fputs("user data is not written back\n", stderr), 1;
  if (!probe(info, 2, 4, user)) return fputs("dispatch info by value is not read back\n", stderr), 1;
  if (!kreplay_abi_check_client(client)) return fputs("client id by value is not read back\n", stderr), 1;
  return 0;
}
