// What the tool of the program registered_table tells it.
#pragma once

struct RegisteredTable {
  int opened;       ///< 1: librocprofiler-register is there
  int status;       ///< of rocprofiler_register_library_api_table; 0 = a tool took the table
  int ours_before;  ///< 1: the slot of hsa_queue_create was libkreplay's before
  int ours_after;   ///< 1: it is since the call
  void* slot;       ///< what stands in it since then
  void* const* at;  ///< where that slot is
};
