// Several threads at one queue and one window: what the queue protocol (replay/queue_protocol.hpp) is for,
// here with the library around it.

#include "intercept/stall_watch.hpp"
#include "proxied.hpp"

using kreplay::hsa::Packet;

namespace {

constexpr uint64_t kNothing = 0x1000;  ///< kernel: nothing
constexpr uint64_t kAdd = 0x2000;      ///< kernel: ++*(int64_t*)kernarg
constexpr uint64_t kKeepsOn = 0x3000;  ///< kernel: until the flag is set

void add_up(void* at) { __atomic_fetch_add(static_cast<int64_t*>(at), 1, __ATOMIC_ACQ_REL); }

Packet nothing(uint64_t number, hsa_signal_t done = {0}) {
  return dispatch_packet(kNothing, reinterpret_cast<void*>(number), done);
}
void launch_on(Proxied& queue, const Packet& packet) {
  const uint64_t at = queue.reserve(1);
  queue.publish(at, packet);
  queue.proxy->doorbell();
}
uint64_t in_real_ring(Proxied& queue) { return queue.proxy->queue().submitted(); }

kreplay::Options short_patience() {
  kreplay::Options options = Rig::fast_options();
  options.drain_timeout_ns = 30'000'000;
  return options;
}

}  // namespace

TEST_CASE("a launch from a callback takes another thread's packet along: no restore undoes it") {
  // On a queue that is free, with a packet that was published and not yet rung for; or on the queue of the
  // window itself, whose doorbell the other thread waits at.
  const bool same_queue = GENERATE(false, true);
  INFO("same queue: " << same_queue);
  Rig rig;
  rig.tool.plan = {kreplay::tool_api::PassMode::fixed, 4};
  rig.gpu.set_kernel(kAdd, add_up);
  rig.gpu.set_kernel(kNothing, [](void*) {});
  auto* counters = rig.device<int64_t>(2);
  Proxied mine(rig);
  Proxied other(rig);
  Proxied& shared = same_queue ? mine : other;
  std::atomic<bool> published{false}, launched{false};
  std::thread stranger;
  const std::thread::id main = std::this_thread::get_id();
  rig.tool.on_event = [&](const std::string& event) {
    if (std::this_thread::get_id() != main || event != "pass_exit 0" || stranger.joinable()) return;
    stranger = std::thread([&] {
      const uint64_t at = shared.reserve(1);
      shared.publish(at, dispatch_packet(kAdd, counters + 1, {0}));
      published = true;
      while (!same_queue && !launched) std::this_thread::yield();
      shared.proxy->doorbell();
    });
    while (!published) std::this_thread::yield();
    const hsa_signal_t done = rig.gpu.make_signal(1);
    launch_on(shared, nothing(5, done));
    launched = true;
    CHECK(eventually([&] { return FakeGpu::value(done) == 0; }));
  };
  launch_on(mine, dispatch_packet(kAdd, counters, {0}));
  stranger.join();
  REQUIRE(eventually([&] { return shared.proxy->load_read_index() == (same_queue ? 3 : 2); }));
  CHECK(counters[0] == 1);
  CHECK(counters[1] == 1);
  CHECK(rig.records_with("\"stopped\"") == 1);
  CHECK(rig.gpu.problems().empty());
}

TEST_CASE("a thread whose packet is being submitted in its place waits for that, also when its time is up") {
  Rig rig(1, short_patience());
  rig.tool.plan = {kreplay::tool_api::PassMode::fixed, 3};
  rig.gpu.set_kernel(kAdd, add_up);
  rig.gpu.set_kernel(kNothing, [](void*) {});
  auto* counters = rig.device<int64_t>(2);
  Proxied mine(rig);
  Proxied shared(rig);
  std::atomic<bool> window_open{false}, configured{false}, in_place{false}, looked{false}, both{false};
  uint64_t after_launch = 0;
  const std::thread::id main = std::this_thread::get_id();
  rig.tool.on_event = [&](const std::string& event) {
    if (std::this_thread::get_id() != main) {
      if (event != "config_enter" || configured.exchange(true)) return;
      (void)eventually([&] { return window_open.load(); });
    } else if (event == "pass_exit 0" && !window_open.exchange(true)) {
      CHECK(eventually([&] { return shared.proxy->queue().parked(); }));
      in_place = true;
      launch_on(shared, nothing(7));
      in_place = false;
      after_launch = in_real_ring(shared);
    }
  };
  // Asked about each packet behind the parked one, in the middle of taking the other thread's place: the
  // first time for longer than that thread waits for this window.
  rig.tool.wants_if = [&](kreplay::tool_api::Candidate&) {
    if (std::this_thread::get_id() != main) {
      if (in_place) both = true;
    } else if (in_place && !looked.exchange(true)) {
      std::this_thread::sleep_for(std::chrono::milliseconds(150));
    }
    return true;
  };
  std::thread([&] {
    REQUIRE(shared.reserve(1) == 0);
    shared.publish(0, dispatch_packet(kAdd, counters + 1, {0}));
  }).join();
  std::thread([&] {
    REQUIRE(shared.reserve(2) == 1);
    for (uint64_t i = 1; i < 3; ++i) shared.publish(i, nothing(4 + i));
  }).join();
  std::thread stranger([&] { shared.proxy->doorbell(); });
  REQUIRE(eventually([&] { return configured.load(); }));
  launch_on(mine, dispatch_packet(kAdd, counters, {0}));
  stranger.join();
  CHECK_FALSE(both);
  CHECK(after_launch == 4);
  REQUIRE(eventually([&] { return shared.proxy->load_read_index() == 4; }));
  std::vector<uint64_t> order;
  for (const auto& each : rig.gpu.executed())
    if (each.queue == shared.proxy->real() && kreplay::hsa::kernel_object(&each.packet) == kNothing)
      order.push_back(kreplay::hsa::word64(each.packet, 40));
  CHECK(order == std::vector<uint64_t>{5, 6, 7});
  CHECK(counters[0] == 1);
  CHECK(counters[1] == 1);
  CHECK(rig.gpu.problems().empty());
}

