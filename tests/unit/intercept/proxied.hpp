// What the tests of proxy queues share: a proxy on the fake GPU, and the seed of a run's random choices.
#pragma once

#include <catch2/catch.hpp>
#include <cstdlib>
#include <random>

#include "intercept/proxy_queue.hpp"
#include "rig.hpp"

/// KREPLAY_TEST_SEED, or another one in every run. Tests print it.
inline uint32_t seed() {
  static const uint32_t value = [] {
    const char* text = std::getenv("KREPLAY_TEST_SEED");
    return text != nullptr ? static_cast<uint32_t>(std::strtoul(text, nullptr, 10)) : std::random_device()();
  }();
  return value;
}

/// A proxy queue with an application's view of it.
struct Proxied {
  explicit Proxied(Rig& rig, uint32_t size = 64) {
    hsa_queue_t* real = rig.real_queue(0, size);
    proxy =
        kreplay::intercept::ProxyQueue::make(kreplay::intercept::arena::take(), *rig.replayer, rig.agent(),
                                             rig.gpu.api, real, HSA_QUEUE_TYPE_MULTI, rig.gpu.make_signal(0));
    rig.replayer->add_queue(proxy->queue());
    replayer = rig.replayer.get();
  }
  ~Proxied() {
    (void)replayer->take_queue(proxy->queue(), [] {});
    kreplay::intercept::ProxyQueue::destroy(proxy);
  }
  hsa_queue_t& shown() { return *proxy->application_queue(); }
  kreplay::hsa::Packet* slot(uint64_t index) {
    return static_cast<kreplay::hsa::Packet*>(shown().base_address) + (index & (shown().size - 1));
  }
  /// Writes the body, then publishes the header word.
  void publish(uint64_t index, const kreplay::hsa::Packet& packet) {
    body(index, packet);
    header(index, packet);
  }
  void body(uint64_t index, const kreplay::hsa::Packet& packet) {
    std::memcpy(&slot(index)->word[1], &packet.word[1], sizeof packet - 4);
  }
  void header(uint64_t index, const kreplay::hsa::Packet& packet) {
    __atomic_store_n(&slot(index)->word[0], packet.word[0], __ATOMIC_RELEASE);
  }
  uint64_t reserve(uint64_t count) { return proxy->add_write_index(count, __ATOMIC_ACQ_REL); }
  void wait_room(uint64_t first, uint64_t count) {
    while (first + count > proxy->load_read_index() + shown().size) std::this_thread::yield();
  }

  kreplay::intercept::ProxyQueue* proxy;
  kreplay::replay::Replayer* replayer;
};
