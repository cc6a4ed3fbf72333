// The replay window: order of calls, restore between passes, completion once, declines.

#include <catch2/catch.hpp>

#include "replay/fatal.hpp"
#include "rig.hpp"

using kreplay::tool_api::PassMode;

namespace {

constexpr uint64_t kAddOne = 0x1000;  ///< kernel: ++*(int64_t*)kernarg's first word
constexpr uint64_t kOther = 0x2000;

/// A limit that a test reaches once, and that later drains of the test do not reach on a busy machine.
constexpr uint64_t kShortDrainNs = 1'000'000'000;

struct Args {
  int64_t* target;
};

void add_one(void* kernarg) {
  int64_t* target = static_cast<Args*>(kernarg)->target;
  __atomic_fetch_add(target, 1, __ATOMIC_ACQ_REL);
}

}  // namespace

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
  const auto freed = rig.replayer->freeing(big, [] {});
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
  kreplay::replay::Replayer::Candidate candidate;
  REQUIRE(rig.replayer->wants(queue.queue, kreplay::hsa::kernel_object(&graph), candidate));
  rig.replayer->account(queue.queue, graph, candidate, kreplay::report::Reason::graph);
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
      const auto freed = rig.replayer->freeing(other, [&] { rig.gpu.api.hsa_amd_memory_pool_free(other); });
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
      kept = rig.replayer->take_queue(second->queue,
                                      [&] { rig.gpu.api.hsa_queue_destroy(second->queue.ring.queue()); });
  };
  queue.submit(dispatch_packet(kAddOne, &args, {0}));
  CHECK(kept);
  CHECK(rig.gpu.destroyed().size() == 1);
  HeldQueue third(rig);
  CHECK_FALSE(rig.replayer->take_queue(third.queue, [] {}));
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

TEST_CASE("C10: an executable allocation is put back once an argument points at it; others are left alone") {
  Rig rig;
  rig.gpu.set_kernel(kAddOne, add_one);
  kreplay::hsa::KernelMetadata metadata;
  metadata.symbol = metadata.name = "add_one";
  metadata.explicit_bytes = sizeof(Args);
  rig.replayer->kernels().insert(kAddOne, "add_one.kd", &metadata);
  const auto executable = [&](size_t bytes) {
    void* memory = nullptr;
    rig.gpu.api.hsa_amd_memory_pool_allocate({FakeGpu::kDevicePool}, bytes, 0, &memory);
    std::memset(memory, 0, bytes);
    rig.replayer->allocated(memory, bytes, FakeGpu::kDevicePool, 1u << 2);
    return static_cast<int64_t*>(memory);
  };
  int64_t* pointed_at = executable(64);
  int64_t* pool = executable(64);  // the runtime's own: it goes on writing there
  void* kernarg = nullptr;
  rig.gpu.api.hsa_amd_memory_pool_allocate({FakeGpu::kKernargPool}, sizeof(Args), 0, &kernarg);
  rig.replayer->allocated(kernarg, sizeof(Args), FakeGpu::kKernargPool, 0);
  *static_cast<Args*>(kernarg) = Args{pointed_at + 1};
  rig.tool.on_event = [&](const std::string& event) {
    if (event == "pass_exit 0") pool[0] = 77;
  };
  HeldQueue queue(rig);
  queue.submit(dispatch_packet(kAddOne, kernarg, {0}));
  CHECK(rig.gpu.executed().size() == 3);
  CHECK(pointed_at[1] == 1);
  CHECK(pool[0] == 77);
}

TEST_CASE(
    "C36: an argument into memory that others write, too, declines: another GPU's, exported, imported") {
  Rig rig(2);
  rig.gpu.set_kernel(kAddOne, add_one);
  kreplay::hsa::KernelMetadata metadata;
  metadata.symbol = metadata.name = "add_one";
  metadata.explicit_bytes = sizeof(Args);
  rig.replayer->kernels().insert(kAddOne, "add_one.kd", &metadata);
  void* kernarg = nullptr;
  rig.gpu.api.hsa_amd_memory_pool_allocate({FakeGpu::kKernargPool}, sizeof(Args), 0, &kernarg);
  rig.replayer->allocated(kernarg, sizeof(Args), FakeGpu::kKernargPool, 0);
  HeldQueue queue(rig);
  const auto launch_on = [&](int64_t* target) {
    *static_cast<Args*>(kernarg) = Args{target};
    const hsa_signal_t done = rig.gpu.make_signal(1);
    queue.submit(dispatch_packet(kAddOne, kernarg, done));
    REQUIRE(eventually([&] { return FakeGpu::value(done) == 0; }));
  };
  auto* own = rig.device<int64_t>(8);
  launch_on(own + 3);
  CHECK(own[3] == 1);
  CHECK(rig.records_with("\"replayed\"") == 1);

  auto* peer = rig.device<int64_t>(8, 1);
  launch_on(peer + 3);
  CHECK(peer[3] == 1);
  CHECK(rig.records_with("\"declined\",\"reason\":\"collective\"") == 1);
  CHECK(rig.records_with("into memory of another GPU") == 1);

  kreplay::snapshot::Extent imported;
  std::vector<int64_t> elsewhere(8);
  imported.base = kreplay::GpuVa(elsewhere.data());
  imported.size = elsewhere.size() * sizeof elsewhere[0];
  imported.memory_class = kreplay::snapshot::MemoryClass::ipc_import;
  rig.replayer->extents().insert(imported);
  launch_on(elsewhere.data() + 3);
  CHECK(elsewhere[3] == 1);
  CHECK(rig.records_with("into memory shared with another process or device") == 1);

  rig.replayer->not_exported(rig.replayer->exported(own));  // refused
  launch_on(own + 3);
  CHECK(rig.records_with("\"replayed\"") == 2);
  CHECK(rig.replayer->exported(own + 1).has_value());  // anywhere inside
  launch_on(own + 3);
  CHECK(own[3] == 3);
  CHECK(rig.records_with("into memory shared with another process or device") == 2);

  // Others may write it during anybody's window: it is not put back any more.
  auto* rest = rig.device<int64_t>(1);
  rig.tool.on_event = [&](const std::string& event) {
    if (event == "pass_exit 0") own[0] = 77;
  };
  launch_on(rest);
  CHECK(*rest == 1);
  CHECK(own[0] == 77);
  CHECK(rig.records_with("\"replayed\"") == 3);
}

