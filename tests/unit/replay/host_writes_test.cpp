// Host memory that a kernel's arguments point at: found, compared, put back, and what was not is counted.

#include "replay/host_writes.hpp"

#include <sys/mman.h>
#include <catch2/catch.hpp>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <thread>

using kreplay::GpuVa;
using kreplay::HostPtr;
using kreplay::hsa::KernelMetadata;
using kreplay::replay::Arguments;
using kreplay::replay::HostWrites;
using kreplay::snapshot::Extent;
using kreplay::snapshot::ExtentTable;
using kreplay::snapshot::MemoryClass;

namespace {

using Words = std::vector<uint64_t>;

constexpr size_t kPage = 4096;

uint64_t address(const void* p) { return reinterpret_cast<uint64_t>(p); }

struct World {
  ExtentTable extents;
  HostWrites writes;
  KernelMetadata kernel;
  Arguments view;
  // In pages of their own, so that what the test allocates beside them is not near.
  Words arguments = Words(8);

  World() {
    know(arguments, MemoryClass::host_kernarg);
    kernel.explicit_bytes = 32;
  }
  void know(Words& words, MemoryClass c) { know(words.data(), words.size() * 8, c); }
  void know(void* memory, size_t bytes, MemoryClass c) {
    extents.insert({GpuVa(memory), bytes, 0, 0, c, HostPtr(memory)});
  }
  void begin() {
    view.look(&kernel, address(arguments.data()), extents);
    writes.begin(view, extents);
  }
  bool changed() { return writes.first_changed() != nullptr; }
  void restore() {
    const Extent* failed = nullptr;
    CHECK(writes.restore(&failed) == HostWrites::Restored::yes);
    CHECK(failed == nullptr);
  }
};

/// Pages of one mapping, surrounded by pages of nobody, so that nothing else is near.
class Pages {
 public:
  explicit Pages(size_t count) : bytes_((count + 4) * kPage) {
    void* memory = mmap(nullptr, bytes_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    REQUIRE(memory != MAP_FAILED);
    all_ = static_cast<char*>(memory);
    REQUIRE(mprotect(page(0), count * kPage, PROT_READ | PROT_WRITE) == 0);
  }
  ~Pages() { munmap(all_, bytes_); }
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;
  char* page(size_t i) const { return all_ + (i + 2) * kPage; }
  void protect(size_t i, int how) const { REQUIRE(mprotect(page(i), kPage, how) == 0); }

 private:
  size_t bytes_;
  char* all_ = nullptr;
};

}  // namespace

TEST_CASE("every class of host memory that an argument points into is compared and put back") {
  const MemoryClass c = GENERATE(MemoryClass::host_coarse, MemoryClass::host_fine, MemoryClass::managed);
  World w;
  Words data(100, 5);
  w.know(data, c);
  w.arguments[2] = address(&data[40]);  // anywhere in the extent
  w.begin();
  CHECK_FALSE(w.changed());
  data[0] = 6;
  data[99] = 7;
  const Extent* changed = w.writes.first_changed();
  REQUIRE(changed != nullptr);
  CHECK(changed->base == GpuVa(data.data()));
  CHECK(changed->memory_class == c);
  w.restore();
  CHECK_FALSE(w.changed());
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
  w.restore();
  CHECK(data == Words(16, 1));
}

TEST_CASE("device memory and unknown addresses are left alone") {
  World w;
  Words device(8, 1), unknown(8, 1);
  w.know(device, GENERATE(MemoryClass::device_coarse, MemoryClass::device_fine, MemoryClass::code_segment));
  w.arguments = {address(device.data()), address(unknown.data()), 0, 0, 0, 0, 0, 0};
  w.begin();
  device[0] = unknown[0] = 2;
  CHECK_FALSE(w.changed());
  w.restore();
  CHECK(device[0] == 2);
  CHECK(unknown[0] == 2);
}

TEST_CASE("argument memory is looked at where an argument points into it") {
  World w;
  Words pool(8, 1);
  w.know(pool, MemoryClass::host_kernarg);
  w.begin();
  pool[0] = 2;
  CHECK_FALSE(w.changed());  // nothing points there: whoever fills it may do so
  CHECK(w.writes.unverified_bytes() == 0);
  w.arguments[1] = address(&pool[3]);
  w.begin();
  pool[7] = 3;
  CHECK(w.changed());
  w.restore();
  CHECK(pool[7] == 1);
  CHECK(w.writes.unverified_bytes() == 0);

  // A runtime's buffer beside the arguments, in the same allocation, as libgomp has it.
  w.arguments[1] = address(&w.arguments[5]);
  w.begin();
  CHECK_FALSE(w.changed());
  w.arguments[6] = 77;
  CHECK(w.changed());
}

TEST_CASE("argument memory that cannot be read is counted once an argument points into it") {
  World w;
  const Pages pages(2);
  w.know(pages.page(0), 2 * kPage, MemoryClass::host_kernarg);
  pages.protect(1, PROT_NONE);
  w.begin();
  CHECK(w.writes.unverified_bytes() == 0);
  w.arguments[0] = address(pages.page(0));
  w.begin();
  CHECK(w.writes.unverified_bytes() == kPage);
}

TEST_CASE("only explicit arguments are looked at, and of them every whole word at any byte") {
  World w;
  const Pages pages(1);
  w.know(pages.page(0), kPage, MemoryClass::host_fine);
  const auto seen = [&](size_t byte, uint32_t explicit_bytes) {
    std::fill(w.arguments.begin(), w.arguments.end(), 0);
    const uint64_t pointer = address(pages.page(0)) + 64;
    std::memcpy(reinterpret_cast<char*>(w.arguments.data()) + byte, &pointer, sizeof pointer);
    w.kernel.explicit_bytes = explicit_bytes;
    w.begin();
    pages.page(0)[0] = 2;
    const bool changed = w.changed();
    pages.page(0)[0] = 1;
    return changed;
  };
  CHECK(seen(24, 32));
  CHECK_FALSE(seen(32, 40 - 8));  // a hidden argument
  CHECK_FALSE(seen(24, 31));
  CHECK(seen(0, 8));
  CHECK_FALSE(seen(0, 7));
  CHECK_FALSE(seen(0, 0));
  CHECK_FALSE(seen(0, 1000));  // more than the argument memory holds: not read
  for (size_t byte = 0; byte <= 24; ++byte) CHECK(seen(byte, 32));
  CHECK_FALSE(seen(25, 32));
}

TEST_CASE("a pointer beside an extent counts for it: the end, one before, near it in nothing known") {
  World w;
  const Pages pages(4);
  const uint64_t base = address(pages.page(1));
  w.know(pages.page(1), kPage,
         GENERATE(MemoryClass::host_coarse, MemoryClass::host_locked, MemoryClass::managed));
  const auto seen = [&](uint64_t pointer) {
    w.arguments[1] = pointer;
    w.begin();
    pages.page(1)[100] ^= 1;
    const bool changed = w.changed();
    pages.page(1)[100] ^= 1;
    return changed;
  };
  SECTION("with nothing around") {
    for (const uint64_t before : {uint64_t{1}, uint64_t{4}, uint64_t{4096}}) CHECK(seen(base - before));
    CHECK_FALSE(seen(base - 4097));
    for (const uint64_t after : {uint64_t{0}, uint64_t{8}, uint64_t{4096}}) CHECK(seen(base + kPage + after));
    CHECK_FALSE(seen(base + kPage + 4097));
  }
  SECTION("with neighbours on both sides") {
    w.know(pages.page(0), kPage, MemoryClass::device_coarse);
    w.know(pages.page(2), kPage, MemoryClass::device_coarse);
    CHECK(seen(base + kPage));
    CHECK_FALSE(seen(base + kPage + 1));
    CHECK(seen(base - 1));
    CHECK(seen(base - 64));
    CHECK_FALSE(seen(base - 65));
  }
  SECTION("argument memory counts only when nothing else may be meant") {
    w.extents.reclassify(GpuVa(base), w.extents.find(GpuVa(base))->generation, MemoryClass::host_kernarg);
    CHECK(seen(base + kPage));
    w.know(pages.page(2), kPage, MemoryClass::host_fine);
    CHECK_FALSE(seen(base + kPage));
  }
}

TEST_CASE("without metadata or readable arguments all host memory counts as unverified") {
  World w;
  Words data(8, 1), elsewhere(8);
  w.know(data, MemoryClass::host_fine);
  const uint64_t kernargs = w.arguments.size() * 8;
  w.arguments[0] = elsewhere[0] = address(data.data());
  w.view.look(nullptr, address(w.arguments.data()), w.extents);
  w.writes.begin(w.view, w.extents);
  data[0] = 2;
  CHECK_FALSE(w.changed());
  CHECK(w.writes.unverified_bytes() == 64 + kernargs);
  w.view.look(&w.kernel, 8, w.extents);  // nothing is mapped there
  CHECK(w.view.state() == Arguments::State::unreadable);
  w.writes.begin(w.view, w.extents);
  CHECK(w.writes.unverified_bytes() == 64 + kernargs);
  w.view.look(&w.kernel, address(elsewhere.data()), w.extents);  // memory that nobody announced
  w.writes.begin(w.view, w.extents);
  data[0] = 3;
  CHECK(w.changed());
  CHECK(w.writes.unverified_bytes() == 0);
  w.writes.begin_unchecked(w.extents);
  CHECK_FALSE(w.changed());
  CHECK(w.writes.unverified_bytes() == 64 + kernargs);
}

TEST_CASE("memory that no argument points at is in reach all the same, and counted") {
  World w;
  Words one(8, 1), other(100, 1);
  w.know(one, MemoryClass::host_fine);
  w.know(other, MemoryClass::host_coarse);
  w.arguments[0] = address(one.data());
  w.begin();
  CHECK(w.writes.unverified_bytes() == 800);
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
  two[0] = 1;
  w.arguments = {};
  w.arguments.resize(8);
  const Pages pages(1);  // far from the two
  w.know(pages.page(0), kPage, MemoryClass::host_fine);
  w.arguments[0] = address(pages.page(0)) + 100;
  w.begin();
  two[0] = 9;
  CHECK_FALSE(w.changed());
  w.restore();
  CHECK(two[0] == 9);
}

TEST_CASE("memory beyond the limit is counted, not touched; what fits is still checked") {
  World w;
  Words data(8, 1);
  w.know(data, MemoryClass::host_fine);
  // No such memory exists: reading it would find nothing.
  constexpr uint64_t kHuge = 0x6000'0000'0000, kBytes = HostWrites::kMaxBytes + 1;
  w.extents.insert({GpuVa(kHuge), kBytes, 0, 0, MemoryClass::host_coarse, HostPtr()});
  w.arguments = {kHuge + 64, address(data.data()), 0, 0, 0, 0, 0, 0};
  w.begin();
  CHECK(w.writes.unverified_bytes() == kBytes);
  CHECK_FALSE(w.changed());
  data[7] = 2;
  CHECK(w.changed());
  data[7] = 1;
  REQUIRE(w.extents.take(GpuVa(kHuge)));
  w.begin();
  CHECK(w.writes.unverified_bytes() == 0);
}

TEST_CASE("device variables are searched for pointers up to a limit per dispatch") {
  World w;
  const Pages near(1), far(1);
  w.know(near.page(0), kPage, MemoryClass::managed);
  w.know(far.page(0), kPage, MemoryClass::managed);
  constexpr size_t kWords = HostWrites::kMaxScannedBytes / 8;
  Words variables(kWords + 1);
  variables[kWords - 1] = address(near.page(0)) + 100;
  variables[kWords] = address(far.page(0)) + 100;
  w.begin();
  const auto bytes = std::as_bytes(std::span(variables));
  w.writes.add_pointed_at(bytes, w.extents);
  far.page(0)[0] = 2;
  CHECK_FALSE(w.changed());
  near.page(0)[0] = 2;
  CHECK(w.changed());
  w.writes.add_pointed_at(bytes.last(8), w.extents);
  far.page(0)[0] = 3;
  near.page(0)[0] = 0;
  CHECK_FALSE(w.changed());  // nothing was left of the limit
  CHECK(w.writes.unverified_bytes() == kPage);
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
  CHECK(w.changed());
  w.restore();
  CHECK(*last == 0);
  *last = 2;
  REQUIRE(munmap(pages, kBytes) == 0);
  CHECK_FALSE(w.changed());
  w.restore();
  w.begin();
  CHECK_FALSE(w.changed());
  CHECK(w.writes.unverified_bytes() == 0);
}

TEST_CASE("of memory with pages that cannot be read the rest is compared and put back") {
  const MemoryClass c = GENERATE(MemoryClass::host_coarse, MemoryClass::host_locked, MemoryClass::managed);
  World w;
  const Pages pages(40);
  w.know(pages.page(0), 40 * kPage, c);
  w.arguments[0] = address(pages.page(3));
  for (const size_t i : {0, 17, 18, 39}) pages.protect(i, PROT_NONE);
  w.begin();
  CHECK(w.writes.unverified_bytes() == 4 * kPage);
  for (const size_t i : {1, 16, 19, 38}) {
    pages.page(i)[kPage - 1] = 5;
    CHECK(w.changed());
    w.restore();
    CHECK(pages.page(i)[kPage - 1] == 0);
    CHECK_FALSE(w.changed());
  }
  // One more goes while the passes run.
  pages.page(20)[7] = 5;
  pages.protect(20, PROT_NONE);
  CHECK_FALSE(w.changed());
  CHECK(w.writes.unverified_bytes() == 5 * kPage);
  w.restore();
  for (const size_t i : {0, 17, 18, 39, 20}) pages.protect(i, PROT_READ);
  CHECK(pages.page(20)[7] == 5);
}

TEST_CASE("what cannot be written is told before anything is put back") {
  World w;
  const Pages pages(4);
  w.know(pages.page(0), 4 * kPage, MemoryClass::host_coarse);
  w.arguments[0] = address(pages.page(0));
  w.begin();
  pages.page(0)[1] = pages.page(2)[1] = 5;
  pages.protect(2, PROT_READ);
  pages.protect(3, PROT_READ);  // did not change: does not matter
  const Extent* failed = nullptr;
  CHECK(w.writes.restore(&failed) == HostWrites::Restored::refused);
  REQUIRE(failed != nullptr);
  CHECK(failed->base == GpuVa(pages.page(0)));
  CHECK(pages.page(0)[1] == 5);
  CHECK(pages.page(2)[1] == 5);
  pages.protect(2, PROT_READ | PROT_WRITE);
  w.restore();
  CHECK(pages.page(0)[1] == 0);
  CHECK(pages.page(2)[1] == 0);
}

TEST_CASE("only bytes that differ are written back") {
  World w;
  Words data(1024, 1);
  w.know(data, MemoryClass::host_fine);
  w.arguments[0] = address(data.data());
  w.begin();
  data[3] = data[900] = 2;
  w.restore();
  CHECK(data == Words(1024, 1));
}

TEST_CASE("locked memory that another thread unlocks and unmaps all the time ends no process") {
  World w;
  constexpr size_t kPages = 16;
  const Pages pages(kPages);
  const uint64_t agent_address = 0x7000'0000'0000;
  std::atomic<bool> stop{false};
  std::atomic<uint64_t> rounds{0};
  w.arguments[0] = agent_address + 8;
  std::thread other([&] {
    while (!stop.load()) {
      w.extents.insert(
          {GpuVa(agent_address), kPages * kPage, 0, 0, MemoryClass::host_locked, HostPtr(pages.page(0))});
      std::memset(pages.page(0), 7, kPages * kPage);
      (void)w.extents.take(GpuVa(agent_address));
      if (munmap(pages.page(0), kPages * kPage) != 0) break;
      void* again = mmap(pages.page(0), kPages * kPage, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
      if (again == MAP_FAILED) break;
      rounds.fetch_add(1);
    }
  });
  uint64_t looked = 0, changed = 0, broken = 0;
  for (int i = 0; i < 2000 || ((rounds.load() < 100 || looked == 0) && i < 1'000'000); ++i) {
    w.begin();
    looked += w.view.pointees().size();
    if (w.changed()) ++changed;
    const Extent* failed = nullptr;
    if (w.writes.restore(&failed) == HostWrites::Restored::broken) ++broken;
  }
  stop.store(true);
  other.join();
  INFO(looked << " looked at, " << changed << " changed");
  CHECK(rounds.load() >= 100);
  CHECK(looked > 0);
  CHECK(broken == 0);
}
