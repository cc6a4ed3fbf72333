#include "kfd/drm.hpp"

#include <libdrm/amdgpu_drm.h>
#include <libdrm/drm.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>

#include "base/log.hpp"
#include "kfd/drm_gem.hpp"
#include "kfd/topology.hpp"

namespace softgpu::kfd {
namespace {

namespace log = kreplay::log;

constexpr int kMajor = 3;
constexpr int kMinor = 42;
constexpr std::string_view kName = "amdgpu";
constexpr std::string_view kDate = "20150101";
constexpr std::string_view kDescription = "software GPU";
constexpr uint32_t kFamilyAi = 141;

/// The caller gives a buffer and its length; it is told the full length either way.
void give_text(char* to, __kernel_size_t& length, std::string_view text) {
  if (to != nullptr) std::memcpy(to, text.data(), std::min<size_t>(length, text.size()));
  length = text.size();
}

int version(drm_version& args) {
  args.version_major = kMajor;
  args.version_minor = kMinor;
  args.version_patchlevel = 0;
  give_text(args.name, args.name_len, kName);
  give_text(args.date, args.date_len, kDate);
  give_text(args.desc, args.desc_len, kDescription);
  return 0;
}

drm_amdgpu_info_device device_info(const Options& options) {
  drm_amdgpu_info_device info{};
  info.device_id = pci_device_id(options.gfx_target_version);
  info.family = kFamilyAi;
  info.num_shader_engines = 1;
  info.num_shader_arrays_per_engine = 1;
  info.gpu_counter_freq = 100'000;
  info.max_engine_clock = 1'725'000;
  info.max_memory_clock = 1'000'000;
  info.cu_active_number = options.compute_units;
  info.virtual_address_offset = 0x200000;
  info.virtual_address_max = uint64_t{1} << 47;
  info.virtual_address_alignment = 4096;
  info.gart_page_size = 4096;
  info.wave_front_size = 64;
  info.num_cu_per_sh = options.compute_units;
  return info;
}

int info(const Options& options, const drm_amdgpu_info& args) {
  if (args.return_pointer == 0) return -EFAULT;
  auto* to = reinterpret_cast<std::byte*>(args.return_pointer);
  std::memset(to, 0, args.return_size);
  switch (args.query) {
    case AMDGPU_INFO_ACCEL_WORKING: {
      const uint32_t working = 1;
      std::memcpy(to, &working, std::min<size_t>(args.return_size, sizeof working));
      break;
    }
    case AMDGPU_INFO_DEV_INFO: {
      const drm_amdgpu_info_device device = device_info(options);
      std::memcpy(to, &device, std::min<size_t>(args.return_size, sizeof device));
      break;
    }
    case AMDGPU_INFO_HW_IP_COUNT:
      break;  // none: no engine takes commands through the render node
    case AMDGPU_INFO_READ_MMR_REG:
      break;  // tiling and back-end registers, which only graphics looks at: all zero
    default:
      log::error("drm", "INFO query {:#x} is not emulated", args.query);
      return -EINVAL;
  }
  return 0;
}

}  // namespace

int drm_ioctl(const Options& options, Process* process, uint16_t gpu, unsigned long request, void* argument) {
  if (argument == nullptr) return -EFAULT;
  switch (_IOC_NR(request)) {
    case _IOC_NR(DRM_IOCTL_VERSION):
      return version(*static_cast<drm_version*>(argument));
    case _IOC_NR(DRM_IOCTL_GET_CLIENT):
      static_cast<drm_client*>(argument)->auth = 1;
      return 0;
    case _IOC_NR(DRM_IOCTL_AMDGPU_INFO):
      return info(options, *static_cast<const drm_amdgpu_info*>(argument));
    default:
      break;
  }
  int rc = 0;
  if (process != nullptr && gpu < process->gpus().size() &&
      drm_gem_ioctl(*process, *process->gpus()[gpu], _IOC_NR(request), argument, rc)) {
    log::debug("drm", "ioctl {:#x} (number {:#x}) = {}", request, _IOC_NR(request), rc);
    return rc;
  }
  log::error("drm", "ioctl {:#x} (number {:#x}) is not emulated", request, _IOC_NR(request));
  return -ENOTTY;
}

int dmabuf_ioctl(unsigned long request) {
  log::error("drm", "ioctl {:#x} on a dmabuf is not emulated", request);
  return -ENOTTY;
}

}  // namespace softgpu::kfd
