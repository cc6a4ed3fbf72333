// Which copies count as being in flight.

#include <catch2/catch.hpp>

#include <atomic>
#include <thread>

#include "fake_gpu.hpp"
#include "replay/copy_fence.hpp"

using kreplay::replay::CopyFence;

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
}  // namespace

TEST_CASE("a copy is in flight from entering until its signal dropped") {
  FakeGpu gpu;
  CopyFence fence;
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
  FakeGpu gpu;
  CopyFence fence;
  const hsa_signal_t signal = gpu.make_signal(2);
  const auto first = fence.enter(kAgent, signal, nullptr, 0, not_mine);
  const auto second = fence.enter(kAgent, signal, nullptr, 0, not_mine);
  fence.leave(first, false);
  fence.leave(second, true);
  set(signal, 1);
  CHECK(fence.idle(0x20));
}

TEST_CASE("copies that share a counting signal are all waited for") {
  FakeGpu gpu;
  CopyFence fence;
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
  FakeGpu gpu;
  CopyFence fence;
  const hsa_signal_t signal = gpu.make_signal(1);
  fence.leave(fence.enter(kAgent, signal, nullptr, 0, not_mine), true);
  set(signal, 0);
  fence.signal_reset(signal);  // the application stores 1 for the next copy
  set(signal, 1);
  CHECK(fence.idle(0x20));
  fence.leave(fence.enter(kAgent, signal, nullptr, 0, not_mine), true);
  CHECK_FALSE(fence.idle(0x20));
  set(signal, 0);
  CHECK(fence.idle(0x20));
}

TEST_CASE("a copy between two agents is in flight on both; host copies on none") {
  FakeGpu gpu;
  CopyFence fence;
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
  CopyFence fence;
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
