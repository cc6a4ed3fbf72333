// Tier T1: snapshots in the agent's own memory, how they share the work with host memory, and how they give
// way.
#include <atomic>
#include <catch2/catch.hpp>
#include <cstring>
#include <random>
#include <thread>

#include "allocation_counter.hpp"
#include "fake_runtime.hpp"
#include "snapshot/snapshot.hpp"

using namespace kreplay;
using namespace kreplay::snapshot;

namespace {

constexpr uint64_t kMiB = uint64_t{1} << 20;
constexpr uint64_t kReserve = uint64_t{16} << 30 >> 3;  // more than a tenth of the fake's 16 GiB

SnapshotLimits limits_of(SnapshotTier tier) {
  SnapshotLimits limits;
  limits.tier = tier;
  limits.host_bytes = uint64_t{1} << 32;
  limits.copy_timeout_ns = 2'000'000;
  limits.settle_ns = 1'000'000;
  return limits;
}

struct ShadowFixture {
  explicit ShadowFixture(SnapshotLimits limits = limits_of(SnapshotTier::automatic))
      : snapshot(runtime.api, FakeRuntime::kDevice, table, limits), memory(8 * kMiB) {
    randomize(1);
  }
  ~ShadowFixture() {
    snapshot.release();
    CHECK(runtime.staging.empty());
    CHECK(snapshot.shadow_bytes() == 0);
  }
  void add(size_t offset, size_t size, MemoryClass c = MemoryClass::device_coarse) {
    Extent extent;
    extent.base = GpuVa(memory.data() + offset);
    extent.size = size;
    extent.agent = FakeRuntime::kDevice.handle;
    extent.memory_class = c;
    table.insert(extent);
  }
  /// Cheap, since it is done often and sanitizers count every step.
  void randomize(unsigned seed) {
    uint64_t state = seed * uint64_t{0x9e3779b97f4a7c15} + 1;
    for (size_t at = 0; at < memory.size(); at += sizeof state) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      std::memcpy(memory.data() + at, &state, sizeof state);
    }
  }
  /// Save, spoil, restore. @return whether what was saved came back, and all else did not
  bool right_round(const std::vector<std::pair<size_t, size_t>>& parts) {
    const auto before = memory;
    REQUIRE(snapshot.save().ok());
    randomize(99);
    auto want = memory;
    for (const auto& [offset, size] : parts)
      std::copy_n(before.begin() + static_cast<long>(offset), size, want.begin() + static_cast<long>(offset));
    REQUIRE(snapshot.restore().ok());
    stats = snapshot.stats();
    snapshot.finish();
    return memory == want;
  }

  FakeRuntime runtime;
  ExtentTable table;
  AgentSnapshot snapshot;
  std::vector<unsigned char> memory;
  SnapshotStats stats;
};

}  // namespace

TEST_CASE("shadow: while there is room nothing crosses the host link but code segments") {
  ShadowFixture f;
  f.add(0x100, 0x333);
  f.add(kMiB, 3 * kMiB + 5);
  CHECK(f.right_round({{0x100, 0x333}, {kMiB, 3 * kMiB + 5}}));
  CHECK(f.stats.link_bytes == 0);
  CHECK(f.stats.device_bytes == 2 * (0x333 + 3 * kMiB + 5));
  CHECK(f.stats.shadowed == f.stats.bytes_saved);
  CHECK(f.runtime.staging_bytes == f.runtime.shadow_bytes);
  CHECK(f.snapshot.shadow_bytes() == f.runtime.shadow_bytes);

  f.add(6 * kMiB, 0x77, MemoryClass::code_segment);
  CHECK(f.right_round({{0x100, 0x333}, {kMiB, 3 * kMiB + 5}, {6 * kMiB, 0x77}}));
  CHECK(f.stats.link_bytes == 2 * 0x77);
  CHECK(f.stats.bytes_saved == f.stats.shadowed + 0x77);
}

