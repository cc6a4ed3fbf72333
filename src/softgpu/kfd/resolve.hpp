// From a path to what a hook does with it.
#pragma once

#include <climits>
#include <string_view>

#include "kfd/paths.hpp"

namespace softgpu::kfd {

/// What a hook does with a path. `path` is the one to pass on: the caller's own, or one in the topology tree,
/// which then lies in `buffer`.
struct Resolved {
  PathKind kind = PathKind::other;
  uint16_t gpu = 0;
  const char* path = nullptr;
  char buffer[PATH_MAX];

  explicit Resolved(const char* caller_path);
  /// The call goes on to the next library with `path`.
  bool passes() const { return kind == PathKind::other || path == buffer; }
  Resolved(const Resolved&) = delete;
  Resolved& operator=(const Resolved&) = delete;

 private:
  /// Points `path` into the topology tree.
  void redirect(std::string_view place, std::string_view rest);
};

/// Opens what is ours. @param resolved does not pass()
/// @return a descriptor, or -1 and errno
int open_ours(const Resolved& resolved, int flags);

}  // namespace softgpu::kfd
