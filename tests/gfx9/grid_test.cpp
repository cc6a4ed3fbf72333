// Dispatches: initial state, workgroups and barriers, cooperative grids, waiting, faults, costs.
#include <immintrin.h>

#include <catch2/catch.hpp>

#include "gfx9/memory_access.hpp"
#include "support/launch.hpp"

namespace g = softgpu::gfx9;
using gfx9_test::KernelFields;
using gfx9_test::kKernarg;
using gfx9_test::kObject;
using gfx9_test::kOutput;
using gfx9_test::kSlots;
using gfx9_test::Launcher;

namespace {

void require_completed(const g::GridResult& result) {
  INFO(result.fault.text);
  REQUIRE(result.end == g::GridEnd::completed);
  REQUIRE(!result.fault);
}
void require_fault(const g::GridResult& result, g::FaultKind kind) {
  INFO(result.fault.text);
  REQUIRE(result.end == g::GridEnd::faulted);
  REQUIRE(result.fault.kind == kind);
  REQUIRE(!result.fault.text.empty());
}

}  // namespace

TEST_CASE("user and system SGPRs follow the order of the ABI") {
  Launcher l;
  l.memory.add(kSlots, 0x10000);
  l.size({256, 2, 3}, {128, 1, 1});
  g::GridDispatch& d = l.dispatch;
  d.scratch_descriptor[0] = 0xa0;
  d.scratch_descriptor[3] = 0xa3;
  d.packet = g::GpuVa(0x1111222233334444ull);
  d.queue = g::GpuVa(0x5555);
  d.dispatch_id = 0x6666;
  d.scratch_base = g::GpuVa(kSlots);
  d.scratch_waves = 8;
  d.scratch_wave_bytes = 4096;
  d.scratch_lane_bytes = 64;
  d.private_segment_bytes = 48;
  KernelFields fields;
  fields.properties = 0x7f;
  fields.user_sgprs = 15;
  fields.scratch_offset = true;
  fields.workgroup_info = true;
  require_completed(l.run("store_sgprs", fields));
  // Block of workgroup x = 1, last written by y = 1, z = 2, second wave.
  const auto s = [&](unsigned n) { return l.out(32 + n); };
  CHECK(s(0) == 0xa0);
  CHECK(s(3) == 0xa3);
  CHECK(s(4) == 0x33334444);
  CHECK(s(5) == 0x11112222);
  CHECK(s(6) == 0x5555);
  CHECK(s(8) == kKernarg);
  CHECK(s(10) == 0x6666);
  CHECK(s(12) == kSlots);
  CHECK(s(14) == 48);
  CHECK(s(15) == 1);
  CHECK(s(16) == 1);
  CHECK(s(17) == 2);
  CHECK(s(18) == 2);                     // two waves, not the first
  CHECK((s(19) == 0 || s(19) == 4096));  // slots of waves that ended are used again
  CHECK(s(20) == 0x3f0);
  CHECK(l.memory.read<uint64_t>(kOutput + 128 + 0x58) == ~uint64_t{0});
}

TEST_CASE("a grid covers each of its work-items once, partial workgroups included") {
  Launcher l;
  l.size({19, 10, 3}, {8, 4, 2});
  const g::GridResult result = l.run("count_items");
  require_completed(result);
  CHECK(result.stats.workgroups == 3 * 3 * 2);
  for (unsigned z = 0; z < 4; ++z) {
    for (unsigned y = 0; y < 32; ++y) {
      for (unsigned x = 0; x < 32; ++x) {
        INFO(x << " " << y << " " << z);
        REQUIRE(l.out(z * 1024 + y * 32 + x) == (x < 19 && y < 10 && z < 3));
      }
    }
  }
}

TEST_CASE("gfx90a packs the work-item ids") {
  g::DeviceConfig config;
  config.gfx_target_version = 90010;
  Launcher l(config);
  l.size({2, 3, 2}, {2, 3, 2});
  require_completed(l.run("packed_ids"));
  CHECK(l.out(0) == (0 | 2u << 10 | 1u << 20));  // the last item with x = 0
  CHECK(l.out(1) == (1 | 2u << 10 | 1u << 20));
}

TEST_CASE("waves of a workgroup meet at barriers") {
  Launcher l;
  l.dispatch.group_segment_bytes = 1024;
  l.size({256}, {256});
  require_completed(l.run("barrier_rotate"));
  for (unsigned n = 0; n < 256; ++n) REQUIRE(l.out(n) == (n + 64) % 256 * 3);
}