TEST_CASE("an allocation that was moved to another pool is what that pool is") {
  Rig rig(2);
  auto* memory = rig.device<int64_t>(8);
  rig.replayer->migrated(memory, FakeGpu::kDevicePool + 1);
  const auto extent = rig.replayer->extents().find(kreplay::GpuVa(memory));
  REQUIRE(extent.has_value());
  CHECK(extent->agent == FakeGpu::gpu(1));
  CHECK(extent->size == 8 * sizeof(int64_t));
}

TEST_CASE("C45: a packet written past the proxy is noticed: nothing on that agent is replayed") {
  Rig rig;
  rig.gpu.set_kernel(kAddOne, add_one);
  Args args{rig.device<int64_t>(1)};
  HeldQueue queue(rig);
  queue.submit(dispatch_packet(kAddOne, &args, {0}));
  CHECK(rig.records_with("\"replayed\"") == 1);
  // As a program that has the real queue's ring and doorbell.
  auto* real = reinterpret_cast<amd_queue_t*>(queue.queue.ring.queue());
  const uint64_t index = __atomic_fetch_add(&real->write_dispatch_id, 1, __ATOMIC_ACQ_REL);
  const auto packet = dispatch_packet(kAddOne, &args, {0});
  auto* slot = static_cast<kreplay::hsa::Packet*>(real->hsa_queue.base_address) + index % 64;
  std::memcpy(&slot->word[1], &packet.word[1], sizeof packet - 4);
  __atomic_store_n(&slot->word[0], packet.word[0], __ATOMIC_RELEASE);
  const auto* doorbell = reinterpret_cast<const amd_signal_t*>(real->hsa_queue.doorbell_signal.handle);
  __atomic_store_n(doorbell->hardware_doorbell_ptr, index, __ATOMIC_RELEASE);
  REQUIRE(eventually([&] { return __atomic_load_n(args.target, __ATOMIC_ACQUIRE) == 2; }));
  HeldQueue other(rig);
  Args more{rig.device<int64_t>(1)};
  for (int i = 0; i < 2; ++i) other.submit(dispatch_packet(kAddOne, &more, {0}));
  CHECK(rig.records_with("\"declined\",\"reason\":\"bypassed\"") == 2);
  CHECK(rig.records_with("packets went through the proxy") == 1);  // noticed once, known from then on
  REQUIRE(eventually([&] { return __atomic_load_n(more.target, __ATOMIC_ACQUIRE) == 2; }));
}

TEST_CASE("C45: a ring in device memory is written and never read") {
  REQUIRE(setenv("HSA_ALLOCATE_QUEUE_DEV_MEM", "1", 1) == 0);
  Rig rig;
  rig.gpu.set_kernel(kAddOne, add_one);
  Args args{rig.device<int64_t>(1)};
  HeldQueue queue(rig);
  REQUIRE(unsetenv("HSA_ALLOCATE_QUEUE_DEV_MEM") == 0);
  CHECK_FALSE(queue.queue.ring.readable());
  queue.forward(dispatch_packet(kAddOne, &args, {0}));
  queue.submit(dispatch_packet(kAddOne, &args, {0}));  // drained without a look at what is ahead
  CHECK(rig.records_with("\"replayed\"") == 1);
  CHECK(*args.target == 2);
  CHECK(rig.gpu.problems().empty());
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
  SECTION("its queue is destroyed") {
    CHECK_FALSE(rig.replayer->take_queue(persistent.queue, [] {}));
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
  REQUIRE(other.queue.try_lock());  // as a thread that an interceptor below us holds up
  // Opted out: what was submitted before is over when the next one comes.
  for (int i = 0; i < 5; ++i) {
    const hsa_signal_t done = rig.gpu.make_signal(1);
    queue.submit(dispatch_packet(kAddOne, &args, done));
    REQUIRE(eventually([&] { return FakeGpu::value(done) == 0; }));
  }
  CHECK(rig.records_with("has not finished submitting to queue 1 within 50 ms") == 1);
  CHECK(rig.records_with("still has not finished submitting to queue 1") == 4);
  CHECK(rig.records_with("\"agent_drain\"") == 5);
  other.queue.unlock();
  HeldQueue fresh(rig);
  queue.queue.idle_at.store(
      queue.queue.ring.write_index());  // no drain: 50 ms may be short on a busy machine
  fresh.submit(dispatch_packet(kAddOne, &args, {0}));
  CHECK(rig.records_with("\"replayed\"") == 1);
  CHECK(*args.target == 6);
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
