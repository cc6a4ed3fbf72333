// The sysfs topology of the emulated machine as a list of files: one CPU node, then one node per GPU.
// Numbers are plain decimal integers: the parsers take nothing else.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kfd/options.hpp"

namespace softgpu::kfd {

constexpr uint32_t kFirstRenderMinor = 128;
constexpr uint32_t kFirstGpuId = 0x1001;  ///< any 16-bit number that is not zero
constexpr uint32_t kFirstPciBus = 3;

constexpr uint32_t gpu_id_of(uint32_t index) { return kFirstGpuId + index; }
constexpr uint32_t render_minor_of(uint32_t index) { return kFirstRenderMinor + index; }
/// PCI device number of a target.
uint32_t pci_device_id(uint32_t gfx_target_version);

struct HostFacts {
  uint32_t cpus = 1;
  uint64_t memory_bytes = 0;
  bool describes_cpu_caches = true;  ///< false in some virtual machines; the thunk gives up without
};
HostFacts host_facts();

struct TreeFile {
  /// "kfd/...": below /sys/devices/virtual/kfd (and /sys/class/kfd, which is the same); "drm/<index>/...":
  /// below /sys/dev/char/226:<minor>/device/drm of that GPU; "node0/...": below /sys/devices/system/node,
  /// only where the host does not describe its CPU caches
  std::string path;
  std::string text;
};
std::vector<TreeFile> topology_files(const Options& options, const HostFacts& host);

}  // namespace softgpu::kfd
