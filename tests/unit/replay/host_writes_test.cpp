// Host memory that a kernel's arguments point at: found, compared, put back.

#include "replay/host_writes.hpp"

#include <sys/mman.h>
#include <catch2/catch.hpp>

#include <algorithm>
#include <array>
#include <cstring>

using kreplay::GpuVa;
using kreplay::HostPtr;
using kreplay::hsa::KernelMetadata;
using kreplay::replay::host_bytes;
using kreplay::replay::HostWrites;
using kreplay::snapshot::Extent;
using kreplay::snapshot::ExtentTable;
using kreplay::snapshot::MemoryClass;

namespace {

using Words = std::vector<uint64_t>;

struct World {
  ExtentTable extents;
  HostWrites writes;
  KernelMetadata kernel;
  Words arguments = Words(8);

  World() {
    know(arguments, MemoryClass::host_kernarg);
    kernel.explicit_bytes = 32;
  }
  void know(Words& words, MemoryClass c) {
    extents.insert({GpuVa(words.data()), words.size() * 8, 0, 0, c, HostPtr(words.data())});
  }
  void begin() { writes.begin(&kernel, reinterpret_cast<uint64_t>(arguments.data()), extents); }
};

uint64_t address(const void* p) { return reinterpret_cast<uint64_t>(p); }

}  // namespace

TEST_CASE("every class of host memory that an argument points into is compared and put back") {
  const MemoryClass c = GENERATE(MemoryClass::host_coarse, MemoryClass::host_fine, MemoryClass::managed);
  World w;
  Words data(100, 5);
  w.know(data, c);
  w.arguments[2] = address(&data[40]);  // anywhere in the extent
  w.begin();
  CHECK_FALSE(w.writes.changed());
  CHECK(w.writes.first_changed() == nullptr);
  data[0] = 6;
  data[99] = 7;
  CHECK(w.writes.changed());
  REQUIRE(w.writes.first_changed() != nullptr);
  CHECK(w.writes.first_changed()->base == GpuVa(data.data()));
  CHECK(w.writes.first_changed()->memory_class == c);
  w.writes.restore();
  CHECK_FALSE(w.writes.changed());
  CHECK(data == Words(100, 5));
  CHECK(w.writes.unverified_bytes() == 0);
}

TEST_CASE("registered memory is found by the agent's address and read at the host's") {
  World w;
  Words data(16, 1);
  constexpr uint64_t kAgentAddress = 0x7000'0000'0000;
  w.extents.insert({GpuVa(kAgentAddress), 128, 0, 0, MemoryClass::host_locked, HostPtr(data.data())});
  w.arguments[0] = kAgentAddress + 8;
  w.begin();
  data[15] = 2;
  REQUIRE(w.writes.first_changed() != nullptr);
  CHECK(w.writes.first_changed()->base == GpuVa(kAgentAddress));
  w.writes.restore();
  CHECK(data == Words(16, 1));
}

TEST_CASE("argument pools, device memory and unknown addresses are left alone") {
  World w;
  Words pool(8, 1), device(8, 1), unknown(8, 1);
  w.know(pool, MemoryClass::host_kernarg);
  w.know(device, GENERATE(MemoryClass::device_coarse, MemoryClass::device_fine, MemoryClass::code_segment));
  w.arguments = {address(pool.data()), address(device.data()), address(unknown.data()), 0, 0, 0, 0, 0};
  w.begin();
  pool[0] = device[0] = unknown[0] = 2;
  CHECK_FALSE(w.writes.changed());
  w.writes.restore();
  CHECK(pool[0] == 2);
  CHECK(device[0] == 2);
  CHECK(unknown[0] == 2);
}

TEST_CASE("only explicit arguments are looked at, and of them whole words") {
  World w;
  Words data(8, 1);
  w.know(data, MemoryClass::host_fine);
  const auto seen = [&](size_t word, uint32_t explicit_bytes) {
    std::fill(w.arguments.begin(), w.arguments.end(), 0);
    w.arguments[word] = address(data.data());
    w.kernel.explicit_bytes = explicit_bytes;
    w.begin();
    data[0] = 2;
    const bool changed = w.writes.changed();
    data[0] = 1;
    return changed;
  };
  CHECK(seen(3, 32));
  CHECK_FALSE(seen(4, 32));  // a hidden argument
  CHECK_FALSE(seen(3, 31));
  CHECK(seen(0, 8));
  CHECK_FALSE(seen(0, 7));
  CHECK_FALSE(seen(0, 0));
  CHECK_FALSE(seen(0, 1000));  // more than the argument memory holds: not read
}

TEST_CASE("without metadata or readable arguments nothing is checked") {
  World w;
  Words data(8, 1), elsewhere(8);
  w.know(data, MemoryClass::host_fine);
  w.arguments[0] = elsewhere[0] = address(data.data());
  w.writes.begin(nullptr, address(w.arguments.data()), w.extents);
  data[0] = 2;
  CHECK_FALSE(w.writes.changed());
  w.writes.begin(&w.kernel, address(elsewhere.data()), w.extents);  // no extent we know
  data[0] = 3;
  CHECK_FALSE(w.writes.changed());
}

