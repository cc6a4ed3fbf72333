// The options of this process, read when first needed, and the topology tree, made when first needed.
#pragma once

#include <string>

#include "kfd/options.hpp"

namespace softgpu::kfd {

/// Null if the environment is wrong: reported once, and there is no software GPU in this process.
/// Threads: any; takes no lock.
const Options* settings();

/// Directory of the topology tree; null if it cannot be made (reported once). Threads: any.
const std::string* topology_tree();

}  // namespace softgpu::kfd
