// Forwarding from the application's ring to the real one: property tests over ring offsets, batch sizes and
// out-of-order publication. The seed is printed on failure; set KREPLAY_TEST_SEED to repeat a run.

#include <sys/mman.h>

#include "proxied.hpp"

using kreplay::hsa::Packet;
using kreplay::intercept::ProxySlot;

namespace {

constexpr uint64_t kMark = 0x1000;   ///< kernel: writes down its kernarg address
constexpr uint64_t kCount = 0x2000;  ///< kernel: ++*(int64_t*)kernarg

Packet numbered(uint64_t number, hsa_signal_t done = {0}) {
  return dispatch_packet(kMark, reinterpret_cast<void*>(number), done);
}

/// Kernarg addresses of the dispatches executed so far.
std::vector<uint64_t> numbers(const FakeGpu& gpu) {
  std::vector<uint64_t> out;
  for (const auto& each : gpu.executed())
    if (kreplay::hsa::is_dispatch(kreplay::hsa::kind_of(each.packet.word[0])))
      out.push_back(kreplay::hsa::word64(each.packet, 40));
  return out;
}

}  // namespace

TEST_CASE("the proxy looks like the real queue, with ring, indices and doorbell of its own") {
  Rig rig;
  Proxied q(rig);
  const auto* real = reinterpret_cast<const amd_queue_t*>(q.proxy->real());
  CHECK(q.shown().size == real->hsa_queue.size);
  CHECK(q.shown().type == real->hsa_queue.type);
  CHECK(q.shown().id == real->hsa_queue.id);
  CHECK(q.shown().base_address != real->hsa_queue.base_address);
  CHECK(reinterpret_cast<uintptr_t>(q.shown().base_address) % 64 == 0);
  CHECK(q.shown().doorbell_signal.handle != real->hsa_queue.doorbell_signal.handle);
  CHECK(kreplay::intercept::arena::find(&q.shown()) == q.proxy);
  CHECK(kreplay::intercept::arena::find(q.shown().doorbell_signal) == q.proxy);
  CHECK(kreplay::intercept::arena::find(q.proxy->real()) == nullptr);
  CHECK(kreplay::intercept::arena::find(hsa_signal_t{0}) == nullptr);
  for (uint64_t i = 0; i < q.shown().size; ++i) CHECK((q.slot(i)->word[0] & 0xff) == HSA_PACKET_TYPE_INVALID);
}

TEST_CASE("C41 C42: every ring offset and batch size arrives once, in order, byte for byte") {
  Rig rig;
  rig.tool.listens = false;
  rig.gpu.set_kernel(kMark, [](void*) {});
  constexpr uint32_t kSize = 16;
  for (uint32_t batch = 1; batch <= kSize; ++batch) {
    Proxied q(rig, kSize);
    std::vector<Packet> sent;
    const size_t before = rig.gpu.executed().size();
    for (uint32_t round = 0; round < kSize + 3; ++round) {  // each batch starts at another offset
      const uint64_t first = q.reserve(batch);
      q.wait_room(first, batch);
      for (uint32_t i = 0; i < batch; ++i) {
        sent.push_back(numbered(first + i + 1));
        q.publish(first + i, sent.back());
      }
      q.proxy->doorbell();
      for (uint32_t i = 0; i < batch; ++i)
        REQUIRE((q.slot(first + i)->word[0] & 0xff) == HSA_PACKET_TYPE_INVALID);  // rule 4
    }
    REQUIRE(eventually([&] { return q.proxy->load_read_index() == sent.size(); }));
    const auto executed = rig.gpu.executed();
    REQUIRE(executed.size() == before + sent.size());
    for (size_t i = 0; i < sent.size(); ++i)
      REQUIRE(std::memcmp(&executed[before + i].packet, &sent[i], sizeof(Packet)) == 0);
  }
  CHECK(rig.gpu.problems().empty());
}

