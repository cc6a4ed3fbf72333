#include "cp/va_table.hpp"

#include <catch2/catch.hpp>

#include <atomic>
#include <thread>
#include <vector>

namespace softgpu::cp {
namespace {

std::byte g_memory[1 << 16];

HostPtr host(size_t offset) { return HostPtr(g_memory + offset); }

}  // namespace

TEST_CASE("a mapped address is found with its range, its neighbours are not") {
  VaTable table;
  CHECK(table.find(GpuVa(0x1000)).host == nullptr);
  CHECK(table.map(GpuVa(0x1000), 0x2000, host(0), true) == 0);
  CHECK(table.find(GpuVa(0xfff)).host == nullptr);
  CHECK(table.find(GpuVa(0x3000)).host == nullptr);
  const gfx9::MappedRange range = table.find(GpuVa(0x2fff));
  CHECK(range.begin == 0x1000);
  CHECK(range.end == 0x3000);
  CHECK(range.host == g_memory);
  CHECK(range.writable);
}

TEST_CASE("an alias has another host address, and two aliases may share it") {
  VaTable table;
  table.map(GpuVa(0x10000), 0x1000, host(0x2000), true);
  table.map(GpuVa(0x20000), 0x1000, host(0x2000), false);
  CHECK(table.find(GpuVa(0x10010)).host == g_memory + 0x2000);
  CHECK(table.find(GpuVa(0x20010)).host == g_memory + 0x2000);
  CHECK_FALSE(table.find(GpuVa(0x20010)).writable);
  CHECK(table.unmap(GpuVa(0x10000), host(0x2000)));
  CHECK(table.find(GpuVa(0x10010)).host == nullptr);
  CHECK(table.find(GpuVa(0x20010)).host == g_memory + 0x2000);
}

TEST_CASE("the generation moves when a range goes, not when one comes") {
  VaTable table;
  const uint64_t start = table.generation();
  table.map(GpuVa(0x1000), 0x1000, host(0), true);
  table.map(GpuVa(0x3000), 0x1000, host(0x1000), true);
  CHECK(table.generation() == start);
  CHECK(table.unmap(GpuVa(0x1000), host(0)));
  CHECK(table.generation() != start);
  const uint64_t after = table.generation();
  CHECK(table.map(GpuVa(0x3800), 0x1000, host(0), true) == 1);  // takes the place of an older one
  CHECK(table.generation() != after);
  CHECK(table.find(GpuVa(0x3400)).host == nullptr);
}

TEST_CASE("put leaves what older ranges have outside, and takes away what is inside") {
  VaTable table;
  table.map(GpuVa(0x1000), 0x3000, host(0x1000), true);
  const uint64_t start = table.generation();
  table.put(GpuVa(0x5000), 0x1000, HostPtr(nullptr), false);  // nothing there
  CHECK(table.generation() == start);
  table.put(GpuVa(0x2000), 0x1000, host(0x8000), false);
  CHECK(table.generation() != start);
  CHECK(table.find(GpuVa(0x1fff)).host == g_memory + 0x1000);
  CHECK(table.find(GpuVa(0x1fff)).end == 0x2000);
  CHECK(table.find(GpuVa(0x2000)).host == g_memory + 0x8000);
  CHECK_FALSE(table.find(GpuVa(0x2000)).writable);
  CHECK(table.find(GpuVa(0x3000)).begin == 0x3000);
  CHECK(table.find(GpuVa(0x3000)).host == g_memory + 0x3000);
  CHECK(table.find(GpuVa(0x3000)).writable);
  table.put(GpuVa(0x1800), 0x1000, HostPtr(nullptr), false);
  CHECK(table.find(GpuVa(0x1800)).host == nullptr);
  CHECK(table.find(GpuVa(0x17ff)).host == g_memory + 0x1000);
  CHECK(table.find(GpuVa(0x2800)).host == g_memory + 0x8800);
  CHECK(table.size() == 3);
}

TEST_CASE("unmap refuses what is not there, and leaves a newer range of the same address") {
  VaTable table;
  table.map(GpuVa(0x1000), 0x1000, host(0), true);
  CHECK_FALSE(table.unmap(GpuVa(0x1800), host(0)));
  table.map(GpuVa(0x1000), 0x1000, host(0x1000), true);
  CHECK_FALSE(table.unmap(GpuVa(0x1000), host(0)));
  CHECK(table.find(GpuVa(0x1000)).host == g_memory + 0x1000);
}

TEST_CASE("thousands of ranges, mapped and unmapped out of order") {
  VaTable table;
  constexpr uint64_t kRanges = 3000;
  for (uint64_t i = 0; i < kRanges; ++i) {
    const uint64_t slot = (i * 7919) % kRanges;
    table.map(GpuVa(0x100000 + slot * 0x2000), 0x1000, host(slot % 16 * 0x1000), true);
  }
  CHECK(table.size() == kRanges);
  for (uint64_t i = 0; i < kRanges; i += 2)
    CHECK(table.unmap(GpuVa(0x100000 + i * 0x2000), host(i % 16 * 0x1000)));
  for (uint64_t i = 0; i < kRanges; ++i) {
    const gfx9::MappedRange range = table.find(GpuVa(0x100000 + i * 0x2000 + 0x800));
    CHECK(range.host == (i % 2 == 0 ? nullptr : g_memory + i % 16 * 0x1000));
    CHECK(table.find(GpuVa(0x100000 + i * 0x2000 + 0x1000)).host == nullptr);
  }
}

// Each range's host address encodes its GPU address, so a torn read would show.
TEST_CASE("readers see whole ranges while a writer maps and unmaps") {
  VaTable table;
  constexpr uint64_t kRanges = 40;
  const auto map_one = [&](uint64_t i) {
    table.map(GpuVa((i + 1) * 0x10000), 0x1000 * (1 + i % 4), host(i * 64), true);
  };
  for (uint64_t i = 0; i < kRanges; i += 2) map_one(i);
  std::atomic<bool> stop{false};
  std::atomic<uint64_t> wrong{0};
  std::atomic<uint64_t> found{0};
  std::vector<std::thread> readers;
  readers.reserve(2);
  for (int r = 0; r < 2; ++r) {
    readers.emplace_back([&] {
      while (!stop.load()) {
        for (uint64_t i = 0; i < kRanges; ++i) {
          const gfx9::MappedRange range = table.find(GpuVa((i + 1) * 0x10000 + 8));
          if (range.host == nullptr) {
            if (i % 2 == 0) ++wrong;  // these never go
            continue;
          }
          ++found;
          if (range.host != g_memory + i * 64 || range.begin != (i + 1) * 0x10000 ||
              range.end != range.begin + 0x1000 * (1 + i % 4))
            ++wrong;
        }
      }
    });
  }
  for (int round = 0; round < 300; ++round) {
    for (uint64_t i = 1; i < kRanges; i += 2) map_one(i);
    for (uint64_t i = 1; i < kRanges; i += 2) table.unmap(GpuVa((i + 1) * 0x10000), host(i * 64));
  }
  while (found.load() == 0) std::this_thread::yield();
  stop = true;
  for (std::thread& reader : readers) reader.join();
  CHECK(wrong == 0);
}

}  // namespace softgpu::cp
