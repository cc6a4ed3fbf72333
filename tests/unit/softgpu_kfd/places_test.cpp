// Paths, the topology's files, and the allocator of slices.
#include <catch2/catch.hpp>

#include <map>
#include <sstream>

#include "kfd/paths.hpp"
#include "kfd/range_allocator.hpp"
#include "kfd/topology.hpp"

namespace softgpu::kfd {
namespace {

std::map<std::string, std::string> files(const Options& options, const HostFacts& host) {
  std::map<std::string, std::string> all;
  for (const TreeFile& file : topology_files(options, host)) CHECK(all.emplace(file.path, file.text).second);
  return all;
}

std::map<std::string, uint64_t> properties(const std::string& text) {
  std::map<std::string, uint64_t> all;
  std::istringstream in(text);
  std::string key, value;
  while (in >> key >> value) {
    // Plain decimal, or the runtime misreads it.
    CHECK(value.find_first_not_of("0123456789") == std::string::npos);
    all[key] = std::stoull(value);
  }
  return all;
}

const std::string kNodes = "kfd/topology/nodes/";

}  // namespace

TEST_CASE("paths: ours, absent, and other people's") {
  Options options;
  options.gpus = 2;
  const auto [path, kind, gpu] = GENERATE(table<const char*, PathKind, uint16_t>({
      {"/dev/kfd", PathKind::kfd, 0},
      {"/dev/kfd2", PathKind::other, 0},
      {"/dev/dri/renderD128", PathKind::render, 0},
      {"/dev/dri/renderD129", PathKind::render, 1},
      {"/dev/dri/renderD130", PathKind::absent, 0},
      {"/dev/dri/renderD127", PathKind::absent, 0},
      {"/dev/dri/renderD128x", PathKind::absent, 0},
      {"/dev/dri/card0", PathKind::other, 0},
      {"/sys/class/kfd/kfd/topology/nodes", PathKind::topology, 0},
      {"/sys/devices/virtual/kfd", PathKind::topology, 0},
      {"/sys/devices/virtual/kfdx", PathKind::other, 0},
      {"/sys/dev/char/226:129/device/drm", PathKind::drm_dir, 1},
      {"/sys/dev/char/226:131/device/drm", PathKind::other, 0},
      {"/sys/dev/char/1:3/device/drm", PathKind::other, 0},
      {"/proc/modules", PathKind::modules, 0},
      {"/proc/mounts", PathKind::other, 0},
      {"/sys/module/amdgpu/initstate", PathKind::initstate, 0},
      {"/sys/devices/system/node/node0/cpu12/cache/index0", PathKind::cpu_cache, 0},
      {"/sys/devices/system/node/node0/meminfo", PathKind::other, 0},
      {"dev/kfd", PathKind::other, 0},
      {"", PathKind::other, 0},
  }));
  const PathMeaning meaning = meaning_of(path, options);
  CHECK(meaning.kind == kind);
  if (kind != PathKind::other) CHECK(may_be_ours(path));
  if (kind == PathKind::render || kind == PathKind::drm_dir) CHECK(meaning.gpu == gpu);
}

TEST_CASE("paths: what is behind a redirected root is kept") {
  CHECK(meaning_of("/sys/class/kfd/kfd/topology/generation_id", {}).rest == "/kfd/topology/generation_id");
  CHECK(meaning_of("/sys/devices/virtual/kfd", {}).rest.empty());
  CHECK(meaning_of("/sys/devices/system/node/node0/cpu3/cache/index1/size", {}).rest == "/index1/size");
}

TEST_CASE("topology: a GPU node says what the options say") {
  Options options;
  options.gpus = 2;
  options.compute_units = 60;
  options.vram_bytes = uint64_t{64} << 30;
  const auto all = files(options, {4, uint64_t{8} << 30, true});
  for (uint32_t i = 0; i < 2; ++i) {
    const std::string node = kNodes + std::to_string(i + 1) + "/";
    const auto gpu = properties(all.at(node + "properties"));
    CHECK(all.at(node + "gpu_id") == std::to_string(gpu_id_of(i)) + "\n");
    CHECK(gpu.at("simd_count") == 240);
    // Real gfx906: four shader engines share the units.
    CHECK(gpu.at("cu_per_simd_array") == 15);
    CHECK(gpu.at("array_count") == 4);
    CHECK(gpu.at("local_mem_size") == options.vram_bytes);
    CHECK(gpu.at("gfx_target_version") == 90006);
    CHECK(gpu.at("drm_render_minor") == 128 + i);
    CHECK(gpu.at("caches_count") == 3);
    const auto bank = properties(all.at(node + "mem_banks/0/properties"));
    CHECK(bank.at("heap_type") == 1);
    CHECK(bank.at("size_in_bytes") == options.vram_bytes);
    for (int c = 0; c < 3; ++c) CHECK(all.count(node + "caches/" + std::to_string(c) + "/properties") == 1);
    CHECK(properties(all.at(node + "io_links/0/properties")).at("node_to") == 0);
  }
  const auto first = properties(all.at(kNodes + "1/properties"));
  const auto second = properties(all.at(kNodes + "2/properties"));
  CHECK(first.at("location_id") != second.at("location_id"));
  CHECK(first.at("unique_id") != second.at("unique_id"));
  const auto cpu = properties(all.at(kNodes + "0/properties"));
  CHECK(cpu.at("cpu_cores_count") == 4);
  CHECK(cpu.at("io_links_count") == 2);
  CHECK(all.at(kNodes + "0/gpu_id") == "0\n");
}

TEST_CASE("topology: without a large BAR the heap is private and the CPU has no link") {
  Options options;
  options.large_bar = false;
  const auto all = files(options, {2, uint64_t{8} << 30, true});
  CHECK(properties(all.at(kNodes + "1/mem_banks/0/properties")).at("heap_type") == 2);
  CHECK(properties(all.at(kNodes + "0/properties")).at("io_links_count") == 0);
  CHECK(all.count(kNodes + "0/io_links/0/properties") == 0);
}

TEST_CASE("topology: CPU caches are described only where the host does not") {
  const auto with = files({}, {40, uint64_t{8} << 30, false});
  CHECK(with.at("node0/cpu0/cache/index0/shared_cpu_map") == "000000ff,ffffffff\n");
  CHECK(with.at("node0/cpu0/cache/index2/shared_cpu_list") == "0-39\n");
  CHECK(with.at("node0/cpu0/cache/index2/level") == "2\n");
  const auto without = files({}, {40, uint64_t{8} << 30, true});
  CHECK(without.count("node0/cpu0/cache/index0/level") == 0);
}

TEST_CASE("allocator: slices never overlap, and everything merges again") {
  RangeAllocator ranges(1 << 20);
  std::map<uint64_t, uint64_t> taken;
  for (uint64_t i = 0; i < 400; ++i) {
    const uint64_t size = 4096 * (1 + i * 7 % 5);
    const auto offset = ranges.take(size, i % 3 == 0 ? 16384 : 4096);
    if (!offset) {
      const auto at = taken.begin();
      ranges.give_back(at->first, at->second);
      taken.erase(at);
      continue;
    }
    CHECK(*offset % (i % 3 == 0 ? 16384 : 4096) == 0);
    CHECK(*offset + size <= 1 << 20);
    const auto next = taken.lower_bound(*offset);
    if (next != taken.end()) CHECK(*offset + size <= next->first);
    if (next != taken.begin()) CHECK(std::prev(next)->first + std::prev(next)->second <= *offset);
    taken[*offset] = size;
  }
  for (const auto& [offset, size] : taken) ranges.give_back(offset, size);
  CHECK(ranges.take(1 << 20, 4096) == uint64_t{0});
  CHECK_FALSE(ranges.take(4096, 4096).has_value());
}

}  // namespace softgpu::kfd
