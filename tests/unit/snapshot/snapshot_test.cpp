#include "snapshot/snapshot.hpp"

#include <catch2/catch.hpp>
#include <random>

#include "allocation_counter.hpp"
#include "fake_runtime.hpp"

using kreplay::Error;
using kreplay::GpuVa;
using kreplay::Status;
using kreplay::snapshot::AgentSnapshot;
using kreplay::snapshot::Extent;
using kreplay::snapshot::ExtentTable;
using kreplay::snapshot::MemoryClass;
using kreplay::snapshot::SnapshotLimits;

namespace {

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

/// Device memory of the fake: one block, extents are slices of it.
struct Device {
  explicit Device(size_t bytes) : memory(bytes) { randomize(1); }

  Extent slice(size_t offset, size_t size, MemoryClass c = MemoryClass::device_coarse) {
    Extent extent;
    extent.base = GpuVa(memory.data() + offset);
    extent.size = size;
    extent.agent = FakeRuntime::kDevice.handle;
    extent.memory_class = c;
    return extent;
  }
  void randomize(unsigned seed) {
    std::mt19937_64 random(seed);
    for (auto& byte : memory) byte = static_cast<unsigned char>(random());
  }
  bool equals(const std::vector<unsigned char>& other, size_t offset, size_t size) const {
    return std::equal(memory.begin() + static_cast<long>(offset),
                      memory.begin() + static_cast<long>(offset + size),
                      other.begin() + static_cast<long>(offset));
  }
  std::vector<unsigned char> memory;
};

/// Short bounds: the fake answers a wait at once, so a bound is reached by looking often.
SnapshotLimits quick() {
  SnapshotLimits limits;
  limits.tier = kreplay::snapshot::SnapshotTier::host;  // shadow_test.cpp has the others
  limits.host_bytes = uint64_t{1} << 32;
  limits.copy_timeout_ns = 2'000'000;
  limits.settle_ns = 1'000'000;
  return limits;
}

struct Fixture {
  FakeRuntime runtime;
  Device device{1 << 20};
  ExtentTable table;
  AgentSnapshot snapshot{runtime.api, FakeRuntime::kDevice, table, quick()};

  size_t given_up = 0;  ///< segments that the snapshot must not free

  ~Fixture() {
    snapshot.release();
    CHECK(runtime.staging.size() == given_up);
  }
};

}  // namespace

TEST_CASE("a restore puts back every saved class and leaves the others alone") {
  Fixture f;
  f.table.insert(f.device.slice(0x100, 0x333));
  f.table.insert(f.device.slice(0x1000, 0x1000, MemoryClass::device_fine));
  f.table.insert(f.device.slice(0x8001, 0x7f, MemoryClass::code_segment));
  f.table.insert(f.device.slice(0x9000, 0x100, MemoryClass::device_executable));
  f.table.insert(f.device.slice(0xa000, 0x100, MemoryClass::managed));
  Extent elsewhere = f.device.slice(0xb000, 0x100);
  elsewhere.agent = 77;
  f.table.insert(elsewhere);
  const auto before = f.device.memory;
  CHECK(f.snapshot.footprint_bytes() == 0x333 + 0x1000 + 0x7f);

  REQUIRE(f.snapshot.save().ok());
  CHECK(f.snapshot.stats().extents == 3);
  CHECK(f.snapshot.stats().bytes_saved == 0x333 + 0x1000 + 0x7f);
  for (unsigned pass = 2; pass < 5; ++pass) {
    f.device.randomize(pass);
    const auto changed = f.device.memory;
    REQUIRE(f.snapshot.restore().ok());
    CHECK(f.device.equals(before, 0x100, 0x333));
    CHECK(f.device.equals(before, 0x1000, 0x1000));
    CHECK(f.device.equals(before, 0x8001, 0x7f));
    CHECK(f.device.equals(changed, 0, 0x100));
    CHECK(f.device.equals(changed, 0x433, 0x1000 - 0x433));
    CHECK(f.device.equals(changed, 0x8080, 0x8000));
    CHECK(f.snapshot.stats().bytes_restored == (pass - 1) * f.snapshot.stats().bytes_saved);
  }
  f.snapshot.finish();
}

