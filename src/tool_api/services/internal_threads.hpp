// Who wants to be told about threads of ours (rocprofiler_at_internal_thread_create).
#pragma once

#include <mutex>
#include <vector>

#include "rocprofiler-sdk/rocprofiler.h"

namespace kreplay::tool_api {

/// Threads: any. No lock is held while a notice is given.
class InternalThreads {
 public:
  struct Notice {
    rocprofiler_internal_thread_library_cb_t before = nullptr;
    rocprofiler_internal_thread_library_cb_t after = nullptr;
    int libraries = 0;  ///< rocprofiler_runtime_library_t bits
    void* data = nullptr;
  };

  void add(const Notice& notice) {
    const std::lock_guard lock(mutex_);
    notices_.push_back(notice);
  }

  /// Tells everybody who asked for threads of this library; `create` makes one. What a notice throws is
  /// caught.
  template <typename Create>
  void around(Create&& create) const {
    const std::vector<Notice> told = asked_for_ours();
    for (const Notice& notice : told) tell(notice.before, notice.data);
    create();
    for (const Notice& notice : told) tell(notice.after, notice.data);
  }

 private:
  std::vector<Notice> asked_for_ours() const;
  static void tell(rocprofiler_internal_thread_library_cb_t callback, void* data) noexcept;

  mutable std::mutex mutex_;  // guards notices_
  std::vector<Notice> notices_;
};

}  // namespace kreplay::tool_api
