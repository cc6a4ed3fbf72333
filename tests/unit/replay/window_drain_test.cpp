// Waiting before a window: dependencies, queues that do not come to rest, rings that stay full.
#include <catch2/catch.hpp>

#include "add_one.hpp"

TEST_CASE("C07 C25: a dependency that nothing submitted satisfies declines, and the program goes on") {
  Rig rig;
  rig.gpu.set_kernel(kAddOne, add_one);
  Args args{rig.device<int64_t>(1)};
  HeldQueue queue(rig);
  const hsa_signal_t host = rig.gpu.make_signal(1);
  auto barrier = kreplay::hsa::barrier_packet({0});
  kreplay::hsa::set_word64(barrier, 8, host.handle);
  queue.forward(barrier);
  const hsa_signal_t done = rig.gpu.make_signal(1);
  queue.submit(dispatch_packet(kAddOne, &args, done));  // returns
  CHECK(rig.records_with("\"dependency\"") == 1);
  CHECK(FakeGpu::value(done) == 1);
  rig.gpu.api.hsa_signal_store_screlease(host, 0);
  REQUIRE(eventually([&] { return FakeGpu::value(done) == 0; }));
  CHECK(*args.target == 1);
  CHECK(rig.gpu.created_signals == 4);  // host, done, and the two of the agent: none was given up
  queue.submit(dispatch_packet(kAddOne, &args, {0}));
  CHECK(rig.records_with("\"replayed\"") == 1);
}

TEST_CASE(
    "C25: a signal that a finished dispatch had carried is waited for by the host only: declined, not "
    "stuck") {
  Rig rig;
  rig.gpu.set_kernel(kAddOne, add_one);
  rig.gpu.set_kernel(kOther, add_one);
  Args args{rig.device<int64_t>(1)};
  HeldQueue queue(rig);
  const hsa_signal_t used = rig.gpu.make_signal(1);
  queue.forward(dispatch_packet(kOther, &args, used));
  REQUIRE(eventually([&] { return FakeGpu::value(used) == 0; }));
  rig.gpu.api.hsa_signal_store_screlease(used, 1);  // used again: the host will bring it down, later
  auto barrier = kreplay::hsa::barrier_packet({0});
  kreplay::hsa::set_word64(barrier, 8, used.handle);
  queue.forward(barrier);
  const hsa_signal_t done = rig.gpu.make_signal(1);
  queue.submit(dispatch_packet(kAddOne, &args, done));  // comes back
  CHECK(rig.records_with("\"dependency\"") == 1);
  rig.gpu.api.hsa_signal_store_screlease(used, 0);
  REQUIRE(eventually([&] { return FakeGpu::value(done) == 0; }));
  CHECK(*args.target == 2);
}

TEST_CASE("C07: a dispatch that waits itself for what only the host or later work brings declines") {
  Rig rig;
  rig.gpu.set_kernel(kAddOne, add_one);
  Args args{rig.device<int64_t>(1)};
  HeldQueue queue(rig);
  const hsa_signal_t awaited = rig.gpu.make_signal(1);
  const hsa_signal_t done = rig.gpu.make_signal(1);
  SECTION("with nothing before it") {}
  SECTION("behind other work") { queue.forward(dispatch_packet(kOther, nullptr, {0})); }
  queue.submit(extended_dispatch_packet(kAddOne, &args, done, awaited));  // comes back
  CHECK(rig.records_with("\"dependency\"") == 1);
  CHECK(rig.records_with("it waits itself for signal") == 1);
  CHECK(FakeGpu::value(done) == 1);
  rig.gpu.api.hsa_signal_store_screlease(awaited, 0);
  REQUIRE(eventually([&] { return FakeGpu::value(done) == 0; }));
  CHECK(*args.target == 1);
}

