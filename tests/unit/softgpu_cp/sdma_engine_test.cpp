#include "cp/sdma_engine.hpp"

#include <catch2/catch.hpp>

#include <numeric>

#include "cp/sdma_packets.hpp"
#include "fixture.hpp"

namespace softgpu::cp::test {
namespace {

constexpr size_t kSdmaRingBytes = 1024;

struct SdmaFixture : Fixture {
  SdmaFixture()
      : ring(arena.at<uint32_t>(kRingOffset)),
        read(arena.at<uint64_t>(kQueueOffset)),
        source(arena.at<uint8_t>(kDataOffset)),
        target(arena.at<uint8_t>(2 * kDataOffset)),
        engine(context, Ring{arena.at<std::byte>(kRingOffset), GpuVa(ring), kSdmaRingBytes}, &doorbell,
               read) {
    std::iota(source, source + kDataOffset, uint8_t{3});
  }
  void submit(const std::vector<uint32_t>& dwords) {
    for (const uint32_t word : dwords) {
      ring[write / 4 % (kSdmaRingBytes / 4)] = word;
      write += 4;
    }
    doorbell = write;
  }
  Step run() {
    Step step = Step::progress;
    while (step == Step::progress) step = engine.step();
    return step;
  }
  static uint32_t low(const void* p) { return static_cast<uint32_t>(va_of(p)); }
  static uint32_t high(const void* p) { return static_cast<uint32_t>(va_of(p) >> 32); }

