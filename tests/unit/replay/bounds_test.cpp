// Waits whose bound no test of what waits reaches: docs/architecture.md, "Waits".

#include <catch2/catch.hpp>

#include "replay/fatal.hpp"
#include "rig.hpp"

namespace {

constexpr uint64_t kCountUp = 0x1000;  ///< kernel: ++*(int64_t*)kernarg
constexpr uint64_t kHeldUp = 0x2000;   ///< kernel: until the flag is set
constexpr uint64_t kSoonNs = 20'000'000;

kreplay::Options short_drains() {
  kreplay::Options options = Rig::fast_options();
  options.drain_timeout_ns = kSoonNs;
  return options;
}

void count_up(void* kernarg) { __atomic_fetch_add(static_cast<int64_t*>(kernarg), 1, __ATOMIC_ACQ_REL); }

}  // namespace

TEST_CASE("a queue that another thread keeps is not waited for longer than told") {
  Rig rig;
  HeldQueue held(rig);
  REQUIRE(held.queue.try_take());
  CHECK_FALSE(held.queue.take_for(kSoonNs));
  held.queue.hold();
  CHECK_FALSE(held.queue.take_for(kSoonNs));
  held.queue.let_go();
  CHECK(held.queue.take_for(kSoonNs));
  held.queue.let_go();
}

TEST_CASE("a gate that stays closed is not waited for longer than told; nor are those who wait at it") {
  Rig rig;
  rig.agent().close_gate();
  CHECK_FALSE(rig.agent().wait_gate(kSoonNs));
  std::atomic<bool> waiting{false};
  std::thread other([&] {
    waiting = true;
    while (!rig.agent().wait_gate(kSoonNs)) {
    }
  });
  while (!waiting) std::this_thread::yield();
  rig.agent().let_waiters_pass(kSoonNs);  // they cannot: the gate is closed
  rig.agent().open_gate();
  other.join();
  CHECK(rig.agent().wait_gate(kSoonNs));
}

TEST_CASE("an allocation waits for frees that a window holds back, but not for ever") {
  Rig rig(1, short_drains());
  rig.gpu.set_kernel(kCountUp, count_up);
  auto* counter = rig.device<int64_t>(1);
  HeldQueue queue(rig);
  CHECK_FALSE(rig.replayer->memory().make_room());  // there is nothing to wait for
  bool waited = false, still_open = false, own = true;
  rig.tool.on_event = [&](const std::string& event) {
    if (event != "pass_exit 0") return;
    own = rig.replayer->memory().make_room();  // the window's own thread would wait for itself
    std::thread([&] {
      waited = rig.replayer->memory().make_room();
      still_open = rig.replayer->core().windows.covering(1);
    }).join();
  };
  queue.submit(dispatch_packet(kCountUp, counter, {0}));
  CHECK_FALSE(own);
  CHECK(waited);
  CHECK(still_open);
  CHECK(*counter == 1);
}

TEST_CASE("an executable's end waits for a window, but not for a callback that waits for it") {
  Rig rig(1, short_drains());
  rig.gpu.set_kernel(kCountUp, count_up);
  auto* counter = rig.device<int64_t>(1);
  HeldQueue queue(rig);
  bool kept = true;
  rig.tool.on_event = [&](const std::string& event) {
    if (event != "pass_exit 0") return;
    std::thread([&] { kept = rig.replayer->memory().hold_executable({&rig.agent()}, [] {}); }).join();
  };
  queue.submit(dispatch_packet(kCountUp, counter, {0}));
  CHECK_FALSE(kept);
  CHECK(rig.records_with("\"stopped\",\"reason\":\"callback_timeout\"") == 1);
  CHECK(*counter == 1);
}

TEST_CASE("a real ring that stays full ends the process with a message") {
  Rig rig(1, short_drains());
  std::atomic<bool> flag{false};
  rig.gpu.set_kernel(kHeldUp, [&](void*) {
    while (!flag.load()) std::this_thread::yield();
  });
  HeldQueue queue(rig);
  for (int i = 0; i < 64; ++i) queue.forward(dispatch_packet(kHeldUp, nullptr, {0}));
  struct Stop {};
  kreplay::replay::set_fatal_action([] { throw Stop(); });
  CHECK_THROWS_AS(queue.forward(dispatch_packet(kHeldUp, nullptr, {0})), Stop);
  kreplay::replay::set_fatal_action(nullptr);
  flag = true;
}

TEST_CASE("a window whose callbacks are short is never taken for one that hangs") {
  Rig rig;
  rig.gpu.set_kernel(kCountUp, count_up);
  auto* counter = rig.device<int64_t>(1);
  HeldQueue queue(rig);
  rig.tool.plan = {kreplay::tool_api::PassMode::fixed, 3000};
  std::atomic<bool> over{false};
  std::thread looks([&] {
    // What every thread that waits for the window asks, without a pause.
    unsigned stuck = 0;
    while (!over)
      if (rig.replayer->core().windows.break_stuck(rig.agent())) ++stuck;
    CHECK(stuck == 0);
  });
  queue.submit(dispatch_packet(kCountUp, counter, {0}));
  over = true;
  looks.join();
  CHECK(*counter == 1);
  CHECK(rig.records_with("\"replayed\"") == 1);
}
