// Several GPUs: who was given access to whose memory is isolated together, and nobody else.
#include <catch2/catch.hpp>

#include "add_one.hpp"

using kreplay::tool_api::PassMode;

namespace {

/// Lets the agents of `gpus`, and nobody else, access memory of one of them, as hsa_amd_agents_allow_access
/// does.
void allow(Rig& rig, const void* address, const std::vector<unsigned>& gpus) {
  std::vector<hsa_agent_t> agents;
  for (const unsigned gpu : gpus) agents.push_back({FakeGpu::gpu(gpu)});
  rig.replayer->memory().access_allowed(address, agents.data(), agents.size());
}

/// Runs `first` at the first callback of each window's first pass.
void inside(Rig& rig, std::function<void()> first) {
  rig.tool.on_event = [first = std::move(first)](const std::string& event) {
    if (event == "pass_exit 0") first();
  };
}

kreplay::Options soon() {
  kreplay::Options options = Rig::fast_options();
  options.drain_timeout_ns = kShortDrainNs;
  return options;
}

}  // namespace

TEST_CASE("a GPU that may write an agent's memory stands still while that memory is put back") {
  Rig rig(2);
  rig.gpu.set_kernel(kAddOne, add_one);
  rig.gpu.set_kernel(kOther, add_one);
  Args own{rig.device<int64_t>(1, 0)};
  Args peer{rig.device<int64_t>(1, 0)};  // memory of GPU 0 that GPU 1 writes
  HeldQueue here(rig, 0);
  HeldQueue there(rig, 1);
  SECTION("given before") { allow(rig, peer.target, {0, 1}); }
  SECTION("given through a third memory the other way round: the group is symmetric") {
    allow(rig, peer.target, {0, 1});
    allow(rig, rig.device<int64_t>(1, 1), {0, 1});
  }
  constexpr int kWrites = 200;
  std::thread writer([&] {
    for (int i = 0; i < kWrites; ++i) {
      const hsa_signal_t done = rig.gpu.make_signal(1);
      there.forward(dispatch_packet(kOther, &peer, done));
      REQUIRE(eventually([&] { return FakeGpu::value(done) == 0; }));
    }
  });
  for (int i = 0; i < 50; ++i) here.submit(dispatch_packet(kAddOne, &own, {0}));
  writer.join();
  CHECK(*own.target == 50);
  CHECK(*peer.target == kWrites);
  CHECK(rig.records_with("\"replayed\"") == 50);
}

TEST_CASE("GPUs without access to each other's memory work on during each other's windows") {
  Rig rig(3);
  rig.gpu.set_kernel(kAddOne, add_one);
  rig.gpu.set_kernel(kOther, add_one);
  Args own{rig.device<int64_t>(1, 0)};
  Args other{rig.device<int64_t>(1, 1)};
  HeldQueue here(rig, 0);
  HeldQueue there(rig, 1);
  SECTION("never given") {}
  SECTION("two others have it") { allow(rig, rig.device<int64_t>(1, 1), {1, 2}); }
  SECTION("taken away") {
    auto* shared = rig.device<int64_t>(1, 0);
    allow(rig, shared, {0, 1});
    allow(rig, shared, {0});
  }
  SECTION("ended with the memory") {
    auto* shared = rig.device<int64_t>(1, 0);
    allow(rig, shared, {0, 1});
    rig.replayer->memory().freeing(shared, [] {});
  }
  bool ran = false;
  inside(rig, [&] {
    const hsa_signal_t done = rig.gpu.make_signal(1);
    there.forward(dispatch_packet(kOther, &other, done));  // would come back only after the window
    ran = eventually([&] { return FakeGpu::value(done) == 0; });
  });
  std::thread submits([&] { here.submit(dispatch_packet(kAddOne, &own, {0})); });
  submits.join();
  CHECK(ran);
  CHECK(*own.target == 1);
  CHECK(*other.target == 1);
  CHECK(rig.records_with("\"replayed\",\"reason\":\"none\"") == 1);
}

TEST_CASE("memory of another GPU that a kernel may write is put back, too") {
  Rig rig(2);
  auto* reached = rig.device<int64_t>(1, 1);
  auto* unreached = rig.device<int64_t>(1, 1);
  auto* hidden = rig.device<int64_t*>(1, 0);  // the pointer stands in memory, not in the arguments
  *hidden = reached;
  rig.gpu.set_kernel(kAddOne, [](void* kernarg) { ++***static_cast<int64_t***>(kernarg); });
  int64_t** arguments = hidden;
  allow(rig, reached, {0, 1});
  HeldQueue queue(rig, 0);
  queue.submit(dispatch_packet(kAddOne, &arguments, {0}));
  CHECK(*reached == 1);
  CHECK(rig.records_with("\"replayed\"") == 1);
  CHECK(rig.records_with("\"bytes_saved\":16,") == 1);  // `hidden` and `reached`
  *reached = 5;
  allow(rig, unreached, {0, 1});
  queue.submit(dispatch_packet(kAddOne, &arguments, {0}));
  CHECK(*reached == 6);
  CHECK(rig.records_with("\"bytes_saved\":24,") == 1);
}