TEST_CASE("saved bytes of code segments can be read back, between save and finish") {
  Fixture f;
  // Two neighbours that are copied as one, one of them of the class, and another one further on.
  f.table.insert(f.device.slice(0x1000, 0x100));
  f.table.insert(f.device.slice(0x1100, 0x80, MemoryClass::code_segment));
  f.table.insert(f.device.slice(0x1180, 0x100));
  f.table.insert(f.device.slice(0x4001, 0x33, MemoryClass::code_segment));
  const auto before = f.device.memory;
  const auto saved = [&] {
    std::vector<unsigned char> all;
    f.snapshot.visit_code_segments([&](const std::byte* bytes, uint64_t size) {
      const auto* first = reinterpret_cast<const unsigned char*>(bytes);
      all.insert(all.end(), first, first + size);
    });
    return all;
  };
  const auto part = [&](size_t offset, size_t size) {
    return std::vector<unsigned char>(before.begin() + static_cast<long>(offset),
                                      before.begin() + static_cast<long>(offset + size));
  };
  auto segments = part(0x1100, 0x80);
  const auto second = part(0x4001, 0x33);
  segments.insert(segments.end(), second.begin(), second.end());

  CHECK(saved().empty());
  REQUIRE(f.snapshot.save().ok());
  f.device.randomize(9);  // the saved bytes, not the present ones
  CHECK(saved() == segments);
  REQUIRE(f.snapshot.restore().ok());
  CHECK(saved() == segments);
  f.snapshot.finish();
  CHECK(saved().empty());
}

TEST_CASE("an extent cut into pieces is visited piece by piece, whole") {
  Fixture f;
  f.runtime.move_data = false;
  f.runtime.max_allocation = uint64_t{1} << 30;
  Extent huge = f.device.slice(0, 1, MemoryClass::code_segment);
  huge.base = GpuVa(0x7000'0000'0000);
  huge.size = (uint64_t{1} << 30) + 4096;
  f.table.insert(huge);
  REQUIRE(f.snapshot.save().ok());
  uint64_t bytes = 0, visits = 0;
  f.snapshot.visit_code_segments([&](const std::byte*, uint64_t size) {
    bytes += size;
    ++visits;
  });
  CHECK(bytes == huge.size);
  CHECK(visits >= 2);
  f.snapshot.finish();
}

TEST_CASE("an agent without memory needs neither staging nor copies") {
  Fixture f;
  REQUIRE(f.snapshot.save().ok());
  REQUIRE(f.snapshot.restore().ok());
  CHECK(f.runtime.calls["async_copy"] == 0);
  CHECK(f.runtime.calls["pool_allocate"] == 0);
  CHECK(f.snapshot.stats().bytes_saved == 0);
}

TEST_CASE("neighbouring extents are copied as one") {
  Fixture f;
  for (size_t i = 0; i < 100; ++i) f.table.insert(f.device.slice(0x1000 + i * 0x40, 0x40));
  f.table.insert(f.device.slice(0x8000, 0x40));
  REQUIRE(f.snapshot.save().ok());
  CHECK(f.runtime.calls["async_copy"] == 2);
  CHECK(f.snapshot.stats().copies == 2);
  CHECK(f.snapshot.stats().extents == 101);
}

TEST_CASE("steady state: one call per copy, one store, one wait, nothing allocated or created") {
  Fixture f;
  for (size_t i = 0; i < 200; ++i) f.table.insert(f.device.slice(i * 0x1000, 0x800));
  REQUIRE(f.snapshot.save().ok());
  REQUIRE(f.snapshot.restore().ok());
  f.snapshot.finish();
  f.runtime.calls["memory_copy"];  // the node, so that counting does not allocate
  const auto before = f.runtime.calls;
  uint64_t allocations = 0;
  {
    AllocationCounter counter;
    for (int dispatch = 0; dispatch < 10; ++dispatch) {
      if (!f.snapshot.save().ok() || !f.snapshot.restore().ok() || !f.snapshot.restore().ok()) std::abort();
      f.snapshot.finish();
    }
    allocations = counter.count();
  }
  CHECK(allocations == 0);
  for (const auto& [name, count] : f.runtime.calls) {
    INFO(name);
    const uint64_t batches = 30;
    const uint64_t expected = name == "async_copy"                              ? batches * 200
                              : name == "signal_store" || name == "signal_wait" ? batches
                                                                                : 0;
    CHECK(count - (before.count(name) != 0 ? before.at(name) : 0) == expected);
  }
  CHECK(f.runtime.calls["signal_create"] == 1);
}

TEST_CASE("the allocation counter counts") {
  AllocationCounter counter;
  const auto memory = std::make_unique<int>(1);
  CHECK(counter.count() >= 1);
}

