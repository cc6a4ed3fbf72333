#include "kfd/paths.hpp"

#include <charconv>

#include "kfd/topology.hpp"

namespace softgpu::kfd {
namespace {

constexpr std::string_view kRender = "/dev/dri/renderD";
constexpr std::string_view kTopologyRoots[] = {"/sys/devices/virtual/kfd", "/sys/class/kfd"};
constexpr std::string_view kCharDevices = "/sys/dev/char/";
constexpr std::string_view kNodeCpus = "/sys/devices/system/node/node0/cpu";
constexpr std::string_view kCacheTail = "/cache";
constexpr std::string_view kDrmTail = "/device/drm";

bool take_number(std::string_view& text, uint32_t& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{}) return false;
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return true;
}

bool gpu_of_minor(uint32_t minor, const Options& options, uint16_t& gpu) {
  if (minor < kFirstRenderMinor || minor - kFirstRenderMinor >= options.gpus) return false;
  gpu = static_cast<uint16_t>(minor - kFirstRenderMinor);
  return true;
}

}  // namespace

bool may_be_ours(std::string_view path) {
  return path.starts_with("/sys/") || path.starts_with("/dev/") || path.starts_with("/proc/m");
}

PathMeaning meaning_of(std::string_view path, const Options& options) {
  PathMeaning meaning;
  if (path == "/dev/kfd") {
    meaning.kind = PathKind::kfd;
  } else if (path == "/proc/modules") {
    meaning.kind = PathKind::modules;
  } else if (path == "/sys/module/amdgpu/initstate") {
    meaning.kind = PathKind::initstate;
  } else if (path.starts_with(kRender)) {
    std::string_view tail = path.substr(kRender.size());
    uint32_t minor = 0;
    const bool known = take_number(tail, minor) && tail.empty() && gpu_of_minor(minor, options, meaning.gpu);
    meaning.kind = known ? PathKind::render : PathKind::absent;
  } else if (path.starts_with(kCharDevices)) {
    std::string_view tail = path.substr(kCharDevices.size());
    uint32_t major = 0;
    uint32_t minor = 0;
    if (take_number(tail, major) && major == kDrmMajor && tail.starts_with(':')) {
      tail.remove_prefix(1);
      if (take_number(tail, minor) && gpu_of_minor(minor, options, meaning.gpu) &&
          tail.starts_with(kDrmTail)) {
        const std::string_view rest = tail.substr(kDrmTail.size());
        if (rest.empty() || rest.front() == '/') {
          meaning.kind = PathKind::drm_dir;
          meaning.rest = rest;
        }
      }
    }
  } else if (path.starts_with(kNodeCpus)) {
    std::string_view tail = path.substr(kNodeCpus.size());
    uint32_t cpu = 0;
    if (take_number(tail, cpu) && tail.starts_with(kCacheTail)) {
      meaning.kind = PathKind::cpu_cache;
      meaning.rest = tail.substr(kCacheTail.size());
    }
  } else {
    for (const std::string_view root : kTopologyRoots) {
      if (!path.starts_with(root)) continue;
      const std::string_view rest = path.substr(root.size());
      if (!rest.empty() && rest.front() != '/') continue;
      meaning.kind = PathKind::topology;
      meaning.rest = rest;
    }
  }
  return meaning;
}

}  // namespace softgpu::kfd