TEST_CASE("C44: slots behind an unpublished one wait, whatever the doorbells say") {
  Rig rig;
  rig.tool.listens = false;
  rig.gpu.set_kernel(kMark, [](void*) {});
  Proxied q(rig);
  q.reserve(3);
  q.publish(1, numbered(2));
  q.publish(2, numbered(3));
  q.proxy->doorbell();
  q.proxy->doorbell();
  CHECK(q.proxy->queue().accounts.taken() == 0);
  q.publish(0, numbered(1));
  q.proxy->doorbell();
  REQUIRE(eventually([&] { return q.proxy->load_read_index() == 3; }));
  CHECK(numbers(rig.gpu) == std::vector<uint64_t>{1, 2, 3});
  q.proxy->doorbell();  // repeats do nothing
  CHECK(q.proxy->queue().ring.write_index() == 3);
}

TEST_CASE("rule 1: a write index that runs ahead of the ring is served in chunks") {
  Rig rig;
  rig.tool.listens = false;
  rig.gpu.set_kernel(kMark, [](void*) {});
  Proxied q(rig, 16);
  q.reserve(40);
  for (uint64_t i = 0; i < 40; ++i) {
    while (i >= q.proxy->load_read_index() + 16) std::this_thread::yield();
    q.publish(i, numbered(i + 1));
    if (i % 8 == 7) q.proxy->doorbell();
  }
  REQUIRE(eventually([&] { return q.proxy->load_read_index() == 40; }));
  CHECK(rig.gpu.problems().empty());
}

TEST_CASE("rule 7: a ring full behind a closed barrier is opened by the host without a deadlock") {
  Rig rig;
  rig.tool.listens = false;
  rig.gpu.set_kernel(kMark, [](void*) {});
  Proxied q(rig, 16);
  const hsa_signal_t gate = rig.gpu.make_signal(1);
  Packet closed = kreplay::hsa::barrier_packet({0});
  kreplay::hsa::set_word64(closed, 8, gate.handle);
  q.reserve(1);
  q.publish(0, closed);
  q.proxy->doorbell();
  while (q.proxy->load_write_index(__ATOMIC_RELAXED) < q.proxy->load_read_index() + 16) {
    const uint64_t at = q.reserve(1);
    q.publish(at, numbered(at));
    q.proxy->doorbell();
  }
  CHECK(q.proxy->load_read_index() == 0);
  rig.gpu.api.hsa_signal_store_screlease(gate, 0);
  REQUIRE(eventually([&] { return q.proxy->load_read_index() == 16; }));
}

TEST_CASE("C44: eight producers, random delays and batches: nothing lost, doubled or out of order") {
  const uint32_t start = seed();
  INFO("KREPLAY_TEST_SEED=" << start);
  for (const bool listening : {false, true}) {
    Rig rig;
    rig.tool.listens = listening;
    rig.tool.plan = {kreplay::tool_api::PassMode::once, 1};
    rig.gpu.set_kernel(kMark, [](void*) {});
    Proxied q(rig, 32);
    constexpr unsigned kProducers = 8;
    constexpr uint64_t kEach = 300;
    std::vector<std::thread> producers;
    for (unsigned p = 0; p < kProducers; ++p)
      producers.emplace_back([&, p] {
        std::mt19937 random(start + p);
        for (uint64_t sent = 0; sent < kEach;) {
          const uint64_t count = std::min<uint64_t>(1 + random() % 4, kEach - sent);
          const uint64_t first = q.reserve(count);
          q.wait_room(first, count);
          std::vector<uint64_t> order(count);
          for (uint64_t i = 0; i < count; ++i) {
            order[i] = first + i;
            q.body(first + i, numbered(first + i + 1));
          }
          std::shuffle(order.begin(), order.end(), random);
          for (const uint64_t index : order) {
            if (random() % 8 == 0) std::this_thread::yield();
            q.header(index, numbered(index + 1));
          }
          q.proxy->doorbell();
          sent += count;
        }
      });
    for (auto& producer : producers) producer.join();
    REQUIRE(eventually([&] { return q.proxy->load_read_index() == kProducers * kEach; }));
    const std::vector<uint64_t> seen = numbers(rig.gpu);
    REQUIRE(seen.size() == kProducers * kEach);
    for (uint64_t i = 0; i < seen.size(); ++i) REQUIRE(seen[i] == i + 1);
    CHECK(rig.gpu.problems().empty());
  }
}