TEST_CASE("staging is near the device, reused, and stays close to the footprint as it grows") {
  Fixture f;
  f.table.insert(f.device.slice(0, 0x1000));
  REQUIRE(f.snapshot.save().ok());
  f.snapshot.finish();
  const uint64_t first = f.runtime.staging_bytes;
  CHECK(first <= 4u << 20);
  f.runtime.move_data = false;
  Extent extent = f.device.slice(0, 0);
  extent.base = GpuVa(uint64_t{1} << 60);
  extent.size = 100u << 20;
  f.table.insert(extent);
  REQUIRE(f.snapshot.save().ok());
  f.snapshot.finish();
  for (uint64_t size = 101u << 20; size <= 300u << 20; size += 10u << 20) {
    f.table.take(extent.base);
    extent.size = size;
    f.table.insert(extent);
    REQUIRE(f.snapshot.save().ok());
    f.snapshot.finish();
  }
  CHECK(f.runtime.calls["pool_free"] == 0);
  CHECK(f.runtime.calls["pool_allocate"] <= 8);
  CHECK(f.runtime.staging_peak <= 301.0 * (1 << 20) * 1.02 + (64u << 20));
  const uint64_t allocations = f.runtime.calls["pool_allocate"];
  f.table.take(extent.base);
  REQUIRE(f.snapshot.save().ok());
  CHECK(f.runtime.calls["pool_allocate"] == allocations);
}

TEST_CASE("huge extents are cut into pieces of at most 1 GiB, with few calls") {
  Fixture f;
  f.runtime.move_data = false;
  Extent extent = f.device.slice(0, 0);
  extent.base = GpuVa((uint64_t{1} << 60) + 0x40);
  extent.size = (uint64_t{3} << 30) + 5;
  f.table.insert(extent);
  REQUIRE(f.snapshot.save().ok());
  CHECK(f.runtime.calls["async_copy"] == 4);
  CHECK(f.runtime.calls["pool_allocate"] == 1);
}

TEST_CASE("snapshots are right over random extents, segments and changes") {
  const unsigned seed = GENERATE(1u, 2u, 3u);
  INFO("seed " << seed);
  std::mt19937 random(seed);
  Fixture f;
  f.runtime.max_allocation = uint64_t{512} << 10;  // several segments
  std::vector<unsigned char> large(6u << 20);
  for (int round = 0; round < 30; ++round) {
    for (int change = 0; change < 5; ++change) {
      Extent extent = f.device.slice(0, 0);
      const size_t offset = random() % (large.size() - (1u << 20));
      extent.base = GpuVa(large.data() + offset);
      extent.size = 1 + random() % (random() % 4 == 0 ? 1u << 20 : 5000u);
      if (random() % 2 == 0) {
        f.table.insert(extent);
      } else if (const auto known = f.table.find(extent.base)) {
        f.table.take(known->base);
      }
    }
    for (size_t i = 0; i < large.size(); i += 61) large[i] = static_cast<unsigned char>(random());
    const auto before = large;
    REQUIRE(f.snapshot.save().ok());
    for (size_t i = 0; i < large.size(); i += 7) large[i] ^= 0x5a;
    auto spoiled = large;
    for (const Extent& extent : f.table.saved_extents(FakeRuntime::kDevice.handle, nullptr)) {
      const auto offset = static_cast<long>(extent.base - GpuVa(large.data()));
      std::copy_n(before.begin() + offset, extent.size, spoiled.begin() + offset);
    }
    REQUIRE(f.snapshot.restore().ok());
    REQUIRE(large == spoiled);
    f.snapshot.finish();
  }
}

TEST_CASE("C18: memory freed after the save is not written by a restore") {
  Fixture f;
  f.table.insert(f.device.slice(0x1000, 0x1000));
  f.table.insert(f.device.slice(0x2000, 0x1000));
  f.table.insert(f.device.slice(0x3000, 0x1000));
  const auto before = f.device.memory;
  REQUIRE(f.snapshot.save().ok());
  f.table.take(f.device.slice(0x2000, 0).base);
  f.table.insert(f.device.slice(0x2000, 0x800));  // the same address, other owner
  f.device.randomize(9);
  const auto changed = f.device.memory;
  REQUIRE(f.snapshot.restore().ok());
  CHECK(f.device.equals(before, 0x1000, 0x1000));
  CHECK(f.device.equals(changed, 0x2000, 0x1000));
  CHECK(f.device.equals(before, 0x3000, 0x1000));
  CHECK(f.snapshot.stats().bytes_restored == 0x2000);
}