TEST_CASE("a wave that ended counts as arrived") {
  Launcher l;
  l.size({128}, {128});
  require_completed(l.run("barrier_early_end"));
  CHECK(l.out(0) == 1);
}

TEST_CASE("global wave sync lets a whole grid meet") {
  Launcher l;
  const bool cooperative = GENERATE(true, false);
  constexpr uint32_t kGroups = 12;
  l.memory.write<uint64_t>(kKernarg, kGroups - 1);
  l.size({1}, {1});
  require_completed(l.run("gws_init"));
  l.dispatch.cooperative = cooperative;
  l.memory.write<uint64_t>(kKernarg, kOutput);
  l.memory.write<uint64_t>(kKernarg + 8, kGroups - 1);
  l.size({kGroups * 64}, {64});
  for (unsigned round = 1; round <= 3; ++round) {
    require_completed(l.run("gws_sum"));
    for (unsigned n = 0; n < kGroups; ++n) REQUIRE(l.out(1 + n) == kGroups * round);
  }
}

TEST_CASE("a barrier without partner is a deadlock") {
  Launcher l;
  l.memory.write<uint64_t>(kKernarg, 5);
  l.size({1}, {1});
  require_completed(l.run("gws_init"));
  l.size({256}, {128});
  l.dispatch.cooperative = true;
  const g::GridResult result = l.run("gws_half");
  require_fault(result, g::FaultKind::deadlock);
  CHECK(result.fault.text.find("2 for global wave sync") != std::string::npos);
}

TEST_CASE("workgroups that wait for later ones get them") {
  const char* kernel = GENERATE("wait_for_next", "wait_for_next_asleep");
  Launcher l;
  constexpr uint32_t kGroups = 7;
  l.memory.write<uint64_t>(kKernarg + 8, kGroups);
  l.size({kGroups * 64}, {64});
  require_completed(l.run(kernel));
  for (unsigned n = 0; n < kGroups; ++n) CHECK(l.out(n) == 1);
}

TEST_CASE("a spinning grid calls idle and can be stopped") {
  const char* kernel = GENERATE("forever", "forever_asleep");
  Launcher l;
  std::atomic<bool> stop{false};
  unsigned idles = 0;
  l.host.stop = &stop;
  l.host.idle = [&] {
    if (++idles == 3) stop = true;
  };
  l.size({128}, {64});
  const g::GridResult result = l.run(kernel);
  CHECK(result.end == g::GridEnd::stopped);
  CHECK(!result.fault);
  CHECK(idles == 3);
}

TEST_CASE("s_sendmsg interrupts the host") {
  Launcher l;
  unsigned interrupts = 0;
  l.host.interrupt = [&] { ++interrupts; };
  l.size({64}, {64});
  require_completed(l.run("messages"));
  CHECK(interrupts == 2);
}

TEST_CASE("no more waves hold scratch than the queue has room for") {
  Launcher l;
  l.memory.add(kSlots, 0x10000);
  l.dispatch.scratch_base = g::GpuVa(kSlots);
  l.dispatch.scratch_waves = 2;
  l.dispatch.scratch_wave_bytes = 4096;
  l.dispatch.scratch_lane_bytes = 64;
  l.dispatch.private_segment_bytes = 32;
  l.memory.write<uint64_t>(kKernarg + 8, kSlots);
  KernelFields fields;
  fields.scratch_offset = true;
  fields.vgpr_ids = 0;
  l.size({64 * 6}, {64});
  for (unsigned n = 0; n < 6; ++n) l.memory.write<uint32_t>(kOutput + 4 * n, 0xffffffff);
  require_completed(l.run("scratch_offset", fields));
  for (unsigned n = 0; n < 6; ++n) {
    INFO(n);
    CHECK(l.out(n) % 4096 == 0);
    CHECK(l.out(n) / 4096 < 2);
  }
}

