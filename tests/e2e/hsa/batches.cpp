// Submissions of several packets under one doorbell, headers published late and out of order, a small ring
// wrapped many times, four producers on one queue.
// e2e-candidates: ^append 30
// e2e-candidates: ^count_up 700
#include <thread>

#include "support/hsa_check.hpp"

int main() {
  e2e::Checks checks("batches");
  HSA_OK(hsa_init());
  const e2e::Agents agents = e2e::find_agents();
  unsigned* log = e2e::to_device(agents, std::vector<unsigned>(1'024, 0));
  std::vector<unsigned> want;
  {
    const e2e::CodeObject code(agents);
    const e2e::Kernel append = code.kernel("append");
    const e2e::Kernel count_up = code.kernel("count_up");
    e2e::Queue queue(agents, 64);

    // Batches of 1 to 5 dispatches with one doorbell, each followed by a barrier in the same batch, at ring
    // offsets that make some of them wrap.
    unsigned value = 0;
    for (unsigned batch = 1; batch <= 5; ++batch) {
      std::vector<uint64_t> slots;
      for (unsigned k = 0; k <= batch; ++k) {
        slots.push_back(queue.reserve());
      }
      for (unsigned k = 0; k < batch; ++k) {
        queue.fill_dispatch(slots[k], append, 64, 64, {}, log, ++value);
        want.push_back(value);
      }
      const hsa_signal_t done = e2e::make_signal(1);
      queue.fill_barrier(slots[batch], {}, done);
      // Headers last to first: nothing may run before the first one is valid.
      e2e::Queue::publish(queue.slot(slots[batch]), e2e::packet_header(HSA_PACKET_TYPE_BARRIER_AND), 0);
      for (unsigned k = batch; k-- > 0;) {
        e2e::Queue::publish(queue.slot(slots[k]), e2e::packet_header(HSA_PACKET_TYPE_KERNEL_DISPATCH), 1);
      }
      queue.ring(slots[batch]);
      e2e::wait_below(done, 1, "a batch");
      HSA_OK(hsa_signal_destroy(done));
      // Move the ring position on by an odd number of packets.
      for (unsigned k = 0; k < 9; ++k) {
        queue.barrier(HSA_PACKET_TYPE_BARRIER_AND, {}, {});
      }
    }

    // The doorbell rings for a packet whose header comes only later, with the next packet's doorbell.
    const uint64_t early = queue.reserve();
    queue.fill_dispatch(early, append, 64, 64, {}, log, ++value);
    want.push_back(value);
    queue.ring(early);
    const uint64_t late = queue.reserve();
    queue.fill_dispatch(late, append, 64, 64, {}, log, ++value);
    want.push_back(value);
    e2e::Queue::publish(queue.slot(late), e2e::packet_header(HSA_PACKET_TYPE_KERNEL_DISPATCH), 1);
    queue.ring(late);
    e2e::Queue::publish(queue.slot(early), e2e::packet_header(HSA_PACKET_TYPE_KERNEL_DISPATCH), 1);
    queue.ring(early);
    queue.drain();

    // More single dispatches than the ring has slots, without a wait.
    for (unsigned k = 0; k < 13; ++k) {
      queue.dispatch(append, 64, 64, {}, log, ++value);
      want.push_back(value);
    }
    for (unsigned k = 0; k < 300; ++k) {
      queue.dispatch(count_up, 64, 64, {}, 1u);
    }
    queue.drain();
    checks.value("counter",
                 e2e::from_device(agents, static_cast<const unsigned*>(code.variable("counter")), 1)[0],
                 300u * 64u);

    // Four producers on one queue.
    std::vector<std::thread> producers;
    for (unsigned id = 0; id < 4; ++id) {
      producers.emplace_back([&] {
        for (unsigned k = 0; k < 100; ++k) {
          queue.dispatch(count_up, 64, 64, {}, 2u);
        }
      });
    }
    for (auto& producer : producers) {
      producer.join();
    }
    queue.drain();
    checks.value("counter_of_producers",
                 e2e::from_device(agents, static_cast<const unsigned*>(code.variable("counter")), 1)[0],
                 300u * 64u + 800u * 64u);
  }
  const auto got = e2e::from_device(agents, log, 1'024);
  checks.value("entries", got[0], static_cast<unsigned>(want.size()));
  checks.equal("order",
               std::vector<unsigned>(got.begin() + 1, got.begin() + 1 + static_cast<long>(want.size())),
               want);
  HSA_OK(hsa_amd_memory_pool_free(log));
  HSA_OK(hsa_shut_down());
  return checks.finish();
}
