// Which copies count as being in flight.

#include <catch2/catch.hpp>

#include <atomic>
#include <thread>

#include "add_one.hpp"
#include "replay/copy_fence.hpp"
#include "replay/queue_registry.hpp"

using kreplay::replay::CopyFence;
using kreplay::replay::SignalChange;

namespace {
bool not_mine(uint64_t) { return false; }
/// As not_mine. The fence asks when it finds the agent closed, holding its mutex until the thread waits.
std::atomic<int> g_asked{0};
bool not_mine_counted(uint64_t) {
  ++g_asked;
  return false;
}
constexpr CopyFence::Agents kAgent{0x20, 0};
void set(hsa_signal_t signal, int64_t value) {
  reinterpret_cast<amd_signal_t*>(signal.handle)->value = value;
}
struct Bench {
  FakeGpu gpu;
  kreplay::replay::QueueRegistry queues;
  CopyFence fence{gpu.api, queues};
  ~Bench() { gpu.stop(); }
};
/// What a host call does: told to the fence, and done.
void change(CopyFence& fence, hsa_signal_t signal, int64_t to) {
  SignalChange told(fence, signal);
  const int64_t before = FakeGpu::value(signal);
  set(signal, to);
  told.by(to - before);
}
}  // namespace

TEST_CASE("a copy is in flight from entering until its signal dropped") {
  Bench bench;
  FakeGpu& gpu = bench.gpu;
  CopyFence& fence = bench.fence;
  const hsa_signal_t signal = gpu.make_signal(1);
  CHECK(fence.idle(0x20));
  const auto ticket = fence.enter(kAgent, signal, nullptr, 0, not_mine);
  CHECK_FALSE(fence.idle(0x20));
  CHECK(fence.idle(0x21));
  fence.leave(ticket, true);
  CHECK_FALSE(fence.idle(0x20));
  set(signal, 0);
  CHECK(fence.idle(0x20));
}

TEST_CASE("a refused copy leaves nothing behind, later copies on its signal are not misled") {
  Bench bench;
  FakeGpu& gpu = bench.gpu;
  CopyFence& fence = bench.fence;
  const hsa_signal_t signal = gpu.make_signal(2);
  const auto first = fence.enter(kAgent, signal, nullptr, 0, not_mine);
  const auto second = fence.enter(kAgent, signal, nullptr, 0, not_mine);
  fence.leave(first, false);
  fence.leave(second, true);
  set(signal, 1);
  CHECK(fence.idle(0x20));
}

TEST_CASE("copies that share a counting signal are all waited for") {
  Bench bench;
  FakeGpu& gpu = bench.gpu;
  CopyFence& fence = bench.fence;
  const hsa_signal_t signal = gpu.make_signal(3);
  for (int i = 0; i < 3; ++i) fence.leave(fence.enter(kAgent, signal, nullptr, 0, not_mine), true);
  set(signal, 2);
  CHECK_FALSE(fence.idle(0x20));
  set(signal, 1);
  CHECK_FALSE(fence.idle(0x20));
  set(signal, 0);
  CHECK(fence.idle(0x20));
}

TEST_CASE("a signal that is reset and used again is one new copy") {
  Bench bench;
  FakeGpu& gpu = bench.gpu;
  CopyFence& fence = bench.fence;
  const hsa_signal_t signal = gpu.make_signal(1);
  fence.leave(fence.enter(kAgent, signal, nullptr, 0, not_mine), true);
  set(signal, 0);
  change(fence, signal, 1);  // the application stores 1 for the next copy
  CHECK(fence.idle(0x20));
  fence.leave(fence.enter(kAgent, signal, nullptr, 0, not_mine), true);
  CHECK_FALSE(fence.idle(0x20));
  set(signal, 0);
  CHECK(fence.idle(0x20));
}