TEST_CASE("four producers, every dispatch replayed: each runs its passes, results as if once") {
  Rig rig;
  rig.tool.plan = {kreplay::tool_api::PassMode::fixed, 3};
  rig.gpu.set_kernel(kCount,
                     [](void* at) { __atomic_fetch_add(static_cast<int64_t*>(at), 1, __ATOMIC_ACQ_REL); });
  auto* counters = rig.device<int64_t>(4);
  Proxied q(rig, 32);
  std::vector<std::thread> producers;
  producers.reserve(4);
  for (int p = 0; p < 4; ++p)
    producers.emplace_back([&, p] {
      for (int i = 0; i < 40; ++i) {
        const uint64_t at = q.reserve(1);
        q.wait_room(at, 1);
        q.publish(at, dispatch_packet(kCount, counters + p, {0}));
        q.proxy->doorbell();
      }
    });
  for (auto& producer : producers) producer.join();
  REQUIRE(eventually([&] { return q.proxy->load_read_index() == 160; }));
  for (int p = 0; p < 4; ++p) CHECK(counters[p] == 40);
  CHECK(rig.gpu.problems().empty());
  CHECK(rig.records_with("\"replayed\"") == 160);  // one doorbell may find packets of several producers
}

TEST_CASE(
    "C40: packets of two threads under one doorbell are two submissions; a batch among them stays one") {
  Rig rig;
  rig.tool.plan = {kreplay::tool_api::PassMode::fixed, 2};
  rig.gpu.set_kernel(kCount, [](void* at) { ++*static_cast<int64_t*>(at); });
  auto* counter = rig.device<int64_t>(1);
  Proxied q(rig);
  const auto in_other_thread = [](const auto& work) { std::thread(work).join(); };
  // Slots: 0 ours; 1 another thread's; 2 and 4 a third thread's, around 3, which is a fourth thread's.
  REQUIRE(q.reserve(1) == 0);
  in_other_thread([&] { REQUIRE(q.reserve(1) == 1); });
  std::atomic<int> step{0};
  std::thread third([&] {
    REQUIRE(q.reserve(1) == 2);
    step = 1;
    while (step != 2) std::this_thread::yield();
    REQUIRE(q.reserve(1) == 4);
  });
  while (step != 1) std::this_thread::yield();
  in_other_thread([&] { REQUIRE(q.reserve(1) == 3); });
  step = 2;
  third.join();
  for (uint64_t i = 0; i < 5; ++i) q.publish(i, dispatch_packet(kCount, counter, {0}));
  q.proxy->doorbell();
  REQUIRE(eventually([&] { return q.proxy->load_read_index() == 5; }));
  CHECK(*counter == 5);
  CHECK(rig.records_with("\"replayed\"") == 3);
  CHECK(rig.records_with("\"multi_packet\"") == 2);
  // The third thread's second half was published alone, and still belongs to its first.
  CHECK(rig.gpu.problems().empty());
}

TEST_CASE("a thread that rings for each packet submits each alone, though their slots were reserved before") {
  Rig rig;
  rig.tool.plan = {kreplay::tool_api::PassMode::fixed, 2};
  rig.gpu.set_kernel(kCount, [](void* at) { ++*static_cast<int64_t*>(at); });
  auto* counter = rig.device<int64_t>(1);
  Proxied q(rig, 16);
  for (int round = 0; round < 5; ++round) {  // wraps the ring, and what is known of its slots
    const uint64_t first = q.reserve(8);
    q.wait_room(first, 8);
    for (uint64_t i = 0; i < 8; ++i) {
      q.publish(first + i, dispatch_packet(kCount, counter, {0}));
      q.proxy->doorbell();
    }
  }
  REQUIRE(eventually([&] { return q.proxy->load_read_index() == 40; }));
  CHECK(*counter == 40);
  CHECK(rig.records_with("\"replayed\"") == 40);
}

