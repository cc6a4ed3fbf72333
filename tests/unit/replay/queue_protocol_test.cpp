// The queue protocol under every interleaving (schedules.hpp) with at most two preemptions, and with faults
// put into it, to see that they would be found. What stands around it (rings, the agent's gate and window,
// the packet processor) is as small as it can be; the protocol and the accounts are the library's own code.
//
// In every run: one writer of a real ring at a time; every published packet submitted once, in order; nothing
// of another thread undone by a restore; the shown read index exact; nobody waits for ever.

#include <catch2/catch.hpp>
#include <cstdio>

#include "replay/queue_protocol.hpp"
#include "replay/ring_accounts.hpp"
#include "schedules.hpp"

using kreplay::replay::BasicQueueProtocol;
using kreplay::replay::BasicRingAccounts;
using kreplay::replay::Mutation;
using schedules::explorer;
using schedules::Explorer;

namespace {

constexpr unsigned kPreemptions = 2;
constexpr unsigned kPackets = 8;    ///< slots of a ring
constexpr uint64_t kExtra = 99;     ///< stands for a packet of ours
constexpr uint64_t kReplayed = 16;  ///< added to a packet's number: a candidate

template <Mutation M>
struct World {
  template <typename T>
  using Atomic = typename schedules::Sync<M>::template Atomic<T>;

  struct RealRing {
    Atomic<uint64_t> write{0};
    Atomic<uint64_t> read{0};
    bool inside = false;
  };
  struct Queue : BasicQueueProtocol<schedules::Sync<M>> {
    explicit Queue(uint32_t ring_packets) : size(ring_packets), accounts(ring_packets) {}
    const uint32_t size;
    BasicRingAccounts<schedules::Sync<M>> accounts;
    RealRing real;
    Atomic<uint64_t> write{0};         ///< the application's write index
    Atomic<uint64_t> slots[kPackets];  ///< the application's ring; 0 is not published
    Atomic<uint64_t> parked{0};
    unsigned published = 0;
    std::vector<uint64_t> submitted;  ///< the application's
  };

  explicit World(uint32_t ring_packets = kPackets) : a(ring_packets), b(ring_packets) {}
  Queue a, b;
  Atomic<uint32_t> gate{0};
  Atomic<uint32_t> owner{0};   ///< thread + 1 that owns the agent's window
  Atomic<uint32_t> phase{0};   ///< of the window: 0 working, 1 in a callback, 2 stuck in it
  Atomic<uint32_t> helper{0};  ///< stalls that were told, see Host::stalled()
  bool broken = false;         ///< the window
  bool foreign = false;        ///< another thread's packet is in it
  unsigned done = 0;           ///< threads of the application

  /// A thread's view of a queue.
  struct Host {
    World& world;
    Queue& queue;
    bool owner = false;
    std::function<void()> callback = [] {};
    uint64_t entering = 0;

    bool gate_open() const { return world.gate.load() == 0; }
    bool owns_window() const { return owner; }
    bool wait_at_gate() {
      while (world.gate.load() != 0) {
        schedules::Sync<M>::wait(world.gate, 1, 0);
        (void)break_stuck();
      }
      return true;
    }
    bool break_stuck() {
      uint32_t in_callback = 1;
      if (world.phase.load() != 1 || !explorer().happens()) return world.phase.load() == 2;
      if (!world.phase.compare_exchange_strong(in_callback, 2)) return in_callback == 2;
      world.broken = true;
      open_gate();
      return true;
    }
    void open_gate() {
      world.gate.store(0);
      schedules::Sync<M>::wake_all(world.gate);
    }
    bool small() const { return queue.size < kPackets; }  ///< others are never full
    bool room() const { return !small() || queue.real.write.load() - queue.real.read.load() < queue.size; }
    uint64_t patience_ns() const { return 0; }
    void stalled() { world.helper.fetch_add(1); }
    void parking() { queue.parked.store(entering, std::memory_order_relaxed); }

