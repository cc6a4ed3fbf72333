// The replay window: order of calls, restore between passes, completion once, declines.
#include <catch2/catch.hpp>

#include "add_one.hpp"
#include "replay/fatal.hpp"

using kreplay::tool_api::PassMode;

TEST_CASE("K5 K9 K27: a fixed loop calls in order, restores between passes, keeps the last result") {
  Rig rig;
  rig.gpu.set_kernel(kAddOne, add_one);
  Args args{rig.device<int64_t>(8)};
  *args.target = 41;
  HeldQueue queue(rig);
  const hsa_signal_t done = rig.gpu.make_signal(3);
  queue.submit(dispatch_packet(kAddOne, &args, done));
  CHECK(rig.tool.events() == std::vector<std::string>{"config_enter", "pass_enter 0", "pass_exit 0",
                                                      "continue_after 0", "pass_enter 1", "pass_exit 1",
                                                      "continue_after 1", "pass_enter 2", "pass_exit 2",
                                                      "config_exit"});
  CHECK(*args.target == 42);
  CHECK(FakeGpu::value(done) == 2);  // K26: once, whatever the start value
  const auto* times = reinterpret_cast<const amd_signal_t*>(done.handle);
  const auto* last = reinterpret_cast<const amd_signal_t*>(
      kreplay::hsa::completion_signal(rig.gpu.executed().back().packet).handle);
  CHECK(times->start_ts == last->start_ts);
  CHECK(times->end_ts == last->end_ts);
  CHECK(times->end_ts != 0);
  CHECK(rig.gpu.executed().size() == 3);
  CHECK(queue.queue.shown_read_index() == 1);
  CHECK(rig.records_with("\"replayed\"") == 1);
  CHECK(rig.gpu.problems().empty());
}

TEST_CASE("K26: a dispatch without completion signal completes nothing") {
  Rig rig;
  rig.gpu.set_kernel(kAddOne, add_one);
  Args args{rig.device<int64_t>(1)};
  HeldQueue queue(rig);
  queue.submit(dispatch_packet(kAddOne, &args, {0}));
  CHECK(*args.target == 1);
  CHECK(rig.gpu.executed().size() == 3);
}

TEST_CASE("passes carry system-scope fences and keep the other header bits") {
  Rig rig;
  rig.gpu.set_kernel(kAddOne, add_one);
  Args args{rig.device<int64_t>(1)};
  HeldQueue queue(rig);
  const auto packet = dispatch_packet(kAddOne, &args, {0});
  queue.submit(packet);
  for (const auto& each : rig.gpu.executed()) {
    CHECK(each.packet.word[0] == kreplay::hsa::with_system_fences(packet.word[0]));
    CHECK(kreplay::hsa::word64(each.packet, 40) == kreplay::hsa::word64(packet, 40));
  }
}

TEST_CASE("K10 K11: an endless loop ends when the tool says so, the tool is asked after each pass") {
  Rig rig;
  rig.gpu.set_kernel(kAddOne, add_one);
  rig.tool.plan = {PassMode::until_stopped, 0};
  rig.tool.go_on = [](uint64_t pass) { return pass < 4; };
  Args args{rig.device<int64_t>(1)};
  HeldQueue queue(rig);
  queue.submit(dispatch_packet(kAddOne, &args, {0}));
  CHECK(rig.gpu.executed().size() == 5);
  CHECK(*args.target == 1);
}

TEST_CASE("K9: a fixed loop may end early") {
  Rig rig;
  rig.gpu.set_kernel(kAddOne, add_one);
  rig.tool.go_on = [](uint64_t) { return false; };
  Args args{rig.device<int64_t>(1)};
  HeldQueue queue(rig);
  queue.submit(dispatch_packet(kAddOne, &args, {0}));
  CHECK(rig.gpu.executed().size() == 1);
  CHECK(*args.target == 1);
}

TEST_CASE("K4: an opted-out dispatch runs once with its own signal, CONFIG EXIT follows at once") {
  Rig rig;
  rig.gpu.set_kernel(kAddOne, add_one);
  rig.tool.plan = {PassMode::once, 1};
  Args args{rig.device<int64_t>(1)};
  HeldQueue queue(rig);
  const hsa_signal_t done = rig.gpu.make_signal(1);
  const auto packet = dispatch_packet(kAddOne, &args, done);
  queue.submit(packet);
  REQUIRE(eventually([&] { return FakeGpu::value(done) == 0; }));
  CHECK(rig.tool.events() == std::vector<std::string>{"config_enter", "config_exit"});
  REQUIRE(rig.gpu.executed().size() == 1);
  CHECK(std::memcmp(&rig.gpu.executed()[0].packet, &packet, sizeof packet) == 0);
  CHECK(rig.gpu.created_signals == 1);  // the test's own
  CHECK(rig.records_with("\"opted_out\"") == 1);
}

