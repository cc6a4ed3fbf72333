// The render node, as far as libdrm_amdgpu asks it: enough to initialise and to find the marketing name.
#pragma once

#include "kfd/options.hpp"

namespace softgpu::kfd {

/// ioctl on /dev/dri/renderD<minor>. @return 0 or -errno
int drm_ioctl(const Options& options, unsigned long request, void* argument);

}  // namespace softgpu::kfd
