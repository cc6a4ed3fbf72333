#include "tool_api/agents.hpp"

#include <dirent.h>
#include <fmt/format.h>

#include <algorithm>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <optional>

#include "base/environment.hpp"

namespace kreplay::tool_api {
namespace {

/// Handles start here so that an agent's handle is unlikely to be taken for another kind of id.
constexpr uint64_t kFirstAgent = 0x4b524147;

using Properties = std::map<std::string, uint64_t>;

struct FileCloser {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, FileCloser>;

/// "key value" lines. Empty optional: no such file, or not readable.
std::optional<Properties> read_properties(const std::string& path) {
  const File file(std::fopen(path.c_str(), "re"));
  if (!file) return std::nullopt;
  Properties properties;
  char line[256];
  while (std::fgets(line, sizeof(line), file.get()) != nullptr) {
    char key[128];
    unsigned long long value = 0;
    if (std::sscanf(line, "%127s %llu", key, &value) == 2) properties[key] = value;
  }
  return properties;
}

std::string read_line(const std::string& path) {
  const File file(std::fopen(path.c_str(), "re"));
  char line[256] = {};
  if (!file || std::fgets(line, sizeof(line), file.get()) == nullptr) return {};
  line[std::strcspn(line, "\r\n")] = '\0';
  return line;
}

/// Numbered entries of a folder, in order.
std::vector<uint32_t> numbered_entries(const std::string& path) {
  std::vector<uint32_t> numbers;
  DIR* folder = opendir(path.c_str());
  if (folder == nullptr) return numbers;
  while (const dirent* entry = readdir(folder)) {
    char* end = nullptr;
    const unsigned long number = std::strtoul(entry->d_name, &end, 10);
    if (end != entry->d_name && *end == '\0') numbers.push_back(static_cast<uint32_t>(number));
  }
  closedir(folder);
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

std::string cpu_product(const std::string& cpuinfo) {
  const File file(std::fopen(cpuinfo.c_str(), "re"));
  char line[512];
  while (file && std::fgets(line, sizeof(line), file.get()) != nullptr) {
    if (std::strncmp(line, "model name", 10) != 0) continue;
    const char* colon = std::strchr(line, ':');
    if (colon == nullptr) continue;
    std::string name(colon + 1);
    name.erase(0, name.find_first_not_of(" \t"));
    name.erase(name.find_last_not_of(" \t\r\n") + 1);
    return name;
  }
  return {};
}

/// Whether the n-th GPU, or the one with this unique id, is in a comma separated list. An entry that is
/// neither ends the list, as it does in the runtime.
bool is_listed(const std::string& list, unsigned ordinal, uint64_t unique_id) {
  if (list.empty()) return true;
  const std::string uuid = fmt::format("GPU-{:016x}", unique_id);
  size_t at = 0;
  while (at <= list.size()) {
    const size_t comma = std::min(list.find(',', at), list.size());
    const std::string entry = list.substr(at, comma - at);
    char* end = nullptr;
    const unsigned long number = std::strtoul(entry.c_str(), &end, 10);
    if (!entry.empty() && *end == '\0') {
      if (number == ordinal) return true;
    } else if (entry == uuid) {
      return true;
    } else if (entry.rfind("GPU-", 0) != 0) {
      return false;
    }
    at = comma + 1;
  }
  return false;
}

uint64_t value_of(const Properties& properties, const char* key) {
  const auto found = properties.find(key);
  return found == properties.end() ? 0 : found->second;
}

}  // namespace

struct AgentList::Node {
  // The structure, with zeroed room behind it for longer layouts.
  union {
    rocprofiler_agent_v0_t agent;
    unsigned char room[kLongestLayout];
  };
  std::vector<rocprofiler_agent_mem_bank_t> mem_banks;
  std::vector<rocprofiler_agent_cache_t> caches;
  std::vector<rocprofiler_agent_io_link_t> io_links;
  std::string name, vendor, product, model;

  Node() { std::memset(room, 0, sizeof(room)); }

