#include "tool_api/services/internal_threads.hpp"

#include "base/log.hpp"

namespace kreplay::tool_api {

std::vector<InternalThreads::Notice> InternalThreads::asked_for_ours() const {
  const std::lock_guard lock(mutex_);
  std::vector<Notice> out;
  for (const Notice& notice : notices_)
    if ((notice.libraries & ROCPROFILER_LIBRARY) != 0) out.push_back(notice);
  return out;
}

void InternalThreads::tell(rocprofiler_internal_thread_library_cb_t callback, void* data) noexcept {
  if (callback == nullptr) return;
  try {
    callback(ROCPROFILER_LIBRARY, data);
  } catch (...) {
    log::error("rocprofiler_at_internal_thread_create", "a tool's notice threw an exception");
  }
}

}  // namespace kreplay::tool_api