TEST_CASE("faults say where and what") {
  Launcher l;
  l.size({64}, {64});
  SECTION("illegal instruction") {
    const g::GridResult result = l.run("bad_word");
    require_fault(result, g::FaultKind::illegal_instruction);
    CHECK(result.fault.pc == kObject + 256 + 4);
    CHECK(result.fault.dwords[0] == 0xaf812345);
    CHECK(result.fault.text.find("0xaf812345") != std::string::npos);
  }
  SECTION("memory") {
    l.memory.write<uint64_t>(kKernarg, 0xdead0000);
    const g::GridResult result = l.run("bad_load");
    require_fault(result, g::FaultKind::memory_violation);
    CHECK(result.fault.address == 0xdead0010);
    CHECK(!result.fault.write);
    CHECK(result.fault.pc == kObject + 256 + 16);
    CHECK(result.fault.text.find("global_load_dword") != std::string::npos);
  }
  SECTION("trap") {
    const g::GridResult result = l.run("trap");
    require_fault(result, g::FaultKind::trap);
    CHECK(result.fault.pc == kObject + 256 + 4);
  }
  SECTION("kernel object") {
    l.dispatch.kernel_object = g::GpuVa(0x5000);
    require_fault(l.grid.run(l.dispatch, l.host), g::FaultKind::memory_violation);
  }
  SECTION("register indexing") {
    require_fault(l.run("gpr_index_out_of_range"), g::FaultKind::illegal_instruction);
  }
}

TEST_CASE("dispatches the device cannot run are refused") {
  Launcher l;
  l.size({64}, {64});
  SECTION("no work-items") { l.dispatch.grid_size[1] = 0; }
  SECTION("no workgroup") { l.dispatch.workgroup_size[2] = 0; }
  SECTION("workgroup too big") { l.size({2048}, {1025}); }
  SECTION("too much LDS") { l.dispatch.group_segment_bytes = 65537; }
  SECTION("more scratch than the queue has") { l.dispatch.private_segment_bytes = 16; }
  SECTION("scratch for fewer waves than a workgroup has") {
    l.dispatch.private_segment_bytes = 16;
    l.dispatch.scratch_lane_bytes = 16;
    l.dispatch.scratch_wave_bytes = 1024;
    l.dispatch.scratch_waves = 1;
    l.size({128}, {128});
  }
  SECTION("cooperative grid that does not fit") {
    l.dispatch.cooperative = true;
    l.size({64 * 100000}, {64});
  }
  SECTION("no compute unit in the queue's mask") { l.dispatch.compute_units.words = {0xff00, ~uint64_t{0}}; }
  require_fault(l.run("nops"), g::FaultKind::bad_dispatch);
}

TEST_CASE("code is decoded once and again after invalidate_code") {
  Launcher l;
  l.size({64}, {64});
  require_completed(l.run("store_constant"));
  CHECK(l.out(0) == 0x11111111);
  l.memory.write<uint32_t>(kObject + 256 + 12, 0x22222222);
  require_completed(l.grid.run(l.dispatch, l.host));
  CHECK(l.out(0) == 0x11111111);
  l.grid.invalidate_code();
  require_completed(l.grid.run(l.dispatch, l.host));
  CHECK(l.out(0) == 0x22222222);
}

TEST_CASE("the cost model is what its header says") {
  Launcher l;
  l.size({64}, {64});
  const g::GridResult one = l.run("nops");
  require_completed(one);
  CHECK(one.stats.wave_instructions == 11);
  CHECK(one.stats.device_cycles == 400 + 11 * 4);
  CHECK(one.stats.ticks == 26);  // 444 cycles at 1725 MHz are 25.7 ticks
  // Twenty workgroups of four waves on 8 compute units: the busiest has three of them.
  l.size({20 * 256}, {256});
  const g::GridResult many = l.run("nops");
  CHECK(many.stats.waves == 80);
  CHECK(many.stats.device_cycles == 400 + 3 * 4 * 44 / 4);
}

TEST_CASE("a grid runs on the units of its queue's mask") {
  Launcher l;
  l.size({20 * 256}, {256});
  l.dispatch.compute_units.words = {0b10010, 0};
  const g::GridResult two = l.run("nops");
  require_completed(two);
  CHECK(two.stats.device_cycles == 400 + 10 * 4 * 44 / 4);
}

TEST_CASE("the same grid takes the same time, more work takes more") {
  Launcher l;
  l.size({1024}, {128});
  const auto ticks = [&](uint64_t rounds) {
    l.memory.write<uint64_t>(kKernarg + 8, rounds);
    const g::GridResult result = l.run("count_down");
    require_completed(result);
    return result.stats.ticks;
  };
  const uint64_t base = ticks(10000);
  CHECK(ticks(10000) == base);
  const double ratio = static_cast<double>(ticks(11000)) / static_cast<double>(base);
  CHECK(ratio > 1.09);
  CHECK(ratio < 1.11);
}

