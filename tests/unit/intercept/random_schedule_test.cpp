// Proxy queues and replay window under random schedules, against a model that is nothing but the order of the
// slots: whatever the producers do, each queue runs its packets in slot order, each once (or as the passes of
// one replay), and memory and signals end as if each had run once.
//
// A schedule is made from its seed, which is printed before it runs: KREPLAY_TEST_SEED=N runs it first. Which
// thread is faster is up to the machine.

#include <algorithm>
#include <array>
#include <deque>
#include <map>

#include "hsa/aql.hpp"
#include "proxied.hpp"

using kreplay::hsa::Packet;
using kreplay::tool_api::PassMode;
using kreplay::tool_api::PassPlan;

namespace {

constexpr uint64_t kStep = 0x3000;  ///< kernel: one step of its queue's chain, and a share of the common sum
constexpr unsigned kQueues = 3;     ///< the last one has a single producer
constexpr unsigned kProducerThreads = 4;
constexpr unsigned kBatches = 30;  ///< per producer

struct Arguments {
  uint64_t* chain;
  uint64_t* sum;
  uint64_t id;
};

/// Not idempotent and not commutative: a lost, doubled, swapped or rolled back step shows.
uint64_t next_in_chain(uint64_t chain, uint64_t id) { return chain * 31 + id; }

void run_step(void* kernarg) {
  const auto* at = static_cast<const Arguments*>(kernarg);
  *at->chain = next_in_chain(*at->chain, at->id);
  __atomic_fetch_add(at->sum, at->id, __ATOMIC_ACQ_REL);
}

/// What says which of the application's packets this is; 0 for packets of ours.
uint64_t tag_of(const Packet& packet) {
  const bool dispatch = kreplay::hsa::is_dispatch(kreplay::hsa::kind_of(packet.word[0]));
  return kreplay::hsa::word64(packet, dispatch ? 40 : 48);
}

/// A signal several packets may carry, and the value it must end with.
struct Counted {
  hsa_signal_t signal;
  int64_t initial;
  int64_t carriers = 0;
};

struct Sent {
  Packet packet = {};
  const Arguments* arguments = nullptr;  ///< null: no dispatch
};

class Schedule {
 public:
  explicit Schedule(uint32_t seed) : rig_(1, options(seed)), random_(seed) {
    rig_.gpu.set_kernel(kStep, run_step);
    memory_ = rig_.device<uint64_t>(kQueues + 1);
    never_ = rig_.gpu.make_signal(1);
    for (unsigned q = 0; q < kQueues; ++q) {
      queues_.push_back(std::make_unique<Proxied>(rig_, 16u << random_() % 3));
      sent_[q].resize(size_t{kProducerThreads} * kBatches * kMostInBatch);
    }
    for (unsigned p = 0; p < kProducerThreads; ++p) producers_[p].random.seed(random_());
    rig_.tool.wants_if = [this](kreplay::tool_api::Candidate& call) {
      const bool wanted = call.launch % 4 != 0;
      if (wanted) ++wanted_;
      return wanted;
    };
    rig_.tool.plan_for = [](const kreplay::tool_api::ReplayCall& call) -> PassPlan {
      switch (call.info.dispatch_id % 4) {
        case 0:
          return {PassMode::once, 1};
        case 1:
          return {PassMode::until_stopped, 0};
        default:
          return {PassMode::fixed, 2 + call.info.dispatch_id % 3};
      }
    };
    rig_.tool.go_on = [](uint64_t pass) { return pass < 2; };
  }

  void run() {
    std::vector<std::thread> threads;
    for (unsigned p = 0; p < kProducerThreads; ++p) threads.emplace_back([this, p] { produce(p); });
    // A tool that comes and goes while the queues are busy.
    std::atomic<bool> over{false};
    std::thread toggler([&] {
      while (!over) {
        rig_.tool.listens = false;
        std::this_thread::yield();
        rig_.tool.listens = true;
        std::this_thread::sleep_for(std::chrono::microseconds(200));
      }
    });
    for (std::thread& thread : threads) thread.join();
    over = true;
    toggler.join();
    for (unsigned q = 0; q < kQueues; ++q) {
      const uint64_t count = queues_[q]->proxy->load_write_index(__ATOMIC_ACQUIRE);
      REQUIRE(eventually([&] { return queues_[q]->proxy->load_read_index() == count; }));
      sent_[q].resize(count);
    }
  }