TEST_CASE("access that is given while a window is open is good only when nothing can be lost") {
  Rig rig(2);
  rig.gpu.set_kernel(kAddOne, add_one);
  Args own{rig.device<int64_t>(1, 0)};
  auto* peer = rig.device<int64_t>(1, 0);
  HeldQueue queue(rig, 0);
  SECTION("by another thread: it waits for the window") {
    std::atomic<bool> given{false};
    bool early = true;
    std::thread gives;
    std::atomic<bool> begun{false};
    inside(rig, [&] {
      gives = std::thread([&] {
        begun = true;
        allow(rig, peer, {0, 1});
        given = true;
      });
      while (!begun) std::this_thread::yield();
      std::this_thread::yield();
      early = given;
    });
    queue.submit(dispatch_packet(kAddOne, &own, {0}));
    gives.join();
    CHECK_FALSE(early);
    CHECK(rig.records_with("\"replayed\",\"reason\":\"none\"") == 1);
  }
  SECTION("by the window's own callback: nothing is put back afterwards") {
    inside(rig, [&] { allow(rig, peer, {0, 1}); });
    queue.submit(dispatch_packet(kAddOne, &own, {0}));
    CHECK(rig.records_with("\"stopped\",\"reason\":\"reentrant\"") == 1);
  }
  CHECK(*own.target == 1);
}

TEST_CASE("memory that is exported while a window is open is not put back any more") {
  Rig rig;
  rig.gpu.set_kernel(kAddOne, add_one);
  Args own{rig.device<int64_t>(1)};
  auto* given = rig.device<int64_t>(1);
  HeldQueue queue(rig);
  inside(rig, [&] {
    rig.replayer->memory().exported(given);
    *given = 9;  // the other process
  });
  queue.submit(dispatch_packet(kAddOne, &own, {0}));
  CHECK(*given == 9);
  CHECK(*own.target == 1);
  CHECK(rig.records_with("\"stopped\",\"reason\":\"reentrant\"") == 1);
}

TEST_CASE("a group that cannot be brought to rest is not waited for long, and never fatal") {
  kreplay::Options options = soon();
  options.decline_on_stuck_drain = false;
  Rig rig(2, options);
  rig.gpu.set_kernel(kAddOne, add_one);
  std::atomic<bool> flag{false};
  rig.gpu.set_kernel(kOther, [&](void*) {
    while (!flag.load()) std::this_thread::yield();
  });
  Args own{rig.device<int64_t>(1, 0)};
  HeldQueue here(rig, 0);
  HeldQueue there(rig, 1);
  allow(rig, rig.device<int64_t>(1, 0), {0, 1});
  there.forward(dispatch_packet(kOther, nullptr, {0}));
  for (int i = 0; i < 3; ++i) here.submit(dispatch_packet(kAddOne, &own, {0}));
  flag = true;
  CHECK(rig.records_with("\"declined\",\"reason\":\"peer_write\"") == 3);
  REQUIRE(eventually([&] { return __atomic_load_n(own.target, __ATOMIC_ACQUIRE) == 3; }));
  here.submit(dispatch_packet(kAddOne, &own, {0}));
  REQUIRE(eventually([&] { return __atomic_load_n(own.target, __ATOMIC_ACQUIRE) == 4; }));
}

TEST_CASE("a group with a member whose work is not seen, or with too many members, is declined") {
  Rig rig(17);
  rig.gpu.set_kernel(kAddOne, add_one);
  Args own{rig.device<int64_t>(1, 0)};
  HeldQueue queue(rig, 0);
  SECTION("bypassed") {
    allow(rig, own.target, {0, 1});
    rig.replayer->mark_bypassed(FakeGpu::gpu(1), "test", "a queue escaped");
  }
  SECTION("too many") {
    std::vector<unsigned> all(17);
    for (unsigned i = 0; i < all.size(); ++i) all[i] = i;
    allow(rig, own.target, all);
  }
  queue.submit(dispatch_packet(kAddOne, &own, {0}));
  CHECK(rig.records_with("\"declined\",\"reason\":\"peer_write\"") == 1);
  REQUIRE(eventually([&] { return __atomic_load_n(own.target, __ATOMIC_ACQUIRE) == 1; }));
}

