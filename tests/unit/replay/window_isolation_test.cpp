// What happens beside an open window: other threads, queues, agents, frees and copies.
#include <catch2/catch.hpp>

#include "add_one.hpp"

using kreplay::tool_api::PassMode;

TEST_CASE("C18 C33: a free of covered memory waits for the window's end, the caller does not") {
  Rig rig;
  rig.gpu.set_kernel(kAddOne, add_one);
  Args args{rig.device<int64_t>(1)};
  auto* other = rig.device<int64_t>(1);
  HeldQueue queue(rig);
  bool freed_inside = true;
  rig.tool.on_event = [&](const std::string& event) {
    if (event != "pass_exit 0") return;
    std::thread([&] {  // another thread of the application
      const auto freed =
          rig.replayer->memory().freeing(other, [&] { rig.gpu.api.hsa_amd_memory_pool_free(other); });
      REQUIRE(freed.deferred);
      freed_inside = !rig.gpu.freed().empty();
    })
        .join();
  };
  queue.submit(dispatch_packet(kAddOne, &args, {0}));
  CHECK_FALSE(freed_inside);
  CHECK(rig.gpu.freed() == std::vector<void*>{other});
  CHECK_FALSE(rig.replayer->extents().find(kreplay::GpuVa(other)).has_value());
}

TEST_CASE("queues are destroyed at once, or after the window that uses them") {
  Rig rig;
  rig.gpu.set_kernel(kAddOne, add_one);
  Args args{rig.device<int64_t>(1)};
  HeldQueue queue(rig);
  auto second = std::make_unique<HeldQueue>(rig);
  bool kept = false;
  rig.tool.on_event = [&](const std::string& event) {
    if (event == "pass_enter 0")
      kept = second->take([&] { rig.gpu.api.hsa_queue_destroy(second->queue.ring.queue()); });
  };
  queue.submit(dispatch_packet(kAddOne, &args, {0}));
  CHECK(kept);
  CHECK(rig.gpu.destroyed().size() == 1);
  HeldQueue third(rig);
  CHECK_FALSE(third.take([] {}));
}

TEST_CASE("C01: dispatches of other threads wait at the gate and are never rolled back") {
  Rig rig;
  rig.gpu.set_kernel(kAddOne, add_one);
  rig.gpu.set_kernel(kOther, add_one);
  rig.tool.plan = {PassMode::fixed, 5};
  Args replayed{rig.device<int64_t>(1)};
  Args plain{rig.device<int64_t>(1)};
  HeldQueue first(rig);
  HeldQueue second(rig);
  constexpr int kLaunches = 200;
  std::thread other([&] {
    for (int i = 0; i < kLaunches; ++i) {
      const hsa_signal_t done = rig.gpu.make_signal(1);
      second.forward(dispatch_packet(kOther, &plain, done));
      REQUIRE(eventually([&] { return FakeGpu::value(done) == 0; }));
    }
  });
  for (int i = 0; i < 50; ++i) first.submit(dispatch_packet(kAddOne, &replayed, {0}));
  other.join();
  CHECK(*replayed.target == 50);
  CHECK(*plain.target == kLaunches);
  CHECK(rig.records_with("\"replayed\"") == 50);
  CHECK(rig.gpu.problems().empty());
}

TEST_CASE("C32: windows of different agents are open at the same time") {
  Rig rig(2);
  rig.gpu.set_kernel(kAddOne, add_one);
  Args a{rig.device<int64_t>(1, 0)};
  Args b{rig.device<int64_t>(1, 1)};
  HeldQueue qa(rig, 0);
  HeldQueue qb(rig, 1);
  std::atomic<int> inside{0};
  std::atomic<bool> both{false};
  rig.tool.on_event = [&](const std::string& event) {
    if (event == "pass_enter 0") {
      ++inside;
      both = eventually([&] { return inside.load() == 2 || both.load(); }) || both.load();
    }
  };
  std::thread other([&] { qb.submit(dispatch_packet(kAddOne, &b, {0})); });
  qa.submit(dispatch_packet(kAddOne, &a, {0}));
  other.join();
  CHECK(both.load());
  CHECK(*a.target == 1);
  CHECK(*b.target == 1);
}