TEST_CASE("C21: over the budget, the save declines with needed and available bytes and holds nothing") {
  FakeRuntime runtime;
  Device device(1 << 20);
  ExtentTable table;
  SnapshotLimits limits = quick();
  limits.host_bytes = 256 << 10;
  AgentSnapshot snapshot(runtime.api, FakeRuntime::kDevice, table, limits);
  table.insert(device.slice(0, 64 << 10));
  REQUIRE(snapshot.save().ok());
  snapshot.finish();
  CHECK(runtime.staging_bytes <= limits.host_bytes);
  table.insert(device.slice(128 << 10, 512 << 10));
  const Status status = snapshot.save();
  CHECK(status.code() == Error::budget);
  CHECK(has(status.message(), "262144 bytes are available"));
  CHECK(has(status.message(), "KREPLAY_HOST_BYTES"));
  CHECK(runtime.staging.empty());
  CHECK(snapshot.restore().code() == Error::internal);
  table.take(device.slice(128 << 10, 0).base);
  CHECK(snapshot.save().ok());
  snapshot.release();
}

TEST_CASE(
    "C21: the runtime runs out of memory at a later segment: all staging goes back, the next save works") {
  Fixture f;
  f.runtime.max_allocation = 256 << 10;
  f.runtime.allocation_limit = 512 << 10;
  f.table.insert(f.device.slice(0, 900 << 10));
  const Status status = f.snapshot.save();
  CHECK(status.code() == Error::out_of_memory);
  CHECK(has(status.message(), "bytes are available"));
  CHECK(has(status.message(), "fake text"));
  CHECK(f.runtime.calls["pool_allocate"] == 3);
  CHECK(f.runtime.staging.empty());
  f.table.take(f.device.slice(0, 0).base);
  f.table.insert(f.device.slice(0, 100 << 10));
  CHECK(f.snapshot.save().ok());
}

TEST_CASE("what is missing in the runtime is named") {
  Fixture f;
  f.table.insert(f.device.slice(0, 64));
  SECTION("no host pool") {
    f.runtime.no_host_pool = true;
    CHECK(f.snapshot.save().code() == Error::not_found);
  }
  SECTION("no access to staging") {
    f.runtime.no_access = true;
    const Status status = f.snapshot.save();
    CHECK(status.code() == Error::runtime);
    CHECK(has(status.message(), "hsa_amd_agents_allow_access"));
    CHECK(f.runtime.staging.empty());
  }
  SECTION("no signal") {
    f.runtime.no_signals = true;
    const Status status = f.snapshot.save();
    CHECK(status.code() == Error::runtime);
    CHECK(has(status.message(), "hsa_signal_create"));
  }
  SECTION("a function") {
    f.runtime.api.hsa_amd_memory_async_copy = nullptr;
    CHECK(f.snapshot.save().code() == Error::unsupported);
  }
}

TEST_CASE("a copy refused at region k of a save declines, names the region, and leaves nothing in flight") {
  Fixture f;
  for (size_t i = 0; i < 10; ++i) f.table.insert(f.device.slice(i * 0x1000, 0x100 + i));
  const uint64_t k = GENERATE(1u, 4u, 10u);
  f.runtime.refuse_copy = k;
  const Status status = f.snapshot.save();
  CHECK(status.code() == Error::device_copy);
  INFO(status.message());
  CHECK(has(status.message(), std::to_string(0x100 + k - 1) + " bytes at "));
  CHECK(has(status.message(), "generation " + std::to_string(k)));
  CHECK(has(status.message(), "status 0x1008, fake text"));
  CHECK(f.runtime.signals.begin()->second == static_cast<hsa_signal_value_t>(10 - (k - 1)));
  CHECK(f.snapshot.save().ok());
}

TEST_CASE("a copy that fails during a save declines; the next save uses another signal and other staging") {
  Fixture f;
  for (size_t i = 0; i < 10; ++i) f.table.insert(f.device.slice(i * 0x1000, 0x100));
  f.runtime.fail_copy = 4;
  const Status status = f.snapshot.save();
  CHECK(status.code() == Error::device_copy);
  CHECK(has(status.message(), "one of 10 asynchronous copies failed"));
  CHECK(f.runtime.calls["pool_free"] == 0);
  CHECK(f.snapshot.save().ok());
  CHECK(f.runtime.calls["signal_create"] == 2);
  CHECK(f.runtime.calls["pool_allocate"] == 2);
  f.given_up = 1;
}