TEST_CASE("steady replays create no signal and allocate no device or staging memory") {
  Rig rig;
  rig.gpu.set_kernel(kAddOne, add_one);
  Args args{rig.device<int64_t>(1)};
  HeldQueue queue(rig);
  queue.submit(dispatch_packet(kAddOne, &args, {0}));
  const uint64_t signals = rig.gpu.created_signals;
  const uint64_t allocations = rig.gpu.pool_allocations;
  for (int i = 0; i < 20; ++i) {
    queue.forward(dispatch_packet(kAddOne, &args, {0}));  // makes the queue busy, so it is drained
    queue.submit(dispatch_packet(kAddOne, &args, {0}));
  }
  CHECK(rig.gpu.created_signals == signals);
  CHECK(rig.gpu.pool_allocations == allocations);
  CHECK(*args.target == 41);
  CHECK(queue.queue.shown_read_index() == 41);
}

TEST_CASE("C21: a snapshot that does not fit declines; the next small one replays") {
  kreplay::Options options = Rig::fast_options();
  options.host_bytes = 1 << 20;
  Rig rig(1, options);
  rig.gpu.set_kernel(kAddOne, add_one);
  auto* big = rig.device<char>(4 << 20);
  Args args{rig.device<int64_t>(1)};
  HeldQueue queue(rig);
  const hsa_signal_t done = rig.gpu.make_signal(1);
  queue.submit(dispatch_packet(kAddOne, &args, done));
  REQUIRE(eventually([&] { return FakeGpu::value(done) == 0; }));
  CHECK(rig.tool.events() == std::vector<std::string>{"config_enter", "config_exit"});
  CHECK(rig.records_with("\"budget\"") == 1);
  CHECK(*args.target == 1);
  const auto freed = rig.replayer->memory().freeing(big, [] {});
  CHECK_FALSE(freed.deferred);
  queue.submit(dispatch_packet(kAddOne, &args, {0}));
  CHECK(rig.records_with("\"replayed\"") == 1);
  CHECK(*args.target == 2);
}

TEST_CASE("C49: when no signal can be made the dispatch runs once") {
  Rig rig;
  rig.gpu.set_kernel(kAddOne, add_one);
  Args args{rig.device<int64_t>(1)};
  HeldQueue queue(rig);
  rig.gpu.fail_signal_create = true;
  const hsa_signal_t done = rig.gpu.make_signal(1);
  queue.submit(dispatch_packet(kAddOne, &args, done));
  REQUIRE(eventually([&] { return FakeGpu::value(done) == 0; }));
  CHECK(*args.target == 1);
  CHECK(rig.records_with("\"snapshot_failed\"") == 1);
  rig.gpu.fail_signal_create = false;
  queue.submit(dispatch_packet(kAddOne, &args, {0}));
  CHECK(rig.records_with("\"replayed\"") == 1);
}

TEST_CASE("cooperative queues, bypassed agents and graphs are declined with their reason") {
  Rig rig;
  rig.gpu.set_kernel(kAddOne, add_one);
  Args args{rig.device<int64_t>(1)};
  HeldQueue cooperative(rig, 0, HSA_QUEUE_TYPE_COOPERATIVE);
  cooperative.submit(dispatch_packet(kAddOne, &args, {0}));
  CHECK(rig.records_with("\"cooperative\"") == 1);
  HeldQueue queue(rig);
  const auto graph = dispatch_packet(kAddOne, &args, {0});
  kreplay::replay::Dispatcher::Candidate candidate;
  REQUIRE(rig.replayer->dispatcher().wants(queue.queue, kreplay::hsa::kernel_object(&graph), candidate));
  rig.replayer->dispatcher().account(queue.queue, graph, candidate, kreplay::report::Reason::graph);
  CHECK(rig.records_with("\"graph\"") == 1);
  rig.replayer->mark_bypassed(FakeGpu::gpu(0), "test", "a queue escaped");
  queue.submit(dispatch_packet(kAddOne, &args, {0}));
  CHECK(rig.records_with("\"bypassed\"") == 1);
}