TEST_CASE(
    "a ring that a packet of ours made too small: who only waits for the last signal is not left waiting") {
  Rig rig(1, short_patience());
  rig.tool.plan = {kreplay::tool_api::PassMode::fixed, 2};
  rig.tool.wants_if = [](kreplay::tool_api::Candidate& call) { return call.launch == 2; };
  std::atomic<bool> go_on{false};
  rig.gpu.set_kernel(kAdd, add_up);
  rig.gpu.set_kernel(kKeepsOn, [&](void*) {
    while (!go_on) std::this_thread::yield();
  });
  auto* counters = rig.device<int64_t>(2);
  const bool listens = GENERATE(true, false);
  INFO("listens: " << listens);
  Proxied q(rig, 16);
  Proxied other(rig);
  launch_on(q, dispatch_packet(kKeepsOn, nullptr, {0}));
  launch_on(other, dispatch_packet(kAdd, counters + 1, {0}));  // declined: its drain leaves a barrier in q
  CHECK(rig.records_with("\"agent_drain\"") == 1);
  CHECK(q.proxy->queue().accounts.extras() == 1);
  rig.tool.listens = listens;
  const hsa_signal_t done = rig.gpu.make_signal(1);
  for (int i = 1; i < 16; ++i) launch_on(q, dispatch_packet(kAdd, counters, {i == 15 ? done.handle : 0}));
  CHECK(in_real_ring(q) == 15);
  CHECK(q.proxy->stalled());
  go_on = true;
  CHECK(eventually([&] { return FakeGpu::value(done) == 0; }));  // and nothing else is called
  CHECK(counters[0] == 15);
  CHECK(eventually([&] { return !q.proxy->stalled(); }));
  CHECK(rig.gpu.problems().empty());
}

TEST_CASE("a queue is destroyed, and the runtime shut down, while a ring is stalled") {
  Rig rig(1, short_patience());
  rig.tool.listens = false;
  std::atomic<bool> go_on{false};
  rig.gpu.set_kernel(kAdd, add_up);
  rig.gpu.set_kernel(kKeepsOn, [&](void*) {
    while (!go_on) std::this_thread::yield();
  });
  auto* counter = rig.device<int64_t>(1);
  const auto stall = [&](Proxied& q) {
    launch_on(q, dispatch_packet(kKeepsOn, nullptr, {0}));
    q.proxy->queue().submit_extra(kreplay::hsa::barrier_packet({0}));
    for (int i = 1; i < 16; ++i) launch_on(q, dispatch_packet(kAdd, counter, {0}));
    CHECK(q.proxy->stalled());
  };
  {
    Proxied destroyed(rig, 16);
    stall(destroyed);
  }
  Proxied kept(rig, 16);
  stall(kept);
  kreplay::intercept::stall_watch::remove_all();
  CHECK(kept.proxy->stalled());  // nobody tries again
  go_on = true;
  REQUIRE(eventually([&] { return kept.proxy->queue().ring.read_index() == 16; }));
  CHECK(in_real_ring(kept) == 15);
  CHECK(kept.proxy->load_read_index() >= 15);  // as before, who looks pumps
  CHECK(in_real_ring(kept) == 16);
}

TEST_CASE(
    "a queue that failed shows what it did not finish in its place, whatever stands between in the ring") {
  Rig rig;
  rig.tool.listens = false;
  rig.gpu.set_kernel(kNothing, [](void*) {});
  Proxied q(rig, 16);
  Packet closed = kreplay::hsa::barrier_packet({0});
  kreplay::hsa::set_word64(closed, 8, rig.gpu.make_signal(1).handle);
  launch_on(q, nothing(1));
  launch_on(q, closed);
  q.proxy->queue().submit_extra(kreplay::hsa::barrier_packet({0}));
  launch_on(q, dispatch_packet(kNothing, nullptr, {0}, false));
  q.proxy->queue().submit_extra(kreplay::hsa::barrier_packet({0}));
  launch_on(q, nothing(3));
  REQUIRE(eventually([&] { return q.proxy->load_read_index() == 1; }));
  q.proxy->show_unfinished();
  CHECK((q.slot(0)->word[0] & 0xff) == HSA_PACKET_TYPE_INVALID);
  CHECK(q.slot(1)->word[0] == closed.word[0]);
  CHECK(q.slot(2)->word[0] == dispatch_packet(kNothing, nullptr, {0}, false).word[0]);
  CHECK(q.slot(3)->word[0] == nothing(3).word[0]);
  CHECK((q.slot(4)->word[0] & 0xff) == HSA_PACKET_TYPE_INVALID);
}
