// What the device is: version, apertures, clocks, and settings that a software GPU can take note of and
// leave.
#include <time.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "kfd/handlers.hpp"

namespace softgpu::kfd {
namespace {

constexpr uint32_t kMajorVersion = 1;
constexpr uint32_t kMinorVersion = 17;
constexpr uint32_t kTileConfigs = 32;
constexpr uint32_t kMacroTileConfigs = 16;
constexpr uint32_t kGbAddrConfig = 0x26010001;
constexpr uint64_t kNsPerSecond = 1'000'000'000;

uint64_t clock_ns(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<uint64_t>(now.tv_sec) * kNsPerSecond + static_cast<uint64_t>(now.tv_nsec);
}

}  // namespace

int get_version(Process&, kfd_ioctl_get_version_args& args) {
  args.major_version = kMajorVersion;
  args.minor_version = kMinorVersion;
  return 0;
}

int get_process_apertures_new(Process& process, kfd_ioctl_get_process_apertures_new_args& args) {
  const auto count = static_cast<uint32_t>(process.gpus().size());
  if (args.num_of_nodes != 0) {  // zero asks for the number alone
    if (args.kfd_process_device_apertures_ptr == 0) return -EFAULT;
    auto* out = reinterpret_cast<kfd_process_device_apertures*>(args.kfd_process_device_apertures_ptr);
    for (uint32_t i = 0; i < std::min(count, args.num_of_nodes); ++i) {
      kfd_process_device_apertures aperture{};
      aperture.lds_base = kLdsAperture;
      aperture.lds_limit = kLdsAperture + kApertureBytes - 1;
      aperture.scratch_base = kScratchAperture;
      aperture.scratch_limit = kScratchAperture + kApertureBytes - 1;
      aperture.gpuvm_base = kGpuvmBase;
      aperture.gpuvm_limit = kGpuvmLimit;
      aperture.gpu_id = process.gpus()[i]->gpu_id;
      out[i] = aperture;
    }
    args.num_of_nodes = std::min(count, args.num_of_nodes);
    return 0;
  }
  args.num_of_nodes = count;
  return 0;
}

int acquire_vm(Process& process, kfd_ioctl_acquire_vm_args& args) {
  return process.gpu_by_id(args.gpu_id) != nullptr ? 0 : -EINVAL;
}

// Host and device share the caches: every policy is coherent.
int set_memory_policy(Process& process, kfd_ioctl_set_memory_policy_args& args) {
  return process.gpu_by_id(args.gpu_id) != nullptr ? 0 : -EINVAL;
}

int get_clock_counters(Process& process, kfd_ioctl_get_clock_counters_args& args) {
  Gpu* gpu = process.gpu_by_id(args.gpu_id);
  // gpu_id 0 is legal and asks for the system's clocks; the GPU's field is then of no GPU in particular.
  if (gpu == nullptr && args.gpu_id != 0) return -EINVAL;
  args.gpu_clock_counter = gpu != nullptr ? gpu->device->clock().now() : 0;
  args.cpu_clock_counter = clock_ns(CLOCK_MONOTONIC_RAW);
  args.system_clock_counter = clock_ns(CLOCK_BOOTTIME);
  args.system_clock_freq = kNsPerSecond;
  return 0;
}

int get_tile_config(Process& process, kfd_ioctl_get_tile_config_args& args) {
  if (process.gpu_by_id(args.gpu_id) == nullptr) return -EINVAL;
  args.num_tile_configs = std::min(args.num_tile_configs, kTileConfigs);
  args.num_macro_tile_configs = std::min(args.num_macro_tile_configs, kMacroTileConfigs);
  std::memset(reinterpret_cast<void*>(args.tile_config_ptr), 0, args.num_tile_configs * sizeof(uint32_t));
  std::memset(reinterpret_cast<void*>(args.macro_tile_config_ptr), 0,
              args.num_macro_tile_configs * sizeof(uint32_t));
  args.gb_addr_config = kGbAddrConfig;
  args.num_banks = 0;
  args.num_ranks = 0;
  return 0;
}

// Traps are reported by the interpreter itself; the runtime's handler code never runs.
int set_trap_handler(Process& process, kfd_ioctl_set_trap_handler_args& args) {
  return process.gpu_by_id(args.gpu_id) != nullptr ? 0 : -EINVAL;
}

// gfx9 takes scratch addresses from the queue; this was for gfx7.
int set_scratch_backing_va(Process& process, kfd_ioctl_set_scratch_backing_va_args& args) {
  return process.gpu_by_id(args.gpu_id) != nullptr ? 0 : -EINVAL;
}

// No replayable page faults. A negative argument asks; asking for them is refused, as by this hardware.
int set_xnack_mode(Process&, kfd_ioctl_set_xnack_mode_args& args) {
  if (args.xnack_enabled > 0) return -EPERM;
  args.xnack_enabled = 0;
  return 0;
}

// Announces the runtime to a debugger, of which there is none. From then on it takes queue errors as
// exceptions. The capability says that core files of a GPU are the driver's business, so that the runtime
// does not try to write one through the debugger interface; this driver writes none.
int runtime_enable(Process& process, RuntimeEnableArgs& args) {
  constexpr uint32_t kEnable = 1;
  constexpr uint32_t kDriverDumps = 1u << 31;
  process.events().report_exceptions((args.mode_mask & kEnable) != 0);
  args.capabilities_mask = kDriverDumps;
  return 0;
}

}  // namespace softgpu::kfd