TEST_CASE("C22: a restore copy that is refused is made on the second path, from that region on") {
  Fixture f;
  for (size_t i = 0; i < 10; ++i) f.table.insert(f.device.slice(i * 0x1000, 0x100));
  const auto before = f.device.memory;
  REQUIRE(f.snapshot.save().ok());
  f.device.randomize(5);
  f.runtime.refuse_copy = 10 + GENERATE(1u, 6u, 10u);
  REQUIRE(f.snapshot.restore().ok());
  for (size_t i = 0; i < 10; ++i) CHECK(f.device.equals(before, i * 0x1000, 0x100));
  CHECK(f.runtime.sync_copies == 20 - f.runtime.refuse_copy + 1);
  CHECK(f.snapshot.stats().bytes_restored == 10 * 0x100);
}

TEST_CASE("C22: a restore copy that fails later is made up for by the second path") {
  Fixture f;
  for (size_t i = 0; i < 10; ++i) f.table.insert(f.device.slice(i * 0x1000, 0x100));
  const auto before = f.device.memory;
  REQUIRE(f.snapshot.save().ok());
  f.runtime.fail_copy = 13;
  for (int pass = 0; pass < 3; ++pass) {
    f.device.randomize(5);
    REQUIRE(f.snapshot.restore().ok());
    for (size_t i = 0; i < 10; ++i) CHECK(f.device.equals(before, i * 0x1000, 0x100));
  }
  CHECK(f.runtime.sync_copies == 10);
  CHECK(f.runtime.calls["signal_create"] == 2);
}

TEST_CASE("copies that keep failing end asynchronous copies for good, not restores") {
  Fixture f;
  f.table.insert(f.device.slice(0x1000, 0x100));
  const auto before = f.device.memory;
  REQUIRE(f.snapshot.save().ok());
  for (int pass = 0; pass < 10; ++pass) {
    f.runtime.fail_copy = f.runtime.copies + 1;
    f.device.randomize(5);
    REQUIRE(f.snapshot.restore().ok());
    CHECK(f.device.equals(before, 0x1000, 0x100));
  }
  CHECK(f.runtime.calls["signal_create"] == 4);
  f.snapshot.finish();
  const Status status = f.snapshot.save();
  CHECK(status.code() == Error::device_copy);
  CHECK(has(status.message(), "stay off"));
}

TEST_CASE("C22: when no path can restore, the error names region, bytes and both statuses") {
  Fixture f;
  for (size_t i = 0; i < 10; ++i) f.table.insert(f.device.slice(i * 0x1000, 0x100 + i));
  REQUIRE(f.snapshot.save().ok());
  f.runtime.refuse_copy = 13;
  f.runtime.refuse_sync_from = 3;
  const Status status = f.snapshot.restore();
  CHECK(status.code() == Error::device_copy);
  INFO(status.message());
  CHECK(has(status.message(), "258 bytes at "));
  CHECK(has(status.message(), "hsa_amd_memory_async_copy: status 0x1008"));
  CHECK(has(status.message(), "260 bytes at "));
  CHECK(has(status.message(), "hsa_memory_copy: status 0x1001"));
  CHECK(f.snapshot.restore().code() == Error::internal);
}

TEST_CASE("a copy that never ends is a bounded wait, in a save and in a restore") {
  Fixture f;
  for (size_t i = 0; i < 10; ++i) f.table.insert(f.device.slice(i * 0x1000, 0x100));
  SECTION("save: declined, staging is not touched again, snapshots stay off") {
    f.runtime.hang_copy = 3;
    const Status status = f.snapshot.save();
    CHECK(status.code() == Error::timeout);
    CHECK(has(status.message(), "1 of 10 copies did not complete"));
    CHECK(f.snapshot.save().code() == Error::timeout);
    CHECK(f.runtime.copies == 10);
    f.given_up = 1;
  }
  SECTION("restore: an error, no second path, since the copy may still land") {
    REQUIRE(f.snapshot.save().ok());
    f.runtime.hang_copy = 15;
    const Status status = f.snapshot.restore();
    CHECK(status.code() == Error::timeout);
    CHECK(f.runtime.sync_copies == 0);
    f.given_up = 1;
  }
}

TEST_CASE("after release a snapshot can be taken again") {
  Fixture f;
  f.table.insert(f.device.slice(0x1000, 0x100));
  for (int life = 0; life < 3; ++life) {
    REQUIRE(f.snapshot.save().ok());
    REQUIRE(f.snapshot.restore().ok());
    f.snapshot.release();
    CHECK(f.runtime.staging.empty());
    CHECK(f.runtime.signals.empty());
  }
}
