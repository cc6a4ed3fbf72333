// The render node, as libdrm_amdgpu uses it: to learn about the device, and to map memory at chosen
// addresses.
#pragma once

#include <cstdint>

#include "kfd/options.hpp"
#include "kfd/process.hpp"

namespace softgpu::kfd {

/// ioctl on /dev/dri/renderD<minor>.
/// @param process null while nobody opened /dev/kfd: then there are no buffer objects
/// @param gpu index of the node's GPU
/// @return 0 or -errno
int drm_ioctl(const Options& options, Process* process, uint16_t gpu, unsigned long request, void* argument);
/// ioctl on a dmabuf. @return -errno
int dmabuf_ioctl(unsigned long request);

}  // namespace softgpu::kfd
