#include "snapshot/extent.hpp"

#include <atomic>
#include <catch2/catch.hpp>
#include <map>
#include <random>
#include <thread>

using kreplay::GpuVa;
using kreplay::snapshot::Extent;
using kreplay::snapshot::ExtentTable;
using kreplay::snapshot::MemoryClass;
using kreplay::snapshot::Neighbours;

namespace {

Extent make(uint64_t base, uint64_t size, uint64_t agent = 1, MemoryClass c = MemoryClass::device_coarse) {
  Extent extent;
  extent.base = GpuVa(base);
  extent.size = size;
  extent.agent = agent;
  extent.memory_class = c;
  return extent;
}

bool same(const Extent& a, const Extent& b) {
  return a.base == b.base && a.size == b.size && a.generation == b.generation && a.agent == b.agent &&
         a.memory_class == b.memory_class && a.host == b.host;
}

}  // namespace

TEST_CASE("an extent is found by each of its addresses and by no other") {
  ExtentTable table;
  CHECK_FALSE(table.find(GpuVa(0x1000)));
  const uint64_t generation = table.insert(make(0x1000, 0x100));
  CHECK_FALSE(table.find(GpuVa(0xfff)));
  REQUIRE(table.find(GpuVa(0x1000)));
  CHECK(table.find(GpuVa(0x1000))->generation == generation);
  CHECK(table.find(GpuVa(0x10ff))->base == GpuVa(0x1000));
  CHECK_FALSE(table.find(GpuVa(0x1100)));
  CHECK(table.size() == 1);
}

TEST_CASE("all fields of an extent come back") {
  ExtentTable table;
  std::byte host[16];
  Extent extent = make(0x7000, 16, 42, MemoryClass::host_fine);
  extent.host.value = host;
  extent.generation = table.insert(extent);
  REQUIRE(table.find(GpuVa(0x7003)));
  CHECK(same(*table.find(GpuVa(0x7003)), extent));
  CHECK(same(*table.take(GpuVa(0x7000)), extent));
}

TEST_CASE("C18: an address that is used again has another generation") {
  ExtentTable table;
  const uint64_t first = table.insert(make(0x1000, 64));
  CHECK(table.alive(GpuVa(0x1000), first));
  REQUIRE(table.take(GpuVa(0x1000)));
  CHECK_FALSE(table.alive(GpuVa(0x1000), first));
  const uint64_t second = table.insert(make(0x1000, 64));
  CHECK(second != first);
  CHECK_FALSE(table.alive(GpuVa(0x1000), first));
  CHECK(table.alive(GpuVa(0x1000), second));
  CHECK_FALSE(table.alive(GpuVa(0x1008), second));
}

TEST_CASE("take needs the exact base; put_back keeps the generation") {
  ExtentTable table;
  const uint64_t generation = table.insert(make(0x1000, 64));
  CHECK_FALSE(table.take(GpuVa(0x1010)));
  const auto taken = table.take(GpuVa(0x1000));
  REQUIRE(taken);
  CHECK_FALSE(table.take(GpuVa(0x1000)));
  CHECK(table.size() == 0);
  table.put_back(*taken);
  CHECK(table.alive(GpuVa(0x1000), generation));
}

TEST_CASE("C13: empty extents and ranges that wrap are not stored") {
  ExtentTable table;
  table.insert(make(0x1000, 0));
  table.insert(make(UINT64_MAX - 10, 12));
  CHECK(table.size() == 0);
  table.insert(make(UINT64_MAX - 10, 11));
  CHECK(table.find(GpuVa(UINT64_MAX)));
}

TEST_CASE("what is inserted over known extents replaces them") {
  ExtentTable table;
  table.insert(make(0x1000, 0x100));
  table.insert(make(0x1100, 0x100));
  table.insert(make(0x1200, 0x100));
  table.insert(make(0x10ff, 0x102));
  CHECK(table.size() == 1);
  CHECK_FALSE(table.find(GpuVa(0x1000)));
  CHECK(table.find(GpuVa(0x1200))->base == GpuVa(0x10ff));
  CHECK(table.saved_extents(1, nullptr).size() == 1);
}

