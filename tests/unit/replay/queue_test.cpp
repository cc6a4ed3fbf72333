// What the application sees of its read index, and the order in which the real ring is written.

#include <catch2/catch.hpp>

#include "rig.hpp"

TEST_CASE("read index: never beyond what was taken, never backwards, hides our packets") {
  Rig rig;
  HeldQueue held(rig);
  auto& queue = held.queue;
  CHECK(queue.shown_read_index() == 0);
  const hsa_signal_t gate = rig.gpu.make_signal(1);
  auto closed = kreplay::hsa::barrier_packet({0});
  kreplay::hsa::set_word64(closed, 8, gate.handle);

  queue.ring.submit(kreplay::hsa::barrier_packet({0}));
  queue.accounts.take_to(1);
  REQUIRE(eventually([&] { return queue.shown_read_index() == 1; }));
  // Two of ours sit behind a closed barrier: the formula would say less than was shown.
  queue.submit_extra(closed);
  queue.submit_extra(kreplay::hsa::barrier_packet({0}));
  CHECK(queue.shown_read_index() == 1);
  queue.ring.submit(kreplay::hsa::barrier_packet({0}));
  queue.accounts.take_to(2);
  CHECK(queue.shown_read_index() == 1);
  rig.gpu.api.hsa_signal_store_screlease(gate, 0);
  REQUIRE(eventually([&] { return queue.shown_read_index() == 2; }));
  CHECK(queue.ring.read_index() == 4);
  CHECK(rig.gpu.problems().empty());
}

TEST_CASE("read index: packets of ours behind a packet that waits do not count as consumed") {
  Rig rig;
  HeldQueue held(rig);
  auto& queue = held.queue;
  const hsa_signal_t gate = rig.gpu.make_signal(1);
  auto closed = kreplay::hsa::barrier_packet({0});
  kreplay::hsa::set_word64(closed, 8, gate.handle);
  queue.ring.submit(kreplay::hsa::barrier_packet({0}));
  queue.ring.submit(closed);
  queue.submit_extra(kreplay::hsa::barrier_packet({0}));
  queue.submit_extra(kreplay::hsa::barrier_packet({0}));
  queue.accounts.take_to(2);
  REQUIRE(eventually([&] { return queue.ring.read_index() == 1; }));
  // A program may open the gate only when it has seen that the first packet was taken.
  CHECK(queue.shown_read_index() == 1);
  CHECK(queue.accounts.is_extra(2));
  CHECK_FALSE(queue.accounts.is_extra(1));
  rig.gpu.api.hsa_signal_store_screlease(gate, 0);
  REQUIRE(eventually([&] { return queue.ring.read_index() == 4; }));
  CHECK(queue.shown_read_index() == 2);
}

TEST_CASE("a foreign intercept queue below is driven through the runtime's functions") {
  FakeGpu gpu;
  static uint64_t write = 0;
  static uint64_t read = 0;
  static int64_t bell = -1;
  gpu.api.hsa_queue_load_write_index_scacquire = [](const hsa_queue_t*) { return write; };
  gpu.api.hsa_queue_load_read_index_scacquire = [](const hsa_queue_t*) { return read; };
  gpu.api.hsa_queue_store_write_index_relaxed = [](const hsa_queue_t*, uint64_t value) { write = value; };
  gpu.api.hsa_signal_store_screlease = [](hsa_signal_t, hsa_signal_value_t value) { bell = value; };
  alignas(64) amd_queue_t object = {};
  alignas(64) amd_signal_t doorbell = {};
  doorbell.kind = AMD_SIGNAL_KIND_USER;
  doorbell.hardware_doorbell_ptr = reinterpret_cast<volatile uint64_t*>(UINT64_MAX);
  std::vector<kreplay::hsa::Packet> slots(8);
  object.hsa_queue.base_address = slots.data();
  object.hsa_queue.size = 8;
  object.hsa_queue.doorbell_signal = {reinterpret_cast<uint64_t>(&doorbell)};
  kreplay::device::RealRing ring(gpu.api, &object.hsa_queue);
  ring.submit(kreplay::hsa::barrier_packet({0x40}));
  CHECK(write == 1);
  CHECK(bell == 0);
  CHECK(slots[0].word[0] == kreplay::hsa::barrier_packet({0}).word[0]);
  CHECK(ring.free_slots() == 7);
  for (int i = 0; i < 7; ++i) ring.submit(kreplay::hsa::barrier_packet({0}));
  CHECK(ring.free_slots() == 0);
  read = 3;
  CHECK(ring.free_slots() == 3);
}