TEST_CASE("copies that share a signal are over when all of them are, whichever ends first") {
  Bench bench;
  CopyFence& fence = bench.fence;
  const hsa_signal_t signal = bench.gpu.make_signal(2);
  fence.leave(fence.enter({0x20, 0}, signal, nullptr, 0, not_mine), true);
  fence.leave(fence.enter({0x21, 0}, signal, nullptr, 0, not_mine), true);
  set(signal, 1);  // one of them
  CHECK_FALSE(fence.idle(0x20));
  CHECK_FALSE(fence.idle(0x21));
  set(signal, 0);
  CHECK(fence.idle(0x20));
  CHECK(fence.idle(0x21));
}

TEST_CASE("arithmetic of the host on a signal in use moves its end along") {
  Bench bench;
  CopyFence& fence = bench.fence;
  const hsa_signal_t signal = bench.gpu.make_signal(1);
  fence.leave(fence.enter(kAgent, signal, nullptr, 0, not_mine), true);
  SECTION("subtract is no completion") {
    change(fence, signal, 0);
    CHECK_FALSE(fence.idle(0x20));
    set(signal, -1);
  }
  SECTION("add moves it up") {
    change(fence, signal, 11);
    CHECK_FALSE(fence.idle(0x20));
    set(signal, 10);
  }
  SECTION("a store over a copy in flight moves it as well") {
    change(fence, signal, 5);
    CHECK_FALSE(fence.idle(0x20));
    set(signal, 4);
  }
  SECTION("while it happens, the value tells nothing") {
    {
      SignalChange told(fence, signal);
      set(signal, -3);
      CHECK_FALSE(fence.idle(0x20));
      told.by(-4);
    }
    CHECK_FALSE(fence.idle(0x20));
    set(signal, -4);
  }
  CHECK(fence.idle(0x20));
}

TEST_CASE("a copy that never completes is given up by a store of its final value, by nothing else") {
  Bench bench;
  CopyFence& fence = bench.fence;
  const hsa_signal_t signal = bench.gpu.make_signal(1);
  fence.leave(fence.enter(kAgent, signal, nullptr, 0, not_mine), true);
  change(fence, signal, 0);  // arithmetic
  CHECK_FALSE(fence.idle(0x20));
  {
    SignalChange told(fence, signal);
    set(signal, -1);
    told.stored(0, -1);
  }
  CHECK(fence.idle(0x20));
}

TEST_CASE("a signal that is armed again by addition is one new copy each time") {
  Bench bench;
  CopyFence& fence = bench.fence;
  const hsa_signal_t signal = bench.gpu.make_signal(0);
  for (int i = 0; i < 100; ++i) {
    change(fence, signal, 1);
    fence.leave(fence.enter(kAgent, signal, nullptr, 0, not_mine), true);
    CHECK_FALSE(fence.idle(0x20));
    set(signal, 0);
    if (i % 3 == 0) CHECK(fence.idle(0x20));
  }
  CHECK(fence.idle(0x20));
}

TEST_CASE("a packet submitted after the copy counts its signal down, too") {
  Rig rig;
  HeldQueue queue(rig);
  CopyFence& fence = rig.replayer->copies();
  const uint64_t agent = FakeGpu::gpu(0);
  const hsa_signal_t signal = rig.gpu.make_signal(2);
  const auto copy = fence.enter({agent, 0}, signal, nullptr, 0, not_mine);
  CHECK(copy.stand_in.handle == 0);
  fence.leave(copy, true);
  queue.forward(kreplay::hsa::barrier_packet(signal));
  REQUIRE(eventually([&] { return FakeGpu::value(signal) == 1; }));  // the packet, not the copy
  CHECK_FALSE(fence.idle(agent));
  set(signal, 0);
  CHECK(fence.idle(agent));
}

TEST_CASE("packets that carry a copy's signal are counted when their ring goes round") {
  Rig rig;
  HeldQueue queue(rig);  // 64 slots
  CopyFence& fence = rig.replayer->copies();
  const uint64_t agent = FakeGpu::gpu(0);
  constexpr int kPackets = 1000;
  const hsa_signal_t signal = rig.gpu.make_signal(kPackets + 1);
  fence.leave(fence.enter({agent, 0}, signal, nullptr, 0, not_mine), true);
  for (int i = 0; i < kPackets; ++i) queue.forward(kreplay::hsa::barrier_packet(signal));
  REQUIRE(eventually([&] { return FakeGpu::value(signal) == 1; }));
  CHECK_FALSE(fence.idle(agent));
  set(signal, 0);
  CHECK(fence.idle(agent));
}