  /// @return dispatches that were replayed
  unsigned check() {
    std::map<const hsa_queue_t*, std::vector<Packet>> ran;
    for (const auto& each : rig_.gpu.executed()) ran[each.queue].push_back(each.packet);
    uint64_t sum = 0;
    for (unsigned q = 0; q < kQueues; ++q) {
      INFO("queue " << q);
      check_order(ran[queues_[q]->proxy->real()], sent_[q]);
      uint64_t chain = 0;
      for (const Sent& sent : sent_[q]) {
        if (sent.arguments == nullptr) continue;
        chain = next_in_chain(chain, sent.arguments->id);
        sum += sent.arguments->id;
      }
      CHECK(memory_[q] == chain);
    }
    CHECK(memory_[kQueues] == sum);
    for (const Producer& producer : producers_)
      for (const Counted& counted : producer.signals)
        CHECK(FakeGpu::value(counted.signal) == counted.initial - counted.carriers);
    CHECK(FakeGpu::value(never_) == 1);
    CHECK(rig_.records_with("\"type\":\"dispatch\"") == wanted_);
    CHECK(rig_.gpu.problems() == std::vector<std::string>());
    return rig_.records_with("\"outcome\":\"replayed\"");
  }

 private:
  static constexpr unsigned kMostInBatch = 5;

  struct Producer {
    std::mt19937 random;
    std::deque<Arguments> arguments;  // their addresses stay
    std::vector<Counted> signals;
    std::vector<hsa_signal_t> done;  ///< started at 1 and are carried by something submitted
  };

  static kreplay::Options options(uint32_t seed) {
    kreplay::Options options = Rig::fast_options();
    options.split_batches = seed % 2 != 0;
    return options;
  }

  hsa_signal_t carried(Producer& producer, std::vector<hsa_signal_t>& fresh) {
    switch (producer.random() % 4) {
      case 0:
        return {0};
      case 1: {  // several packets on one signal
        if (producer.signals.empty() || producer.signals.back().initial == 1) break;
        ++producer.signals.back().carriers;
        return producer.signals.back().signal;
      }
      case 2:
        producer.signals.push_back({rig_.gpu.make_signal(1000), 1000, 1});
        return producer.signals.back().signal;
      default:
        break;
    }
    producer.signals.push_back({rig_.gpu.make_signal(1), 1, 1});
    fresh.push_back(producer.signals.back().signal);
    return fresh.back();
  }

  /// A signal that comes down by what this producer has submitted; null when there is none.
  static hsa_signal_t awaited(Producer& producer) {
    if (producer.done.empty()) return {0};
    return producer
        .done[producer.done.size() - 1 - producer.random() % std::min<size_t>(producer.done.size(), 4)];
  }

  Sent dispatch(unsigned q, Producer& producer, hsa_signal_t done) {
    producer.arguments.push_back({memory_ + q, memory_ + kQueues, 1 + producer.random() % 1000});
    Sent sent{dispatch_packet(kStep, &producer.arguments.back(), done, producer.random() % 2 != 0),
              &producer.arguments.back()};
    if (producer.random() % 4 == 0)
      sent.packet = extended_dispatch_packet(kStep, &producer.arguments.back(), done, awaited(producer));
    return sent;
  }

  Packet barrier(Producer& producer, hsa_signal_t done) {
    const hsa_signal_t awaits = awaited(producer);
    Packet packet = kreplay::hsa::barrier_packet(done);
    switch (producer.random() % 3) {
      case 0:  // all of them
        kreplay::hsa::set_word64(packet, 8, awaits.handle);
        kreplay::hsa::set_word64(packet, 24, awaited(producer).handle);
        break;
      case 1:  // any of them
        packet.word[0] = (packet.word[0] & ~0xffu) | HSA_PACKET_TYPE_BARRIER_OR;
        kreplay::hsa::set_word64(packet, 8, awaits.handle == 0 ? 0 : never_.handle);
        kreplay::hsa::set_word64(packet, 40, awaits.handle);
        break;
      default: {
        hsa_amd_barrier_value_packet_t value = {};
        value.header.header = HSA_PACKET_TYPE_VENDOR_SPECIFIC << HSA_PACKET_HEADER_TYPE;
        value.header.AmdFormat = kreplay::hsa::kFormatBarrierValue;
        value.signal = awaits;
        value.value = 1;
        value.mask = -1;
        value.cond = HSA_SIGNAL_CONDITION_LT;
        value.completion_signal = done;
        std::memcpy(&packet, &value, sizeof packet);
      }
    }
    return packet;
  }

  /// Bytes that mean nothing to us and must arrive as they are.
  static Packet foreign(Producer& producer, hsa_signal_t done) {
    Packet packet;
    for (uint32_t& word : packet.word) word = static_cast<uint32_t>(producer.random());
    constexpr uint32_t kIndirectBuffer = 1u << 16;
    packet.word[0] = producer.random() % 2 != 0 ? uint32_t{HSA_PACKET_TYPE_VENDOR_SPECIFIC} | kIndirectBuffer
                                                : (packet.word[0] & ~0xffu) | HSA_PACKET_TYPE_AGENT_DISPATCH;
    kreplay::hsa::set_completion_signal(packet, done);
    return packet;
  }

