// What an event of the runtime means for the queues of the agent it names.
#pragma once

#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>

namespace kreplay::intercept {

/// @return the status the agent's queues fail with; HSA_STATUS_SUCCESS when they go on.
/// Event numbers 1 and 2 came with runtime 6; each kind starts with the agent. Number 2 reports memory that
/// could not be freed, which stops nothing. What is newer is not known to stop anything either.
inline hsa_status_t failure_of(hsa_amd_event_type_t type) {
  constexpr int kHardwareException = 1;
  switch (static_cast<int>(type)) {
    case HSA_AMD_GPU_MEMORY_FAULT_EVENT:
      return static_cast<hsa_status_t>(HSA_STATUS_ERROR_MEMORY_FAULT);
    case kHardwareException:
      return HSA_STATUS_ERROR_EXCEPTION;
    default:
      return HSA_STATUS_SUCCESS;
  }
}

}  // namespace kreplay::intercept
