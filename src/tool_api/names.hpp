// How every query function hands out a name.
#pragma once

#include <cstdint>
#include <string>

#include "rocprofiler-sdk/fwd.h"

namespace kreplay::tool_api {

/// Copies a name out; either output may be null. A missing name gives null and length 0.
/// @param absent the status when there is no name
inline rocprofiler_status_t give_name(const char* found, const char** name, uint64_t* name_len,
                                      rocprofiler_status_t absent) {
  if (name != nullptr) *name = found;
  if (name_len != nullptr) *name_len = found != nullptr ? std::char_traits<char>::length(found) : 0;
  return found != nullptr ? ROCPROFILER_STATUS_SUCCESS : absent;
}

}  // namespace kreplay::tool_api
