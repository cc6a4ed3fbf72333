// Performance counters: packets as AMD's aqlprofile builds them (docs/softgpu.md), a double of the
// interpreter that says what a grid did.
#include <catch2/catch.hpp>
#include <vector>

#include "cp/perfmon.hpp"
#include "cp/pm4.hpp"
#include "fixture.hpp"

using namespace softgpu;
using namespace softgpu::cp;
using namespace softgpu::cp::test;

namespace {

constexpr uint32_t kBroadcast = 0xe0000000;
constexpr uint32_t kSqAll = 0x0f0ff000;  // what aqlprofile adds to an SQ event

/// An indirect buffer under construction.
struct Commands {
  std::vector<uint32_t> words;
  void uconfig(uint32_t reg, uint32_t value) { words.insert(words.end(), {0xc0017900, reg - 0xc000, value}); }
  void sh(uint32_t reg, uint32_t value) { words.insert(words.end(), {0xc0017600, reg - 0x2c00, value}); }
  void event_write() { words.insert(words.end(), {0xc0004600, 0x407}); }
  void copy(uint32_t reg, uint64_t to, uint32_t control = 0x02002500) {
    words.insert(words.end(),
                 {0xc0044000, control, reg, 0, static_cast<uint32_t>(to), static_cast<uint32_t>(to >> 32)});
  }
};

struct Selected {
  uint32_t index, reg, value;
};

Commands start(const std::vector<Selected>& events) {
  Commands c;
  c.event_write();
  c.uconfig(0xc200, kBroadcast);
  c.uconfig(0xdcbf, 1);
  c.uconfig(0xd808, 0);
  for (const Selected& event : events) {
    c.uconfig(0xc200, event.index);
    c.uconfig(event.reg, event.value);
    c.uconfig(0xd9e1, 0xffffffff);
    c.uconfig(0xd9e0, 0xffff0057);
  }
  c.uconfig(0xc200, kBroadcast);
  c.sh(0x2e0b, 1);
  c.uconfig(0xd808, 0);
  c.uconfig(0xd808, 1);
  c.event_write();
  return c;
}

Commands stop() {
  Commands c;
  c.uconfig(0xc200, kBroadcast);
  c.uconfig(0xd808, 2);
  c.uconfig(0xdcbf, 0);
  c.event_write();
  return c;
}

gfx9::UnitCounts unit(uint32_t number, uint64_t waves, uint64_t valu) {
  gfx9::UnitCounts out;
  out.unit = number;
  out.waves = waves;
  out.workgroups = 1;
  out.insts[static_cast<unsigned>(gfx9::InstClass::valu)] = valu;
  out.insts[static_cast<unsigned>(gfx9::InstClass::global_load)] = 10 + number;
  return out;
}

struct PerfFixture : AqlFixture {
  explicit PerfFixture(uint32_t target = 90006) : monitor(config(target)) {
    context.config = config(target);
    context.perfmon = &monitor;
    engine = std::make_unique<AqlEngine>(context, queue, GpuVa(queue),
                                         Ring{ring, GpuVa(ring), kRingPackets * kAqlPacketBytes});
    gfx9::GridDouble::run = [this](const gfx9::GridDispatch& dispatch, const gfx9::GridHost&) {
      counted.push_back(dispatch.count);
      gfx9::GridResult result;
      result.stats.ticks = 1;
      result.stats.device_cycles = 1000;
      if (dispatch.count) result.stats.units = {unit(0, 2, 7), unit(1, 1, 5), unit(17, 4, 3)};
      return result;
    };
  }
  static gfx9::DeviceConfig config(uint32_t target) {
    gfx9::DeviceConfig out;
    out.gfx_target_version = target;
    out.compute_units = 32;
    return out;
  }
  /// Runs the buffer as a vendor packet.
  Step run_commands(const Commands& commands) {
    auto* words = arena.at<uint32_t>(kDataOffset);
    std::copy(commands.words.begin(), commands.words.end(), words);
    const uint64_t index = queue->write_dispatch_id;
    auto* packet = slot<Pm4IbPacket>(index);
    std::memset(static_cast<void*>(packet), 0, sizeof *packet);
    packet->amd_format = kAmdFormatPm4Ib;
    packet->ib_packet[0] = 0xc0023f00;
    packet->ib_packet[1] = static_cast<uint32_t>(va_of(words));
    packet->ib_packet[2] = static_cast<uint32_t>(va_of(words) >> 32);
    packet->ib_packet[3] = static_cast<uint32_t>(commands.words.size()) | 1u << 23;
    publish(index, HSA_PACKET_TYPE_VENDOR_SPECIFIC);
    return run();
  }
  Step run_grid() {
    submit_dispatch({0});
    return run();
  }
  uint64_t read(uint32_t index, uint32_t lo, uint32_t hi) {
    auto* out = arena.at<uint64_t>(kDataOffset + 0x8000);
    *out = ~uint64_t{0};
    Commands c;
    c.uconfig(0xd808, 0x401);
    c.uconfig(0xc200, index);
    c.copy(lo, va_of(out));
    c.copy(hi, va_of(out) + 4);
    CHECK(run_commands(c) == Step::idle);
    return *out;
  }

  PerfMonitor monitor;
  std::vector<bool> counted;
};

}  // namespace

