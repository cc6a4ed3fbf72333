#include "intercept/proxy_queue.hpp"

#include <sched.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <new>

#include "base/clock.hpp"
#include "device/futex.hpp"
#include "intercept/process.hpp"
#include "replay/thread_state.hpp"

namespace kreplay::intercept {

using hsa::Packet;
using hsa::PacketKind;
using replay::OursScope;
using replay::Queue;
using replay::t_state;
using replay::Window;
using report::Reason;

namespace {

/// Packets looked at in one go; more that came together are told from their neighbours in the next.
constexpr uint64_t kLookAhead = 256;

}  // namespace

ProxyQueue* ProxyQueue::make(ProxySlot* slot, replay::Replayer& replayer, replay::Agent& agent,
                             const hsa::HsaApi& api, hsa_queue_t* real, hsa_queue_type32_t type,
                             hsa_signal_t doorbell_model) {
  const size_t bytes = size_t{real->size} * hsa::kPacketBytes;
  void* ring = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (ring == MAP_FAILED) return nullptr;
  auto* proxy =
      new (std::nothrow) ProxyQueue(slot, replayer, agent, api, real, type, static_cast<std::byte*>(ring));
  if (proxy == nullptr) {
    munmap(ring, bytes);
    return nullptr;
  }
  for (uint32_t i = 0; i < real->size; ++i) proxy->retire(i);

  std::memcpy(static_cast<void*>(&slot->queue), static_cast<const void*>(real), sizeof(amd_queue_t));
  std::memcpy(slot->doorbell, reinterpret_cast<const void*>(doorbell_model.handle), sizeof slot->doorbell);
  hsa_queue_t& shown = slot->queue.hsa_queue;
  shown.base_address = ring;
  shown.doorbell_signal.handle = reinterpret_cast<uint64_t>(slot->doorbell);
  slot->queue.write_dispatch_id = 0;
  slot->queue.read_dispatch_id = 0;
  slot->proxy = proxy;
  return proxy;
}

void ProxyQueue::destroy(ProxyQueue* proxy) {
  munmap(proxy->ring_, size_t{proxy->size_} * hsa::kPacketBytes);
  ProxySlot* slot = proxy->slot_;
  delete proxy;
  arena::give_back(slot);
}

ProxyQueue::ProxyQueue(ProxySlot* slot, replay::Replayer& replayer, replay::Agent& agent,
                       const hsa::HsaApi& api, hsa_queue_t* real, hsa_queue_type32_t type, std::byte* ring)
    : slot_(slot),
      replayer_(replayer),
      ring_(ring),
      size_(real->size),
      mask_(real->size - 1),
      write_index_(&slot->queue.write_dispatch_id),
      reserved_(real->size),
      queue_(api, replayer.next_queue_id(), agent, real, type) {}

void ProxyQueue::retire(uint64_t index) {
  __atomic_store_n(reinterpret_cast<uint32_t*>(slot_at(index)),
                   uint32_t{HSA_PACKET_TYPE_INVALID} << HSA_PACKET_HEADER_TYPE, __ATOMIC_RELEASE);
}

void ProxyQueue::show_unfinished() {
  if (!queue_.ring.readable()) return;
  const uint64_t extras = queue_.extra.load(std::memory_order_acquire);
  const uint64_t submitted = queue_.ring.write_index() - extras;
  const uint64_t taken = queue_.taken.load(std::memory_order_acquire);
  for (uint64_t index = queue_.shown_read_index(); index < submitted; ++index) {
    // retire() left all but the first word; that of a replayed dispatch has other fences in the real ring.
    const uint32_t word0 =
        index == taken ? queue_.parked_packet.word[0] : queue_.ring.packet_at(index + extras).word[0];
    __atomic_store_n(reinterpret_cast<uint32_t*>(slot_at(index)), word0, __ATOMIC_RELEASE);
  }
}

uint64_t ProxyQueue::ready(uint64_t from, uint64_t limit) const {
  uint64_t count = 0;
  while (from + count < limit && published(word_at(from + count))) ++count;
  return count;
}

hsa::Packet ProxyQueue::copy_of(uint64_t index) const {
  Packet packet;
  packet.word[0] = word_at(index);
  std::memcpy(&packet.word[1], slot_at(index) + 4, hsa::kPacketBytes - 4);
  return packet;
}

bool ProxyQueue::serve() {
  if (!pass_gate()) return false;
  const uint64_t write = load_write_index(__ATOMIC_ACQUIRE);
  uint64_t taken = queue_.taken.load(std::memory_order_relaxed);
  const uint64_t limit = std::min(write, taken + size_);
  const bool split = replayer_.core().options.split_batches;
  while (taken < limit) {
    uint64_t next;
    if (!replayer_.dispatcher().listening()) {
      next = forward(taken, limit - taken);
    } else {
      const uint64_t count = ready(taken, std::min(limit, taken + kLookAhead));
      if (count == 0) break;
      const bool graph = t_state.graph != 0;
      const uint64_t batch = split ? 0 : graph ? count : submitted_together(taken, count);
      next = batch == 0 ? take_one(taken)
                        : forward_batch(taken, batch, graph ? Reason::graph : Reason::multi_packet);
    }
    if (next == kLost) return false;
    if (next == taken) break;
    taken = queue_.taken.load(std::memory_order_relaxed);  // others may have had the queue meanwhile
  }
  return true;
}

/// @return how many of the `count` published packets from `from` on were each submitted with others; 0 when
///         the first one came alone
uint64_t ProxyQueue::submitted_together(uint64_t from, uint64_t count) {
  uint64_t n = 0;
  while (n < count && reserved_.together(from + n, from, count)) ++n;
  return n;
}

/// Lets go of the queue while the gate is closed, so that the window's owner may use it.
bool ProxyQueue::pass_gate() {
  while (!queue_.agent().gate_open()) {
    if (Window* mine = Window::mine(queue_.agent())) {
      mine->mark_reentrant();
      // Packets of threads that wait at the gate are in the ring before ours.
      if (queue_.gate_waiters.load(std::memory_order_acquire) != 0) mine->break_into();
      return true;
    }
    queue_.gate_waiters.fetch_add(1, std::memory_order_acq_rel);
    queue_.unlock();
    const bool open = replayer_.dispatcher().wait_at_gate(queue_);
    const bool ours = lock_or_leave();
    queue_.gate_waiters.fetch_sub(1, std::memory_order_acq_rel);
    if (!ours) return false;
    if (!open) return true;
  }
  return true;
}

/// Waits for the queue, which another thread may hold for as long as a tool callback takes. Nothing is lost
/// when it takes too long: that thread then serves what we published.
bool ProxyQueue::lock_or_leave() {
  return queue_.lock_for(replayer_.core().options.drain_timeout_ns) || leave_behind();
}

bool ProxyQueue::leave_behind() {
  constexpr uint64_t kOnceMoreNs = 1'000'000;
  left_behind_.store(true, std::memory_order_seq_cst);
  // The owner looks at the flag after it let go. If it did so just before we set it, the queue is free by
  // now.
  if (!queue_.lock_for(kOnceMoreNs)) return false;
  left_behind_.store(false, std::memory_order_relaxed);
  return true;
}

/// @return whether the queue is ours again, to serve what another thread left
bool ProxyQueue::take_left_behind() {
  return left_behind_.exchange(false, std::memory_order_acq_rel) && queue_.try_lock();
}

/// Copies up to `count` published packets to the real ring, one doorbell for all.
/// @return index of the first packet not taken
uint64_t ProxyQueue::forward(uint64_t from, uint64_t count) {
  uint32_t word0 = word_at(from);
  if (!published(word0)) return from;
  const uint64_t room = queue_.ring.free_slots();
  if (__builtin_expect(room == 0, 0)) {
    stalled_.store(true, std::memory_order_relaxed);
    return from;
  }
  if (count > room) count = room;
  replayer_.core().watch_carriers(queue_, count);
  uint64_t done = 0;
  uint64_t real = 0;
  do {
    real = queue_.ring.begin(1);
    queue_.ring.put(real, slot_at(from + done), word0);
    retire(from + done);
    ++done;
    if (done == count) break;
    word0 = word_at(from + done);
  } while (published(word0));
  queue_.taken.store(from + done, std::memory_order_release);
  queue_.ring.ring(real);
  return from + done;
}

/// Forwards a submission that is not replayed and accounts for the dispatches in it.
uint64_t ProxyQueue::forward_batch(uint64_t from, uint64_t count, Reason reason) {
  const uint64_t first = queue_.ring.write_index();
  const uint64_t next = forward(from, count);
  queue_.hold();
  {
    const OursScope ours;
    for (uint64_t i = first; i < first + (next - from); ++i)
      if (hsa::is_dispatch(queue_.ring.kind_at(i))) account(queue_.ring.packet_at(i), reason);
  }
  queue_.resume();
  return pass_gate() ? next : kLost;
}

void ProxyQueue::account(const Packet& packet, Reason reason) {
  replay::Dispatcher::Candidate candidate;
  if (replayer_.dispatcher().wants(queue_, hsa::kernel_object(&packet), candidate))
    replayer_.dispatcher().account(queue_, packet, candidate, reason);
}

/// Takes one packet that came alone. @return index of the next packet to take
uint64_t ProxyQueue::take_one(uint64_t index) {
  if (!hsa::is_dispatch(hsa::kind_of(word_at(index)))) return forward(index, 1);
  if (Window::mine(queue_.agent()) != nullptr) return forward_batch(index, 1, Reason::reentrant);
  if (queue_.ring.free_slots() == 0) {
    stalled_.store(true, std::memory_order_relaxed);
    return index;
  }
  replay::Dispatcher::Candidate candidate;
  if (!replayer_.dispatcher().wants(queue_, hsa::kernel_object(slot_at(index)), candidate))
    return forward(index, 1);
  const Packet packet = copy_of(index);
  retire(index);
  queue_.hold();
  held_by_.store(&t_state, std::memory_order_relaxed);
  {
    const OursScope ours;
    const auto submitted = [this] {
      return queue_.ring.write_index() - queue_.extra.load(std::memory_order_relaxed);
    };
    const uint64_t before = submitted();
    try {
      replayer_.dispatcher().submit(queue_, packet, candidate);
    } catch (...) {
      // Whatever failed (memory, most likely): the application's dispatch still has to run, once.
      if (submitted() == before) replayer_.dispatcher().submit_once(queue_, packet);
      process::turn_off("replay", "an internal error (probably out of memory)");
    }
  }
  held_by_.store(nullptr, std::memory_order_relaxed);
  const uint64_t next = index + 1 + queue_.ahead.exchange(0, std::memory_order_relaxed);
  queue_.taken.store(next, std::memory_order_release);
  queue_.resume();
  return pass_gate() ? next : kLost;
}

/// The queue is somebody's. @return true when it is ours now; false when the doorbell was served otherwise.
bool ProxyQueue::lock_contended() {
  uint64_t since_ns = 0;
  for (unsigned spins = 0;; ++spins) {
    if (held_by_.load(std::memory_order_relaxed) ==
        &t_state) {  // a callback of a dispatch on this very queue
      serve_ahead();
      return false;
    }
    Window* mine = Window::mine(queue_.agent());
    if (mine == nullptr) return lock_or_leave();
    // Inside our window we cannot wait for a thread that waits for our window: its dispatch goes first, and
    // nothing may be restored afterwards.
    uint32_t expected = Queue::kWaiting;
    if (queue_.parked.compare_exchange_strong(expected, Queue::kStolen, std::memory_order_acq_rel)) {
      mine->break_into();
      queue_.ring.submit(queue_.parked_packet);
      serve_ahead();
      return false;
    }
    if (queue_.parked.load(std::memory_order_acquire) == Queue::kStolen) {
      serve_ahead();
      return false;
    }
    if (queue_.try_lock()) return true;
    if (spins < 100) {
      device::cpu_relax();
      continue;
    }
    // It may be in a tool callback that has not come to our window yet, or never will.
    if (since_ns == 0) since_ns = monotonic_ns();
    if (monotonic_ns() - since_ns > replayer_.core().options.drain_timeout_ns) return leave_behind();
    sched_yield();
  }
}

/// Forwards what was published behind the dispatch that the queue is held for.
void ProxyQueue::serve_ahead() {
  if (Window* mine = Window::mine(queue_.agent())) mine->mark_reentrant();
  const OursScope ours;
  const uint64_t taken = queue_.taken.load(std::memory_order_relaxed);
  const uint64_t write = load_write_index(__ATOMIC_ACQUIRE);
  const uint64_t limit = std::min(write, taken + size_);
  for (;;) {
    const uint64_t index = taken + 1 + queue_.ahead.load(std::memory_order_relaxed);
    if (index >= limit || !published(word_at(index))) return;
    const Packet packet = copy_of(index);
    retire(index);
    queue_.ahead.fetch_add(1, std::memory_order_relaxed);
    replayer_.dispatcher().submit_once(queue_, packet);
    if (replayer_.dispatcher().listening() && hsa::is_dispatch(hsa::kind_of(packet.word[0])))
      account(packet, Reason::reentrant);
  }
}

/// Tries again what did not fit into the real ring. Called where the application looks for free slots.
void ProxyQueue::pump() {
  if (!queue_.try_lock()) return;
  if (!queue_.agent().gate_open() || queue_.ring.free_slots() == 0) return queue_.unlock();
  stalled_.store(false, std::memory_order_relaxed);
  serve_and_unlock();
}

}  // namespace kreplay::intercept
