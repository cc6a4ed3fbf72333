// Virtual memory: which mappings are memory of an agent, and when.
#include "replay/virtual_memory.hpp"

#include <catch2/catch.hpp>

using kreplay::GpuVa;
using kreplay::replay::VirtualMemory;
using kreplay::snapshot::ExtentTable;
using kreplay::snapshot::MemoryClass;

namespace {

constexpr uint64_t kGpu = 11;
constexpr uint64_t kOtherGpu = 12;
constexpr uint64_t kHandle = 900;

void* at(uint64_t address) { return reinterpret_cast<void*>(address); }

struct Mapped {
  Mapped() { memory.add_handle(kHandle, VirtualMemory::Backing{kGpu, MemoryClass::device_coarse}); }
  void grant(uint64_t address, uint64_t size, hsa_access_permission_t permission, uint64_t agent = kGpu) {
    const hsa_amd_memory_access_desc_t access{permission, {agent}};
    (void)memory.take(at(address), size, &access, 1);
    memory.granted(at(address), size, &access, 1);
  }
  std::vector<uint64_t> saved() const {
    std::vector<uint64_t> bases;
    uint64_t epoch = 0;
    for (const auto& extent : extents.saved_extents(kGpu, &epoch)) bases.push_back(extent.base.value);
    return bases;
  }
  ExtentTable extents;
  VirtualMemory memory{extents};
};

constexpr auto kNone = static_cast<hsa_access_permission_t>(0);
using Bases = std::vector<uint64_t>;

}  // namespace

TEST_CASE("a mapping counts from the moment its owner may read and write it") {
  Mapped rig;
  rig.memory.mapped(at(0x1000000), 0x2000, kHandle);
  rig.memory.mapped(at(0x1002000), 0x1000, kHandle);
  CHECK(rig.saved().empty());
  rig.grant(0x1000000, 0x3000, HSA_ACCESS_PERMISSION_RW, kOtherGpu);  // a peer's access changes nothing
  rig.grant(0x1000000, 0x3000, HSA_ACCESS_PERMISSION_RO);
  CHECK(rig.saved().empty());
  rig.grant(0x1000000, 0x3000, HSA_ACCESS_PERMISSION_RW);
  CHECK(rig.saved() == Bases{0x1000000, 0x1002000});
  CHECK(rig.extents.find(GpuVa(uint64_t{0x1001fff}))->size == 0x2000);
  rig.grant(0x1002000, 0x1000, kNone);
  CHECK(rig.saved() == Bases{0x1000000});
  rig.grant(0x1002000, 0x1000, HSA_ACCESS_PERMISSION_RW);
  CHECK(rig.saved().size() == 2);
}

TEST_CASE("unmapping takes the extents before the call, and a refusal puts them back") {
  Mapped rig;
  rig.memory.mapped(at(0x1000000), 0x1000, kHandle);
  rig.grant(0x1000000, 0x1000, HSA_ACCESS_PERMISSION_RW);
  const auto gone = rig.memory.take(at(0x1000000), 0x1000, nullptr, 0);
  REQUIRE(gone.size() == 1);
  CHECK(rig.saved().empty());
  rig.memory.put_back(gone);
  CHECK(rig.saved() == Bases{0x1000000});
  CHECK(rig.memory.take(at(0x1000000), 0x1000, nullptr, 0).size() == 1);
  rig.memory.unmapped(at(0x1000000));
  rig.grant(0x1000000, 0x1000, HSA_ACCESS_PERMISSION_RW);  // nothing there any more
  CHECK(rig.saved().empty());
}

TEST_CASE("one memory at two addresses is two extents; allow_access reaches the whole run") {
  Mapped rig;
  rig.memory.mapped(at(0x1000000), 0x1000, kHandle);
  rig.memory.mapped(at(0x1001000), 0x1000, kHandle);
  rig.memory.mapped(at(0x5000000), 0x1000, kHandle);
  const hsa_agent_t agents[] = {{kOtherGpu}, {kGpu}};
  rig.memory.allowed(at(0x1000800), agents, 1);
  CHECK(rig.saved().empty());
  rig.memory.allowed(at(0x1000800), agents, 2);
  CHECK(rig.saved() == Bases{0x1000000, 0x1001000});
  rig.grant(0x5000000, 0x1000, HSA_ACCESS_PERMISSION_RW);
  CHECK(rig.saved().size() == 3);
}

TEST_CASE("handles: known as long as someone holds them; unknown and host memory is left alone") {
  Mapped rig;
  rig.memory.add_handle(kHandle, std::nullopt);  // taken once more
  rig.memory.release_handle(kHandle);
  rig.memory.mapped(at(0x1000000), 0x1000, kHandle);
  rig.grant(0x1000000, 0x1000, HSA_ACCESS_PERMISSION_RW);
  CHECK(rig.saved().size() == 1);
  rig.memory.release_handle(kHandle);
  rig.memory.mapped(at(0x2000000), 0x1000, kHandle);  // not ours any more
  rig.grant(0x2000000, 0x1000, HSA_ACCESS_PERMISSION_RW);
  CHECK(rig.saved().size() == 1);

  rig.memory.add_handle(77, VirtualMemory::Backing{0, MemoryClass::host_fine});
  rig.memory.mapped(at(0x3000000), 0x1000, 77);
  rig.grant(0x3000000, 0x1000, HSA_ACCESS_PERMISSION_RW, 0);
  CHECK(rig.saved().size() == 1);
}

TEST_CASE("memory that others have, too, is not saved: mapped before it was shared, and after") {
  Mapped rig;
  rig.memory.mapped(at(0x1000000), 0x1000, kHandle);
  rig.grant(0x1000000, 0x1000, HSA_ACCESS_PERMISSION_RW);
  rig.memory.mapped(at(0x2000000), 0x1000, kHandle);
  CHECK(rig.saved() == Bases{0x1000000});
  rig.memory.share(kHandle);
  CHECK(rig.saved().empty());
  rig.grant(0x2000000, 0x1000, HSA_ACCESS_PERMISSION_RW);
  CHECK(rig.saved().empty());
  for (const uint64_t base : {0x1000000, 0x2000000}) {
    const auto extent = rig.extents.find(kreplay::GpuVa(at(base)));
    REQUIRE(extent.has_value());
    CHECK(extent->memory_class == MemoryClass::device_shared);
  }
}
