#include "intercept/proxy_queue.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <new>

#include "base/check.hpp"
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
  KR_CHECK(arena::find(&shown) == proxy && arena::find(shown.doorbell_signal) == proxy,
           "a proxy is found by its queue and by its doorbell");
  return proxy;
}

void ProxyQueue::destroy(ProxyQueue* proxy) {
  stall_watch::remove(*proxy);
  KR_CHECK(proxy->slot_->proxy == proxy, "a proxy ends once");
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
  // retire() left all but the first word in place.
  const auto show = [this](uint64_t index, uint32_t word0) {
    __atomic_store_n(reinterpret_cast<uint32_t*>(slot_at(index)), word0, __ATOMIC_RELEASE);
  };
  const uint64_t write = queue_.ring.write_index();
  const uint64_t read = std::min(queue_.ring.read_index(), write);
  const uint64_t taken = queue_.accounts.taken();
  uint64_t index = queue_.accounts.application_packets(read);
  // A later pass of the packet at `taken` is what failed, or what it waits behind.
  if (index > taken) show(taken, held_word0_.load(std::memory_order_acquire));
  for (uint64_t at = read; at < write; ++at) {
    if (queue_.accounts.is_extra(at)) continue;
    show(index,
         index == taken ? held_word0_.load(std::memory_order_acquire) : queue_.ring.packet_at(at).word[0]);
    ++index;
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
  const uint64_t write = load_write_index(__ATOMIC_ACQUIRE);
  uint64_t taken = queue_.accounts.taken();
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
      const Reason reason = graph ? Reason::graph : Reason::multi_packet;
      if (batch == 0)
        next = take_one(taken);
      else if (tool_api::kernel_services_listen())
        next = take_each(taken, batch, reason);
      else
        next = forward_batch(taken, batch, reason);
    }
    if (next == kLost) return false;
    if (next == taken) break;
    KR_CHECK(next > taken, "packets are taken in order");
    taken = queue_.accounts.taken();  // others may have had the queue meanwhile
  }
  return true;
}

/// From a callback in the window this thread owns. Nothing is replayed; what another thread published must
/// not be undone by a restore, so it ends the isolation.
bool ProxyQueue::serve_inside() {
  Window* mine = Window::mine(queue_.agent());
  if (!KR_HOLDS(mine != nullptr, "who serves inside a window owns it")) return serve();
  mine->mark_reentrant();
  const uint64_t write = load_write_index(__ATOMIC_ACQUIRE);
  uint64_t taken = queue_.accounts.taken();
  const uint64_t limit = std::min(write, taken + size_);
  while (taken < limit && published(word_at(taken))) {
    if (!reserved_.reserved_by(taken, replay::submission())) mine->break_into();
    const bool account = replayer_.dispatcher().listening() && hsa::is_dispatch(hsa::kind_of(word_at(taken)));
    const uint64_t next = account ? forward_batch(taken, 1, Reason::reentrant) : forward(taken, 1);
    if (next == kLost) return false;
    if (next == taken) break;
    taken = next;
  }
  return true;
}

/// After the ring was full, from no thread of the application's.
bool ProxyQueue::serve_again() {
  const uint64_t taken = queue_.accounts.taken();
  const uint64_t limit = std::min(load_write_index(__ATOMIC_ACQUIRE), taken + size_);
  if (taken == limit) return true;
  if (!replayer_.dispatcher().listening()) return forward(taken, limit - taken) != kLost;
  const uint64_t count = ready(taken, limit);
  return count == 0 || forward_batch(taken, count, Reason::queue_drain) != kLost;
}

/// @return how many of the `count` published packets from `from` on were each submitted with others; 0 when
///         the first one came alone
uint64_t ProxyQueue::submitted_together(uint64_t from, uint64_t count) {
  uint64_t n = 0;
  while (n < count && reserved_.together(from + n, from, count)) ++n;
  return n;
}

