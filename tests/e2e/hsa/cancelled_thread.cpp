// Threads that are cancelled (deferred) while they launch. Neither writing a packet nor ringing a doorbell is
// a cancellation point: the request waits for the next one, and no launch is lost or doubled. e2e-replayed:
// ^count_up 10
#include <pthread.h>

#include <atomic>
#include <cstring>

#include "support/hsa_check.hpp"

namespace {

struct Producer {
  e2e::Queue* queue;
  hsa_kernel_dispatch_packet_t packet;
  std::atomic<unsigned> launches{0};
};

void* produce(void* data) {
  auto& producer = *static_cast<Producer*>(data);
  constexpr size_t kFirst = sizeof(uint32_t);
  for (;;) {
    const uint64_t index = producer.queue->reserve();
    auto* slot = static_cast<char*>(producer.queue->slot(index));
    std::memcpy(slot + kFirst, reinterpret_cast<const char*>(&producer.packet) + kFirst,
                sizeof producer.packet - kFirst);
    e2e::Queue::publish(slot, e2e::packet_header(HSA_PACKET_TYPE_KERNEL_DISPATCH), 1);
    producer.queue->ring(index);
    ++producer.launches;
    pthread_testcancel();
  }
}

}  // namespace

int main() {
  e2e::Checks checks("cancelled_thread");
  HSA_OK(hsa_init());
  const e2e::Agents agents = e2e::find_agents();
  {
    const e2e::CodeObject code(agents);
    e2e::Queue queue(agents, 64);
    Producer producer{&queue, {}};
    const uint64_t first = queue.reserve();
    queue.fill_dispatch(first, code.kernel("count_up"), 64, 64, {}, 1u);
    std::memcpy(&producer.packet, queue.slot(first), sizeof producer.packet);
    e2e::Queue::publish(queue.slot(first), e2e::packet_header(HSA_PACKET_TYPE_KERNEL_DISPATCH), 1);
    queue.ring(first);

    unsigned cancelled = 0;
    for (unsigned round = 0; round < 20; ++round) {
      pthread_t thread;
      const unsigned before = producer.launches;
      if (pthread_create(&thread, nullptr, produce, &producer) != 0) return 2;
      while (producer.launches < before + round % 4) {
      }
      pthread_cancel(thread);
      void* result = nullptr;
      pthread_join(thread, &result);
      cancelled += result == PTHREAD_CANCELED ? 1 : 0;
      queue.drain();
    }
    checks.value("cancelled", cancelled, 20u);
    const unsigned counted =
        e2e::from_device(agents, static_cast<const unsigned*>(code.variable("counter")), 1)[0];
    checks.value("lost or doubled", counted - 64u * (1u + producer.launches), 0u);
  }
  HSA_OK(hsa_shut_down());
  return checks.finish();
}