TEST_CASE("C03: a copy in flight is waited for, up to the drain's limit") {
  kreplay::Options options = Rig::fast_options();
  options.drain_timeout_ns = kShortDrainNs;
  Rig rig(1, options);
  rig.gpu.set_kernel(kAddOne, add_one);
  Args args{rig.device<int64_t>(1)};
  auto* y = rig.device<int64_t>(1);
  int64_t bytes = 7;
  HeldQueue queue(rig);
  const hsa_signal_t copied = rig.gpu.make_signal(1);
  rig.gpu.hold_copies = true;
  const auto ticket =
      rig.replayer->copies().enter({FakeGpu::gpu(0), 0}, copied, nullptr, 0, [](uint64_t) { return false; });
  rig.gpu.api.hsa_amd_memory_async_copy(y, {0}, &bytes, {0}, 8, 0, nullptr, copied);
  rig.replayer->copies().leave(ticket, true);
  queue.submit(dispatch_packet(kAddOne, &args, {0}));
  CHECK(rig.records_with("\"agent_drain\"") == 1);
  CHECK(rig.tool.events() == std::vector<std::string>{"config_enter", "config_exit"});
  for (int i = 0; i < 4; ++i) queue.submit(dispatch_packet(kAddOne, &args, {0}));
  CHECK(rig.records_with("did not complete within 1000 ms") == 1);
  CHECK(rig.records_with("has not come to rest since") == 4);
  rig.gpu.hold_copies = false;
  REQUIRE(eventually([&] { return FakeGpu::value(copied) == 0; }));
  queue.submit(dispatch_packet(kAddOne, &args, {0}));
  CHECK(rig.records_with("\"replayed\"") == 1);
  CHECK(*args.target == 6);
  CHECK(*y == 7);
}

TEST_CASE("C03: a copy in flight ends before the snapshot; a new one waits for the window") {
  Rig rig;
  rig.gpu.set_kernel(kAddOne, add_one);
  Args args{rig.device<int64_t>(1)};
  auto* y = rig.device<int64_t>(1);
  int64_t bytes = 7;
  HeldQueue queue(rig);
  auto& fence = rig.replayer->copies();

  const hsa_signal_t first = rig.gpu.make_signal(1);
  rig.gpu.hold_copies = true;
  const auto ticket = fence.enter({FakeGpu::gpu(0), 0}, first, nullptr, 0, [](uint64_t) { return false; });
  rig.gpu.api.hsa_amd_memory_async_copy(y, {0}, &bytes, {0}, 8, 0, nullptr, first);
  fence.leave(ticket, true);

  // Copies of another thread, until one finds the agent closed. The window is open then and its drain waits
  // for the first copy, which is let go; the copy held up goes on when the window has closed.
  static std::atomic<FakeGpu*> held_up_on;
  held_up_on = nullptr;
  static FakeGpu* gpu;
  gpu = &rig.gpu;
  const auto release_first = [](uint64_t) {
    held_up_on = gpu;
    gpu->hold_copies = false;
    return false;
  };
  std::atomic<bool> over{false}, second_in{false};
  std::thread other([&] {
    while (held_up_on.load() == nullptr && !over.load()) {
      const auto t = fence.enter({FakeGpu::gpu(0), 0}, {0}, nullptr, 0, release_first);
      if (held_up_on.load() != nullptr) {
        second_in = true;
        *y = 9;
      }
      fence.leave(t, true);
      std::this_thread::yield();
    }
  });
  bool early = false;
  int64_t at_first_pass = 0;
  rig.tool.on_event = [&](const std::string& event) {
    if (event == "pass_enter 0") at_first_pass = *y;
    if (event == "pass_exit 2") early = second_in.load();
  };
  queue.submit(dispatch_packet(kAddOne, &args, {0}));
  over = true;
  other.join();
  CHECK(rig.records_with("\"replayed\"") == 1);
  CHECK(at_first_pass == 7);
  CHECK_FALSE(early);
  CHECK(second_in.load());
  CHECK(*y == 9);
  CHECK(*args.target == 1);
}