TEST_CASE("a loop whose progress only vector registers show is not taken for spinning") {
  Launcher l;
  l.size({64}, {64});
  l.memory.write<uint64_t>(kKernarg + 8, 100000);
  unsigned idles = 0;
  l.host.idle = [&] { ++idles; };
  const g::GridResult result = l.run("count_down_vector");
  require_completed(result);
  CHECK(result.stats.wave_instructions == 3 + 3 * 100000);
  CHECK(result.stats.device_cycles >= 400 + 100000 * (4 + 4 + 8));
  CHECK(idles == 0);
}

TEST_CASE("a wave that waits for the host lets it run, and waiting costs no device time") {
  const auto ticks_after = [](unsigned idles_to_wait) {
    Launcher l;
    l.size({64}, {64});
    unsigned idles = 0;
    l.host.idle = [&] {
      if (++idles == idles_to_wait) l.memory.write<uint32_t>(kOutput, 1);
    };
    const g::GridResult result = l.run("wait_for_host");
    require_completed(result);
    CHECK(l.out(1) == 1);
    CHECK(idles == idles_to_wait);
    return result.stats.ticks;
  };
  CHECK(ticks_after(1) == ticks_after(50));
}

TEST_CASE("clocks start at the grid's start and move with the work") {
  Launcher l;
  l.dispatch.start_ticks = 1000000;
  l.size({64}, {64});
  const g::GridResult result = l.run("clocks");
  require_completed(result);
  const auto value = [&](unsigned n) { return l.memory.read<uint64_t>(kOutput + 8 * n); };
  CHECK(value(0) >= 17250000);
  CHECK(value(0) < 17250000 + 1000);
  CHECK(value(1) >= 1000000);
  // Two clock reads, a store, a move, 1000 rounds of three instructions, and a few cycles for the bytes.
  const uint64_t cycles = 8 + 8 + 8 + 4 + 1000 * (4 + 4 + 8);
  CHECK(value(2) - value(0) >= cycles);
  CHECK(value(2) - value(0) <= cycles + 4);
  CHECK(value(3) - value(1) >= cycles * 100 / 1725);
  CHECK(value(3) - value(1) <= cycles * 100 / 1725 + 1);
  CHECK(value(3) <= 1000000 + result.stats.ticks);
}

TEST_CASE("the caller's floating-point environment comes back") {
  Launcher l;
  l.size({64}, {64});
  const unsigned before = _mm_getcsr();
  const unsigned mine = 0x1f80 | 1u << 13 | 1u << 15;
  _mm_setcsr(mine);
  const g::GridResult result = l.run("set_rounding");
  const unsigned after = _mm_getcsr();
  _mm_setcsr(before);
  require_completed(result);
  CHECK((after & ~0x3fu) == mine);  // without the sticky exception flags
}

TEST_CASE("vector ops under register indexing use shifted registers") {
  Launcher l;
  l.size({64}, {64});
  require_completed(l.run("gpr_index"));
  CHECK(l.out(0) == 42);
  CHECK(l.out(63) == 42);
}

TEST_CASE("translations live as long as the generation") {
  gfx9_test::FakeMemory memory;
  memory.add(0x1000, 0x1000);
  memory.add(0x8000, 0x1000, false);
  g::MemoryAccess access;
  access.attach(&memory);
  access.begin_instruction();
  REQUIRE(access.resolve(0x1010, 4, true) == memory.at(0x1010, 4));
  REQUIRE(access.resolve(0x8000, 4, false) != nullptr);
  CHECK(access.resolve(0x8000, 4, true) == nullptr);
  CHECK(access.resolve(0x1ffe, 4, false) == nullptr);
  const unsigned finds = memory.finds;
  REQUIRE(access.resolve(0x1020, 4, true) != nullptr);
  REQUIRE(access.resolve(0x8004, 4, false) != nullptr);
  CHECK(memory.finds == finds);
  memory.remove(0x1000);
  access.begin_instruction();
  CHECK(access.resolve(0x1010, 4, false) == nullptr);
}

