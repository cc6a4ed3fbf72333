// Which waiting packets can still be satisfied by what is submitted.

#include <sys/mman.h>
#include <catch2/catch.hpp>

#include "replay/dependency.hpp"
#include "rig.hpp"

using kreplay::hsa::Packet;
using kreplay::replay::Blocked;
using kreplay::replay::CopyFence;
using kreplay::replay::LookAhead;
using kreplay::replay::Queue;

namespace {

/// Queues whose processor never runs: packets stay where they are put.
struct Still {
  Still() : rig() {}
  Queue& queue() {
    auto& storage = storages.emplace_back(std::make_unique<Storage>());
    storage->slots.resize(64);
    storage->doorbell.kind = AMD_SIGNAL_KIND_DOORBELL;
    storage->doorbell.hardware_doorbell_ptr = &storage->bell;
    storage->object.hsa_queue.base_address = storage->slots.data();
    storage->object.hsa_queue.size = 64;
    storage->object.hsa_queue.doorbell_signal = {reinterpret_cast<uint64_t>(&storage->doorbell)};
    storage->queue = std::make_unique<Queue>(rig.gpu.api, storages.size(), rig.agent(),
                                             &storage->object.hsa_queue, HSA_QUEUE_TYPE_MULTI);
    all.push_back(storage->queue.get());
    return *storage->queue;
  }
  /// The packet processor takes the next packet of the queue.
  void take(Queue& queue) {
    auto* object = reinterpret_cast<amd_queue_t*>(queue.ring.queue());
    object->read_dispatch_id = object->read_dispatch_id + 1;
  }
  hsa_signal_t signal(int64_t value) { return rig.gpu.make_signal(value); }
  std::optional<Blocked> look(const std::vector<Queue*>& targets, bool running = true) {
    return scan.find_blocked(all, targets, copies, {&rig.agent()}, running);
  }

  struct Storage {
    alignas(64) amd_queue_t object = {};
    alignas(64) amd_signal_t doorbell = {};
    uint64_t bell = 0;
    std::vector<Packet> slots;
    std::unique_ptr<Queue> queue;
  };
  Rig rig;
  std::vector<std::unique_ptr<Storage>> storages;
  std::vector<Queue*> all;
  std::vector<CopyFence::Pending> copies;
  kreplay::replay::KernelTable kernels;
  LookAhead scan{&kernels};
};

Packet waits_for(hsa_signal_t signal, hsa_signal_t completion = {0}) {
  Packet packet = kreplay::hsa::barrier_packet(completion);
  kreplay::hsa::set_word64(packet, 8, signal.handle);
  return packet;
}

}  // namespace

TEST_CASE("a dependency whose signal was destroyed and unmapped is over") {
  Still s;
  Queue& a = s.queue();
  void* page = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  REQUIRE(page != MAP_FAILED);
  auto* object = static_cast<amd_signal_t*>(page);
  object->value = 1;
  a.ring.submit(waits_for({reinterpret_cast<uint64_t>(object)}));
  CHECK(s.look({&a}).has_value());
  REQUIRE(munmap(page, 4096) == 0);
  CHECK_FALSE(s.look({&a}).has_value());
}

TEST_CASE("a dependency that a submitted packet carries is satisfiable") {
  Still s;
  Queue& a = s.queue();
  Queue& b = s.queue();
  const hsa_signal_t signal = s.signal(1);
  b.ring.submit(waits_for(signal));
  CHECK(s.look({&b}).has_value());
  a.ring.submit(dispatch_packet(1, nullptr, signal));
  CHECK_FALSE(s.look({&b}).has_value());
  CHECK_FALSE(s.look({&a}).has_value());
}