TEST_CASE("C40: packets that share a doorbell are not replayed, and said to be so; split replays each") {
  for (const bool split : {false, true}) {
    kreplay::Options options = Rig::fast_options();
    options.split_batches = split;
    Rig rig(1, options);
    rig.tool.plan = {kreplay::tool_api::PassMode::fixed, 3};
    rig.gpu.set_kernel(kCount, [](void* at) { ++*static_cast<int64_t*>(at); });
    auto* counter = rig.device<int64_t>(1);
    Proxied q(rig);
    const hsa_signal_t done = rig.gpu.make_signal(1);
    q.reserve(3);
    q.publish(0, kreplay::hsa::barrier_packet({0}));
    q.publish(1, dispatch_packet(kCount, counter, {0}));
    q.publish(2, dispatch_packet(kCount, counter, done));
    q.proxy->doorbell();
    REQUIRE(eventually([&] { return FakeGpu::value(done) == 0; }));
    CHECK(*counter == 2);
    CHECK(rig.records_with("\"multi_packet\"") == (split ? 0 : 2));
    CHECK(rig.records_with("\"replayed\"") == (split ? 2 : 0));
    CHECK((rig.tool.events().empty() != split));
  }
}

TEST_CASE("C67: packets of a graph launch are declined as such") {
  Rig rig;
  rig.gpu.set_kernel(kCount, [](void* at) { ++*static_cast<int64_t*>(at); });
  auto* counter = rig.device<int64_t>(1);
  Proxied q(rig);
  ++kreplay::replay::t_state.graph;
  q.reserve(1);
  q.publish(0, dispatch_packet(kCount, counter, {0}));
  q.proxy->doorbell();
  --kreplay::replay::t_state.graph;
  REQUIRE(eventually([&] { return q.proxy->load_read_index() == 1; }));
  CHECK(*counter == 1);
  CHECK(rig.records_with("\"graph\"") == 1);
  CHECK(rig.tool.events().empty());
}

TEST_CASE("C30: a callback launches on the queue of its own dispatch, and on another one") {
  Rig rig;
  rig.tool.plan = {kreplay::tool_api::PassMode::fixed, 3};
  rig.gpu.set_kernel(kCount,
                     [](void* at) { __atomic_fetch_add(static_cast<int64_t*>(at), 1, __ATOMIC_ACQ_REL); });
  rig.gpu.set_kernel(kMark, [](void*) {});
  auto* counter = rig.device<int64_t>(1);
  Proxied q(rig);
  Proxied other(rig);
  std::atomic<int> nested{0};
  rig.tool.on_event = [&](const std::string& event) {
    if (event != "pass_enter 1" && event != "config_enter") return;
    for (Proxied* each : {&q, &other}) {
      if (event == "config_enter" && each == &other) continue;
      if (event == "config_enter" && nested.load() != 0) continue;
      const hsa_signal_t done = rig.gpu.make_signal(1);
      const uint64_t at = each->reserve(1);
      each->publish(at, numbered(77, done));
      each->proxy->doorbell();
      REQUIRE(eventually([&] { return FakeGpu::value(done) == 0; }));
      ++nested;
    }
  };
  q.reserve(1);
  const hsa_signal_t done = rig.gpu.make_signal(1);
  q.publish(0, dispatch_packet(kCount, counter, done));
  q.proxy->doorbell();
  CHECK(FakeGpu::value(done) == 0);
  CHECK(nested.load() == 3);
  CHECK(*counter == 1);
  CHECK(q.proxy->load_read_index() == 3);
  CHECK(rig.records_with("\"reentrant\"") == 4);  // the dispatch itself and the three nested ones
  CHECK(rig.gpu.problems().empty());
}