TEST_CASE("C27: a pass that does not end is handed over, and its kernel is not tried again") {
  kreplay::Options options = Rig::fast_options();
  options.pass_timeout_ns = 50'000'000;
  Rig rig(1, options);
  std::atomic<bool> flag{false};
  rig.gpu.set_kernel(kAddOne, [&](void* kernarg) {
    while (!flag.load()) std::this_thread::yield();
    add_one(kernarg);
  });
  // The replayer learns by kernel, so it has to know one.
  rig.replayer->kernels().insert(kAddOne, "_Z7add_onePl.kd", nullptr);
  Args args{rig.device<int64_t>(1)};
  HeldQueue queue(rig);
  const hsa_signal_t done = rig.gpu.make_signal(1);
  queue.submit(dispatch_packet(kAddOne, &args, done));  // returns although the flag is down
  CHECK(FakeGpu::value(done) == 1);
  CHECK(rig.tool.events() == std::vector<std::string>{"config_enter", "pass_enter 0", "config_exit"});
  CHECK(rig.records_with("\"pass_timeout\"") == 1);
  flag = true;
  REQUIRE(eventually([&] { return FakeGpu::value(done) == 0; }));
  CHECK(*args.target == 1);
  const auto* times = reinterpret_cast<const amd_signal_t*>(done.handle);
  CHECK(times->end_ts > times->start_ts);
  queue.submit(dispatch_packet(kAddOne, &args, {0}));
  CHECK(rig.records_with("\"learned\"") == 1);
}

TEST_CASE("C30: a callback that launches on the same queue runs ungated; the record says so") {
  Rig rig;
  rig.gpu.set_kernel(kAddOne, add_one);
  int nested = 0;
  rig.gpu.set_kernel(kOther, [&](void*) { ++nested; });
  Args args{rig.device<int64_t>(1)};
  HeldQueue queue(rig);
  HeldQueue second(rig);
  rig.tool.on_event = [&](const std::string& event) {
    if (event != "pass_enter 1") return;
    const hsa_signal_t done = rig.gpu.make_signal(1);
    kreplay::replay::Window::mine(rig.agent())->mark_reentrant();
    second.forward(dispatch_packet(kOther, nullptr, done));
    REQUIRE(eventually([&] { return FakeGpu::value(done) == 0; }));
  };
  queue.submit(dispatch_packet(kAddOne, &args, {0}));
  CHECK(nested == 1);
  CHECK(*args.target == 1);
  CHECK(rig.records_with("\"reentrant\"") == 1);
}

TEST_CASE("a queue error in a pass ends the replay; the application is not told of a completion") {
  Rig rig;
  hsa_queue_t* real = nullptr;
  HeldQueue queue(rig);
  real = queue.queue.ring.queue();
  rig.gpu.set_kernel(kAddOne, add_one);
  rig.replayer->kernels().insert(kAddOne, "_Z7add_onePl.kd", nullptr);
  Args args{rig.device<int64_t>(1)};
  rig.tool.on_event = [&](const std::string& event) {
    if (event != "pass_enter 1") return;
    rig.gpu.fail_queue(real, HSA_STATUS_ERROR_INVALID_PACKET_FORMAT);
    queue.queue.error.store(HSA_STATUS_ERROR_INVALID_PACKET_FORMAT);
  };
  const hsa_signal_t done = rig.gpu.make_signal(1);
  queue.submit(dispatch_packet(kAddOne, &args, done));
  CHECK(FakeGpu::value(done) == 1);
  CHECK(rig.records_with("\"stopped\",\"reason\":\"queue_error\"") == 1);
  CHECK(rig.records_with("in pass 1 queue 1 failed: status 0x") == 1);
  CHECK_FALSE(rig.replayer->kernels().find(kAddOne)->learned.load());  // the queue's fault, not the kernel's
  // What is still submitted to the queue goes where it would go without us; nothing is tried with it.
  const uint64_t signals = rig.gpu.created_signals;
  for (int i = 0; i < 3; ++i) queue.submit(dispatch_packet(kAddOne, &args, {0}));
  CHECK(rig.records_with("\"declined\",\"reason\":\"queue_error\"") == 3);
  CHECK(rig.gpu.created_signals == signals);
}

TEST_CASE("C22: a restore that no path can complete ends the process with a message") {
  Rig rig;
  rig.gpu.set_kernel(kAddOne, add_one);
  Args args{rig.device<int64_t>(1)};
  HeldQueue queue(rig);
  struct Stop {};
  kreplay::replay::set_fatal_action([] { throw Stop(); });
  rig.tool.on_event = [&](const std::string& event) {
    if (event != "pass_exit 0") return;
    rig.gpu.fail_copy_at = 0;
    rig.gpu.fail_sync_copies = true;
  };
  CHECK_THROWS_AS(queue.submit(dispatch_packet(kAddOne, &args, {0})), Stop);
  CHECK(rig.tool.events().back() == "continue_after 0");  // no pass ran on mixed memory
  kreplay::replay::set_fatal_action(nullptr);
}