TEST_CASE("memory registered inside known memory is counted, not stored") {
  ExtentTable table;
  const uint64_t pool = table.insert(make(0x1000, 0x1000, 0, MemoryClass::host_fine));
  SECTION("at its base, the owner outlives the registration") {
    CHECK(table.insert(make(0x1000, 0x100, 0, MemoryClass::host_locked)) == pool);
    CHECK(table.take_registration(GpuVa(0x1000)));
    CHECK(table.alive(GpuVa(0x1000), pool));
    CHECK_FALSE(table.take_registration(GpuVa(0x1000)));
    CHECK(table.alive(GpuVa(0x1000), pool));
  }
  SECTION("a free ends it, registered or not") {
    table.insert(make(0x1000, 0x100, 0, MemoryClass::host_locked));
    CHECK(table.take(GpuVa(0x1000)));
    CHECK_FALSE(table.alive(GpuVa(0x1000), pool));
    CHECK_FALSE(table.take_registration(GpuVa(0x1000)));
  }
  SECTION("a failed unlock restores the count") {
    table.insert(make(0x1000, 0x100, 0, MemoryClass::host_locked));
    table.put_back_registration(*table.take_registration(GpuVa(0x1000)));
    CHECK(table.take_registration(GpuVa(0x1000)));
    CHECK_FALSE(table.take_registration(GpuVa(0x1000)));
    CHECK(table.alive(GpuVa(0x1000), pool));
  }
  SECTION("device memory is never taken by an unlock") {
    table.insert(make(0x9000, 0x1000, 1));
    CHECK_FALSE(table.take_registration(GpuVa(0x9000)));
    CHECK(table.find(GpuVa(0x9000)));
  }
  SECTION("application memory leaves with its last registration") {
    table.insert(make(0x9000, 0x1000, 0, MemoryClass::host_locked));
    const auto taken = table.take_registration(GpuVa(0x9000));
    REQUIRE(taken);
    CHECK_FALSE(table.find(GpuVa(0x9000)));
    table.put_back_registration(*taken);
    CHECK(table.find(GpuVa(0x9000)));
  }
  SECTION("inside it") {
    CHECK(table.insert(make(0x1800, 0x100, 0, MemoryClass::host_locked)) == pool);
    CHECK_FALSE(table.take(GpuVa(0x1800)));
    CHECK(table.find(GpuVa(0x1800))->base == GpuVa(0x1000));
  }
}

TEST_CASE("who may access memory of an agent is the union over its live extents") {
  ExtentTable table;
  table.insert(make(0x1000, 64, 1));
  table.insert(make(0x2000, 64, 1));
  table.insert(make(0x3000, 64, 2));
  CHECK_FALSE(table.any_accessors());
  CHECK(table.set_accessors(GpuVa(0x1010), 0b110)->accessors == 0);
  CHECK(table.set_accessors(GpuVa(0x2000), 0b100));
  CHECK_FALSE(table.set_accessors(GpuVa(0x9000), 1));
  CHECK(table.any_accessors());
  CHECK(table.accessors_of(1) == 0b110);
  CHECK(table.accessors_of(2) == 0);
  const auto extent = *table.find(GpuVa(0x1000));
  CHECK(table.reclassify(extent.base, extent.generation, MemoryClass::device_executable));
  CHECK(table.accessors_of(1) == 0b110);
  const auto taken = table.take(GpuVa(0x1000));
  CHECK(table.accessors_of(1) == 0b100);
  table.put_back(*taken);
  CHECK(table.accessors_of(1) == 0b110);
  table.take(GpuVa(0x1000));
  CHECK(table.set_accessors(GpuVa(0x2000), 0)->accessors == 0b100);
  CHECK(table.accessors_of(1) == 0);
  CHECK_FALSE(table.any_accessors());
}

TEST_CASE("the epoch of an agent moves with its saved extents and with nothing else") {
  ExtentTable table;
  CHECK(table.epoch(1) == 0);
  table.insert(make(0x1000, 64, 1));
  const uint64_t first = table.epoch(1);
  CHECK(first != 0);
  table.insert(make(0x2000, 64, 2));
  table.insert(make(0x3000, 64, 1, MemoryClass::device_executable));
  table.insert(make(0x4000, 64, 0, MemoryClass::host_kernarg));
  table.take(GpuVa(0x3000));
  CHECK(table.epoch(1) == first);
  const auto taken = table.take(GpuVa(0x1000));
  const uint64_t second = table.epoch(1);
  CHECK(second != first);
  table.put_back(*taken);
  CHECK(table.epoch(1) != second);
  const uint64_t third = table.epoch(1);
  table.clear();
  CHECK(table.epoch(1) != third);
  CHECK(table.size() == 0);
  CHECK(table.saved_extents(1, nullptr).empty());
}

