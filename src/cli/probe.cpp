#include "cli/probe.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>

#include <array>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <sstream>

#include "report/totals.hpp"

namespace kreplay::cli {
namespace {

void fact(const char* key, const std::string& text) {
  std::printf("%s %s\n", key, text.c_str());
  std::fflush(stdout);  // the next step may be the one that ends this process
}

/// The file a function is in, links resolved, because the name of the file has the version.
std::string file_of(void* function) {
  Dl_info info{};
  std::array<char, PATH_MAX> path{};
  if (::dladdr(function, &info) == 0 || info.dli_fname == nullptr) return "unknown file";
  return ::realpath(info.dli_fname, path.data()) != nullptr ? path.data() : info.dli_fname;
}

/// The functions of the runtime that are used; their names may be our library's, which passes them on.
struct Runtime {
  explicit Runtime(void* handle) {
    find(handle, "hsa_init", init);
    find(handle, "hsa_system_get_info", system_info);
    find(handle, "hsa_iterate_agents", iterate_agents);
    find(handle, "hsa_agent_get_info", agent_info);
    find(handle, "hsa_amd_agent_iterate_memory_pools", iterate_pools);
    find(handle, "hsa_amd_memory_pool_get_info", pool_info);
  }
  /// As a linked program would get it: a preloaded library first.
  template <typename Function>
  static void find(void* handle, const char* name, Function& function) {
    void* address = ::dlsym(RTLD_DEFAULT, name);
    if (address == nullptr) address = ::dlsym(handle, name);
    function = reinterpret_cast<Function>(address);
  }
  bool complete() const {
    return init != nullptr && system_info != nullptr && iterate_agents != nullptr && agent_info != nullptr &&
           iterate_pools != nullptr && pool_info != nullptr;
  }
  decltype(&::hsa_init) init = nullptr;
  decltype(&::hsa_system_get_info) system_info = nullptr;
  decltype(&::hsa_iterate_agents) iterate_agents = nullptr;
  decltype(&::hsa_agent_get_info) agent_info = nullptr;
  decltype(&::hsa_amd_agent_iterate_memory_pools) iterate_pools = nullptr;
  decltype(&::hsa_amd_memory_pool_get_info) pool_info = nullptr;
};

/// Most memory a pool of the agent has.
size_t memory_of(const Runtime& runtime, hsa_agent_t agent) {
  struct Walk {
    const Runtime& runtime;
    size_t most;
  } walk{runtime, 0};
  (void)runtime.iterate_pools(
      agent,
      [](hsa_amd_memory_pool_t pool, void* data) {
        auto& at = *static_cast<Walk*>(data);
        size_t size = 0;
        if (at.runtime.pool_info(pool, HSA_AMD_MEMORY_POOL_INFO_SIZE, &size) == HSA_STATUS_SUCCESS &&
            size > at.most)
          at.most = size;
        return HSA_STATUS_SUCCESS;
      },
      &walk);
  return walk.most;
}

hsa_status_t describe_agent(hsa_agent_t agent, void* data) {
  const auto& runtime = *static_cast<const Runtime*>(data);
  hsa_device_type_t kind{};
  if (runtime.agent_info(agent, HSA_AGENT_INFO_DEVICE, &kind) != HSA_STATUS_SUCCESS ||
      kind != HSA_DEVICE_TYPE_GPU)
    return HSA_STATUS_SUCCESS;
  std::array<char, 65> name{};
  std::array<char, 65> product{};
  uint32_t node = 0;
  uint32_t units = 0;
  const auto get = [&](uint32_t what, void* value) {
    (void)runtime.agent_info(agent, static_cast<hsa_agent_info_t>(what), value);
  };
  get(HSA_AGENT_INFO_NAME, name.data());
  get(HSA_AMD_AGENT_INFO_PRODUCT_NAME, product.data());
  get(HSA_AMD_AGENT_INFO_DRIVER_NODE_ID, &node);
  get(HSA_AMD_AGENT_INFO_COMPUTE_UNIT_COUNT, &units);
  fact("agent", fmt::format("{} ({}), node {}, {} compute units, {}", name.data(), product.data(), node,
                            units, report::human_bytes(memory_of(runtime, agent))));
  return HSA_STATUS_SUCCESS;
}

void probe_hip() {
  for (const char* soname :
       {"libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5", "libamdhip64.so.4"}) {
    void* hip = ::dlopen(soname, RTLD_LAZY | RTLD_LOCAL);
    void* function = hip != nullptr ? ::dlsym(hip, "hipGetDeviceCount") : nullptr;
    if (function != nullptr) fact("hip", file_of(function));
  }
}

}  // namespace

int probe() {
  void* handle = ::dlopen("libhsa-runtime64.so.1", RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    fact("failed", std::string("the HSA runtime cannot be loaded: ") + ::dlerror());
    return 1;
  }
  const Runtime runtime(handle);
  if (!runtime.complete()) {
    fact("failed",
         "the HSA runtime lacks functions that every version has; the library found is another one");
    return 1;
  }
  fact("hsa", file_of(::dlsym(handle, "hsa_init")));
  const hsa_status_t status = runtime.init();
  if (status != HSA_STATUS_SUCCESS) {
    fact("failed", fmt::format("hsa_init failed with 0x{:x}", static_cast<unsigned>(status)));
    return 1;
  }
  uint16_t major = 0;
  uint16_t minor = 0;
  (void)runtime.system_info(HSA_SYSTEM_INFO_VERSION_MAJOR, &major);
  (void)runtime.system_info(HSA_SYSTEM_INFO_VERSION_MINOR, &minor);
  fact("hsa_version", fmt::format("{}.{}", major, minor));
  (void)runtime.iterate_agents(&describe_agent, const_cast<Runtime*>(&runtime));
  probe_hip();
  return 0;
}

ProbeFacts read_probe(const std::string& text) {
  ProbeFacts facts;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const size_t space = line.find(' ');
    if (space != std::string::npos) facts.emplace_back(line.substr(0, space), line.substr(space + 1));
  }
  return facts;
}

}  // namespace kreplay::cli