TEST_CASE("where host memory is put back, all GPUs are one group") {
  kreplay::Options options = Rig::fast_options();
  options.host_write = kreplay::Options::HostWrite::restore;
  Rig rig(2, options);
  rig.gpu.set_kernel(kAddOne, add_one);
  rig.gpu.set_kernel(kOther, add_one);
  Args own{rig.device<int64_t>(1, 0)};
  Args other{rig.device<int64_t>(1, 1)};
  HeldQueue here(rig, 0);
  HeldQueue there(rig, 1);
  std::thread submits;
  std::atomic<bool> at_gate{false};
  hsa_signal_t done = rig.gpu.make_signal(1);
  int64_t during = -1;
  inside(rig, [&] {
    submits = std::thread([&] {
      at_gate = true;
      there.forward(dispatch_packet(kOther, &other, done));
    });
    while (!at_gate) std::this_thread::yield();
    during = FakeGpu::value(done);
  });
  here.submit(dispatch_packet(kAddOne, &own, {0}));
  submits.join();
  CHECK(during == 1);
  REQUIRE(eventually([&] { return FakeGpu::value(done) == 0; }));
}

TEST_CASE("memory that two windows cover is freed when the last of them ends") {
  Rig rig(2);
  rig.gpu.set_kernel(kAddOne, add_one);
  Args a{rig.device<int64_t>(1, 0)};
  Args b{rig.device<int64_t>(1, 1)};
  HeldQueue qa(rig, 0);
  HeldQueue qb(rig, 1);
  std::atomic<int> open{0};
  std::atomic<int> ended{0};
  std::atomic<bool> released{false};
  std::atomic<bool> too_early{false};
  void* host = nullptr;
  rig.gpu.api.hsa_amd_memory_pool_allocate({FakeGpu::kHostPool}, 64, 0, &host);
  rig.replayer->memory().allocated(host, 64, FakeGpu::kHostPool, 0);
  std::atomic<bool> asked{false};
  rig.tool.on_event = [&](const std::string& event) {
    if (event == "pass_exit 0") {
      ++open;
      REQUIRE(eventually([&] { return open.load() == 2; }));
      if (!asked.exchange(true)) {
        const auto freed = rig.replayer->memory().freeing(host, [&] { released = true; });
        CHECK(freed.deferred);
      }
    }
    if (event != "config_exit") return;
    too_early = too_early || released;
    // One window closes first; the other looks afterwards.
    if (++ended == 2) std::this_thread::yield();
  };
  std::thread other([&] { qb.submit(dispatch_packet(kAddOne, &b, {0})); });
  qa.submit(dispatch_packet(kAddOne, &a, {0}));
  other.join();
  CHECK_FALSE(too_early.load());
  CHECK(released.load());
}

TEST_CASE("copies between two agents from the callbacks of both do not wait for each other") {
  Rig rig(2);
  rig.gpu.set_kernel(kAddOne, add_one);
  Args a{rig.device<int64_t>(1, 0)};
  Args b{rig.device<int64_t>(1, 1)};
  HeldQueue qa(rig, 0);
  HeldQueue qb(rig, 1);
  std::atomic<int> open{0};
  std::atomic<int> copied{0};
  rig.tool.on_event = [&](const std::string& event) {
    if (event != "pass_exit 0") return;
    ++open;
    REQUIRE(eventually([&] { return open.load() == 2; }));
    auto& copies = rig.replayer->copies();
    const auto mine = [](uint64_t agent) {
      for (auto* window = kreplay::replay::t_state.window; window != nullptr; window = window->outer())
        if (window->agent().handle().handle == agent) return true;
      return false;
    };
    const kreplay::replay::TheirsScope theirs;
    copies.leave(copies.enter({FakeGpu::gpu(0), FakeGpu::gpu(1)}, {0}, nullptr, 0, mine), true);
    ++copied;
  };
  std::thread other([&] { qb.submit(dispatch_packet(kAddOne, &b, {0})); });
  qa.submit(dispatch_packet(kAddOne, &a, {0}));
  other.join();
  CHECK(copied.load() == 2);
  CHECK(*a.target == 1);
  CHECK(*b.target == 1);
  // Nobody ran into a limit: one window gave up what it covers instead.
  CHECK(rig.records_with("callback_timeout") == 0);
  CHECK(rig.records_with("\"reason\":\"reentrant\"") >= 1);
}

TEST_CASE("an end of the process while another thread's window is open: nothing is put back afterwards") {
  Rig rig;
  rig.gpu.set_kernel(kAddOne, add_one);
  Args args{rig.device<int64_t>(1)};
  auto* other = rig.device<int64_t>(1);
  HeldQueue queue(rig);
  rig.tool.plan = {PassMode::fixed, 1000000};
  std::atomic<bool> open{false};
  rig.tool.on_event = [&](const std::string& event) {
    if (event == "pass_exit 2") open = true;
  };
  std::thread submits([&] { queue.submit(dispatch_packet(kAddOne, &args, {0})); });
  REQUIRE(eventually([&] { return open.load(); }));
  rig.replayer->close();
  rig.replayer->settle(true);
  // Over now, or at least without another restore: the application's own writes stay.
  *other = 77;
  submits.join();
  CHECK(*other == 77);
  CHECK(*args.target == 1);
  CHECK(rig.records_with("\"stopped\",\"reason\":\"reentrant\"") == 1);
  queue.submit(dispatch_packet(kAddOne, &args, {0}));
  CHECK(rig.records_with("\"declined\"") == 1);
}