TEST_CASE("the saved list is built once per epoch and shared") {
  ExtentTable table;
  table.insert(make(0x3000, 64, 1, MemoryClass::code_segment));
  table.insert(make(0x1000, 64, 1));
  table.insert(make(0x2000, 64, 1, MemoryClass::device_executable));
  table.insert(make(0x4000, 64, 2, MemoryClass::device_fine));
  uint64_t epoch = 0;
  const auto list = table.saved_list(1, &epoch);
  CHECK(epoch == table.epoch(1));
  REQUIRE(list->size() == 2);
  CHECK(list->at(0).base == GpuVa(0x1000));
  CHECK(list->at(1).base == GpuVa(0x3000));
  CHECK(table.saved_list(1, nullptr) == list);
  table.insert(make(0x5000, 64, 2));
  CHECK(table.saved_list(1, nullptr) == list);
  table.insert(make(0x5100, 64, 1));
  CHECK(table.saved_list(1, nullptr)->size() == 3);
  CHECK(list->size() == 2);
  CHECK(table.saved_list(9, &epoch)->empty());
  CHECK(epoch == 0);
}

TEST_CASE("changes collected while nobody asks for lists stay bounded and are not lost") {
  ExtentTable table;
  table.insert(make(0x1000, 64));
  CHECK(table.saved_list(1, nullptr)->size() == 1);
  for (int i = 0; i < 20000; ++i) {
    table.insert(make(0x10000, 64));
    table.take(GpuVa(0x10000));
  }
  table.insert(make(0x20000, 64));
  REQUIRE(table.saved_list(1, nullptr)->size() == 2);
  CHECK(table.saved_list(1, nullptr)->at(1).base == GpuVa(0x20000));
}

namespace {

/// The same rules, written the slow way.
struct Model {
  std::map<uint64_t, Extent> extents;

  void insert(const Extent& extent) {
    for (auto it = extents.begin(); it != extents.end();) {
      const bool apart = it->second.base.value + it->second.size <= extent.base.value ||
                         extent.base.value + extent.size <= it->second.base.value;
      if (apart)
        ++it;
      else
        it = extents.erase(it);
    }
    extents[extent.base.value] = extent;
  }
  const Extent* find(uint64_t va) const {
    auto it = extents.upper_bound(va);
    if (it == extents.begin()) return nullptr;
    --it;
    return it->second.contains(GpuVa(va)) ? &it->second : nullptr;
  }
  std::vector<Extent> saved(uint64_t agent) const {
    std::vector<Extent> list;
    for (const auto& [base, extent] : extents)
      if (extent.agent == agent && kreplay::snapshot::saved_by_default(extent.memory_class))
        list.push_back(extent);
    return list;
  }
};

}  // namespace

TEST_CASE("the table behaves as a plain map does, over random operations") {
  constexpr MemoryClass kClasses[] = {MemoryClass::device_coarse, MemoryClass::device_fine,
                                      MemoryClass::code_segment,  MemoryClass::device_executable,
                                      MemoryClass::managed,       MemoryClass::host_kernarg,
                                      MemoryClass::signal};
  const unsigned seed = GENERATE(1u, 2u, 3u, 4u);
  // A small address range gives reuse and overlap; a large one fills many leaves.
  const uint64_t range = GENERATE(uint64_t{200}, uint64_t{1} << 14, uint64_t{1} << 30);
  INFO("seed " << seed << ", range " << range);
  std::mt19937_64 random(seed);
  ExtentTable table;
  Model model;
  std::vector<Extent> taken;
  for (int step = 0; step < 6000; ++step) {
    const uint64_t va = 0x10000 + random() % range;
    switch (random() % 8) {
      case 0:
      case 1:
      case 2: {
        Extent extent = make(va, 1 + random() % 40, 1 + random() % 3, kClasses[random() % 7]);
        extent.generation = table.insert(extent);
        model.insert(extent);
        break;
      }
      case 3:
      case 4: {
        auto it = model.extents.lower_bound(va);
        if (it == model.extents.end()) break;
        const auto got = table.take(it->second.base);
        REQUIRE(got);
        REQUIRE(same(*got, it->second));
        taken.push_back(*got);
        model.extents.erase(it);
        break;
      }
      case 5:
        if (!taken.empty() && random() % 4 == 0) {
          table.put_back(taken.back());
          model.insert(taken.back());
          taken.pop_back();
        }
        break;
      default: {
        const Extent* expected = model.find(va);
        const auto got = table.find(GpuVa(va));
        REQUIRE(got.has_value() == (expected != nullptr));
        if (got) REQUIRE(same(*got, *expected));
        const Neighbours around = table.around(GpuVa(va));
        auto after = model.extents.upper_bound(va);
        const auto is = [](const std::optional<Extent>& one, const Extent* other) {
          return one.has_value() == (other != nullptr) && (!one || same(*one, *other));
        };
        REQUIRE(is(around.after, after == model.extents.end() ? nullptr : &after->second));
        const Extent* at = after == model.extents.begin() ? nullptr : &(--after)->second;
        REQUIRE(is(around.at, at));
        REQUIRE(is(around.before,
                   at == nullptr || after == model.extents.begin() ? nullptr : &(--after)->second));
      }
    }
    REQUIRE(table.size() == model.extents.size());
    uint64_t shared = 0, arguments = 0;
    for (const auto& [base, extent] : model.extents) {
      if (extent.memory_class == MemoryClass::managed) shared += extent.size;
      if (extent.memory_class == MemoryClass::host_kernarg) arguments += extent.size;
      REQUIRE(table.bounds().low <= base);
      REQUIRE(table.bounds().high >= base + extent.size);
      if (step % 64 != 0) break;
    }
    if (step % 64 == 0) {
      REQUIRE(table.host_data_bytes() == shared);
      REQUIRE(table.kernarg_bytes() == arguments);
    }
    if (random() % 50 == 0 || step == 5999) {
      const uint64_t agent = 1 + random() % 3;
      const auto expected = model.saved(agent);
      const auto got = table.saved_extents(agent, nullptr);
      REQUIRE(std::equal(got.begin(), got.end(), expected.begin(), expected.end(), same));
    }
    if (step == 3000 && seed == 4) {
      table.clear();
      model.extents.clear();
      taken.clear();
    }
  }
}