TEST_CASE("a running dispatch counts, a taken barrier does not") {
  Still s;
  Queue& a = s.queue();
  Queue& b = s.queue();
  const hsa_signal_t signal = s.signal(1);
  b.ring.submit(waits_for(signal));
  a.ring.submit(dispatch_packet(1, nullptr, signal));
  s.take(a);
  CHECK_FALSE(s.look({&b}).has_value());   // started, not known to be over
  CHECK(s.look({&b}, false).has_value());  // unless the caller takes it for over
  a.ring.submit(dispatch_packet(1, nullptr, {0}));
  s.take(a);  // has the barrier bit, so the one before is over: the signal stayed at 1 for another reason
  CHECK(s.look({&b}).has_value());
}

TEST_CASE("a blocking host callback: the signal starts at 2, only one unit comes from the device") {
  Still s;
  Queue& a = s.queue();
  const hsa_signal_t signal = s.signal(2);
  a.ring.submit(kreplay::hsa::barrier_packet(signal));
  a.ring.submit(waits_for(signal));
  const auto blocked = s.look({&a});
  REQUIRE(blocked.has_value());
  CHECK(blocked->signal.handle == signal.handle);
  CHECK(blocked->value == 2);
  CHECK(blocked->index == 1);
  CHECK(blocked->describe().find("queue 1: packet 1") != std::string::npos);
}

TEST_CASE("what stands behind something stuck cannot satisfy anything") {
  Still s;
  Queue& a = s.queue();
  Queue& b = s.queue();
  const hsa_signal_t host = s.signal(1);
  const hsa_signal_t signal = s.signal(1);
  a.ring.submit(waits_for(host));
  a.ring.submit(dispatch_packet(1, nullptr, signal));
  b.ring.submit(waits_for(signal));
  const auto blocked = s.look({&b});
  REQUIRE(blocked.has_value());
  CHECK(blocked->queue == &b);
}

TEST_CASE("barrier-OR needs one, barrier-AND all") {
  Still s;
  Queue& a = s.queue();
  Queue& b = s.queue();
  const hsa_signal_t host = s.signal(1);
  const hsa_signal_t signal = s.signal(1);
  Packet either = waits_for(host);
  kreplay::hsa::set_word64(either, 16, signal.handle);
  either.word[0] = (either.word[0] & ~0xffu) | HSA_PACKET_TYPE_BARRIER_OR;
  b.ring.submit(either);
  CHECK(s.look({&b}).has_value());
  a.ring.submit(dispatch_packet(1, nullptr, signal));
  CHECK_FALSE(s.look({&b}).has_value());
  Packet both = waits_for(host);
  kreplay::hsa::set_word64(both, 16, signal.handle);
  b.ring.submit(both);
  CHECK(s.look({&b}).has_value());
}

TEST_CASE("copies satisfy and wait, too") {
  Still s;
  Queue& a = s.queue();
  const hsa_signal_t signal = s.signal(1);
  const hsa_signal_t host = s.signal(1);
  a.ring.submit(waits_for(signal));
  s.copies.push_back({{FakeGpu::gpu(0), 0}, signal, {}});
  CHECK_FALSE(s.look({&a}).has_value());
  s.copies[0].dependencies[0] = host;
  const auto blocked = s.look({&a});
  REQUIRE(blocked.has_value());
  CHECK(s.look({}).has_value());  // the copy itself must finish for the agent
}

TEST_CASE("a negative value cannot come down to zero") {
  Still s;
  Queue& a = s.queue();
  Queue& b = s.queue();
  const hsa_signal_t signal = s.signal(-1);
  b.ring.submit(waits_for(signal));
  a.ring.submit(dispatch_packet(1, nullptr, signal));
  CHECK(s.look({&b}).has_value());
}

namespace {
constexpr uint64_t kStreamWait = 0x5000;  ///< kernel object of HIP's hipStreamWaitValue
}