    void submit(uint64_t packet, bool extra = false) {
      RealRing& ring = queue.real;
      if (ring.inside) explorer().fail("two writers of a real ring");
      ring.inside = true;
      const uint64_t at = ring.write.load(std::memory_order_relaxed);
      if (small() && at - ring.read.load() >= queue.size) explorer().fail("a real ring was overrun");
      if (extra) queue.accounts.add_extra(at);
      ring.write.store(at + 1, std::memory_order_release);
      if (!extra) queue.submitted.push_back(packet % kReplayed);
      ring.inside = false;
    }
    uint64_t at(uint64_t index) { return queue.slots[index % kPackets].load(std::memory_order_acquire); }
    void retire(uint64_t index) { queue.slots[index % kPackets].store(0, std::memory_order_release); }
    /// Packets carry the number of the thread that published them, see publish().
    void note_foreign(uint64_t packet) {
      if (owner && packet / 32 != uint64_t(explorer().self())) {
        world.broken = true;
        world.foreign = true;
      }
    }

    bool serve() {
      const uint64_t limit = std::min(queue.write.load(), queue.accounts.taken() + queue.size);
      for (uint64_t taken = queue.accounts.taken(); taken < limit; taken = queue.accounts.taken()) {
        const uint64_t packet = at(taken);
        if (packet == 0) break;
        if (!room()) {
          queue.stall();
          break;
        }
        retire(taken);
        if ((packet & kReplayed) == 0 || owner) {
          submit(packet);
          queue.accounts.take_to(taken + 1);
          continue;
        }
        queue.hold();
        queue.call_out();
        replay(packet);
        queue.called_out();
        queue.accounts.take_held();
        queue.resume();
        if (!queue.pass_gate(*this)) return false;
      }
      return true;
    }
    bool serve_inside() {
      const uint64_t limit = std::min(queue.write.load(), queue.accounts.taken() + queue.size);
      for (uint64_t taken = queue.accounts.taken(); taken < limit; ++taken) {
        const uint64_t packet = at(taken);
        if (packet == 0) break;
        if (!room()) {
          queue.stall();
          break;
        }
        note_foreign(packet);
        retire(taken);
        submit(packet);
        queue.accounts.take_to(taken + 1);
      }
      return true;
    }
    void serve_behind(bool thief) {
      const uint64_t limit = std::min(queue.write.load(), queue.accounts.taken() + queue.size);
      for (;;) {
        const uint64_t index = queue.accounts.next_behind();
        const uint64_t packet = index < limit ? at(index) : 0;
        if (packet == 0) return;
        if (thief && !room()) return queue.stall();
        note_foreign(packet);
        retire(index);
        queue.accounts.forwarded_behind();
        if (thief)
          submit(packet);
        else
          submit_once(packet);
      }
    }
    void submit_parked() {
      note_foreign(queue.parked.load(std::memory_order_relaxed));
      submit(queue.parked.load(std::memory_order_relaxed));
    }
    void submit_once(uint64_t packet) {
      entering = packet;
      if (!queue.enter(*this)) return;
      submit(packet);
      queue.hold();
    }

    /// The agent's window, as far as it matters here.
    void replay(uint64_t packet) {
      queue.parked.store(packet, std::memory_order_relaxed);
      queue.park();
      const bool acquired = acquire();
      const bool still_mine = queue.unpark();
      if (!acquired || !still_mine) {
        if (acquired) world.owner.store(0);
        if (still_mine) submit_once(packet);
        return;
      }
      owner = true;
      world.broken = world.foreign = false;
      world.gate.store(1);
      Queue& other = &queue == &world.a ? world.b : world.a;
      while (other.writing()) schedules::Sync<M>::yield();
      Host drained{world, other, true};
      drained.submit(kExtra, true);
      submit(packet);
      world.phase.store(1);
      callback();
      uint32_t in_callback = 1;
      world.phase.compare_exchange_strong(in_callback, 0);
      if (world.phase.load() == 0 && !world.broken) {
        if (world.foreign) explorer().fail("a restore undoes another thread's packet");
        submit(kExtra, true);
      }
      owner = false;
      open_gate();
      world.phase.store(0);
      world.owner.store(0);
    }
    bool acquire() {
      uint32_t nobody = 0;
      while (!world.owner.compare_exchange_strong(nobody, uint32_t(explorer().self()) + 1)) {
        nobody = 0;
        if (break_stuck()) return false;
        schedules::Sync<M>::yield();
      }
      return true;
    }
  };

