#include "cp/aql_engine.hpp"

#include <catch2/catch.hpp>

#include <thread>

#include "fixture.hpp"

namespace softgpu::cp::test {
namespace {

gfx9::GridResult takes(uint64_t ticks) {
  gfx9::GridResult result;
  result.stats.ticks = ticks;
  return result;
}

gfx9::GridResult faults(gfx9::FaultKind kind, uint64_t address = 0, bool write = false) {
  gfx9::GridResult result;
  result.end = gfx9::GridEnd::faulted;
  result.fault.kind = kind;
  result.fault.address = address;
  result.fault.write = write;
  result.fault.text = "by the test";
  return result;
}

uint64_t inactive(AqlFixture& f) { return static_cast<uint64_t>(f.signal(0)->value); }

}  // namespace

TEST_CASE("an empty queue, and a slot that is not yet published, are idle") {
  AqlFixture f;
  CHECK(f.run() == Step::idle);
  f.queue->write_dispatch_id = 1;  // index taken, header still INVALID
  CHECK(f.run() == Step::idle);
  CHECK(f.queue->read_dispatch_id == 0);
}

TEST_CASE("a dispatch hands its packet and queue to the grid") {
  AqlFixture f;
  f.queue->compute_tmpring_size = 18u << 12 | 256;
  f.queue->scratch_wave64_lane_byte_size = 288;
  f.queue->scratch_backing_memory_location = 0x1234000;
  f.queue->scratch_resource_descriptor[3] = 0x00ea4fac;
  gfx9::GridDispatch seen;
  gfx9::GridDouble::run = [&](const gfx9::GridDispatch& dispatch, const gfx9::GridHost& host) {
    seen = dispatch;
    CHECK(host.memory == &f.memory);
    CHECK(host.stop == &f.stop);
    host.interrupt();
    // The slot is intact while the kernel runs: kernels read their own packet.
    CHECK((f.slot<hsa_kernel_dispatch_packet_t>(0)->header & 0xff) == HSA_PACKET_TYPE_KERNEL_DISPATCH);
    CHECK(f.queue->read_dispatch_id == 0);
    return takes(5);
  };
  f.submit_dispatch({0}, 100);
  CHECK(f.run() == Step::idle);
  CHECK(seen.workgroup_size[0] == 64);
  CHECK(seen.grid_size[0] == 256);
  CHECK(seen.private_segment_bytes == 100);
  CHECK(seen.packet.value == va_of(f.ring));
  CHECK(seen.queue.value == va_of(f.queue));
  CHECK(seen.scratch_waves == 256);
  CHECK(seen.scratch_wave_bytes == 18 * 1024);
  CHECK(seen.scratch_lane_bytes == 288);
  CHECK(seen.scratch_base.value == 0x1234000);
  CHECK(seen.scratch_descriptor[3] == 0x00ea4fac);
  CHECK(seen.start_ticks == 1000);
  CHECK_FALSE(seen.cooperative);
  CHECK(f.sink.scans == 1);
}

// Time stamps; mailbox read; slot and read index; value; mailbox and interrupt.
TEST_CASE("by the time of the interrupt everything is in place") {
  AqlFixture f;
  const hsa_signal_t done = f.armed(1, 1);
  gfx9::GridDouble::run = [&](const auto&, const auto&) { return takes(50); };
  bool looked = false;
  f.sink.on_event = [&](uint32_t id) {
    looked = true;
    CHECK(id == 101);
    CHECK(*f.mailbox(1) == 101);
    CHECK(f.signal(1)->value == 0);
    CHECK(f.queue->read_dispatch_id == 1);
    CHECK(f.slot<hsa_barrier_and_packet_t>(0)->header == HSA_PACKET_TYPE_INVALID);
    CHECK(f.signal(1)->start_ts == 1000);
    CHECK(f.signal(1)->end_ts == 1050);
  };
  f.submit_dispatch(done);
  CHECK(f.run() == Step::idle);
  CHECK(looked);
  CHECK(f.sink.events.size() == 1);
}

// The host may free the signal, and reuse the slot, in the instant the value changes.
TEST_CASE("by the time the value changes the packet is retired and the mailbox read") {
  AqlFixture f;
  constexpr int kRounds = 2000;
  for (int i = 0; i < kRounds; ++i) {
    const uint64_t index = f.submit_dispatch(f.armed(1, 1));
    std::thread worker([&] { f.run(); });
    while (__atomic_load_n(&f.signal(1)->value, __ATOMIC_ACQUIRE) != 0) {
    }
    const uint64_t read = __atomic_load_n(&f.queue->read_dispatch_id, __ATOMIC_ACQUIRE);
    const uint16_t header =
        __atomic_load_n(&f.slot<hsa_barrier_and_packet_t>(index)->header, __ATOMIC_ACQUIRE);
    f.signal(1)->event_id = 666;
    f.signal(1)->event_mailbox_ptr = va_of(f.mailbox(9));
    worker.join();
    REQUIRE(read == index + 1);
    REQUIRE(header == HSA_PACKET_TYPE_INVALID);
  }
  CHECK(f.sink.events == std::vector<uint32_t>(kRounds, 101));
  CHECK(*f.mailbox(9) == 0);
}

TEST_CASE("a signal without mailbox raises no interrupt, no signal at all still retires") {
  AqlFixture f;
  f.signal(1)->value = 3;
  f.submit_dispatch(f.handle(1));
  f.submit_dispatch({0});
  CHECK(f.run() == Step::idle);
  CHECK(f.signal(1)->value == 2);
  CHECK(f.queue->read_dispatch_id == 2);
  CHECK(f.sink.events.empty());
}

TEST_CASE("device time is deterministic and never runs backwards") {
  AqlFixture f;
  gfx9::GridDouble::run = [&](const auto&, const auto&) { return takes(500); };
  f.submit_dispatch(f.armed(1, 1));
  f.submit_dispatch(f.armed(2, 1));
  f.run();
  CHECK(f.signal(1)->end_ts - f.signal(1)->start_ts == 500);
  CHECK(f.signal(2)->start_ts == f.signal(1)->end_ts);  // the host's clock is still behind
  CHECK(f.clock.now() == f.signal(2)->end_ts);          // and what it is told is not behind the stamps
  Fixture::tick = 10'000;
  f.submit_dispatch(f.armed(3, 1));
  f.run();
  CHECK(f.signal(3)->start_ts == 10'000);
  CHECK(f.signal(3)->end_ts == 10'500);
}

TEST_CASE("barrier-AND waits for all, barrier-OR for one") {
  AqlFixture f;
  f.signal(1)->value = 1;
  f.signal(2)->value = 1;
  f.submit_barrier(HSA_PACKET_TYPE_BARRIER_AND, {f.handle(1), {0}, f.handle(2)}, f.armed(3, 1));
  CHECK(f.run() == Step::blocked);
  f.signal(1)->value = 0;
  CHECK(f.run() == Step::blocked);
  CHECK(f.signal(3)->value == 1);
  f.signal(2)->value = 0;
  CHECK(f.run() == Step::idle);
  CHECK(f.signal(3)->value == 0);

  f.signal(1)->value = 1;
  f.signal(2)->value = -1;  // below zero is not zero
  f.submit_barrier(HSA_PACKET_TYPE_BARRIER_OR, {f.handle(1), f.handle(2)}, {0});
  CHECK(f.run() == Step::blocked);
  f.signal(2)->value = 0;
  CHECK(f.run() == Step::idle);
  f.submit_barrier(HSA_PACKET_TYPE_BARRIER_OR, {}, {0});
  f.submit_barrier(HSA_PACKET_TYPE_BARRIER_AND, {}, {0});
  CHECK(f.run() == Step::idle);
}

TEST_CASE("barrier-value compares the masked value, signed") {
  const auto [condition, value, passes] = GENERATE(table<uint32_t, int64_t, bool>({
      {HSA_SIGNAL_CONDITION_EQ, 5, true},
      {HSA_SIGNAL_CONDITION_EQ, 4, false},
      {HSA_SIGNAL_CONDITION_NE, 4, true},
      {HSA_SIGNAL_CONDITION_LT, 6, true},
      {HSA_SIGNAL_CONDITION_LT, -6, false},
      {HSA_SIGNAL_CONDITION_GTE, 5, true},
      {HSA_SIGNAL_CONDITION_GTE, 6, false},
  }));
  AqlFixture f;
  f.signal(1)->value = 0xf05;
  auto* packet = f.slot<hsa_amd_barrier_value_packet_t>(0);
  std::memset(static_cast<void*>(packet), 0, sizeof *packet);
  packet->header.AmdFormat = HSA_AMD_PACKET_TYPE_BARRIER_VALUE;
  packet->signal = f.handle(1);
  packet->mask = 0xff;
  packet->cond = condition;
  packet->value = value;
  f.publish(0, HSA_PACKET_TYPE_VENDOR_SPECIFIC);
  CHECK(f.run() == (passes ? Step::idle : Step::blocked));
}

TEST_CASE("scratch: ask once, wait for the runtime, then use what it wrote") {
  AqlFixture f;
  f.queue->scratch_wave64_lane_byte_size = 100;
  uint32_t lane_bytes = 0;
  gfx9::GridDouble::run = [&](const gfx9::GridDispatch& dispatch, const auto&) {
    lane_bytes = dispatch.scratch_lane_bytes;
    return takes(1);
  };
  f.submit_dispatch(f.armed(1, 1), 288);
  CHECK(f.run() == Step::blocked);
  CHECK(inactive(f) == 1);
  CHECK(*f.mailbox(0) == 100);
  CHECK(f.run() == Step::blocked);
  CHECK(f.sink.events == std::vector<uint32_t>{100});  // asked once
  CHECK(lane_bytes == 0);
  f.queue->scratch_wave64_lane_byte_size = 288;
  f.queue->compute_tmpring_size = 18u << 12 | 256;
  CHECK(f.run() == Step::blocked);  // not before the runtime says so
  f.signal(0)->value = 0;
  CHECK(f.run() == Step::idle);
  CHECK(lane_bytes == 288);
  CHECK(f.signal(1)->value == 0);
  f.submit_dispatch({0}, 288);  // enough now
  CHECK(f.run() == Step::idle);
  CHECK(f.sink.events == std::vector<uint32_t>({100, 101}));
}

TEST_CASE("scratch given for one dispatch is handed back before the next packet") {
  AqlFixture f;
  f.queue->scratch_wave64_lane_byte_size = 16400;
  f.queue->queue_properties = AMD_QUEUE_PROPERTIES_USE_SCRATCH_ONCE;
  f.submit_dispatch(f.armed(1, 1), 16400);
  f.submit_dispatch(f.armed(2, 1));
  CHECK(f.run() == Step::blocked);
  CHECK(f.signal(1)->value == 0);
  CHECK(f.signal(2)->value == 1);
  CHECK(inactive(f) == 0x200);
  f.queue->queue_properties = 0;
  f.signal(0)->value = 0;
  CHECK(f.run() == Step::idle);
  CHECK(f.signal(2)->value == 0);
}

TEST_CASE("a bad dispatch is a queue error with its code, and the queue stops") {
  AqlFixture f;
  f.submit_dispatch(f.armed(1, 1));
  auto* packet = f.slot<hsa_kernel_dispatch_packet_t>(0);
  uint64_t expected = 0;
  SECTION("no dimensions") { packet->setup = 0, expected = 2; }
  SECTION("empty grid") { packet->grid_size_x = 0, expected = 2; }
  SECTION("empty workgroup") { packet->workgroup_size_x = 0, expected = 2; }
  SECTION("workgroup too large") { packet->workgroup_size_x = 1025, expected = 0x40; }
  SECTION("group segment too large") { packet->group_segment_size = 65537, expected = 4; }
  SECTION("kernel object not mapped") { packet->kernel_object = 0x10, expected = 8; }
  SECTION("agent dispatch") { packet->header = HSA_PACKET_TYPE_AGENT_DISPATCH, expected = 0x20; }
  SECTION("unknown vendor format") { packet->header = 0, packet->setup = 9, expected = 0x20; }
  CHECK(f.run() == Step::halted);
  CHECK(inactive(f) == expected);
  CHECK(f.sink.events == std::vector<uint32_t>{100});
  CHECK(f.signal(1)->value == 1);
  CHECK(f.queue->read_dispatch_id == 0);
  CHECK(f.engine->step() == Step::halted);
  CHECK(f.sink.events.size() == 1);
}

TEST_CASE("faults of a kernel become queue errors or memory faults") {
  AqlFixture f;
  gfx9::FaultKind kind = gfx9::FaultKind::none;
  uint64_t expected = 0;
  SECTION("trap") { kind = gfx9::FaultKind::trap, expected = 0x80000000; }
  SECTION("illegal instruction") { kind = gfx9::FaultKind::illegal_instruction, expected = 0x40000000; }
  SECTION("aperture violation") { kind = gfx9::FaultKind::aperture_violation, expected = 0x20000000; }
  SECTION("bad dispatch") { kind = gfx9::FaultKind::bad_dispatch, expected = 8; }
  SECTION("deadlock") { kind = gfx9::FaultKind::deadlock, expected = 0x80000000; }
  gfx9::GridDouble::run = [&](const auto&, const auto&) { return faults(kind); };
  f.submit_dispatch(f.armed(1, 1));
  CHECK(f.run() == Step::halted);
  CHECK(inactive(f) == expected);
  CHECK(f.sink.faults.empty());
}

TEST_CASE("a memory violation is an event, not a queue error") {
  AqlFixture f;
  gfx9::GridDouble::run = [&](const auto&, const auto&) {
    return faults(gfx9::FaultKind::memory_violation, 0x4010, true);
  };
  f.submit_dispatch(f.armed(1, 1));
  CHECK(f.run() == Step::halted);
  REQUIRE(f.sink.faults.size() == 1);
  CHECK(f.sink.faults[0].gpu_id == 77);
  CHECK(f.sink.faults[0].address == 0x4010);
  CHECK(f.sink.faults[0].reason == FaultReason::not_present);
  CHECK(inactive(f) == 0);
  CHECK(f.signal(1)->value == 1);
}

TEST_CASE("a write to a read-only range is told apart") {
  AqlFixture f;
  Arena read_only;
  f.memory.map(GpuVa(read_only.bytes), Arena::kBytes, HostPtr(read_only.bytes), false);
  gfx9::GridDouble::run = [&](const auto&, const auto&) {
    return faults(gfx9::FaultKind::memory_violation, va_of(read_only.bytes), true);
  };
  f.submit_dispatch({0});
  CHECK(f.run() == Step::halted);
  REQUIRE(f.sink.faults.size() == 1);
  CHECK(f.sink.faults[0].reason == FaultReason::read_only);
}

TEST_CASE("signals that are not mapped fault instead of crashing") {
  AqlFixture f;
  SECTION("completion") { f.submit_dispatch({0x40}); }
  SECTION("dependency") { f.submit_barrier(HSA_PACKET_TYPE_BARRIER_AND, {{0x40}}, {0}); }
  CHECK(f.run() == Step::halted);
  REQUIRE(f.sink.faults.size() == 1);
  CHECK(f.sink.faults[0].address == 0x40);
}

TEST_CASE("a grid ended because its queue is destroyed completes nothing") {
  AqlFixture f;
  gfx9::GridDouble::run = [&](const auto&, const auto&) {
    gfx9::GridResult result;
    result.end = gfx9::GridEnd::stopped;
    return result;
  };
  f.submit_dispatch(f.armed(1, 1));
  CHECK(f.run() == Step::halted);
  CHECK(f.signal(1)->value == 1);
  CHECK(f.queue->read_dispatch_id == 0);
  CHECK(f.sink.events.empty());
}

TEST_CASE("a PM4 buffer drops decoded code on every queue of the device") {
  AqlFixture f;
  auto* words = f.arena.at<uint32_t>(kDataOffset);
  words[0] = 0xc0055800;  // ACQUIRE_MEM, 6 body dwords
  words[7] = 0xc0001000;  // NOP, 1 body dword
  auto* packet = f.slot<Pm4IbPacket>(0);
  std::memset(static_cast<void*>(packet), 0, sizeof *packet);
  packet->amd_format = kAmdFormatPm4Ib;
  packet->ib_packet[0] = 0xc0023f00;
  packet->ib_packet[1] = static_cast<uint32_t>(va_of(words));
  packet->ib_packet[2] = static_cast<uint32_t>(va_of(words) >> 32);
  uint32_t dwords = 9;
  Step expected = Step::idle;
  SECTION("whole") {}
  SECTION("cut short") { dwords = 6, expected = Step::halted; }
  SECTION("type 0") { words[7] = 0, expected = Step::halted; }
  packet->ib_packet[3] = dwords;
  f.publish(0, HSA_PACKET_TYPE_VENDOR_SPECIFIC);
  CHECK(f.run() == expected);
  CHECK(inactive(f) == (expected == Step::idle ? 0 : 0x20));
  if (expected != Step::idle) return;
  CHECK(f.queue->read_dispatch_id == 1);  // promptly: the runtime spins on it
  CHECK(f.code_epoch == 1);
  // Another queue of the device sees it with its next dispatch, though that acquires nothing.
  const unsigned before = gfx9::GridDouble::invalidations;
  f.submit_dispatch({0});
  f.run();
  CHECK(gfx9::GridDouble::invalidations == before + 1);
  f.submit_dispatch({0});
  f.run();
  CHECK(gfx9::GridDouble::invalidations == before + 1);
  f.submit_dispatch({0}, 0, HSA_FENCE_SCOPE_AGENT << HSA_PACKET_HEADER_SCACQUIRE_FENCE_SCOPE);
  f.run();
  CHECK(gfx9::GridDouble::invalidations == before + 2);
}

TEST_CASE("the ring wraps, and a queue may start in the middle") {
  AqlFixture f;
  f.queue->write_dispatch_id = 13;
  f.queue->read_dispatch_id = 13;
  AqlEngine late(f.context, f.queue, GpuVa(f.queue),
                 Ring{f.ring, GpuVa(f.ring), kRingPackets * kAqlPacketBytes});
  for (int i = 0; i < 8; ++i) f.submit_barrier(HSA_PACKET_TYPE_BARRIER_AND, {}, {0});
  for (int i = 0; i < 8; ++i) CHECK(late.step() == Step::progress);
  CHECK(late.step() == Step::idle);
  CHECK(f.queue->read_dispatch_id == 21);
}

TEST_CASE("global wave sync makes grids cooperative") {
  AqlFixture f;
  bool cooperative = false;
  gfx9::GridDouble::run = [&](const gfx9::GridDispatch& dispatch, const auto&) {
    cooperative = dispatch.cooperative;
    return takes(1);
  };
  f.engine->set_cooperative();
  f.submit_dispatch({0});
  f.run();
  CHECK(cooperative);
}

}  // namespace softgpu::cp::test