  Sent make(unsigned q, Producer& producer, std::vector<hsa_signal_t>& fresh) {
    const hsa_signal_t done = carried(producer, fresh);
    const unsigned kind = producer.random() % 8;
    if (kind < 5) return dispatch(q, producer, done);
    Sent sent{kind < 7 ? barrier(producer, done) : foreign(producer, done), nullptr};
    kreplay::hsa::set_word64(sent.packet, 48, next_tag_.fetch_add(1));
    return sent;
  }

  uint64_t reserve(unsigned q, Producer& producer, uint64_t count) {
    auto& proxy = *queues_[q]->proxy;
    if (q == kQueues - 1 && producer.random() % 2 != 0) {  // as a queue's only producer may
      const uint64_t first = proxy.load_write_index(__ATOMIC_RELAXED);
      proxy.store_write_index(first + count, __ATOMIC_RELEASE);
      return first;
    }
    if (producer.random() % 2 != 0) return queues_[q]->reserve(count);
    for (uint64_t at = proxy.load_write_index(__ATOMIC_RELAXED);;) {
      const uint64_t seen = proxy.cas_write_index(at, at + count, __ATOMIC_ACQ_REL);
      if (seen == at) return at;
      at = seen;
    }
  }

  void produce(unsigned p) {
    Producer& producer = producers_[p];
    for (unsigned batch = 0; batch < kBatches; ++batch) {
      const unsigned q = producer.random() % (p == 0 ? kQueues : kQueues - 1);
      Proxied& queue = *queues_[q];
      const uint64_t count = 1 + (producer.random() % 2 != 0 ? 0 : producer.random() % kMostInBatch);
      const uint64_t first = reserve(q, producer, count);
      queue.wait_room(first, count);
      std::vector<hsa_signal_t> fresh;
      std::vector<uint64_t> order;
      for (uint64_t i = first; i < first + count; ++i) {
        sent_[q][i] = make(q, producer, fresh);
        queue.body(i, sent_[q][i].packet);
        order.push_back(i);
      }
      std::shuffle(order.begin(), order.end(), producer.random);
      for (const uint64_t i : order) {
        if (producer.random() % 8 == 0) std::this_thread::yield();
        if (producer.random() % 8 == 0) queue.proxy->doorbell();  // early: for some of them, or for others'
        queue.header(i, sent_[q][i].packet);
      }
      for (unsigned n = 1 + producer.random() % 2; n > 0; --n) queue.proxy->doorbell();
      producer.done.insert(producer.done.end(), fresh.begin(), fresh.end());
    }
  }

  static void check_order(const std::vector<Packet>& ran, const std::vector<Sent>& sent) {
    size_t at = 0;
    const auto skip_ours = [&] {
      while (at < ran.size() && tag_of(ran[at]) == 0) ++at;
    };
    for (size_t i = 0; i < sent.size(); ++i) {
      INFO("packet " << i);
      const Packet& wanted = sent[i].packet;
      skip_ours();
      REQUIRE(at < ran.size());
      REQUIRE(tag_of(ran[at]) == tag_of(wanted));
      if (std::memcmp(&ran[at], &wanted, sizeof wanted) == 0) {
        ++at;
        continue;
      }
      REQUIRE(sent[i].arguments != nullptr);  // only dispatches are run in another form
      for (; at < ran.size() && tag_of(ran[at]) == tag_of(wanted); ++at) {
        Packet pass = wanted;
        pass.word[0] = kreplay::hsa::with_system_fences(wanted.word[0]);
        kreplay::hsa::set_completion_signal(pass, kreplay::hsa::completion_signal(ran[at]));
        REQUIRE(std::memcmp(&ran[at], &pass, sizeof pass) == 0);
      }
    }
    skip_ours();
    REQUIRE(at == ran.size());
  }

  Rig rig_;
  std::mt19937 random_;
  std::atomic<uint64_t> next_tag_{1};
  std::atomic<unsigned> wanted_{0};
  uint64_t* memory_ = nullptr;  ///< one chain per queue, then the sum
  hsa_signal_t never_ = {0};
  std::array<Producer, kProducerThreads> producers_;
  std::array<std::vector<Sent>, kQueues> sent_;  ///< by slot index; each written by the slot's producer
  std::vector<std::unique_ptr<Proxied>> queues_;
};

}  // namespace

TEST_CASE("C40 C42 C44 C49: random schedules end as the order of the slots says") {
  constexpr uint32_t kSchedules = 40;
  unsigned replayed = 0;
  for (uint32_t i = 0; i < kSchedules; ++i) {
    const uint32_t one = seed() + i;
    std::printf("schedule KREPLAY_TEST_SEED=%u\n", one);
    std::fflush(stdout);
    INFO("KREPLAY_TEST_SEED=" << one);
    Schedule schedule(one);
    schedule.run();
    replayed += schedule.check();
  }
  CHECK(replayed > kSchedules);  // or most of it was not looked at
}