TEST_CASE("shadow: what finds no room goes to host memory, or is refused with the figures") {
  SnapshotLimits limits = limits_of(GENERATE(SnapshotTier::automatic, SnapshotTier::shadow));
  const bool room_by_option = GENERATE(true, false);
  if (room_by_option) limits.device_bytes = 2 * kMiB;
  ShadowFixture f(limits);
  if (!room_by_option)
    f.runtime.application_bytes = f.runtime.device_bytes - f.runtime.device_bytes / 10 - 2 * kMiB;
  f.add(0, kMiB);
  f.add(2 * kMiB, 4 * kMiB);
  if (limits.tier == SnapshotTier::automatic) {
    CHECK(f.right_round({{0, kMiB}, {2 * kMiB, 4 * kMiB}}));
    CHECK(f.stats.shadowed > 0);
    CHECK(f.stats.shadowed <= 2 * kMiB);
    CHECK(f.stats.device_bytes == 2 * f.stats.shadowed);
    CHECK(f.stats.link_bytes == 2 * (5 * kMiB - f.stats.shadowed));
    CHECK(f.runtime.shadow_bytes <= 2 * kMiB);
  } else {
    const Status status = f.snapshot.save();
    CHECK(status.code() == Error::budget);
    INFO(status.message());
    CHECK(status.message().find("bytes of device memory; 2097152 bytes are available") != std::string::npos);
    CHECK((status.message().find("KREPLAY_VRAM_BYTES") != std::string::npos) == room_by_option);
    CHECK(f.runtime.staging.empty());
  }
}

TEST_CASE("shadow: an allocation that is refused, or a device without a pool, leaves it to host memory") {
  ShadowFixture f;
  f.runtime.device_allocation_limit = GENERATE(uint64_t{0}, 2 * kMiB);
  f.add(0, kMiB);
  f.add(2 * kMiB, 4 * kMiB);
  CHECK(f.right_round({{0, kMiB}, {2 * kMiB, 4 * kMiB}}));
  CHECK(f.stats.shadowed <= f.runtime.device_allocation_limit);
  CHECK(f.stats.link_bytes == 2 * (f.stats.bytes_saved - f.stats.shadowed));
}

TEST_CASE("shadow: a runtime that does not tell what is available is taken to have what is not known") {
  ShadowFixture f;
  f.runtime.tells_available = false;
  f.add(0, kMiB);
  f.runtime.device_bytes = (uint64_t{1} << 30) + 3 * kMiB;  // 1 GiB is the reserve
  CHECK(f.right_round({{0, kMiB}}));
  CHECK(f.stats.shadowed == kMiB);
  f.add(2 * kMiB, 4 * kMiB);
  CHECK(f.right_round({{0, kMiB}, {2 * kMiB, 4 * kMiB}}));
  CHECK(f.stats.shadowed == 0);
}

TEST_CASE("shadow: it shrinks when the program needs more") {
  ShadowFixture f;
  f.add(0, 4 * kMiB);
  CHECK(f.right_round({{0, 4 * kMiB}}));
  CHECK(f.runtime.shadow_bytes >= 4 * kMiB);
  f.runtime.application_bytes = f.runtime.device_bytes - kReserve;  // of another process
  f.runtime.application_bytes += kReserve - f.runtime.device_bytes / 10 - f.runtime.shadow_bytes - kMiB;
  f.add(5 * kMiB, 0x100);
  f.runtime.application_bytes += 3 * kMiB;
  CHECK(f.right_round({{0, 4 * kMiB}, {5 * kMiB, 0x100}}));
  CHECK(f.runtime.shadow_bytes + f.runtime.application_bytes <=
        f.runtime.device_bytes - f.runtime.device_bytes / 10);
}

TEST_CASE("shadow: it gives way between snapshots, not during one") {
  ShadowFixture f;
  CHECK_FALSE(f.snapshot.give_way());
  f.add(0, 4 * kMiB);
  CHECK(f.right_round({{0, 4 * kMiB}}));
  REQUIRE(f.snapshot.save().ok());
  CHECK_FALSE(f.snapshot.give_way());
  REQUIRE(f.snapshot.restore().ok());
  f.snapshot.finish();
  CHECK(f.snapshot.give_way());
  CHECK(f.runtime.shadow_bytes == 0);
  CHECK(f.snapshot.shadow_bytes() == 0);
  CHECK_FALSE(f.snapshot.give_way());
  CHECK(f.right_round({{0, 4 * kMiB}}));
  CHECK(f.stats.shadowed == 4 * kMiB);
  // After a save that failed, too.
  f.runtime.refuse_copy = f.runtime.copies + 1;
  CHECK_FALSE(f.snapshot.save().ok());
  CHECK(f.snapshot.give_way());
}