  /// Reserves a slot and writes the packet.
  void publish(Host& host, bool replayed = false) {
    const uint64_t index = host.queue.write.fetch_add(1);
    host.queue.slots[index % kPackets].store(
        uint64_t(explorer().self()) * 32 + (replayed ? kReplayed : 0) + index + 1, std::memory_order_release);
    ++host.queue.published;
  }
  void launch(Host& host, bool replayed = false) {
    publish(host, replayed);
    host.queue.doorbell(host);
  }
  void check_end() {
    for (const Queue* queue : {&a, &b}) {
      for (size_t i = 0; i < queue->submitted.size(); ++i)
        if (queue->submitted[i] != i + 1) return explorer().fail("packets lost, doubled or out of order");
      if (queue->submitted.size() < queue->published)
        return explorer().fail("a published packet was never submitted");
      if (queue->accounts.taken() != queue->published) return explorer().fail("taken is wrong at the end");
    }
  }
};

using Bodies = std::vector<std::function<void()>>;

template <Mutation M>
Explorer::Result run(unsigned early, bool buffers, uint32_t ring_packets,
                     const std::function<Bodies(World<M>&)>& threads) {
  static std::unique_ptr<World<M>> world;
  const Explorer::Result result = explorer().explore(
      kPreemptions, early, buffers,
      [&] {
        world.reset();
        world = std::make_unique<World<M>>(ring_packets);
        return threads(*world);
      },
      [&] { world->check_end(); });
  std::printf(
      "  %llu states, %llu runs%s\n", static_cast<unsigned long long>(result.states),
      static_cast<unsigned long long>(result.runs),
      result.failure.empty() ? "" : (": " + result.failure.substr(0, result.failure.find('\n'))).c_str());
  return result;
}

// --- the scenarios ---

/// Threads ring one queue; of two, one twice.
template <Mutation M>
Explorer::Result doorbells(int threads, unsigned early, bool buffers) {
  return run<M>(early, buffers, kPackets, [threads](World<M>& world) {
    Bodies bodies;
    for (int i = 0; i < threads; ++i)
      bodies.push_back([&world, i, threads] {
        typename World<M>::Host host{world, world.a};
        world.launch(host);
        if (i == 0 && threads == 2) world.launch(host);
      });
    return bodies;
  });
}

/// A thread opens a window while another one forwards to another queue of the agent: two packets that came
/// one by one, or one behind a dispatch that is replayed itself.
template <Mutation M>
Explorer::Result opener(bool replayed) {
  return run<M>(0, true, kPackets, [replayed](World<M>& world) {
    Bodies bodies;
    bodies.push_back([&world] {
      typename World<M>::Host host{world, world.a};
      world.launch(host, true);
    });
    bodies.push_back([&world, replayed] {
      typename World<M>::Host host{world, world.b};
      if (replayed)
        world.publish(host, true);
      else
        world.launch(host);
      world.launch(host);
    });
    return bodies;
  });
}

/// A callback in a window launches on a queue whose thread waits for that window, at the gate or with its
/// packet taken; time may pass, so that the window is broken into meanwhile.
template <Mutation M>
Explorer::Result thief(bool replayed, unsigned early, bool buffers) {
  return run<M>(early, buffers, kPackets, [replayed](World<M>& world) {
    Bodies bodies;
    bodies.push_back([&world] {
      typename World<M>::Host host{world, world.a};
      host.callback = [&] {
        host.owner = true;
        typename World<M>::Host other{world, world.b, true};
        world.launch(other);
      };
      world.launch(host, true);
    });
    bodies.push_back([&world, replayed] {
      typename World<M>::Host host{world, world.b};
      world.launch(host, replayed);
      if (replayed) world.launch(host);
    });
    return bodies;
  });
}

/// A ring of two slots, one of them taken by a packet of ours; the program publishes two packets and waits
/// for the second without ringing or looking again.
template <Mutation M>
Explorer::Result full_ring() {
  return run<M>(0, false, 2, [](World<M>& world) {
    typename World<M>::Host setup{world, world.a};
    setup.submit(kExtra, true);
    Bodies bodies;
    bodies.push_back([&world] {
      typename World<M>::Host host{world, world.a};
      world.launch(host);
      world.launch(host);
      ++world.done;
      world.helper.fetch_add(16);
    });
    bodies.push_back([&world] {  // the packet processor
      auto& ring = world.a.real;
      for (uint64_t at = 0; at < 3; ++at) {
        while (ring.write.load() <= at) {
          if (world.helper.load() == 16) return;  // never asked for: found by check_end()
          schedules::Sync<M>::yield();
        }
        ring.read.store(at + 1, std::memory_order_release);
      }
    });
    bodies.push_back([&world] {  // what stall_watch does
      for (uint32_t told = 0; told < 16 || world.a.stalled();) {
        const uint32_t now = world.helper.load();
        if (now % 16 != 0 && world.a.stalled()) {
          typename World<M>::Host host{world, world.a};
          world.a.pump(host);
        } else if (now >= 16 && now % 16 == 0) {
          return;
        }
        told = now;
        if (told < 16 || world.a.stalled()) schedules::Sync<M>::yield();
      }
    });
    return bodies;
  });
}

/// A thread that looks at the read index (and so pumps) while another one publishes and a third gives up
/// waiting for the queue.
template <Mutation M>
Explorer::Result left_behind(bool buffers) {
  return run<M>(1, buffers, kPackets, [](World<M>& world) {
    Bodies bodies;
    for (int i = 0; i < 3; ++i)
      bodies.push_back([&world, i] {
        typename World<M>::Host host{world, world.a};
        world.launch(host);
        if (i == 2) world.a.pump(host);
      });
    return bodies;
  });
}

/// The read index that is shown while packets of ours stand between the application's: exact, whoever asks
/// and when.
template <Mutation M>
Explorer::Result shown_index() {
  return run<M>(0, false, kPackets, [](World<M>& world) {
    Bodies bodies;
    bodies.push_back([&world] {
      typename World<M>::Host host{world, world.a};
      world.launch(host);
      host.submit(kExtra, true);
      world.launch(host);
      host.submit(kExtra, true);
    });
    bodies.push_back([&world] {
      auto& ring = world.a.real;
      for (uint64_t at = 0; at < 4; ++at) {
        while (ring.write.load() <= at) schedules::Sync<M>::yield();
        ring.read.store(at + 1, std::memory_order_release);
      }
    });
    bodies.push_back([&world] {
      uint64_t before = 0;
      for (int i = 0; i < 2; ++i) {
        const uint64_t read = world.a.real.read.load();
        const uint64_t shown = world.a.accounts.application_packets(read);
        if (shown != (read + 1) / 2) explorer().fail("the shown read index is not what was consumed");
        const uint64_t capped = world.a.accounts.shown(read);
        if (capped < before) explorer().fail("the shown read index steps back");
        if (capped > world.a.accounts.taken())
          explorer().fail("the shown read index is beyond what was taken");
        before = capped;
      }
    });
    return bodies;
  });
}

}  // namespace