TEST_CASE("counters count grids between start and read, per shader engine, and start anew") {
  PerfFixture f;
  CHECK(f.run_grid() == Step::idle);  // before: not counted
  const Commands begin =
      start({{kBroadcast, 0xd9c0, kSqAll | 4}, {kBroadcast, 0xd9c1, kSqAll | 26}, {kBroadcast, 0xd840, 2}});
  for (int again = 0; again < 2; ++again) {
    REQUIRE(f.run_commands(begin) == Step::idle);
    f.run_grid();
    CHECK(f.read(0x60000000, 0xd1c0, 0xd1c1) == 3);  // SQ_WAVES, engine 0
    CHECK(f.read(0x60010000, 0xd1c0, 0xd1c1) == 4);
    CHECK(f.read(0x60000000, 0xd1c2, 0xd1c3) == 12);  // SQ_INSTS_VALU
    CHECK(f.read(0x60010000, 0xd1c2, 0xd1c3) == 3);
    CHECK(f.read(0x60020000, 0xd1c0, 0xd1c1) == 0);     // no such engine
    CHECK(f.read(kBroadcast, 0xd040, 0xd041) == 1000);  // GRBM_GUI_ACTIVE
    f.run_grid();
    CHECK(f.read(0x60000000, 0xd1c0, 0xd1c1) == 6);  // reading goes on counting
    REQUIRE(f.run_commands(stop()) == Step::idle);
    f.run_grid();
    CHECK(f.monitor.counting() == false);
  }
  CHECK(f.counted == std::vector<bool>{false, true, true, false, true, true, false});
}

TEST_CASE("a value is that of the last sample, and zero when none was taken since the reset") {
  PerfFixture f;
  REQUIRE(f.run_commands(start({{kBroadcast, 0xd9c0, kSqAll | 4}})) == Step::idle);
  f.run_grid();
  std::string refused;
  CHECK(f.monitor.write(0xc200, 0x60000000).known);
  CHECK(f.monitor.read(0xd1c0, refused) == 0);
  CHECK(f.monitor.write(0xd808, 0x401).refused.empty());
  CHECK(f.monitor.read(0xd1c0, refused) == 3);
  f.run_grid();
  CHECK(f.monitor.read(0xd1c0, refused) == 3);
  CHECK(f.monitor.write(0xd808, 0x402).refused.empty());  // stop and sample
  CHECK(f.monitor.read(0xd1c0, refused) == 6);
  CHECK(f.monitor.write(0xd808, 0).refused.empty());
  CHECK(f.monitor.read(0xd1c0, refused) == 0);
  CHECK(refused.empty());
}

TEST_CASE("instances of a block are compute units, one that has none reads zero, each has its own select") {
  PerfFixture f;
  REQUIRE(f.run_commands(
              start({{0xa0000000, 0xdac0, 101}, {0xa0000001, 0xdac0, 102}, {0xa0000008, 0xdac0, 101}})) ==
          Step::idle);
  f.run_grid();
  CHECK(f.read(0x20000000, 0xd2c0, 0xd2c1) == 10);  // TA_FLAT_READ_WAVEFRONTS of unit 0
  CHECK(f.read(0x20000001, 0xd2c0, 0xd2c1) == 0);   // unit 1 counts writes
  CHECK(f.read(0x20010001, 0xd2c0, 0xd2c1) == 0);   // unit 17, too
  CHECK(f.read(0x20000008, 0xd2c0, 0xd2c1) == 0);   // no unit behind it
}

TEST_CASE("the order of low and high dwords of SPI is its own") {
  PerfFixture f;
  REQUIRE(f.run_commands(start({{kBroadcast, 0xd980, 68}})) == Step::idle);
  f.run_grid();
  CHECK(f.read(0x60000000, 0xd181, 0xd180) == 3);  // SPI_CSN_WAVE
}

TEST_CASE("event numbers are those of the target") {
  PerfFixture f(90010);
  REQUIRE(f.run_commands(start({{kBroadcast, 0xd9c0, kSqAll | 54}})) == Step::idle);  // SQ_INSTS_VMEM_RD
  f.run_grid();
  CHECK(f.read(0x60000000, 0xd1c0, 0xd1c1) == 10 + 11);
}

TEST_CASE("a queue that has not asked for counting is not counted") {
  PerfFixture f;
  Commands c = start({{kBroadcast, 0xd9c0, kSqAll | 4}});
  REQUIRE(f.run_commands(c) == Step::idle);
  c.words.clear();
  c.sh(0x2e0b, 0);
  REQUIRE(f.run_commands(c) == Step::idle);
  f.run_grid();
  CHECK(f.counted == std::vector<bool>{false});
}

TEST_CASE("what is not emulated stops the queue with an error and never reads as a number") {
  PerfFixture f;
  Commands c;
  SECTION("an event") { c = start({{kBroadcast, 0xd9c0, kSqAll | 63}}); }
  SECTION("a block") { c = start({{kBroadcast, 0xdb80, 20}}); }
  SECTION("a second event") { c = start({{0xa0000000, 0xdac0, 101 | 102u << 10}}); }
  SECTION("streamed counters") { c.uconfig(0xd808, 0x11); }
  SECTION("phantom states") { c.uconfig(0xd808, 4); }
  SECTION("a register that is no counter") { c.copy(0xd123, va_of(f.arena.bytes + kDataOffset)); }
  SECTION("a 64-bit copy") { c.copy(0xd1c0, va_of(f.arena.bytes + kDataOffset), 0x02012500); }
  CHECK(f.run_commands(c) == Step::halted);
  CHECK(f.queue->read_dispatch_id == 0);
}

TEST_CASE("other registers are skipped with a warning, as before") {
  PerfFixture f;
  Commands c;
  c.uconfig(0xc900, 1);
  c.sh(0x2e00, 1);
  CHECK(f.run_commands(c) == Step::idle);
}

TEST_CASE("a counter is stored where the packet says, or the queue has a memory fault") {
  PerfFixture f;
  Commands c;
  c.copy(0xd1c0, 0x1234000);
  CHECK(f.run_commands(c) == Step::halted);
  REQUIRE(f.sink.faults.size() == 1);
  CHECK(f.sink.faults[0].address == 0x1234000);
}
