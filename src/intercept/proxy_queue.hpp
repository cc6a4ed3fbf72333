// The application's side of a queue: its ring, its indices, its doorbell. A store to the doorbell takes what
// was published, strictly in order, and hands it to the real ring or to a replay window.
//
// Rules: take at most min(write index, taken + size); stop at the first slot whose header is INVALID; mark a
// slot INVALID after copying it; the doorbell's value is a hint only; a thread serves what it found on entry,
// then hands over.
#pragma once

#include <atomic>
#include <cstdint>

#include "intercept/proxy_arena.hpp"
#include "intercept/reservations.hpp"
#include "intercept/stall_watch.hpp"
#include "replay/queue.hpp"
#include "replay/replayer.hpp"
#include "replay/thread_state.hpp"
#include "replay/window.hpp"

namespace kreplay::intercept {

class ProxyQueue {
 public:
  struct Callback {
    void (*function)(hsa_status_t status, hsa_queue_t* source, void* data) = nullptr;
    void* data = nullptr;
  };

  /// Makes the slot look like `real` with a ring of our own.
  /// @param doorbell_model a signal of the runtime whose first 128 bytes become the doorbell's, so that
  ///        functions we do not wrap accept the handle
  /// @return null when there is no memory for the ring
  static ProxyQueue* make(ProxySlot* slot, replay::Replayer& replayer, replay::Agent& agent,
                          const hsa::HsaApi& api, hsa_queue_t* real, hsa_queue_type32_t type,
                          hsa_signal_t doorbell_model);
  /// Unmaps the ring and gives the slot back. The application must be done with the queue.
  static void destroy(ProxyQueue* proxy);

  ProxyQueue(const ProxyQueue&) = delete;
  ProxyQueue& operator=(const ProxyQueue&) = delete;

  hsa_queue_t* application_queue() { return &slot_->queue.hsa_queue; }
  hsa_queue_t* real() const { return queue_.ring.queue(); }
  replay::Queue& queue() { return queue_; }
  replay::Replayer& replayer() { return replayer_; }
  /// What the creator of the proxy keeps with it.
  void set_relay(void* relay) { relay_ = relay; }
  void* relay() const { return relay_; }

  // --- indices, as the application sees them ---
  uint64_t load_read_index() {
    if (__builtin_expect(queue_.stalled(), 0)) pump();
    return queue_.shown_read_index();
  }
  uint64_t load_write_index(int order) const { return __atomic_load_n(write_index_, order); }
  void store_write_index(uint64_t value, int order) {
    const uint64_t before = load_write_index(__ATOMIC_RELAXED);
    if (value > before) reserved_.note(before, value - before, replay::submission());
    __atomic_store_n(write_index_, value, order);
  }
  uint64_t add_write_index(uint64_t value, int order) {
    const uint64_t first = __atomic_fetch_add(write_index_, value, order);
    reserved_.note(first, value, replay::submission());
    return first;
  }
  uint64_t cas_write_index(uint64_t expected, uint64_t value, int order) {
    const uint64_t first = expected;
    const bool done = __atomic_compare_exchange_n(write_index_, &expected, value, false, order,
                                                  order == __ATOMIC_RELEASE   ? __ATOMIC_RELAXED
                                                  : order == __ATOMIC_ACQ_REL ? __ATOMIC_ACQUIRE
                                                                              : order);
    if (done && value > first) reserved_.note(first, value - first, replay::submission());
    return expected;
  }

  /// The real queue failed: what it did not finish stands in the application's ring again, from the read
  /// index on, as it would without us. HIP 7 looks there for the kernel to blame. Threads: any.
  void show_unfinished();

  /// A store to the doorbell, whatever its value.
  void doorbell() {
    replay::end_submission();
    Host host{*this};
    queue_.doorbell(host);
  }
  /// Tries again what did not fit into the real ring, without replaying it. @return whether the ring is still
  /// stalled. Threads: the one of stall_watch.
  bool try_again();
  bool stalled() const { return queue_.stalled(); }
  StallEntry& stall_entry() { return stall_entry_; }

 private:
  ProxyQueue(ProxySlot* slot, replay::Replayer& replayer, replay::Agent& agent, const hsa::HsaApi& api,
             hsa_queue_t* real, hsa_queue_type32_t type, std::byte* ring);
  ~ProxyQueue() = default;

  std::byte* slot_at(uint64_t index) const { return ring_ + (index & mask_) * hsa::kPacketBytes; }
  /// First word of the packet at `index`; its type is INVALID while it is not published.
  uint32_t word_at(uint64_t index) const {
    return __atomic_load_n(reinterpret_cast<const uint32_t*>(slot_at(index)), __ATOMIC_ACQUIRE);
  }
  static bool published(uint32_t word0) { return hsa::type_bits(word0) != HSA_PACKET_TYPE_INVALID; }
  void retire(uint64_t index);
  uint64_t ready(uint64_t from, uint64_t limit) const;
  uint64_t submitted_together(uint64_t from, uint64_t count);
  hsa::Packet copy_of(uint64_t index) const;

  /// What queue_protocol.hpp asks of a queue on behalf of the application's threads.
  struct Host {
    ProxyQueue& proxy;
    bool gate_open() const { return proxy.queue_.agent().gate_open(); }
    bool owns_window() const { return replay::Window::mine(proxy.queue_.agent()) != nullptr; }
    bool wait_at_gate() const { return proxy.replayer_.dispatcher().wait_at_gate(proxy.queue_); }
    bool room() const { return proxy.queue_.ring.has_room(); }
    uint64_t patience_ns() const { return proxy.replayer_.core().options.drain_timeout_ns; }
    bool serve() const { return proxy.serve(); }
    bool serve_inside() const { return proxy.serve_inside(); }
    void serve_behind(bool thief) const { proxy.serve_behind(thief); }
    void submit_parked() const { proxy.submit_parked(); }
    void stalled() const { stall_watch::add(proxy); }
  };
  /// The same for the thread of stall_watch, which replays nothing.
  struct TryAgain;

  /// Everything below runs with queue_ in state forwarding, past the gate, unless it says otherwise. Those
  /// that return bool: false when the queue is not ours any more. Those that return an index: kLost then.
  static constexpr uint64_t kLost = ~uint64_t{0};
  bool serve();
  bool serve_inside();
  bool serve_again();
  void serve_behind(bool thief);
  void submit_parked();
  bool pass_gate() {
    Host host{*this};
    return queue_.pass_gate(host);
  }
  uint64_t forward(uint64_t from, uint64_t count);
  uint64_t forward_batch(uint64_t from, uint64_t count, report::Reason reason);
  void account(const hsa::Packet& packet, report::Reason reason);
  uint64_t take_one(uint64_t index, report::Reason declined = report::Reason::none);
  uint64_t take_each(uint64_t from, uint64_t count, report::Reason reason);
  void pump();

  ProxySlot* const slot_;
  replay::Replayer& replayer_;
  std::byte* const ring_;
  const uint32_t size_;
  const uint32_t mask_;
  volatile uint64_t* const write_index_;  ///< in the slot, where programs may look for it
  void* relay_ = nullptr;
  Reservations reserved_;
  /// First word of the packet at taken() while the queue is held for it; in the real ring it has other
  /// fences.
  std::atomic<uint32_t> held_word0_{0};
  StallEntry stall_entry_;
  replay::Queue queue_;
};

}  // namespace kreplay::intercept