  uint32_t* ring;
  uint64_t* read;
  uint8_t* source;
  uint8_t* target;
  std::atomic<uint64_t> doorbell{0};
  uint64_t write = 0;
  SdmaEngine engine;
};

}  // namespace

TEST_CASE("sdma: NOP skips its count, and the read pointer follows") {
  SdmaFixture f;
  f.submit({0x00020000, 0xffffffff, 0xffffffff, 0});
  CHECK(f.engine.step() == Step::progress);
  CHECK(*f.read == 12);
  CHECK(f.run() == Step::idle);
  CHECK(*f.read == 16);
}

TEST_CASE("sdma: linear copy moves exactly its bytes, through aliases on both sides") {
  SdmaFixture f;
  const auto alias = uint64_t{0x7700000000};
  f.memory.map(GpuVa(alias), 4096, HostPtr(f.source), false);
  f.memory.map(GpuVa(alias + 4096), 4096, HostPtr(f.source + 8192), false);  // neighbours with a gap behind
  f.submit({1, 6000 - 1, 0, static_cast<uint32_t>(alias), static_cast<uint32_t>(alias >> 32), f.low(f.target),
            f.high(f.target)});
  CHECK(f.run() == Step::idle);
  CHECK(std::memcmp(f.target, f.source, 4096) == 0);
  CHECK(std::memcmp(f.target + 4096, f.source + 8192, 6000 - 4096) == 0);
  CHECK(f.target[6000] == 0);
}

TEST_CASE("sdma: sub-window copy") {
  SdmaFixture f;
  // 4-byte elements; from x 2, y 1, z 1, pitch 16, slice 64 to x 1, y 0, z 0, pitch 8, slice 32; 3 x 2 x 2.
  f.submit({2u << 29 | 4u << 8 | 1, f.low(f.source), f.high(f.source), 1u << 16 | 2, 15u << 13 | 1, 63,
            f.low(f.target), f.high(f.target), 1, 7u << 13, 31, 1u << 16 | 2, 1});
  CHECK(f.run() == Step::idle);
  for (uint32_t z = 0; z < 2; ++z) {
    for (uint32_t y = 0; y < 4; ++y) {
      for (uint32_t x = 0; x < 8; ++x) {
        const bool inside = x >= 1 && x < 4 && y < 2;
        uint32_t value;
        std::memcpy(&value, f.target + 4 * (z * 32 + y * 8 + x), 4);
        uint32_t expected = 0;
        if (inside) std::memcpy(&expected, f.source + 4 * ((z + 1) * 64 + (y + 1) * 16 + x + 1), 4);
        CHECK(value == expected);
      }
    }
  }
}

TEST_CASE("sdma: fill with bytes, halves and words, ending anywhere") {
  const auto [code, unit] = GENERATE(table<uint32_t, unsigned>({{0, 1}, {1, 2}, {2, 4}}));
  SdmaFixture f;
  f.submit({code << 30 | 11, f.low(f.target + 1), f.high(f.target), 0x44332211, 19 - 1});
  CHECK(f.run() == Step::idle);
  CHECK(f.target[0] == 0);
  for (unsigned i = 0; i < 19; ++i) CHECK(f.target[1 + i] == 0x11 * (1 + i % unit));
  CHECK(f.target[20] == 0);
}

TEST_CASE("sdma: fence, atomic and trap complete a signal") {
  SdmaFixture f;
  auto* value = f.arena.at<uint64_t>(kSignalsOffset);
  auto* mailbox = f.arena.at<uint32_t>(kSlotsOffset);
  *value = uint64_t{1} << 32;
  f.submit({47u << 25 | 10, f.low(value), f.high(value), 0xffffffff, 0xffffffff, 0, 0, 0});  // minus one
  f.submit({5, f.low(mailbox), f.high(mailbox), 42});
  f.submit({6, 42});
  CHECK(f.run() == Step::idle);
  CHECK(*value == 0xffffffff);
  CHECK(*mailbox == 42);
  CHECK(f.sink.events == std::vector<uint32_t>{42});
}

TEST_CASE("sdma: a poll of memory blocks its queue until it holds; bit 31 clear is a flush") {
  SdmaFixture f;
  auto* word = f.arena.at<uint32_t>(kSignalsOffset);
  f.submit({8, 0, 0, 0, 0, 0});
  *word = 0x501;
  f.submit({1u << 31 | 3u << 28 | 8, f.low(word), f.high(word), 0, 0xff, 0});
  f.submit({6, 7});
  CHECK(f.run() == Step::blocked);
  CHECK(*f.read == 24);
  CHECK(f.run() == Step::blocked);
  CHECK(f.sink.events.empty());
  *word = 0x500;  // equal under the mask
  CHECK(f.run() == Step::idle);
  CHECK(f.sink.events == std::vector<uint32_t>{7});
}

TEST_CASE("sdma: every comparison of a poll") {
  // value 5 against the reference: function, reference, does it hold
  const auto [function, reference, holds] = GENERATE(table<uint32_t, uint32_t, bool>({{0, 0, true},
                                                                                      {1, 6, true},
                                                                                      {1, 5, false},
                                                                                      {2, 5, true},
                                                                                      {2, 4, false},
                                                                                      {3, 5, true},
                                                                                      {3, 6, false},
                                                                                      {4, 6, true},
                                                                                      {4, 5, false},
                                                                                      {5, 5, true},
                                                                                      {5, 6, false},
                                                                                      {6, 4, true},
                                                                                      {6, 5, false}}));
  SdmaFixture f;
  auto* word = f.arena.at<uint32_t>(kSignalsOffset);
  *word = 5;
  f.submit({1u << 31 | function << 28 | 8, f.low(word), f.high(word), reference, 0xffffffff, 0});
  CHECK(f.run() == (holds ? Step::idle : Step::blocked));
}

TEST_CASE("sdma: a copy takes the same ticks every time, between two timestamps") {
  SdmaFixture f;
  auto* stamps = f.arena.at<uint64_t>(kSlotsOffset);
  const auto stamped_copy = [&](size_t at) {
    f.submit({2u << 8 | 13, f.low(stamps + at), f.high(stamps + at)});
    f.submit({1, 32000 - 1, 0, f.low(f.source), f.high(f.source), f.low(f.target), f.high(f.target)});
    f.submit({2u << 8 | 13, f.low(stamps + at + 1), f.high(stamps + at + 1)});
    CHECK(f.run() == Step::idle);
  };
  stamped_copy(0);
  CHECK(stamps[0] == 1000);
  CHECK(stamps[1] - stamps[0] == 1 + 1 + 32000 / kSdmaBytesPerTick);
  Fixture::tick = 5000;
  stamped_copy(2);
  CHECK(stamps[2] == 5000);
  CHECK(stamps[3] - stamps[2] == stamps[1] - stamps[0]);
  CHECK(f.clock.now() >= stamps[3]);
}

TEST_CASE("sdma: what is not known or not mapped stops the queue") {
  SdmaFixture f;
  size_t faults = 0;
  SECTION("unknown op") { f.submit({0x7f}); }
  SECTION("unknown sub-op of copy") { f.submit({0x0201, 0, 0, 0, 0, 0, 0}); }
  SECTION("atomic other than add64") { f.submit({15u << 25 | 10, 0, 0, 0, 0, 0, 0, 0}); }
  SECTION("reserved comparison") { f.submit({1u << 31 | 7u << 28 | 8, 0, 0, 0, 0, 0}); }
  SECTION("reserved fill size") { f.submit({3u << 30 | 11, 0, 0, 0, 0}); }
  SECTION("packet longer than the write pointer allows") { f.submit({1, 0, 0}); }
  SECTION("copy from nowhere") {
    f.submit({1, 63, 0, 0x1000, 0, f.low(f.target), f.high(f.target)});
    faults = 1;
  }
  SECTION("copy to nowhere") {
    f.submit({1, 63, 0, f.low(f.source), f.high(f.source), 0x1000, 0});
    faults = 1;
  }
  SECTION("fence to nowhere") {
    f.submit({5, 0x1000, 0, 1});
    faults = 1;
  }
  f.submit({6, 7});
  CHECK(f.run() == Step::halted);
  CHECK(*f.read == 0);
  CHECK(f.sink.events.empty());
  CHECK(f.sink.faults.size() == faults);
}

TEST_CASE("sdma: packets wrap around the ring's end") {
  SdmaFixture f;
  for (size_t i = 0; i < kSdmaRingBytes / 4 - 3; ++i) f.submit({0});
  CHECK(f.run() == Step::idle);
  f.submit({1, 99, 0, f.low(f.source), f.high(f.source), f.low(f.target), f.high(f.target)});
  CHECK(f.run() == Step::idle);
  CHECK(std::memcmp(f.target, f.source, 100) == 0);
  CHECK(*f.read == kSdmaRingBytes + 16);
}

}  // namespace softgpu::cp::test