TEST_CASE("C07: a dispatch that waits itself for submitted work is replayed when that is over") {
  Rig rig(2);
  rig.gpu.set_kernel(kAddOne, add_one);
  std::atomic<bool> flag{false};
  rig.gpu.set_kernel(kOther, [&](void*) {
    while (!flag.load()) std::this_thread::yield();
  });
  Args args{rig.device<int64_t>(1)};
  HeldQueue queue(rig);
  HeldQueue other(rig, GENERATE(0, 1));  // of the same agent, and of another
  const hsa_signal_t awaited = rig.gpu.make_signal(1);
  const hsa_signal_t done = rig.gpu.make_signal(1);
  other.forward(dispatch_packet(kOther, nullptr, awaited));
  std::thread releases([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(60));  // longer than the grace
    flag = true;
  });
  queue.submit(extended_dispatch_packet(kAddOne, &args, done, awaited));
  releases.join();
  CHECK(FakeGpu::value(done) == 0);
  CHECK(*args.target == 1);
  CHECK(rig.records_with("\"replayed\"") == 1);
}

TEST_CASE("C07: a dispatch that waits itself for work that does not end is not waited for longer than told") {
  kreplay::Options options = Rig::fast_options();
  options.drain_timeout_ns = kShortDrainNs;
  Rig rig(2, options);
  rig.gpu.set_kernel(kAddOne, add_one);
  std::atomic<bool> flag{false};
  rig.gpu.set_kernel(kOther, [&](void*) {
    while (!flag.load()) std::this_thread::yield();
  });
  Args args{rig.device<int64_t>(1)};
  HeldQueue queue(rig);
  HeldQueue other(rig, 1);
  const hsa_signal_t awaited = rig.gpu.make_signal(1);
  const hsa_signal_t done = rig.gpu.make_signal(1);
  other.forward(dispatch_packet(kOther, nullptr, awaited));
  queue.submit(extended_dispatch_packet(kAddOne, &args, done, awaited));  // comes back
  CHECK(rig.records_with("what it waits for itself has not come within 1000 ms") == 1);
  CHECK(FakeGpu::value(done) == 1);
  flag = true;
  REQUIRE(eventually([&] { return FakeGpu::value(done) == 0; }));
  CHECK(*args.target == 1);
}

TEST_CASE("C26 C50: a drain that does not end declines when told to; its signal is not used again before") {
  kreplay::Options options = Rig::fast_options();
  options.drain_timeout_ns = kShortDrainNs;
  Rig rig(1, options);
  rig.gpu.set_kernel(kAddOne, add_one);
  std::atomic<bool> flag{false};
  rig.gpu.set_kernel(kOther, [&](void*) {
    while (!flag.load()) std::this_thread::yield();
  });
  Args args{rig.device<int64_t>(1)};
  HeldQueue persistent(rig);
  HeldQueue queue(rig);
  persistent.forward(dispatch_packet(kOther, nullptr, {0}));
  const hsa_signal_t done = rig.gpu.make_signal(1);
  queue.submit(dispatch_packet(kAddOne, &args, done));
  CHECK(rig.records_with("\"agent_drain\"") == 1);
  REQUIRE(eventually([&] { return FakeGpu::value(done) == 0; }));

  // From here on it is only looked at: no wait, no further barrier, no further signal.
  constexpr int kMore = 30;
  const uint64_t waits = rig.gpu.signal_waits;
  const uint64_t signals = rig.gpu.created_signals;
  const uint64_t written = persistent.queue.ring.write_index();
  for (int i = 0; i < kMore; ++i) queue.submit(dispatch_packet(kAddOne, &args, {0}));
  CHECK(rig.records_with("has not come to rest since") == kMore);
  CHECK(rig.records_with("\"agent_drain\"") == 1 + kMore);
  CHECK(rig.gpu.signal_waits == waits);
  CHECK(rig.gpu.created_signals <= signals + 1);  // the next drain's, made ready once
  CHECK(persistent.queue.ring.write_index() == written);
  REQUIRE(eventually([&] { return __atomic_load_n(args.target, __ATOMIC_ACQUIRE) == 1 + kMore; }));

  SECTION("it ends") {
    flag = true;
    REQUIRE(eventually([&] { return persistent.queue.shown_read_index() == 1; }));
    REQUIRE(eventually([&] {  // the barrier of the drain behind it, too
      queue.submit(dispatch_packet(kAddOne, &args, {0}));
      return rig.records_with("\"replayed\"") == 1;
    }));
  }
  SECTION("it ends, and the runtime is shut down, but somebody else keeps it") {
    flag = true;
    REQUIRE(eventually([&] {  // the barrier of the drain behind it has counted its signal down
      for (const FakeGpu::Executed& one : rig.gpu.executed()) {
        const hsa_signal_t signal = kreplay::hsa::completion_signal(one.packet);
        if (one.queue == persistent.queue.ring.queue() && signal.handle != 0)
          return FakeGpu::value(signal) == 0;
      }
      return false;
    }));
    rig.replayer->release_runtime_objects();
    queue.submit(dispatch_packet(kAddOne, &args, {0}));
    CHECK(rig.records_with("\"replayed\"") == 1);
  }
  SECTION("its queue is destroyed") {
    CHECK_FALSE(persistent.take([] {}));
    queue.submit(dispatch_packet(kAddOne, &args, {0}));
    CHECK(rig.records_with("\"replayed\"") == 1);
    flag = true;
  }
  CHECK(*args.target == static_cast<int64_t>(rig.tool.launches()));
}