TEST_CASE("queue protocol, every interleaving: doorbells of two threads") {
  CHECK(doorbells<Mutation::none>(2, 1, true).failure == "");
}
TEST_CASE("queue protocol, every interleaving: doorbells of three threads") {
  CHECK(doorbells<Mutation::none>(3, 0, false).failure == "");
}
TEST_CASE("queue protocol, every interleaving: a window opens while another queue is forwarded to") {
  CHECK(opener<Mutation::none>(false).failure == "");
  CHECK(opener<Mutation::none>(true).failure == "");
}
TEST_CASE("queue protocol, every interleaving: a callback launches behind another thread's waiting packet") {
  CHECK(thief<Mutation::none>(false, 1, false).failure == "");
  CHECK(thief<Mutation::none>(true, 1, false).failure == "");
}
TEST_CASE("queue protocol, every interleaving: a full ring, and nobody who rings again") {
  CHECK(full_ring<Mutation::none>().failure == "");
}
TEST_CASE("queue protocol, every interleaving: threads that give up waiting for the queue") {
  CHECK(left_behind<Mutation::none>(false).failure == "");
}
TEST_CASE("queue protocol, every interleaving: the read index shown around packets of ours") {
  CHECK(shown_index<Mutation::none>().failure == "");
}

TEST_CASE("queue protocol: each fault that is put into it is found") {
  const auto found = [](const Explorer::Result& result, const std::string& what) {
    INFO(result.failure);
    CHECK(result.failure.substr(0, what.size()) == what);
  };
  found(thief<Mutation::unpark_ignores_thief>(true, 1, false), "two writers of a real ring");
  found(full_ring<Mutation::stall_untold>(), "a published packet was never submitted");
  found(left_behind<Mutation::left_behind_taken_early>(false), "a published packet was never submitted");
  found(left_behind<Mutation::left_behind_forgotten>(false), "a published packet was never submitted");
  found(opener<Mutation::resume_without_fence>(true), "two writers of a real ring");
  found(doorbells<Mutation::take_once_in_vain>(2, 1, true), "a published packet was never submitted");
  found(shown_index<Mutation::one_extra_count>(), "the shown read index is not what was consumed");
}