/// Copies up to `count` published packets to the real ring, one doorbell for all.
/// @return index of the first packet not taken
uint64_t ProxyQueue::forward(uint64_t from, uint64_t count) {
  uint32_t word0 = word_at(from);
  if (!published(word0)) return from;
  const uint64_t room = queue_.ring.free_slots();
  if (__builtin_expect(room == 0, 0)) {
    queue_.stall();
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
  queue_.accounts.take_to(from + done);
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
  try {
    replay::Dispatcher::Candidate candidate;
    if (replayer_.dispatcher().wants(queue_, hsa::kernel_object(&packet), candidate))
      replayer_.dispatcher().account(queue_, packet, candidate, reason);
  } catch (...) {  // the packet is on its way; the queue has to be let go
    process::turn_off("replay", "an internal error (probably out of memory)");
  }
}

/// Takes the packets of one submission one by one: services act around each dispatch.
/// @return index of the next packet to take
uint64_t ProxyQueue::take_each(uint64_t from, uint64_t count, Reason reason) {
  // Whoever had the queue meanwhile may have taken some.
  for (uint64_t at = from; at < from + count; at = queue_.accounts.taken()) {
    const uint64_t next = take_one(at, reason);
    if (next == kLost || next == at) return next;
  }
  return queue_.accounts.taken();
}

/// Takes one packet. @param declined see Dispatcher::submit() @return index of the next packet to take
uint64_t ProxyQueue::take_one(uint64_t index, Reason declined) {
  if (!hsa::is_dispatch(hsa::kind_of(word_at(index)))) return forward(index, 1);
  if (Window::mine(queue_.agent()) != nullptr) return forward_batch(index, 1, Reason::reentrant);
  if (queue_.ring.free_slots() == 0) {
    queue_.stall();
    return index;
  }
  replay::Dispatcher::Candidate candidate;
  if (!replayer_.dispatcher().wants(queue_, hsa::kernel_object(slot_at(index)), candidate))
    return forward(index, 1);
  KR_CHECK(index == queue_.accounts.taken(), "a queue is held for the packet at its head");
  const Packet packet = copy_of(index);
  held_word0_.store(packet.word[0], std::memory_order_release);
  retire(index);
  queue_.hold();
  queue_.call_out();
  {
    const OursScope ours;
    const uint64_t before = queue_.submitted();
    try {
      replayer_.dispatcher().submit(queue_, packet, candidate, declined);
    } catch (...) {
      // Whatever failed (memory, most likely): the application's dispatch still has to run, once.
      if (queue_.submitted() == before) replayer_.dispatcher().submit_once(queue_, packet);
      process::turn_off("replay", "an internal error (probably out of memory)");
    }
    KR_CHECK(queue_.submitted() > before, "the application's dispatch is submitted, whatever became of it");
  }
  queue_.called_out();
  const uint64_t next = queue_.accounts.take_held();
  queue_.resume();
  return pass_gate() ? next : kLost;
}

/// State stealing: the packet of a thread that waits for the window this thread owns goes first. Nothing may
/// be restored after it.
void ProxyQueue::submit_parked() {
  if (Window* mine = Window::mine(queue_.agent()); KR_HOLDS(mine != nullptr, "a thief owns the window"))
    mine->break_into();
  replayer_.core().watch_carriers(queue_);
  queue_.ring.submit(queue_.parked_packet);
}

/// Forwards what was published behind the dispatch that the queue is held for, from a callback of that
/// dispatch or (state stealing) from one in the window that its thread waits for.
void ProxyQueue::serve_behind(bool thief) {
  Window* mine = Window::mine(queue_.agent());
  if (mine != nullptr) mine->mark_reentrant();
  const OursScope ours;
  const uint64_t taken = queue_.accounts.taken();
  const uint64_t limit = std::min(load_write_index(__ATOMIC_ACQUIRE), taken + size_);
  for (;;) {
    const uint64_t index = queue_.accounts.next_behind();
    if (index >= limit || !published(word_at(index))) return;
    if (thief && queue_.ring.free_slots() == 0) return queue_.stall();
    // As in serve_inside().
    if (mine != nullptr && !reserved_.reserved_by(index, replay::submission())) mine->break_into();
    const Packet packet = copy_of(index);
    retire(index);
    queue_.accounts.forwarded_behind();
    if (thief)
      queue_.ring.submit(packet);
    else
      replayer_.dispatcher().submit_once(queue_, packet);
    if (replayer_.dispatcher().listening() && hsa::is_dispatch(hsa::kind_of(packet.word[0])))
      account(packet, Reason::reentrant);
  }
}

/// Where the application looks for free slots.
void ProxyQueue::pump() {
  Host host{*this};
  queue_.pump(host);
}

struct ProxyQueue::TryAgain : Host {
  bool serve() const { return proxy.serve_again(); }
};

bool ProxyQueue::try_again() {
  TryAgain host{{*this}};
  queue_.pump(host);
  return queue_.stalled();
}

}  // namespace kreplay::intercept