  void read_lists(const std::string& folder);
  void fill(const Properties& p);
  void link();
};

AgentList::AgentList() = default;
AgentList::~AgentList() = default;

void AgentList::Node::read_lists(const std::string& folder) {
  const auto each = [&](const char* kind, auto&& use) {
    for (const uint32_t i : numbered_entries(folder + "/" + kind))
      if (const auto p = read_properties(fmt::format("{}/{}/{}/properties", folder, kind, i))) use(*p);
  };
  const auto u32 = [](const Properties& p, const char* key) {
    return static_cast<uint32_t>(value_of(p, key));
  };
  each("mem_banks", [&](const Properties& p) {
    mem_banks.push_back({u32(p, "heap_type"), u32(p, "flags"), u32(p, "width"), u32(p, "mem_clk_max"),
                         value_of(p, "size_in_bytes")});
  });
  each("caches", [&](const Properties& p) {
    caches.push_back({value_of(p, "processor_id_low"), value_of(p, "size"), u32(p, "level"),
                      u32(p, "cache_line_size"), u32(p, "cache_lines_per_tag"), u32(p, "association"),
                      u32(p, "latency"), u32(p, "type")});
  });
  each("io_links", [&](const Properties& p) {
    io_links.push_back({u32(p, "type"), u32(p, "version_major"), u32(p, "version_minor"), u32(p, "node_from"),
                        u32(p, "node_to"), u32(p, "weight"), u32(p, "min_latency"), u32(p, "max_latency"),
                        u32(p, "min_bandwidth"), u32(p, "max_bandwidth"), u32(p, "recommended_transfer_size"),
                        u32(p, "flags")});
  });
}

void AgentList::Node::fill(const Properties& p) {
  const auto u32 = [&](const char* key) { return static_cast<uint32_t>(value_of(p, key)); };
  agent.size = sizeof(agent);
  agent.type = u32("simd_count") > 0 ? ROCPROFILER_AGENT_TYPE_GPU : ROCPROFILER_AGENT_TYPE_CPU;
  agent.cpu_cores_count = u32("cpu_cores_count");
  agent.simd_count = u32("simd_count");
  agent.cpu_core_id_base = u32("cpu_core_id_base");
  agent.simd_id_base = u32("simd_id_base");
  agent.max_waves_per_simd = u32("max_waves_per_simd");
  agent.lds_size_in_kb = u32("lds_size_in_kb");
  agent.gds_size_in_kb = u32("gds_size_in_kb");
  agent.num_gws = u32("num_gws");
  agent.wave_front_size = u32("wave_front_size");
  agent.array_count = u32("array_count");
  agent.simd_arrays_per_engine = u32("simd_arrays_per_engine");
  agent.cu_per_simd_array = u32("cu_per_simd_array");
  agent.simd_per_cu = u32("simd_per_cu");
  agent.max_slots_scratch_cu = u32("max_slots_scratch_cu");
  agent.gfx_target_version = u32("gfx_target_version");
  agent.vendor_id = static_cast<uint16_t>(u32("vendor_id"));
  agent.device_id = static_cast<uint16_t>(u32("device_id"));
  agent.location_id = u32("location_id");
  agent.domain = u32("domain");
  agent.drm_render_minor = u32("drm_render_minor");
  agent.num_sdma_engines = u32("num_sdma_engines");
  agent.num_sdma_xgmi_engines = u32("num_sdma_xgmi_engines");
  agent.num_sdma_queues_per_engine = u32("num_sdma_queues_per_engine");
  agent.num_cp_queues = u32("num_cp_queues");
  agent.max_engine_clk_ccompute = u32("max_engine_clk_ccompute");
  agent.max_engine_clk_fcompute = u32("max_engine_clk_fcompute");
  agent.sdma_fw_version.Value = u32("sdma_fw_version");
  agent.fw_version.Value = u32("fw_version");
  agent.capability.Value = u32("capability");
  agent.family_id = u32("family_id");
  agent.hive_id = value_of(p, "hive_id");
  agent.uuid.value[0] = value_of(p, "unique_id");
  if (agent.type != ROCPROFILER_AGENT_TYPE_GPU) return;
  // Keys that older drivers do not write.
  agent.num_xcc = p.count("num_xcc") != 0 ? u32("num_xcc") : 1;
  if (agent.simd_per_cu > 0) agent.cu_count = agent.simd_count / agent.simd_per_cu;
  if (agent.simd_arrays_per_engine > 0)
    agent.num_shader_banks = agent.array_count / agent.simd_arrays_per_engine;
  if (agent.num_shader_banks > 0) agent.cu_per_engine = agent.cu_count / agent.num_shader_banks;
  agent.max_waves_per_cu = agent.simd_per_cu * agent.max_waves_per_simd;
  for (const auto& bank : mem_banks)
    if (bank.heap_type == 1 || bank.heap_type == 2) agent.local_mem_size += bank.size_in_bytes;
  if (agent.local_mem_size == 0) agent.local_mem_size = value_of(p, "local_mem_size");
  // Limits of the HSA system architecture for these devices, not listed by the topology.
  agent.workgroup_max_size = 1024;
  agent.workgroup_max_dim = {1024, 1024, 1024};
  agent.grid_max_size = UINT32_MAX;
  agent.grid_max_dim = {INT32_MAX, UINT16_MAX, UINT16_MAX};
  const uint32_t v = agent.gfx_target_version;
  name = fmt::format("gfx{}{:x}{:x}", v / 10000 % 100, v / 100 % 100, v % 100);
}

void AgentList::Node::link() {
  agent.mem_banks_count = static_cast<uint32_t>(mem_banks.size());
  agent.caches_count = static_cast<uint32_t>(caches.size());
  agent.io_links_count = static_cast<uint32_t>(io_links.size());
  agent.mem_banks = mem_banks.data();
  agent.caches = caches.data();
  agent.io_links = io_links.data();
  agent.name = name.c_str();
  agent.vendor_name = vendor.c_str();
  agent.product_name = product.c_str();
  agent.model_name = model.c_str();
}

void AgentList::add(std::unique_ptr<Node> node) {
  node->link();
  pointers_.push_back(&node->agent);
  nodes_.push_back(std::move(node));
}

std::unique_ptr<AgentList> AgentList::read(const TopologyPaths& paths, const VisibleDevices& visible) {
  std::unique_ptr<AgentList> list(new AgentList);
  int32_t per_type[ROCPROFILER_AGENT_TYPE_LAST] = {};
  unsigned rocr_ordinal = 0;
  for (const uint32_t number : numbered_entries(paths.topology + "/nodes")) {
    const std::string folder = fmt::format("{}/nodes/{}", paths.topology, number);
    const auto properties = read_properties(folder + "/properties");
    if (!properties || properties->empty()) continue;  // the process may not use this device
    auto node = std::make_unique<Node>();
    node->read_lists(folder);
    node->fill(*properties);
    rocprofiler_agent_v0_t& agent = node->agent;
    const auto order = static_cast<int32_t>(list->nodes_.size());
    agent.id.handle = kFirstAgent + static_cast<uint64_t>(order);
    agent.node_id = number;
    agent.logical_node_id = order;
    agent.logical_node_type_id = per_type[agent.type]++;
    node->model = read_line(folder + "/name");
    if (agent.type == ROCPROFILER_AGENT_TYPE_GPU) {
      const std::string gpu_id = read_line(folder + "/gpu_id");
      agent.gpu_id = std::strtoull(gpu_id.c_str(), nullptr, 10);
      node->vendor = "AMD";
      node->product = node->model.empty() ? node->name : node->model;
      const auto ordinal = static_cast<unsigned>(agent.logical_node_type_id);
      const bool hsa = is_listed(visible.rocr, ordinal, agent.uuid.value[0]);
      agent.runtime_visibility.hsa = hsa ? 1 : 0;
      // HIP numbers the devices the lower runtime leaves visible.
      const bool hip = hsa && is_listed(visible.hip, rocr_ordinal, agent.uuid.value[0]);
      if (hsa) ++rocr_ordinal;
      agent.runtime_visibility.hip = hip ? 1 : 0;
      agent.runtime_visibility.rccl = hip ? 1 : 0;
      agent.runtime_visibility.rocdecode = hip ? 1 : 0;
    } else {
      node->product = cpu_product(paths.cpuinfo);
      node->name = node->product;
      node->vendor = "CPU";
      agent.runtime_visibility.hsa = 1;
    }
    list->add(std::move(node));
  }
  return list;
}

const AgentList& AgentList::current() {
  static const AgentList* list = [] {
    const auto variable = [](const char* name) {
      const char* value = foreign_variable(name);
      return std::string(value != nullptr ? value : "");
    };
    return read({}, {variable("ROCR_VISIBLE_DEVICES"), variable("HIP_VISIBLE_DEVICES")}).release();
  }();
  return *list;
}

const rocprofiler_agent_v0_t* AgentList::find(rocprofiler_agent_id_t id) const {
  for (const auto& node : nodes_)
    if (node->agent.id.handle == id.handle) return &node->agent;
  return nullptr;
}

const rocprofiler_agent_v0_t* AgentList::find_node(uint32_t number) const {
  for (const auto& node : nodes_)
    if (node->agent.node_id == number) return &node->agent;
  return nullptr;
}

}  // namespace kreplay::tool_api