TEST_CASE("a ring that stays full is waited for once") {
  kreplay::Options options = Rig::fast_options();
  options.drain_timeout_ns = kShortDrainNs;
  Rig rig(1, options);
  rig.gpu.set_kernel(kAddOne, add_one);
  std::atomic<bool> flag{false};
  rig.gpu.set_kernel(kOther, [&](void*) {
    while (!flag.load()) std::this_thread::yield();
  });
  Args args{rig.device<int64_t>(1)};
  HeldQueue full(rig);
  HeldQueue queue(rig);
  for (int i = 0; i < 64; ++i) full.forward(dispatch_packet(kOther, nullptr, {0}));
  for (int i = 0; i < 5; ++i) queue.submit(dispatch_packet(kAddOne, &args, {0}));
  CHECK(rig.records_with("its ring stayed full for 1000 ms") == 1);
  CHECK(rig.records_with("has not come to rest since") == 4);
  flag = true;
  REQUIRE(eventually([&] { return full.queue.shown_read_index() == 64; }));
  queue.submit(dispatch_packet(kAddOne, &args, {0}));
  CHECK(rig.records_with("\"replayed\"") == 1);
  CHECK(*args.target == 6);
  CHECK(rig.gpu.problems().empty());
}

TEST_CASE("a thread that does not finish submitting is waited for once") {
  kreplay::Options options = Rig::fast_options();
  options.drain_timeout_ns = 50'000'000;
  Rig rig(1, options);
  rig.gpu.set_kernel(kAddOne, add_one);
  Args args{rig.device<int64_t>(1)};
  HeldQueue other(rig);
  HeldQueue queue(rig);
  REQUIRE(other.queue.try_take());  // as a thread that an interceptor below us holds up
  // Opted out: what was submitted before is over when the next one comes.
  for (int i = 0; i < 5; ++i) {
    const hsa_signal_t done = rig.gpu.make_signal(1);
    queue.submit(dispatch_packet(kAddOne, &args, done));
    REQUIRE(eventually([&] { return FakeGpu::value(done) == 0; }));
  }
  CHECK(rig.records_with("has not finished submitting to queue 1 within 50 ms") == 1);
  CHECK(rig.records_with("still has not finished submitting to queue 1") == 4);
  CHECK(rig.records_with("\"agent_drain\"") == 5);
  other.queue.let_go();
  HeldQueue fresh(rig);
  queue.queue.idle_at.store(
      queue.queue.ring.write_index());  // no drain: 50 ms may be short on a busy machine
  fresh.submit(dispatch_packet(kAddOne, &args, {0}));
  CHECK(rig.records_with("\"replayed\"") == 1);
  CHECK(*args.target == 6);
}

