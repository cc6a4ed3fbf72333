// The render node's ioctls on buffer objects: dmabuf to handle and back, mappings, metadata.
#pragma once

#include <cstdint>

#include "kfd/process.hpp"

namespace softgpu::kfd {

/// @param number of the ioctl
/// @return true if it is one of these; then `rc` is 0 or -errno
bool drm_gem_ioctl(Process& process, Gpu& gpu, unsigned number, void* argument, int& rc);

}  // namespace softgpu::kfd
