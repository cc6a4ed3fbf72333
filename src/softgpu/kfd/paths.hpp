// What a path means to us: a device, a file of the topology, a small text of our own, or nothing.
#pragma once

#include <climits>
#include <cstdint>
#include <string_view>

#include "kfd/options.hpp"

namespace softgpu::kfd {

enum class PathKind {
  other,      ///< not ours: pass the call on
  kfd,        ///< /dev/kfd
  render,     ///< /dev/dri/renderD<minor> of GPU `gpu`
  absent,     ///< a device that this machine does not have
  topology,   ///< `rest` below the topology tree
  modules,    ///< /proc/modules
  initstate,  ///< /sys/module/amdgpu/initstate
  drm_dir,    ///< `rest` below /sys/dev/char/226:<minor>/device/drm of GPU `gpu`
  cpu_cache,  ///< `rest` below the cache directory of a CPU of node 0: ours only where the host has none
};

struct PathMeaning {
  PathKind kind = PathKind::other;
  uint16_t gpu = 0;
  std::string_view rest;  ///< topology, drm_dir, cpu_cache: with its leading slash, or empty
};

constexpr uint32_t kDrmMajor = 226;

/// @param path absolute, as the caller wrote it; anything else is `other`
PathMeaning meaning_of(std::string_view path, const Options& options);

/// True for paths whose meaning depends on the options at all: lets everything else pass without reading
/// them.
bool may_be_ours(std::string_view path);

}  // namespace softgpu::kfd