TEST_CASE("a dispatch that waits for a value in memory is stuck, waiting in the ring or running") {
  Still s;
  s.kernels.insert(kStreamWait, "__amd_rocclr_streamOpsWait.kd", nullptr);
  Queue& a = s.queue();
  a.ring.submit(dispatch_packet(1, nullptr, {0}));
  a.ring.submit(dispatch_packet(kStreamWait, nullptr, {0}));
  for (int taken = 0; taken < 3; ++taken) {
    const auto blocked = s.look({&a});
    REQUIRE(blocked.has_value());
    CHECK(blocked->queue == &a);
    CHECK(blocked->index == 1);
    CHECK(blocked->signal.handle == 0);
    CHECK(blocked->describe() == "queue 1: packet 1 waits for a value in memory (hipStreamWaitValue)");
    if (taken < 2) s.take(a);
  }
  a.ring.submit(dispatch_packet(1, nullptr, {0}));
  s.take(a);  // it has the barrier bit, so the wait before it is over
  CHECK_FALSE(s.look({&a}).has_value());
}

TEST_CASE("a dispatch of a kernel that did not end in time before may not end now, either") {
  Still s;
  auto& kernel = s.kernels.insert(kStreamWait, "poll_flag.kd", nullptr);
  Queue& a = s.queue();
  a.ring.submit(dispatch_packet(kStreamWait, nullptr, {0}));
  CHECK_FALSE(s.look({&a}).has_value());
  kernel.learned = true;
  for (int taken = 0; taken < 2; ++taken) {
    const auto blocked = s.look({&a});
    REQUIRE(blocked.has_value());
    CHECK(blocked->describe() == "queue 1: packet 0 is of a kernel that did not end in time before");
    if (taken < 1) s.take(a);
  }
  a.ring.submit(dispatch_packet(1, nullptr, {0}));
  s.take(a);  // it has the barrier bit
  CHECK_FALSE(s.look({&a}).has_value());
}

TEST_CASE("a wait on memory that is known to be over is no obstacle") {
  Still s;
  s.kernels.insert(kStreamWait, "__amd_rocclr_streamOpsWait.kd", nullptr);
  Queue& a = s.queue();
  a.ring.submit(dispatch_packet(kStreamWait, nullptr, {0}));
  s.take(a);
  CHECK(s.look({&a}).has_value());
  a.idle_at.store(1);  // a drain or a pass saw the queue come to rest
  CHECK_FALSE(s.look({&a}).has_value());
}

TEST_CASE("what stands behind a wait on memory satisfies nothing; other queues are not held up by it") {
  Still s;
  s.kernels.insert(kStreamWait, "__amd_rocclr_streamOpsWait.kd", nullptr);
  Queue& a = s.queue();
  Queue& b = s.queue();
  Queue& c = s.queue();
  const hsa_signal_t before = s.signal(1);
  const hsa_signal_t after = s.signal(1);
  a.ring.submit(dispatch_packet(1, nullptr, before));
  a.ring.submit(dispatch_packet(kStreamWait, nullptr, {0}));
  a.ring.submit(dispatch_packet(1, nullptr, after));
  b.ring.submit(waits_for(before));
  c.ring.submit(waits_for(after));
  CHECK_FALSE(s.look({&b}).has_value());
  const auto blocked = s.look({&c});
  REQUIRE(blocked.has_value());
  CHECK(blocked->queue == &c);
  CHECK(blocked->signal.handle == after.handle);
}

TEST_CASE("only HIP's wait kernel is taken for one, and only while it is loaded") {
  Still s;
  s.kernels.insert(kStreamWait, "__amd_rocclr_streamOpsWrite.kd", nullptr);
  Queue& a = s.queue();
  a.ring.submit(dispatch_packet(kStreamWait, nullptr, {0}));
  CHECK_FALSE(s.look({&a}).has_value());
  s.kernels.erase(kStreamWait);
  s.kernels.insert(kStreamWait, "__amd_rocclr_streamOpsWait.kd", nullptr);
  CHECK(s.look({&a}).has_value());
  s.kernels.erase(kStreamWait);
  CHECK_FALSE(s.look({&a}).has_value());
  s.kernels.insert(kStreamWait, "__amd_rocclr_streamOpsWait.kd", nullptr);
  LookAhead knows_no_kernels;
  CHECK_FALSE(knows_no_kernels.find_blocked(s.all, {&a}, s.copies, {&s.rig.agent()}).has_value());
}
