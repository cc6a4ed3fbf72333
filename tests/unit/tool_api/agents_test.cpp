// Agents from a topology tree, and the exported query.
#include <catch2/catch.hpp>

#include <cstdio>
#include <cstring>
#include <filesystem>

#include "support.hpp"
#include "support/folder.hpp"
#include "tool_api/agents.hpp"
#include "tool_api/tools.hpp"

using namespace kreplay::tool_api;  // NOLINT(google-build-using-namespace): test code
namespace fs = std::filesystem;

namespace {

/// A topology in a temporary folder: one CPU, `gpus` GPUs, then a node that cannot be read.
class Tree {
 public:
  explicit Tree(int gpus) {
    write("nodes/0/properties", "cpu_cores_count 16\nsimd_count 0\ncpu_core_id_base 0\nvendor_id 0\n");
    write("nodes/0/gpu_id", "0\n");
    write("nodes/0/mem_banks/0/properties",
          "heap_type 0\nsize_in_bytes 68719476736\nflags 0\nwidth 64\nmem_clk_max 3200\n");
    for (int i = 1; i <= gpus; ++i) {
      const std::string node = "nodes/" + std::to_string(i);
      write(
          node + "/properties",
          "cpu_cores_count 0\nsimd_count 240\nmem_banks_count 1\ncaches_count 2\nio_links_count 1\n"
          "simd_id_base 2147487744\nmax_waves_per_simd 10\nlds_size_in_kb 64\nnum_gws 64\nwave_front_size "
          "64\n"
          "array_count 4\nsimd_arrays_per_engine 1\ncu_per_simd_array 15\nsimd_per_cu "
          "4\nmax_slots_scratch_cu 32\n"
          "gfx_target_version 90010\nvendor_id 4098\ndevice_id 29711\nlocation_id 768\ndomain 3\n"
          "drm_render_minor 128\nhive_id 18446744073709551615\nnum_sdma_engines 2\nfw_version 440\n"
          "sdma_fw_version 145\ncapability 9344\nmax_engine_clk_fcompute 1725\nlocal_mem_size 0\nunique_id " +
              std::to_string(1000 + i) + "\n");
      write(node + "/gpu_id", std::to_string(50000 + i) + "\n");
      write(node + "/name", "aldebaran\n");
      write(node + "/mem_banks/0/properties",
            "heap_type 1\nsize_in_bytes 17179869184\nflags 0\nwidth 4096\nmem_clk_max 1000\n");
      write(node + "/caches/0/properties",
            "processor_id_low 7\nlevel 1\nsize 16\ncache_line_size 64\ntype 9\n");
      write(node + "/caches/1/properties", "level 2\nsize 8192\ncache_line_size 128\ntype 9\n");
      write(node + "/io_links/0/properties", "type 2\nnode_from 1\nnode_to 0\nweight 20\nflags 1\n");
    }
    fs::create_directories(root / "nodes" / std::to_string(gpus + 1));  // listed, but without properties
    write("cpuinfo", "processor : 0\nmodel name\t: Some CPU 9000\t\nmodel name\t: Another\n");
  }

  std::unique_ptr<AgentList> read(const VisibleDevices& visible = {}) const {
    return AgentList::read({root.string(), (root / "cpuinfo").string()}, visible);
  }
  static const rocprofiler_agent_v0_t& at(const AgentList& list, size_t i) {
    return *static_cast<const rocprofiler_agent_v0_t*>(list.pointers().at(i));
  }

  fixtures::Folder folder;
  fs::path root = folder.path;

 private:
  void write(const std::string& name, const std::string& text) {
    fs::create_directories((root / name).parent_path());
    fixtures::write_file(root / name, text);
  }
};

}  // namespace

