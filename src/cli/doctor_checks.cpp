// The checks of `kreplay doctor` that only look at the environment and at files.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "base/options.hpp"
#include "cli/child.hpp"
#include "cli/doctor.hpp"
#include "cli/preload.hpp"

namespace kreplay::cli {
namespace {

using Kind = Finding::Kind;
namespace fs = std::filesystem;

std::string value_of(const Environment& environment, const std::string& name) {
  const auto found = environment.find(name);
  return found == environment.end() ? std::string() : found->second;
}

void check_preload(const std::string& entry, const std::string& from, const std::string& root,
                   Findings& out) {
  if (entry.find('/') == std::string::npos) {
    out.push_back({Kind::note, from, entry + " has no path; the loader searches for it", {}});
    return;
  }
  const std::string path = entry.front() == '/' ? root + entry : entry;
  if (::access(path.c_str(), F_OK) != 0) {
    out.push_back({Kind::problem, from, entry + ": " + std::strerror(errno),
                   "the loader passes over it with a line on stderr; correct the path or remove it"});
  } else if (classify(path) == ProgramKind::other_class) {
    out.push_back({Kind::problem, from, entry + " is for another kind of processor",
                   "the loader passes over it; name a library for x86-64 or remove it"});
  } else if (entry.find("rocprofiler") != std::string::npos || entry.find("roctracer") != std::string::npos) {
    out.push_back({Kind::problem, from, entry + " is another profiler",
                   "libkreplay stays passive beside a profiler; remove it for the run"});
  } else {
    out.push_back({Kind::good, from, entry + " is kept", {}});
  }
}

/// A variable of others that a measurement depends on.
struct Known {
  const char* name;
  const char* only;  ///< value that matters; null: any
  Kind kind;
  const char* effect;
  const char* advice;
};
constexpr std::array kKnown = {
    Known{"ROC_ENABLE_LARGE_BAR", "1", Kind::note,
          "small HIP copies are plain CPU stores, which a restore can undo",
          "unset it, so that the library can set it to 0"},
    Known{"HSA_ENABLE_SDMA", "0", Kind::note,
          "copies, ours included, are done by kernels and not by copy engines", ""},
    Known{"AMD_SERIALIZE_KERNEL", nullptr, Kind::note, "HIP waits around each launch; drains become short",
          ""},
    Known{"HIP_LAUNCH_BLOCKING", "1", Kind::note, "HIP waits after each launch; drains become short", ""},
    Known{"HSA_XNACK", "1", Kind::note, "pages may move while a kernel runs; times of passes vary more", ""},
    Known{"ROCR_VISIBLE_DEVICES", nullptr, Kind::note, "the runtime shows only these GPUs",
          "--agents counts those that are shown"},
    Known{"HIP_VISIBLE_DEVICES", nullptr, Kind::note, "HIP shows only these GPUs",
          "--agents counts those of the runtime"},
    Known{"GPU_MAX_HW_QUEUES", nullptr, Kind::note, "HIP shares so many queues among its streams", ""},
    Known{"HSA_OVERRIDE_GFX_VERSION", nullptr, Kind::note,
          "the runtime takes the GPU for another one; results carry that name", ""},
    Known{"LD_AUDIT", nullptr, Kind::note,
          "an audit library sees and may redirect every symbol, ours included",
          "remove it if libkreplay is bypassed"},
};

}  // namespace

void check_preloads(const Environment& environment, const std::string& root, Findings& out) {
  std::string list = value_of(environment, "LD_PRELOAD");
  std::replace(list.begin(), list.end(), ' ', ':');
  for (size_t begin = 0; begin < list.size();) {
    const size_t end = std::min(list.find(':', begin), list.size());
    if (end > begin) check_preload(list.substr(begin, end - begin), "LD_PRELOAD", root, out);
    begin = end + 1;
  }
  std::ifstream system(root + "/etc/ld.so.preload");
  for (std::string entry; system >> entry;) check_preload(entry, "/etc/ld.so.preload", root, out);
}

void check_interceptors(const Environment& environment, Findings& out) {
  if (const std::string tools = value_of(environment, "HSA_TOOLS_LIB"); !tools.empty()) {
    out.push_back(
        {Kind::note, "HSA_TOOLS_LIB", tools,
         "libkreplay appends itself and lets those see every call; unset it if they are profilers"});
  }
  if (const std::string tools = value_of(environment, "ROCP_TOOL_LIBRARIES"); !tools.empty()) {
    out.push_back({Kind::note, "ROCP_TOOL_LIBRARIES", tools,
                   "these tools decide in place of the built-in timing tool; unset it to measure times"});
  }
  for (const auto& [name, value] : environment) {
    if (name.rfind("ROCPROF", 0) != 0) continue;
    out.push_back({Kind::note, name, value,
                   "another profiler's setting; libkreplay stays passive when that profiler is loaded"});
  }
}

void check_variables(const Environment& environment, Findings& out) {
  std::vector<std::string> entries;
  for (const auto& [name, value] : environment) {
    entries.push_back(name);
    entries.back().append("=").append(value);
  }
  for (const std::string& error : read_options(pointers(entries).data()).errors)
    out.push_back({Kind::problem, "environment", error, "correct or unset it: replay stays off until then"});
  for (const auto& [name, value] : options_as_set(pointers(entries).data()))
    out.push_back(
        {Kind::note, "environment", fmt::format("{}={} is inherited by every run", name, value), {}});
  for (const Known& known : kKnown) {
    const auto found = environment.find(known.name);
    if (found == environment.end() || (known.only != nullptr && found->second != known.only)) continue;
    out.push_back({known.kind, "environment",
                   fmt::format("{}={}: {}", found->first, found->second, known.effect), known.advice});
  }
}

void check_devices(const std::string& root, Findings& out) {
  const std::string kfd = root + "/dev/kfd";
  if (::access(kfd.c_str(), F_OK) != 0) {
    const bool module = ::access((root + "/sys/module/amdgpu").c_str(), F_OK) == 0;
    out.push_back({Kind::problem, "/dev/kfd", "is not there",
                   module ? "in a container, hand it in (--device=/dev/kfd --device=/dev/dri)"
                          : "load the amdgpu driver; without an AMD GPU use --device soft"});
    return;
  }
  const auto check = [&out](const std::string& path, const std::string& shown) {
    if (::access(path.c_str(), R_OK | W_OK) == 0) {
      out.push_back({Kind::good, shown, "can be opened", {}});
    } else {
      out.push_back({Kind::problem, shown,
                     std::string("cannot be opened for reading and writing: ") + std::strerror(errno),
                     "add the user to the groups render and video, and log in again"});
    }
  };
  check(kfd, "/dev/kfd");
  std::vector<std::string> nodes;
  std::error_code error;
  for (fs::directory_iterator entry(root + "/dev/dri", error), end; !error && entry != end;
       entry.increment(error))
    if (entry->path().filename().string().rfind("renderD", 0) == 0)
      nodes.push_back(entry->path().filename().string());
  std::sort(nodes.begin(), nodes.end());
  for (const std::string& node : nodes) {
    const std::string name = "/dev/dri/" + node;
    check(root + name, name);
  }
  if (nodes.empty()) {
    out.push_back(
        {Kind::problem, "/dev/dri", "has no render node", "in a container, hand it in (--device=/dev/dri)"});
  }
}

}  // namespace kreplay::cli