TEST_CASE("a packet that may still carry the signal when the copy enters: the copy gets another") {
  Rig rig;
  rig.gpu.set_kernel(kAddOne, add_one);
  Args args{rig.device<int64_t>(1)};
  HeldQueue queue(rig);
  CopyFence& fence = rig.replayer->copies();
  const uint64_t agent = FakeGpu::gpu(0);
  const hsa_signal_t signal = rig.gpu.make_signal(2);
  queue.forward(dispatch_packet(kAddOne, &args, signal));
  REQUIRE(eventually([&] { return FakeGpu::value(signal) == 1; }));  // over, but nobody can know that
  const auto copy = fence.enter({agent, 0}, signal, nullptr, 0, not_mine);
  REQUIRE(copy.stand_in.handle != 0);
  CHECK(FakeGpu::value(copy.stand_in) == 1);
  SECTION("accepted: the application's signal follows") {
    fence.leave(copy, true);
    CHECK_FALSE(fence.idle(agent));
    rig.gpu.api.hsa_signal_subtract_screlease(copy.stand_in, 1);  // the copy is over
    REQUIRE(eventually([&] { return FakeGpu::value(signal) == 0; }));
  }
  SECTION("refused: nothing remains") { fence.leave(copy, false); }
  CHECK(fence.idle(agent));
}

TEST_CASE("a signal whose value others can reach: its copies get signals of ours") {
  Bench bench;
  CopyFence& fence = bench.fence;
  const hsa_signal_t signal = bench.gpu.make_signal(1);
  fence.signal_exposed(signal);
  const auto copy = fence.enter(kAgent, signal, nullptr, 0, not_mine);
  REQUIRE(copy.stand_in.handle != 0);
  fence.leave(copy, true);
  set(signal, -7);
  CHECK_FALSE(fence.idle(0x20));
  bench.gpu.api.hsa_signal_subtract_screlease(copy.stand_in, 1);
  REQUIRE(eventually([&] { return FakeGpu::value(signal) == -8; }));
  CHECK(fence.idle(0x20));
  fence.signal_destroyed(signal);
  CHECK(fence.enter(kAgent, signal, nullptr, 0, not_mine).stand_in.handle == 0);
}

TEST_CASE("a copy between two agents is in flight on both; host copies on none") {
  Bench bench;
  FakeGpu& gpu = bench.gpu;
  CopyFence& fence = bench.fence;
  const hsa_signal_t signal = gpu.make_signal(1);
  fence.leave(fence.enter({0x20, 0x21}, signal, nullptr, 0, not_mine), true);
  CHECK_FALSE(fence.idle(0x20));
  CHECK_FALSE(fence.idle(0x21));
  const hsa_signal_t other = gpu.make_signal(1);
  CHECK_FALSE(fence.enter({0, 0}, other, nullptr, 0, not_mine).active);
  set(signal, 0);
  CHECK(fence.idle(0x21));
}

TEST_CASE("the owner of a window copies into it, others wait") {
  Bench bench;
  CopyFence& fence = bench.fence;
  fence.close(0x20);
  const auto mine = fence.enter(kAgent, {0}, nullptr, 0, [](uint64_t agent) { return agent == 0x20; });
  CHECK(mine.active);
  fence.leave(mine, true);
  std::atomic<bool> in{false};
  g_asked = 0;
  std::thread other([&] {
    const auto ticket = fence.enter(kAgent, {0}, nullptr, 0, not_mine_counted);
    in = true;
    fence.leave(ticket, true);
  });
  while (g_asked.load() == 0) std::this_thread::yield();
  // Takes the fence's mutex, so the other thread has either entered, and is counted, or waits by now.
  CHECK(fence.idle(0x20));
  CHECK_FALSE(in.load());
  fence.open(0x20);
  other.join();
  CHECK(in.load());
}