TEST_CASE("agents_of_a_topology") {
  const Tree tree(2);
  const auto list = tree.read();
  REQUIRE(list->pointers().size() == 3);
  const auto& cpu = Tree::at(*list, 0);
  CHECK(cpu.size == 312);
  CHECK(cpu.type == ROCPROFILER_AGENT_TYPE_CPU);
  CHECK(cpu.cpu_cores_count == 16);
  CHECK(std::string(cpu.name) == "Some CPU 9000");
  CHECK(std::string(cpu.product_name) == "Some CPU 9000");
  CHECK(cpu.mem_banks_count == 1);
  CHECK(cpu.mem_banks[0].size_in_bytes == 68719476736u);
  CHECK(cpu.logical_node_id == 0);
  const auto& gpu = Tree::at(*list, 2);
  CHECK(gpu.type == ROCPROFILER_AGENT_TYPE_GPU);
  CHECK(std::string(gpu.name) == "gfx90a");
  CHECK(std::string(gpu.vendor_name) == "AMD");
  CHECK(std::string(gpu.model_name) == "aldebaran");
  CHECK(gpu.node_id == 2);
  CHECK(gpu.logical_node_id == 2);
  CHECK(gpu.logical_node_type_id == 1);
  CHECK(gpu.gpu_id == 50002);
  CHECK(gpu.cu_count == 60);
  CHECK(gpu.num_shader_banks == 4);
  CHECK(gpu.cu_per_engine == 15);
  CHECK(gpu.max_waves_per_cu == 40);
  CHECK(gpu.num_xcc == 1);
  CHECK(gpu.vendor_id == 4098);
  CHECK(gpu.device_id == 29711);
  CHECK(gpu.domain == 3);
  CHECK(gpu.simd_id_base == 2147487744u);
  CHECK(gpu.hive_id == UINT64_MAX);
  CHECK(gpu.local_mem_size == 17179869184u);
  CHECK(gpu.fw_version.Value == 440);
  CHECK(gpu.capability.Value == 9344);
  CHECK(gpu.uuid.value[0] == 1002);
  CHECK(gpu.workgroup_max_dim.x == 1024);
  REQUIRE(gpu.caches_count == 2);
  CHECK(gpu.caches[0].processor_id_low == 7);
  CHECK(gpu.caches[1].size == 8192);
  REQUIRE(gpu.io_links_count == 1);
  CHECK(gpu.io_links[0].weight == 20);
  CHECK(gpu.id.handle != Tree::at(*list, 1).id.handle);
  CHECK(list->find(gpu.id) == &gpu);
  CHECK(list->find_node(2) == &gpu);
  CHECK(list->find_node(9) == nullptr);
  CHECK(list->find({1}) == nullptr);
}

TEST_CASE("a_longer_agent_structure_reads_zeros_behind_the_known_part") {
  const Tree tree(1);
  const auto list = tree.read();
  const auto* bytes = static_cast<const unsigned char*>(list->pointers().at(1));
  for (size_t i = sizeof(rocprofiler_agent_v0_t); i < AgentList::kLongestLayout; ++i) REQUIRE(bytes[i] == 0);
}

TEST_CASE("visible_devices") {
  const Tree tree(3);
  const auto visible = [&](const std::string& rocr, const std::string& hip) {
    const auto list = tree.read({rocr, hip});
    std::string seen;
    for (size_t i = 1; i <= 3; ++i) {
      const auto& bits = Tree::at(*list, i).runtime_visibility;
      seen += bits.hip != 0 ? 'p' : bits.hsa != 0 ? 'h' : '-';
    }
    return seen;
  };
  CHECK(visible("", "") == "ppp");
  CHECK(visible("0,2", "") == "p-p");
  CHECK(visible("", "1") == "hph");
  CHECK(visible("1,2", "0") == "-ph");
  CHECK(visible("GPU-00000000000003ea", "") == "-p-");
  CHECK(visible("-1", "") == "---");
}

TEST_CASE("no_topology_gives_no_agents") {
  CHECK(AgentList::read({"/nonexistent", "/nonexistent"}, {})->pointers().empty());
}

TEST_CASE("query_available_agents_checks_version_and_size") {
  struct Got {
    int calls = 0;
    size_t agents = 0;
    bool good = true;
  } got;
  const auto callback = [](rocprofiler_agent_version_t version, const void** agents, size_t n, void* data) {
    auto& g = *static_cast<Got*>(data);
    ++g.calls;
    g.agents = n;
    for (size_t i = 0; i < n; ++i)
      g.good &= static_cast<const rocprofiler_agent_v0_t*>(agents[i])->size == 312;
    return version == ROCPROFILER_AGENT_INFO_VERSION_0 ? ROCPROFILER_STATUS_ERROR_DIM_NOT_FOUND
                                                       : ROCPROFILER_STATUS_ERROR;
  };
  const auto query = [&](int version, size_t size) {
    return rocprofiler_query_available_agents(static_cast<rocprofiler_agent_version_t>(version), callback,
                                              size, &got);
  };
  CHECK(query(0, 312) == ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT);
  CHECK(query(2, 312) == ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT);
  CHECK(query(1, 377) == ROCPROFILER_STATUS_ERROR_INCOMPATIBLE_ABI);
  CHECK(got.calls == 0);
  for (const size_t size : {312u, 304u, 376u})
    CHECK(query(1, size) == ROCPROFILER_STATUS_ERROR_DIM_NOT_FOUND);
  CHECK(got.calls == 3);
  CHECK(got.good);
  CHECK(got.agents == AgentList::current().pointers().size());
  CHECK(agent_id_of_node(0xffffffff).handle == 0);
}
