#include "kfd/topology.hpp"

#include <fmt/format.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

namespace softgpu::kfd {
namespace {

constexpr const char* kCpuCaches = "/sys/devices/system/node/node0/cpu0/cache";
constexpr uint32_t kAmdVendorId = 0x1002;
// Doorbell type 2, and what the thunk needs; bit 29: exceptions are reported (without it ROCr 6.4 and later
// do not give the device back when they shut down); bit 27: shared virtual memory.
constexpr uint32_t kCapability = 0x2480 | 1u << 29 | 1u << 27;
constexpr uint32_t kDrmMajorNumber = 226;
constexpr uint32_t kSimdsPerCu = 4;
constexpr uint32_t kEngineClockMhz = 1725;
constexpr uint32_t kMemoryClockMhz = 1000;

using Property = std::pair<std::string_view, uint64_t>;

std::string properties(const std::vector<Property>& list) {
  std::string text;
  for (const auto& [key, value] : list) text += fmt::format("{} {}\n", key, value);
  return text;
}

std::string cpu_properties(uint32_t cpus, uint32_t links) {
  return properties({{"cpu_cores_count", cpus},
                     {"simd_count", 0},
                     {"mem_banks_count", 1},
                     {"caches_count", 0},
                     {"io_links_count", links},
                     {"cpu_core_id_base", 0},
                     {"simd_id_base", 0},
                     {"max_waves_per_simd", 0},
                     {"lds_size_in_kb", 0},
                     {"gds_size_in_kb", 0},
                     {"wave_front_size", 0},
                     {"array_count", 0},
                     {"simd_arrays_per_engine", 0},
                     {"cu_per_simd_array", 0},
                     {"simd_per_cu", 0},
                     {"max_slots_scratch_cu", 0},
                     {"vendor_id", 0},
                     {"device_id", 0},
                     {"location_id", 0},
                     {"drm_render_minor", 0},
                     {"max_engine_clk_ccompute", 2000}});
}

std::string gpu_properties(const Options& o, uint32_t index) {
  // HW_ID tells shader engine = unit / 16; counters have at most 16 instances per engine.
  const uint32_t engines = std::max(1u, (o.compute_units + 15) / 16);
  return properties({{"cpu_cores_count", 0},
                     {"simd_count", uint64_t{o.compute_units} * kSimdsPerCu},
                     {"mem_banks_count", 1},
                     {"caches_count", 3},
                     {"io_links_count", 1},
                     {"cpu_core_id_base", 0},
                     {"simd_id_base", 2147487744},
                     {"max_waves_per_simd", o.gfx_target_version == 90010 ? 8u : 10u},
                     {"lds_size_in_kb", 64},
                     {"gds_size_in_kb", 0},
                     {"num_gws", 64},
                     {"wave_front_size", 64},
                     {"array_count", engines},
                     {"simd_arrays_per_engine", 1},
                     {"cu_per_simd_array", (o.compute_units + engines - 1) / engines},
                     {"simd_per_cu", kSimdsPerCu},
                     {"max_slots_scratch_cu", 32},
                     {"gfx_target_version", o.gfx_target_version},
                     {"vendor_id", kAmdVendorId},
                     {"device_id", pci_device_id(o.gfx_target_version)},
                     {"location_id", uint64_t{kFirstPciBus + index} << 8},
                     {"domain", 0},
                     {"drm_render_minor", render_minor_of(index)},
                     {"hive_id", 0},
                     {"num_sdma_engines", 2},
                     {"num_sdma_xgmi_engines", 0},
                     {"num_sdma_queues_per_engine", 8},
                     {"num_cp_queues", 24},
                     {"max_engine_clk_fcompute", kEngineClockMhz},
                     {"local_mem_size", o.vram_bytes},
                     {"fw_version", 440},
                     {"capability", kCapability},
                     {"debug_prop", 0},
                     {"sdma_fw_version", 145},
                     {"unique_id", 0x6b7265706c617900 + index},
                     {"num_xcc", 1},
                     {"max_engine_clk_ccompute", 2000}});
}

std::string memory_bank(uint32_t heap_type, uint64_t size_bytes, uint32_t width) {
  return properties({{"heap_type", heap_type},
                     {"size_in_bytes", size_bytes},
                     {"flags", 0},
                     {"width", width},
                     {"mem_clk_max", kMemoryClockMhz}});
}

struct Cache {
  uint32_t level, kilobytes, type;
};

std::string cache(const Cache& c) {
  return properties({{"processor_id_low", 2147487744},
                     {"level", c.level},
                     {"size", c.kilobytes},
                     {"cache_line_size", 64},
                     {"cache_lines_per_tag", 1},
                     {"association", 16},
                     {"latency", 0},
                     {"type", c.type}}) +
         "sibling_map 1\n";
}

std::string pcie_link(uint32_t from, uint32_t to) {
  return properties({{"type", 2},
                     {"version_major", 0},
                     {"version_minor", 0},
                     {"node_from", from},
                     {"node_to", to},
                     {"weight", 20},
                     {"min_latency", 0},
                     {"max_latency", 0},
                     {"min_bandwidth", 0},
                     {"max_bandwidth", 16000},
                     {"recommended_transfer_size", 0},
                     {"flags", 1}});  // enabled; 32- and 64-bit atomics allowed
}

void add_cpu_node(std::vector<TreeFile>& files, const Options& options, const HostFacts& host) {
  // The driver publishes a link from the CPU to a GPU only where the CPU reaches all of its memory.
  const uint32_t links = options.large_bar ? options.gpus : 0;
  const std::string node = "kfd/topology/nodes/0/";
  files.push_back({node + "gpu_id", "0\n"});
  files.push_back({node + "name", "\n"});
  files.push_back({node + "properties", cpu_properties(host.cpus, links)});
  files.push_back({node + "mem_banks/0/properties", memory_bank(0, host.memory_bytes, 64)});
  for (uint32_t i = 0; i < links; ++i)
    files.push_back({fmt::format("{}io_links/{}/properties", node, i), pcie_link(0, i + 1)});
}

void add_gpu_node(std::vector<TreeFile>& files, const Options& options, uint32_t index) {
  // 1: data, 2: instructions, 8: of a GPU's compute units.
  constexpr Cache kCaches[] = {{1, 16, 1 | 8}, {1, 32, 2 | 8}, {2, 4096, 1 | 8}};
  const std::string node = fmt::format("kfd/topology/nodes/{}/", index + 1);
  files.push_back({node + "gpu_id", fmt::format("{}\n", gpu_id_of(index))});
  files.push_back({node + "name", fmt::format("softgpu{}\n", index)});
  files.push_back({node + "properties", gpu_properties(options, index)});
  files.push_back(
      {node + "mem_banks/0/properties", memory_bank(options.large_bar ? 1 : 2, options.vram_bytes, 4096)});
  for (uint32_t i = 0; i < std::size(kCaches); ++i)
    files.push_back({fmt::format("{}caches/{}/properties", node, i), cache(kCaches[i])});
  files.push_back({node + "io_links/0/properties", pcie_link(index + 1, 0)});
}

/// What libdrm looks at to tell one device from another: the names of its nodes.
void add_drm_nodes(std::vector<TreeFile>& files, uint32_t index) {
  const std::string device = fmt::format("drm/{}/", index);
  files.push_back(
      {fmt::format("{}card{}/dev", device, index), fmt::format("{}:{}\n", kDrmMajorNumber, index)});
  files.push_back({fmt::format("{}renderD{}/dev", device, render_minor_of(index)),
                   fmt::format("{}:{}\n", kDrmMajorNumber, render_minor_of(index))});
}

/// A set of caches shared by all CPUs. Every cpu<n> directory of node 0 is answered from cpu0's.
void add_cpu_caches(std::vector<TreeFile>& files, const HostFacts& host) {
  struct CpuCache {
    uint32_t level, kilobytes, ways;
    std::string_view type;
  };
  constexpr CpuCache kCaches[] = {{1, 32, 8, "Data"}, {1, 32, 8, "Instruction"}, {2, 1024, 16, "Unified"}};
  std::string map;  // hexadecimal words of 32 CPUs, the highest first
  for (uint32_t low = (host.cpus - 1) / 32 * 32;; low -= 32) {
    const uint32_t here = std::min(host.cpus - low, 32u);
    map += fmt::format("{}{:08x}", map.empty() ? "" : ",", static_cast<uint32_t>((uint64_t{1} << here) - 1));
    if (low == 0) break;
  }
  for (uint32_t i = 0; i < std::size(kCaches); ++i) {
    const CpuCache& c = kCaches[i];
    const std::string index = fmt::format("node0/cpu0/cache/index{}/", i);
    files.push_back({index + "level", fmt::format("{}\n", c.level)});
    files.push_back({index + "type", fmt::format("{}\n", c.type)});
    files.push_back({index + "size", fmt::format("{}K\n", c.kilobytes)});
    files.push_back({index + "coherency_line_size", "64\n"});
    files.push_back({index + "physical_line_partition", "1\n"});
    files.push_back({index + "ways_of_associativity", fmt::format("{}\n", c.ways)});
    files.push_back({index + "shared_cpu_map", map + "\n"});
    files.push_back({index + "shared_cpu_list", fmt::format("0-{}\n", host.cpus - 1)});
  }
}

}  // namespace

uint32_t pci_device_id(uint32_t gfx_target_version) {
  switch (gfx_target_version) {
    case 90000:
      return 0x6863;
    case 90010:
      return 0x740f;
    default:
      return 0x66a1;
  }
}

HostFacts host_facts() {
  HostFacts facts;
  const long cpus = sysconf(_SC_NPROCESSORS_ONLN);
  facts.cpus = cpus > 0 ? static_cast<uint32_t>(cpus) : 1;
  struct sysinfo info {};
  facts.describes_cpu_caches =
      syscall(SYS_access, kCpuCaches, F_OK) == 0;  // raw: access is one of our exports
  if (sysinfo(&info) == 0) facts.memory_bytes = uint64_t{info.totalram} * info.mem_unit;
  return facts;
}

std::vector<TreeFile> topology_files(const Options& options, const HostFacts& host) {
  std::vector<TreeFile> files;
  files.push_back({"kfd/topology/generation_id", "1\n"});
  files.push_back({"kfd/topology/system_properties",
                   properties({{"platform_oem", 0}, {"platform_id", 0}, {"platform_rev", 0}})});
  add_cpu_node(files, options, host);
  for (uint32_t i = 0; i < options.gpus; ++i) {
    add_gpu_node(files, options, i);
    add_drm_nodes(files, i);
  }
  if (!host.describes_cpu_caches) add_cpu_caches(files, host);
  return files;
}

}  // namespace softgpu::kfd
