// Callbacks that the runtime calls. An exception in one would cross the runtime's frames: some forward it,
// others end the process.
#pragma once

#include <hsa/hsa.h>

#include <utility>

namespace kreplay::hsa {

/// Runs the body of such a callback. @return its status; out of resources when it threw, which ends the
/// iteration and is what the iterating function answers
template <typename Body>
hsa_status_t contained(Body&& body) noexcept {
  try {
    return std::forward<Body>(body)();
  } catch (...) {
    return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  }
}

}  // namespace kreplay::hsa