TEST_CASE("shadow: a restore that fails is made up for by synchronous copies") {
  ShadowFixture f;
  for (size_t i = 0; i < 10; ++i) f.add(i * 0x1000, 0x100);
  const auto before = f.memory;
  REQUIRE(f.snapshot.save().ok());
  f.randomize(5);
  f.runtime.refuse_copy = f.runtime.copies + 4;
  REQUIRE(f.snapshot.restore().ok());
  for (size_t i = 0; i < 10; ++i)
    CHECK(std::equal(before.begin() + long(i * 0x1000), before.begin() + long(i * 0x1000 + 0x100),
                     f.memory.begin() + long(i * 0x1000)));
  CHECK(f.runtime.sync_copies == 7);
  f.snapshot.finish();
}

TEST_CASE("shadow: steady state: nothing is allocated or created, and the runtime is not asked for room") {
  ShadowFixture f;
  for (size_t i = 0; i < 100; ++i) f.add(i * 0x1000, 0x800);
  REQUIRE(f.snapshot.save().ok());
  REQUIRE(f.snapshot.restore().ok());
  f.snapshot.finish();
  f.runtime.calls["memory_copy"];
  const auto before = f.runtime.calls;
  uint64_t allocations = 0;
  {
    AllocationCounter counter;
    for (int dispatch = 0; dispatch < 10; ++dispatch) {
      if (!f.snapshot.save().ok() || !f.snapshot.restore().ok()) std::abort();
      f.snapshot.finish();
    }
    allocations = counter.count();
  }
  CHECK(allocations == 0);
  for (const auto& [name, count] : f.runtime.calls) {
    INFO(name);
    const uint64_t expected = name == "async_copy"                              ? 20 * 100
                              : name == "signal_store" || name == "signal_wait" ? 20
                                                                                : 0;
    CHECK(count - (before.count(name) != 0 ? before.at(name) : 0) == expected);
  }
}

TEST_CASE("shadow: random extents, room and changes, in both places") {
  const unsigned seed = GENERATE(1u, 2u, 3u, 4u);
  INFO("seed " << seed);
  std::mt19937 random(seed);
  ShadowFixture f;
  f.runtime.max_allocation = 512 << 10;
  for (int round = 0; round < 12; ++round) {
    f.runtime.device_allocation_limit = (random() % 5) * kMiB;
    if (random() % 4 == 0) (void)f.snapshot.give_way();
    for (int change = 0; change < 5; ++change) {
      const size_t offset = random() % (7 * kMiB);
      if (random() % 2 == 0) {
        f.add(offset, 1 + random() % (random() % 4 == 0 ? kMiB : 5000),
              random() % 8 == 0 ? MemoryClass::code_segment : MemoryClass::device_coarse);
      } else if (const auto known = f.table.find(GpuVa(f.memory.data() + offset))) {
        f.table.take(known->base);
      }
    }
    std::vector<std::pair<size_t, size_t>> parts;
    for (const Extent& extent : f.table.saved_extents(FakeRuntime::kDevice.handle, nullptr))
      parts.emplace_back(extent.base - GpuVa(f.memory.data()), extent.size);
    f.randomize(seed * 1000 + static_cast<unsigned>(round));
    REQUIRE(f.right_round(parts));
    CHECK(f.stats.device_bytes == 2 * f.stats.shadowed);
    CHECK(f.stats.device_bytes + f.stats.link_bytes == f.stats.bytes_saved + f.stats.bytes_restored);
  }
}

TEST_CASE("shadow: give_way from another thread at any time leaves every snapshot right") {
  SnapshotLimits limits = limits_of(SnapshotTier::automatic);
  limits.copy_timeout_ns = 60'000'000'000;  // also how long a thread that frees the shadow is waited for
  ShadowFixture f(limits);
  f.add(0, kMiB);
  f.add(2 * kMiB, kMiB);
  std::atomic<bool> over{false};
  std::atomic<unsigned> given{0};
  // The fake is for one thread at a time: the shadow's own protocol is what keeps the two apart here.
  std::thread other([&] {
    while (!over) {
      given += f.snapshot.give_way() ? 1 : 0;
      std::this_thread::yield();
    }
  });
  bool right = true;
  for (int round = 0; round < 50 && right; ++round) {
    f.memory[0] = static_cast<unsigned char>(round);
    const auto before = f.memory;
    if (!f.snapshot.save().ok()) right = false;
    f.memory[0] ^= 0xff;
    f.memory[2 * kMiB + 77] ^= 0xff;
    if (!f.snapshot.restore().ok()) right = false;
    f.snapshot.finish();
    right = right && f.memory == before;
    for (unsigned look = 0; look < 1'000'000 && round == 0 && given == 0; ++look) std::this_thread::yield();
  }
  over = true;
  other.join();
  CHECK(right);
  CHECK(given > 0);
}