TEST_CASE("a wait on memory in another queue declines as a dependency, and is over when it is over") {
  Rig rig;
  constexpr uint64_t kWait = 0x5000;
  std::atomic<bool> written{false};
  rig.replayer->kernels().insert(kWait, "__amd_rocclr_streamOpsWait.kd", nullptr);
  rig.gpu.set_kernel(kWait, [&](void*) {
    while (!written.load()) std::this_thread::yield();
  });
  rig.gpu.set_kernel(kAddOne, add_one);
  Args args{rig.device<int64_t>(1)};
  HeldQueue waiting(rig);
  HeldQueue queue(rig);
  waiting.forward(dispatch_packet(kWait, nullptr, {0}));
  queue.submit(dispatch_packet(kAddOne, &args, {0}));  // returns
  CHECK(rig.records_with("\"dependency\"") == 1);
  CHECK(rig.records_with("waits for a value in memory") == 1);
  CHECK(rig.tool.events() == std::vector<std::string>{"config_enter", "config_exit"});
  REQUIRE(eventually([&] { return __atomic_load_n(args.target, __ATOMIC_ACQUIRE) == 1; }));
  written = true;
  REQUIRE(eventually([&] { return waiting.queue.shown_read_index() == 1; }));
  queue.submit(dispatch_packet(kAddOne, &args, {0}));
  CHECK(rig.records_with("\"replayed\"") == 1);
  CHECK(*args.target == 2);
  CHECK(waiting.queue.shown_read_index() == 1);  // packets of ours stay hidden
  CHECK(rig.gpu.problems().empty());
}

TEST_CASE("a queue in error does not hold up windows of other queues") {
  Rig rig;
  rig.gpu.set_kernel(kAddOne, add_one);
  Args args{rig.device<int64_t>(1)};
  HeldQueue broken(rig);
  HeldQueue queue(rig);
  rig.gpu.fail_queue(broken.queue.ring.queue(), HSA_STATUS_ERROR_INVALID_PACKET_FORMAT);
  broken.queue.error.store(HSA_STATUS_ERROR_INVALID_PACKET_FORMAT);
  const hsa_signal_t never = rig.gpu.make_signal(1);
  broken.forward(dispatch_packet(kAddOne, &args, never));
  queue.submit(dispatch_packet(kAddOne, &args, {0}));
  CHECK(rig.records_with("\"replayed\"") == 1);
  CHECK(*args.target == 1);
  CHECK(FakeGpu::value(never) == 1);
  CHECK(broken.queue.shown_read_index() == 0);
}

TEST_CASE("a queue that fails while a window waits for it declines that window, not the next one") {
  Rig rig;
  std::atomic<bool> started{false}, flag{false};
  rig.gpu.set_kernel(kOther, [&](void*) {
    started = true;
    while (!flag.load()) std::this_thread::yield();
  });
  rig.gpu.set_kernel(kAddOne, add_one);
  Args args{rig.device<int64_t>(1)};
  HeldQueue failing(rig);
  HeldQueue queue(rig);
  failing.forward(dispatch_packet(kOther, nullptr, {0}));
  REQUIRE(eventually([&] { return started.load(); }));
  // The drain puts a barrier into every busy queue: when it stands there, the window waits.
  std::thread breaker([&] {
    const auto* object = reinterpret_cast<const amd_queue_t*>(failing.queue.ring.queue());
    while (__atomic_load_n(&object->write_dispatch_id, __ATOMIC_ACQUIRE) < 2) std::this_thread::yield();
    failing.queue.error.store(HSA_STATUS_ERROR_INVALID_PACKET_FORMAT);
  });
  queue.submit(dispatch_packet(kAddOne, &args, {0}));
  breaker.join();
  CHECK(rig.records_with("\"agent_drain\"") == 1);
  CHECK(rig.records_with("failed: status 0x") == 1);
  REQUIRE(eventually([&] { return __atomic_load_n(args.target, __ATOMIC_ACQUIRE) == 1; }));
  queue.submit(dispatch_packet(kAddOne, &args, {0}));
  CHECK(rig.records_with("\"replayed\"") == 1);
  CHECK(*args.target == 2);
  flag = true;
}