TEST_CASE(
    "a callback that launches behind another thread's waiting dispatch breaks its own window, no deadlock") {
  // The stranger waits either at the gate, with its packet still in the ring, or past its own CONFIG ENTER,
  // with the packet taken.
  const bool taken = GENERATE(false, true);
  INFO("packet taken: " << taken);
  Rig rig;
  rig.tool.plan = {kreplay::tool_api::PassMode::fixed, 4};
  rig.gpu.set_kernel(kCount,
                     [](void* at) { __atomic_fetch_add(static_cast<int64_t*>(at), 1, __ATOMIC_ACQ_REL); });
  rig.gpu.set_kernel(kMark, [](void*) {});
  auto* counters = rig.device<int64_t>(2);
  Proxied mine(rig);
  Proxied shared(rig);
  std::atomic<bool> window_open{false};
  std::atomic<bool> configured{false};
  std::atomic<bool> launched{false};
  const auto submit_stranger = [&] {
    const uint64_t at = shared.reserve(1);
    shared.publish(at, dispatch_packet(kCount, counters + 1, {0}));
    shared.proxy->doorbell();
  };
  std::thread stranger;
  const std::thread::id main = std::this_thread::get_id();
  rig.tool.on_event = [&](const std::string& event) {
    if (std::this_thread::get_id() != main) {
      if (event == "config_enter" && taken) {
        configured = true;
        (void)eventually([&] { return window_open.load(); });
      }
      return;
    }
    if (event != "pass_exit 0" || launched.exchange(true)) return;
    window_open = true;
    if (!taken) stranger = std::thread(submit_stranger);
    CHECK(eventually([&] {
      return taken ? shared.proxy->queue().parked()
                   : __atomic_load_n(&shared.slot(0)->word[0], __ATOMIC_ACQUIRE) != HSA_PACKET_TYPE_INVALID;
    }));
    const hsa_signal_t done = rig.gpu.make_signal(1);
    const uint64_t at = shared.reserve(1);
    shared.publish(at, numbered(5, done));
    shared.proxy->doorbell();
    CHECK(eventually([&] { return FakeGpu::value(done) == 0; }));
  };
  if (taken) {
    stranger = std::thread(submit_stranger);
    REQUIRE(eventually([&] { return configured.load(); }));
  }
  mine.reserve(1);
  mine.publish(0, dispatch_packet(kCount, counters, {0}));
  mine.proxy->doorbell();
  stranger.join();
  REQUIRE(eventually([&] { return shared.proxy->load_read_index() == 2; }));
  CHECK(counters[0] == 1);
  CHECK(counters[1] == 1);  // never rolled back
  CHECK(rig.records_with("\"stopped\"") == 1);
  CHECK(rig.gpu.problems().empty());
}

TEST_CASE(
    "a tool callback that waits for other threads' work gets it: the window is broken into, nobody hangs") {
  kreplay::Options options = Rig::fast_options();
  options.drain_timeout_ns = 30'000'000;
  Rig rig(1, options);
  rig.tool.plan = {kreplay::tool_api::PassMode::fixed, 4};
  rig.gpu.set_kernel(kCount,
                     [](void* at) { __atomic_fetch_add(static_cast<int64_t*>(at), 1, __ATOMIC_ACQ_REL); });
  auto* counters = rig.device<int64_t>(4);
  Proxied q(rig);
  Proxied other(rig);
  Proxied third(rig);
  const auto submit = [](Proxied& queue, const Packet& packet) {
    const uint64_t at = queue.reserve(1);
    queue.publish(at, packet);
    queue.proxy->doorbell();
  };
  const std::thread::id main = std::this_thread::get_id();
  std::vector<std::thread> threads;
  rig.tool.on_event = [&](const std::string& event) {
    if (std::this_thread::get_id() != main || event != "pass_exit 1" || !threads.empty()) return;
    const hsa_signal_t done = rig.gpu.make_signal(3);
    std::atomic<int> returned{0};
    // A candidate on another queue, a packet that is none, a copy, and a dispatch behind the one being
    // replayed.
    threads.emplace_back([&, done] { submit(other, dispatch_packet(kCount, counters + 1, done)); });
    threads.emplace_back([&, done] { submit(third, kreplay::hsa::barrier_packet(done)); });
    threads.emplace_back([&, done] {
      auto& fence = rig.replayer->copies();
      const auto ticket = fence.enter({FakeGpu::gpu(0), 0}, {0}, nullptr, 0, [](uint64_t) { return false; });
      counters[2] = 7;
      fence.leave(ticket, true);
      rig.gpu.api.hsa_signal_subtract_screlease(done, 1);
    });
    threads.emplace_back([&] {
      submit(q, dispatch_packet(kCount, counters + 3, {0}));
      ++returned;  // left to the thread that has the queue
    });
    REQUIRE(eventually([&] { return FakeGpu::value(done) == 0 && returned == 1; }));
  };
  submit(q, dispatch_packet(kCount, counters, {0}));
  for (std::thread& thread : threads) thread.join();
  REQUIRE(eventually([&] { return q.proxy->load_read_index() == 2; }));
  CHECK(counters[0] == 1);
  CHECK(counters[1] == 1);
  CHECK(counters[2] == 7);
  CHECK(counters[3] == 1);
  CHECK(rig.records_with("\"callback_timeout\"") == 2);  // stopped, and the declined candidate
  CHECK(rig.records_with("\"stopped\"") == 1);
  CHECK(rig.records_with("\"replayed\"") == 1);  // the one left behind, by the thread that had its queue
  // The next window is as good as new.
  rig.tool.on_event = [](const std::string&) {};
  const size_t replayed = rig.records_with("\"replayed\"");
  submit(q, dispatch_packet(kCount, counters, {0}));
  CHECK(counters[0] == 2);
  CHECK(rig.records_with("\"replayed\"") == replayed + 1);
  CHECK(rig.gpu.problems().empty());
}

