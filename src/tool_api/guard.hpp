// The one try block of every exported function: nothing leaves through the C interface.
#pragma once

#include <cstring>
#include <exception>
#include <new>

#include "base/cancel_guard.hpp"
#include "base/log.hpp"
#include "rocprofiler-sdk/fwd.h"

namespace kreplay::tool_api {

/// The number a tool passed as an enumeration. It may be any, and C++ gives an enumeration only the values
/// its bits can hold, so it is read as the integer it is.
template <typename Enum>
int number_of(const Enum& value) {
  static_assert(sizeof(Enum) == sizeof(int));
  int number = 0;
  std::memcpy(&number, &value, sizeof(number));
  return number;
}

/// A call that is not answered with success: KREPLAY_LOG=info shows each, and what a tool was refused while
/// it is being initialised is told together with how that ends (tool_trouble.cpp).
/// @param what what was asked for, where the function's name does not say it; may be null
/// @return `status`
rocprofiler_status_t refused(const char* function, rocprofiler_status_t status,
                             const char* what = nullptr) noexcept;

/// @param function exported name, for the log line
/// @param what as of refused()
/// @return what `body` returns; OUT_OF_RESOURCES or ERROR when it throws (a tool's own callback may)
template <typename Body>
rocprofiler_status_t guarded(const char* function, Body&& body, const char* what = nullptr) noexcept {
  const CancelGuard whole;
  try {
    const rocprofiler_status_t status = body();
    return status == ROCPROFILER_STATUS_SUCCESS ? status : refused(function, status, what);
  } catch (const std::bad_alloc&) {
    return refused(function, ROCPROFILER_STATUS_ERROR_OUT_OF_RESOURCES);
  } catch (const std::exception& error) {
    log::error(function, "an exception ended the call: {}", error.what());
  } catch (...) {
    log::error(function, "an exception of unknown type ended the call");
  }
  return ROCPROFILER_STATUS_ERROR;
}

}  // namespace kreplay::tool_api
