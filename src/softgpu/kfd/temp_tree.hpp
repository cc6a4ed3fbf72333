// A directory of real files that stands in for /sys/devices/virtual/kfd, so that reading and listing it needs
// no hook. Made when first wanted, removed at exit by the process that made it. A process that is killed
// leaves its tree behind; the next one finds the lock on it gone and removes it.
#pragma once

#include <string>
#include <vector>

#include "base/status.hpp"
#include "kfd/topology.hpp"

namespace softgpu::kfd {

/// @return the directory; it holds `files` and a lock file
/// Errors: io, naming path and reason
kreplay::Result<std::string> make_temp_tree(const std::vector<TreeFile>& files);

/// Removes what make_temp_tree made in this process; a fork child removes nothing of its parent's.
void remove_temp_tree();

}  // namespace softgpu::kfd