TEST_CASE("a callback that launches on a queue held by another callback is not held up for ever") {
  kreplay::Options options = Rig::fast_options();
  options.drain_timeout_ns = 30'000'000;
  Rig rig(1, options);
  rig.tool.plan = {kreplay::tool_api::PassMode::fixed, 3};
  rig.gpu.set_kernel(kCount,
                     [](void* at) { __atomic_fetch_add(static_cast<int64_t*>(at), 1, __ATOMIC_ACQ_REL); });
  rig.gpu.set_kernel(kMark, [](void*) {});
  auto* counters = rig.device<int64_t>(2);
  Proxied mine(rig);
  Proxied shared(rig);
  std::atomic<bool> configured{false}, launched{false};
  const std::thread::id main = std::this_thread::get_id();
  rig.tool.on_event = [&](const std::string& event) {
    if (std::this_thread::get_id() != main) {
      if (event != "config_enter" || configured.exchange(true)) return;
      (void)eventually([&] { return launched.load(); });  // this callback waits for the other one's launch
    } else if (event == "pass_exit 0" && !launched) {
      const uint64_t at = shared.reserve(1);
      shared.publish(at, numbered(5));
      shared.proxy->doorbell();
      launched = true;
    }
  };
  std::thread stranger([&] {
    const uint64_t at = shared.reserve(1);
    shared.publish(at, dispatch_packet(kCount, counters + 1, {0}));
    shared.proxy->doorbell();
  });
  REQUIRE(eventually([&] { return configured.load(); }));
  const uint64_t at = mine.reserve(1);
  mine.publish(at, dispatch_packet(kCount, counters, {0}));
  mine.proxy->doorbell();
  stranger.join();
  REQUIRE(eventually([&] { return shared.proxy->load_read_index() == 2; }));
  CHECK(counters[0] == 1);
  CHECK(counters[1] == 1);
  const std::vector<uint64_t> ran = numbers(rig.gpu);
  CHECK(std::find(ran.begin(), ran.end(), 5) != ran.end());
  CHECK(rig.gpu.problems().empty());
}

TEST_CASE("arena slots come back, oldest first, and a freed one is nobody's") {
  Rig rig;
  const ProxySlot* first = nullptr;
  {
    Proxied q(rig);
    first = reinterpret_cast<const ProxySlot*>(&q.shown());
  }
  // Its page is let go: mincore says so before anything reads it.
  unsigned char resident = 1;
  REQUIRE(mincore(const_cast<ProxySlot*>(first), 1, &resident) == 0);
  CHECK((resident & 1) == 0);
  CHECK(kreplay::intercept::arena::find(&first->queue.hsa_queue) == nullptr);
  Proxied again(rig);
  CHECK(reinterpret_cast<const ProxySlot*>(&again.shown()) != first);
}