TEST_CASE("an access may run from one range into the next if the host memory does") {
  class TwoRanges : public g::Memory {
   public:
    g::MappedRange find(g::GpuVa va) const override {
      auto* host = const_cast<std::byte*>(bytes);
      if (va.value >= 0x1000 && va.value < 0x1040) return {0x1000, 0x1040, host, true};
      if (va.value >= 0x1040 && va.value < 0x1080) return {0x1040, 0x1080, host + 0x40, writable};
      return {};
    }
    uint64_t generation() const override { return 1; }
    std::byte bytes[0x80] = {};
    bool writable = true;
  };
  TwoRanges memory;
  g::MemoryAccess access;
  access.attach(&memory);
  CHECK(access.resolve(0x103c, 16, true) == memory.bytes + 0x3c);
  memory.writable = false;
  access.attach(&memory);
  CHECK(access.resolve(0x103c, 16, true) == nullptr);
  CHECK(access.resolve(0x103c, 16, false) == memory.bytes + 0x3c);
  CHECK(access.resolve(0x107c, 16, false) == nullptr);
}

namespace {

uint64_t sum(const g::GridResult& result, uint64_t (*of)(const g::UnitCounts&)) {
  uint64_t total = 0;
  for (const g::UnitCounts& unit : result.stats.units) total += of(unit);
  return total;
}
template <g::InstClass kClass>
uint64_t insts(const g::GridResult& result) {
  return sum(result, [](const g::UnitCounts& unit) { return unit.of(kClass); });
}

}  // namespace

TEST_CASE("instructions are counted by class as the program has them, per wave, whatever EXEC holds") {
  using C = g::InstClass;
  Launcher l;
  l.dispatch.count = true;
  l.size({19, 10, 3}, {8, 4, 2});  // 18 workgroups of one wave each, most of them partial
  const g::GridResult result = l.run("count_items");
  require_completed(result);
  // By hand from grid/kernels.asm: 1 s_load, 3 s_lshl, 9 vector, 1 atomic without return.
  CHECK(insts<C::smem>(result) == 18);
  CHECK(insts<C::salu>(result) == 18 * 3);
  CHECK(insts<C::valu>(result) == 18 * 9);
  CHECK(insts<C::global_atomic_write>(result) == 18);
  CHECK(insts<C::global_atomic_read>(result) == 0);
  CHECK(insts<C::global_store>(result) == 0);
  CHECK(sum(result, [](const g::UnitCounts& unit) { return unit.waves; }) == 18);
  CHECK(sum(result, [](const g::UnitCounts& unit) { return unit.workgroups; }) == 18);
  CHECK(sum(result, [](const g::UnitCounts& unit) { return unit.items; }) == 19 * 10 * 3);
  uint64_t all = 0;
  for (const g::UnitCounts& unit : result.stats.units)
    for (const uint64_t count : unit.insts) all += count;
  CHECK(all == result.stats.wave_instructions);  // each executed instruction is in one class
}

TEST_CASE("LDS instructions and stores are counted, barriers and waits are no instructions for a counter") {
  using C = g::InstClass;
  Launcher l;
  l.dispatch.count = true;
  l.dispatch.group_segment_bytes = 1024;
  l.size({256}, {256});
  const g::GridResult result = l.run("barrier_rotate");
  require_completed(result);
  CHECK(insts<C::lds>(result) == 4 * 2);
  CHECK(insts<C::valu>(result) == 4 * 4);
  CHECK(insts<C::smem>(result) == 4);
  CHECK(insts<C::global_store>(result) == 4);
  CHECK(insts<C::internal>(result) == 4 * 5);  // 2 s_waitcnt, 2 s_barrier, s_endpgm
  CHECK(sum(result, [](const g::UnitCounts& unit) { return unit.valu_thread_cycles; }) == 4 * 4 * 64);
}

TEST_CASE("a grid that nobody counts has no counts and takes the same time") {
  Launcher l;
  l.size({19, 10, 3}, {8, 4, 2});
  const g::GridResult plain = l.run("count_items");
  Launcher counted;
  counted.dispatch.count = true;
  counted.size({19, 10, 3}, {8, 4, 2});
  const g::GridResult result = counted.run("count_items");
  CHECK(plain.stats.units.empty());
  CHECK_FALSE(result.stats.units.empty());
  CHECK(plain.stats.device_cycles == result.stats.device_cycles);
  CHECK(plain.stats.wave_instructions == result.stats.wave_instructions);
}
