// An exception in the middle of a window: the dispatch has run once, and its signal is brought down once.

#include <catch2/catch.hpp>
#include <new>
#include <thread>

#include "replay/completing.hpp"
#include "rig.hpp"

namespace {

constexpr uint64_t kAddOnce = 0x1000;  ///< kernel: ++*(int64_t*)kernarg
std::atomic<int> g_stores{0};
const hsa_signal_t* g_pass_signal = nullptr;

void add_once(void* kernarg) { __atomic_fetch_add(static_cast<int64_t*>(kernarg), 1, __ATOMIC_ACQ_REL); }

/// Out of memory where a pass is over: its times are asked for.
hsa_status_t no_times(hsa_agent_t, hsa_signal_t, hsa_amd_profiling_dispatch_time_t*) {
  throw std::bad_alloc();
}

/// Out of memory where the second pass is about to be submitted, with memory put back.
void no_second_pass(hsa_signal_t signal, hsa_signal_value_t value) {
  if (signal.handle == g_pass_signal->handle && ++g_stores == 2) throw std::bad_alloc();
  __atomic_store_n(&reinterpret_cast<amd_signal_t*>(signal.handle)->value, value, __ATOMIC_RELEASE);
}

}  // namespace

TEST_CASE("an exception after the first pass: the application's signal comes down once") {
  Rig rig;
  rig.gpu.set_kernel(kAddOnce, add_once);
  auto* counter = rig.device<int64_t>(1);
  HeldQueue held(rig);
  const hsa_signal_t done = rig.gpu.make_signal(5);
  rig.gpu.api.hsa_amd_profiling_get_dispatch_time = no_times;
  CHECK_THROWS_AS(held.submit(dispatch_packet(kAddOnce, counter, done)), std::bad_alloc);
  CHECK(FakeGpu::value(done) == 4);
  CHECK(*counter == 1);
  CHECK(rig.agent().gate_open());
}

TEST_CASE("an exception after memory was put back: the dispatch is run again, its signal comes down once") {
  Rig rig;
  rig.gpu.set_kernel(kAddOnce, add_once);
  auto* counter = rig.device<int64_t>(1);
  HeldQueue held(rig);
  const hsa_signal_t done = rig.gpu.make_signal(5);
  g_stores = 0;
  g_pass_signal = &rig.agent().window.pass_signal;
  rig.gpu.api.hsa_signal_store_relaxed = no_second_pass;
  CHECK_THROWS_AS(held.submit(dispatch_packet(kAddOnce, counter, done)), std::bad_alloc);
  CHECK(FakeGpu::value(done) == 4);
  CHECK(*counter == 1);
  CHECK(rig.gpu.executed().size() == 2);
}

TEST_CASE("an exception, and a dispatch that does not end in time: it is completed when it does") {
  kreplay::Options options = Rig::fast_options();
  options.pass_timeout_ns = 30'000'000;
  Rig rig(1, options);
  std::atomic<int> runs{0};
  std::atomic<bool> go_on{false};
  rig.gpu.set_kernel(kAddOnce, [&](void* kernarg) {
    if (++runs == 2)
      while (!go_on) std::this_thread::yield();
    add_once(kernarg);
  });
  auto* counter = rig.device<int64_t>(1);
  HeldQueue held(rig);
  const hsa_signal_t done = rig.gpu.make_signal(5);
  g_stores = 0;
  g_pass_signal = &rig.agent().window.pass_signal;
  rig.gpu.api.hsa_signal_store_relaxed = no_second_pass;
  CHECK_THROWS_AS(held.submit(dispatch_packet(kAddOnce, counter, done)), std::bad_alloc);
  CHECK(FakeGpu::value(done) == 5);
  go_on = true;
  CHECK(eventually([&] { return FakeGpu::value(done) == 4; }));
  CHECK(*counter == 1);
}

TEST_CASE("a signal that is being completed is waited for before it is destroyed, but not for ever") {
  kreplay::replay::Completing completing;
  const hsa_signal_t one{0x1000};
  CHECK(completing.wait(one));
  completing.begin(one);
  CHECK_FALSE(completing.wait(one, 1'000'000));
  std::thread other([&] { completing.end(one); });
  CHECK(completing.wait(one, 60'000'000'000));
  other.join();
}