TEST_CASE("readers see whole extents while writers change the table") {
  // Every extent carries its base in its other fields, so a mixed one is recognised.
  constexpr uint64_t kStep = 0x1000;
  constexpr int kWriters = 2;
  constexpr int kReaders = 3;
  constexpr uint64_t kPerWriter = 300;
  const auto made = [](uint64_t base) {
    Extent extent = make(base, 0x800, base ^ 0x5555, MemoryClass::device_coarse);
    extent.host.value = reinterpret_cast<std::byte*>(base * 2);  // never dereferenced
    return extent;
  };
  ExtentTable table;
  // One extent that always stays: it must be found on every try.
  table.insert(made(0x80));
  std::atomic<int> writing{kWriters};
  std::atomic<uint64_t> mixed{0}, lost{0}, found{0};
  std::vector<std::thread> threads;
  threads.reserve(kWriters + kReaders);
  for (int w = 0; w < kWriters; ++w) {
    threads.emplace_back([&, w] {
      std::mt19937 random(static_cast<unsigned>(w));
      const uint64_t start = (1 + static_cast<uint64_t>(w)) << 24;
      for (int round = 0; round < 20; ++round) {
        for (uint64_t i = 0; i < kPerWriter; ++i) table.insert(made(start + i * kStep));
        for (uint64_t i = 0; i < kPerWriter; ++i) table.take(GpuVa(start + ((i * 7) % kPerWriter) * kStep));
      }
      writing.fetch_sub(1);
    });
  }
  for (int r = 0; r < kReaders; ++r) {
    threads.emplace_back([&, r] {
      std::mt19937 random(static_cast<unsigned>(100 + r));
      while (writing.load() > 0) {
        const uint64_t va = ((1 + random() % kWriters) << 24) + random() % (kPerWriter * kStep);
        if (const auto extent = table.find(GpuVa(va))) {
          found.fetch_add(1);
          const uint64_t base = extent->base.value;
          if (extent->agent != (base ^ 0x5555) ||
              extent->host.value != reinterpret_cast<std::byte*>(base * 2) || !extent->contains(GpuVa(va)))
            mixed.fetch_add(1);
          table.saved_list(extent->agent, nullptr);
        }
        if (!table.find(GpuVa(0x90))) lost.fetch_add(1);
        const Neighbours around = table.around(GpuVa(va));
        for (const auto* one : {&around.before, &around.at, &around.after})
          if (*one && (*one)->agent != ((*one)->base.value ^ 0x5555)) mixed.fetch_add(1);
        if (!around.at || (around.after && around.after->base <= GpuVa(va))) lost.fetch_add(1);
      }
    });
  }
  for (auto& thread : threads) thread.join();
  CHECK(mixed == 0);
  CHECK(lost == 0);
  CHECK(table.size() == 1);
}