TEST_CASE("memory reached twice is kept once; each dispatch starts anew") {
  World w;
  Words one(8, 1), two(8, 1);
  w.know(one, MemoryClass::host_fine);
  w.know(two, MemoryClass::host_coarse);
  w.arguments = {address(&one[0]), address(&one[7]), address(&two[3]), 0, 0, 0, 0, 0};
  w.begin();
  one[0] = two[0] = 2;
  REQUIRE(w.writes.first_changed() != nullptr);
  CHECK(w.writes.first_changed()->base == GpuVa(one.data()));
  one[0] = 1;
  REQUIRE(w.writes.first_changed() != nullptr);
  CHECK(w.writes.first_changed()->base == GpuVa(two.data()));
  w.arguments = {address(&one[0]), 0, 0, 0, 0, 0, 0, 0};
  w.begin();
  two[0] = 9;
  CHECK_FALSE(w.writes.changed());
  w.writes.restore();
  CHECK(two[0] == 9);
}

TEST_CASE("memory beyond the limit is counted, not touched; what fits is still checked") {
  World w;
  Words data(8, 1);
  w.know(data, MemoryClass::host_fine);
  // No such memory exists: reading it would end the test.
  constexpr uint64_t kHuge = 0x6000'0000'0000, kBytes = HostWrites::kMaxBytes + 1;
  w.extents.insert({GpuVa(kHuge), kBytes, 0, 0, MemoryClass::host_coarse, HostPtr()});
  w.arguments = {kHuge + 64, address(data.data()), 0, 0, 0, 0, 0, 0};
  w.begin();
  CHECK(w.writes.unverified_bytes() == kBytes);
  CHECK_FALSE(w.writes.changed());
  data[7] = 2;
  CHECK(w.writes.changed());
  w.arguments[0] = 0;
  data[7] = 1;
  w.begin();
  CHECK(w.writes.unverified_bytes() == 0);
}

TEST_CASE("device variables are searched for pointers up to a limit per dispatch") {
  World w;
  Words near(8, 1), far(8, 1);
  w.know(near, MemoryClass::managed);
  w.know(far, MemoryClass::managed);
  constexpr size_t kWords = HostWrites::kMaxScannedBytes / 8;
  const size_t argument_words = w.kernel.explicit_bytes / 8;
  Words variables(kWords);
  variables[kWords - argument_words - 1] = address(near.data());  // the arguments count, too
  variables[kWords - argument_words] = address(far.data());
  w.begin();
  w.writes.add_pointed_at(reinterpret_cast<const std::byte*>(variables.data()), variables.size() * 8,
                          w.extents);
  far[0] = 2;
  CHECK_FALSE(w.writes.changed());
  near[0] = 2;
  CHECK(w.writes.changed());
  w.writes.add_pointed_at(reinterpret_cast<const std::byte*>(&variables[kWords - argument_words]), 8,
                          w.extents);
  far[0] = 3;
  near[0] = 1;
  CHECK_FALSE(w.writes.changed());  // nothing was left of the limit
}

TEST_CASE("host_bytes gives what lies inside one known piece of host memory") {
  World w;
  Words data(8);
  w.know(data, MemoryClass::host_fine);
  auto* first = reinterpret_cast<std::byte*>(data.data());
  CHECK(host_bytes(w.extents, GpuVa(data.data()), 64) == first);
  CHECK(host_bytes(w.extents, GpuVa(&data[2]), 48) == first + 16);
  CHECK(host_bytes(w.extents, GpuVa(&data[2]), 49) == nullptr);
  CHECK(host_bytes(w.extents, GpuVa(first + 64), 0) == nullptr);
  w.extents.insert({GpuVa(0x1000), 64, 0, 1, MemoryClass::device_coarse, HostPtr()});
  CHECK(host_bytes(w.extents, GpuVa(0x1000), 8) == nullptr);
}

TEST_CASE("C09: shared virtual memory that the application has unmapped is left alone") {
  World w;
  constexpr size_t kBytes = 3 * 65536 + 4096;  // more than one piece of the comparison
  void* pages = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  REQUIRE(pages != MAP_FAILED);
  w.extents.insert({GpuVa(pages), kBytes, 0, 0, MemoryClass::managed, HostPtr()});
  w.arguments[0] = address(pages);
  w.begin();
  auto* const last = static_cast<char*>(pages) + kBytes - 1;
  *last = 1;
  CHECK(w.writes.changed());
  w.writes.restore();
  CHECK(*last == 0);
  *last = 2;
  REQUIRE(munmap(pages, kBytes) == 0);
  CHECK_FALSE(w.writes.changed());
  w.writes.restore();
  w.begin();
  CHECK_FALSE(w.writes.changed());
  CHECK(w.writes.unverified_bytes() == 0);
}
