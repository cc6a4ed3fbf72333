#include "replay/drain.hpp"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <ctime>
#include <utility>

#include "base/check.hpp"
#include "base/clock.hpp"
#include "base/mutex.hpp"
#include "device/futex.hpp"
#include "replay/agent.hpp"

namespace kreplay::replay {
namespace {

constexpr uint64_t kPollNs = 20'000;

void pause_ns(uint64_t ns) {
  const timespec time{0, static_cast<long>(ns)};
  nanosleep(&time, nullptr);
}

}  // namespace

using report::Reason;

DrainResult Drain::run(Queue& own, const hsa::Packet& next, const std::vector<Agent*>& members,
                       const std::vector<Queue*>& queues, hsa_signal_t& signal) {
  KR_CHECK(
      std::none_of(members.begin(), members.end(), [](const Agent* member) { return member->gate_open(); }),
      "gates are closed while agents are brought to rest");
  KR_CHECK(std::find(members.begin(), members.end(), &agent_) != members.end(),
           "an agent is a member itself");
  KR_CHECK(std::find(queues.begin(), queues.end(), &own) != queues.end(), "the dispatch's queue is pinned");
  KR_CHECK(signal.handle != 0 && signal.handle != stuck_signal_.handle, "no barrier holds the signal yet");
  KR_CHECK_UNLOCKED();
  start_ns_ = monotonic_ns();
  next_ = &next;
  members_ = &members;
  limit_ns_ = group() ? std::min(limits_.group_ns, limits_.timeout_ns) : limits_.timeout_ns;
  doubt_since_ns_ = 0;
  if (DrainResult early = wait_for_forwarders(own, queues); early.reason != Reason::none) return early;
  if (DrainResult early = find_busy(own, queues); early.reason != Reason::none) return early;
  if (still_stuck(queues))
    return {lasting_reason(own), false,
            fmt::format("agent node {} has not come to rest since an earlier dispatch waited for it in vain",
                        agent_.info().node)};
  if (busy_.empty() && copies_idle() && next_may_start()) return {};
  if (DrainResult early = look_ahead(); early.reason != Reason::none) return early;
  if (DrainResult copied = wait_copies(own); copied.reason != Reason::none) return copied;
  DrainResult out;
  if (!busy_.empty()) out = wait_queues(own, signal);
  if (out.reason == Reason::none) out = wait_next();
  if (out.reason == Reason::none) agent_.dependency_streak.store(0, std::memory_order_relaxed);
  return out;
}

DrainResult Drain::wait_for_forwarders(const Queue& own, const std::vector<Queue*>& queues) {
  const uint64_t limit_ns = stuck_ == Stuck::forwarders ? 0 : limit_ns_;
  for (const Queue* queue : queues) {
    if (queue == &own) continue;
    for (unsigned spins = 0; queue->writing(); ++spins) {
      if (spins < 1000) {
        device::cpu_relax();
        continue;
      }
      if (monotonic_ns() - start_ns_ >= limit_ns) {
        std::string detail =
            limit_ns == 0 ? fmt::format("a thread still has not finished submitting to queue {}", queue->id())
                          : fmt::format("a thread has not finished submitting to queue {} within {} ms",
                                        queue->id(), limit_ns / 1'000'000);
        stuck_ = Stuck::forwarders;
        return {Reason::agent_drain, false, std::move(detail)};
      }
      sched_yield();
    }
  }
  if (stuck_ == Stuck::forwarders) stuck_ = Stuck::nothing;
  return {};
}

/// Fills busy_.
DrainResult Drain::find_busy(const Queue& own, const std::vector<Queue*>& queues) {
  busy_.clear();
  for (Queue* queue : queues) {
    const uint64_t written = queue->ring.runtime_write_index();
    if (written != queue->ring.write_index()) {
      queue->agent().bypassed.store(true, std::memory_order_relaxed);
      return {Reason::bypassed, false,
              fmt::format("queue {}: its write index is {}, {} packets went through the proxy", queue->id(),
                          written, queue->ring.write_index())};
    }
    KR_CHECK(queue->idle_at.load(std::memory_order_relaxed) <= written,
             "nothing is over before it is written");
    // Another queue in error runs nothing any more: there is nothing to wait for.
    if (queue != &own && queue->failed()) continue;
    if (written != queue->idle_at.load(std::memory_order_relaxed)) busy_.push_back(queue);
  }
  return {};
}

DrainResult Drain::give_up(Stuck on, const Queue& own, std::string detail) {
  stuck_ = on;
  if (group()) return {Reason::peer_write, false, std::move(detail)};
  return {on == Stuck::copies ? Reason::agent_drain : stuck_reason(own), true, std::move(detail)};
}

bool Drain::copies_idle() {
  return std::all_of(members_->begin(), members_->end(),
                     [this](const Agent* member) { return copies_.idle(member->handle().handle); });
}

Reason Drain::lasting_reason(Queue& own) const {
  if (group()) return Reason::peer_write;
  const bool mine = stuck_ == Stuck::room
                        ? own.ring.free_slots(2) < 2
                        : stuck_ == Stuck::barriers && std::find(stuck_queues_.begin(), stuck_queues_.end(),
                                                                 own.id()) != stuck_queues_.end();
  return mine ? Reason::queue_drain : Reason::agent_drain;
}

bool Drain::still_stuck(const std::vector<Queue*>& queues) {
  bool lasts = false;
  switch (stuck_) {
    case Stuck::nothing:
    case Stuck::forwarders:  // looked at already
      return false;
    case Stuck::copies:
      lasts = !copies_idle();
      break;
    case Stuck::room:
      lasts =
          std::any_of(busy_.begin(), busy_.end(), [](Queue* queue) { return queue->ring.free_slots(2) < 2; });
      break;
    case Stuck::barriers:
      lasts = barriers_pending(queues);
      break;
  }
  if (!lasts) stuck_ = Stuck::nothing;
  return lasts;
}

bool Drain::barriers_pending(const std::vector<Queue*>& queues) {
  if (!KR_HOLDS(stuck_signal_.handle != 0, "barriers that are left count a signal down")) return false;
  if (device::signal_value(stuck_signal_) < 1) {
    release();
    return false;
  }
  for (const uint64_t id : stuck_queues_) {
    const auto it =
        std::find_if(queues.begin(), queues.end(), [id](const Queue* q) { return q->id() == id; });
    if (it != queues.end() && !(*it)->failed()) continue;
    // Its barrier may never be taken: what is left is worth another wait.
    agent_.signals.abandon(stuck_signal_);
    stuck_signal_ = {0};
    return false;
  }
  return true;
}

void Drain::release() {
  if (stuck_signal_.handle == 0 || device::signal_value(stuck_signal_) > 0) return;
  agent_.signals.release(stuck_signal_);
  stuck_signal_ = {0};
  if (stuck_ == Stuck::barriers) stuck_ = Stuck::nothing;
}

std::optional<Blocked> Drain::blocked() {
  copies_.pending(pending_);
  return all_.visit([this](const std::vector<Queue*>& all) -> std::optional<Blocked> {
    if (auto what = look_ahead_.find_blocked(all, busy_, pending_, *members_, true, next_)) return what;
    auto perhaps = look_ahead_.find_blocked(all, busy_, pending_, *members_, false, next_);
    if (!perhaps) {
      doubt_since_ns_ = 0;
      return std::nullopt;
    }
    const uint64_t now = monotonic_ns();
    if (doubt_since_ns_ == 0) doubt_since_ns_ = now;
    return now - doubt_since_ns_ > shortened(limits_.doubt_ns) ? perhaps : std::nullopt;
  });
}

std::optional<Blocked> Drain::blocked_too_long(uint64_t& since_ns) {
  std::optional<Blocked> what = blocked();
  if (!what) {
    since_ns = 0;
    return what;
  }
  const uint64_t now = monotonic_ns();
  if (since_ns == 0) since_ns = now;
  return now - since_ns > grace_ns() ? what : std::nullopt;
}

/// Programs that decline again and again wait less each time.
uint64_t Drain::shortened(uint64_t ns) const {
  return ns >> std::min(agent_.dependency_streak.load(std::memory_order_relaxed), 5u);
}
uint64_t Drain::grace_ns() const { return shortened(limits_.dependency_grace_ns); }

DrainResult Drain::dependency(const Blocked& what) {
  agent_.dependency_streak.fetch_add(1, std::memory_order_relaxed);
  return {Reason::dependency, false, what.describe()};
}

Reason Drain::stuck_reason(const Queue& own) const {
  return std::find(busy_.begin(), busy_.end(), &own) != busy_.end() ? Reason::queue_drain
                                                                    : Reason::agent_drain;
}

/// A dispatch that was taken may be over since long; the read index does not tell. A barrier behind it
/// does: it is taken only when everything before it is complete.
void Drain::put_probe(const Blocked& what) {
  const auto it = std::find(busy_.begin(), busy_.end(), what.queue);
  if (it == busy_.end() || what.signal.handle != 0) return;
  device::RealRing& ring = (*it)->ring;
  if (what.index >= ring.read_index() || ring.free_slots() == 0) return;
  for (uint64_t i = what.index + 1; i < ring.write_index(); ++i)
    if (ring.barrier_at(i)) return;
  (*it)->submit_extra(hsa::barrier_packet({0}));
}

/// Gives what looks blocked a short time, then says so.
DrainResult Drain::look_ahead() {
  const uint64_t start = monotonic_ns();
  while (const std::optional<Blocked> what = blocked()) {
    put_probe(*what);
    if (monotonic_ns() - start > grace_ns()) return dependency(*what);
    pause_ns(kPollNs);
  }
  return {};
}

DrainResult Drain::wait_copies(const Queue& own) {
  uint64_t pause = kPollNs;
  uint64_t blocked_since = 0;
  for (int spins = 0; !copies_idle(); ++spins) {
    if (spins < 100) {
      device::cpu_relax();
      continue;
    }
    if (const std::optional<Blocked> what = blocked_too_long(blocked_since)) return dependency(*what);
    if (monotonic_ns() - start_ns_ > limit_ns_)
      return give_up(Stuck::copies, own,
                     fmt::format("a copy that touches agent node {} did not complete within {} ms",
                                 agent_.info().node, limit_ns_ / 1'000'000));
    pause_ns(pause);
    pause = std::min<uint64_t>(pause * 2, 500'000);
  }
  return {};
}

DrainResult Drain::wait_for_room(const Queue& own, Queue& queue) {
  while (queue.ring.free_slots(2) < 2) {
    if (const std::optional<Blocked> what = blocked()) return dependency(*what);
    if (monotonic_ns() - start_ns_ > limit_ns_)
      return give_up(
          Stuck::room, own,
          fmt::format("queue {}: its ring stayed full for {} ms", queue.id(), limit_ns_ / 1'000'000));
    pause_ns(kPollNs);
  }
  return {};
}

DrainResult Drain::wait_queues(Queue& own, hsa_signal_t& signal) {
  for (Queue* queue : busy_)
    if (queue->ring.free_slots(2) < 2)
      if (DrainResult full = wait_for_room(own, *queue); full.reason != Reason::none) return full;
  stuck_queues_.clear();  // now, while nothing refers to the signal: this may allocate
  for (const Queue* queue : busy_) stuck_queues_.push_back(queue->id());
  api_.hsa_signal_store_relaxed(signal, static_cast<hsa_signal_value_t>(busy_.size()));
  for (Queue* queue : busy_) {
    KR_CHECK(queue->ring.free_slots() != 0, "room stays behind closed gates");
    queue->submit_extra(hsa::barrier_packet(signal));
  }

  uint64_t blocked_since = 0;
  DrainResult stop;
  const device::WaitEnd end = waiter_.wait(signal, limit_ns_, [&] {
    for (const Queue* queue : busy_)
      if (queue->failed()) {
        stop = {queue == &own ? Reason::queue_error : Reason::agent_drain, false,
                queue->describe_failure(api_)};
        return true;
      }
    const std::optional<Blocked> what = blocked_too_long(blocked_since);
    if (what) stop = dependency(*what);
    return what.has_value();
  });
  if (end == device::WaitEnd::done) {
    KR_CHECK(device::signal_value(signal) == 0, "only the drain's barriers count its signal down");
    for (Queue* queue : busy_) queue->idle_at.store(queue->ring.write_index(), std::memory_order_release);
    return {};
  }
  // The barriers stay in their rings and will write to the signal at some time: nobody may use it before.
  if (end == device::WaitEnd::timeout) {
    stop = give_up(Stuck::barriers, own, describe_stuck(signal));
    if (stuck_signal_.handle != 0)
      agent_.signals.abandon(stuck_signal_);  // something else was stuck meanwhile
    stuck_signal_ = signal;
  } else {
    agent_.signals.abandon(signal);
  }
  signal = {0};
  return stop;
}

bool Drain::next_may_start() const {
  hsa::Dependency list[5];
  hsa::DependencyMode mode;
  const size_t count = hsa::dependencies(*next_, list, mode);
  return std::all_of(list, list + count, [](const hsa::Dependency& dependency) {
    return hsa::satisfied(dependency, device::signal_value(dependency.signal));
  });
}

/// The dispatch may wait for work of another agent. Work of this one that others are about to submit waits at
/// the gate, behind the window: it would never come.
DrainResult Drain::wait_next() {
  uint64_t pause = kPollNs;
  uint64_t blocked_since = 0;
  while (!next_may_start()) {
    if (const std::optional<Blocked> what = blocked_too_long(blocked_since)) return dependency(*what);
    if (monotonic_ns() - start_ns_ > limit_ns_)
      return {Reason::dependency, false,
              fmt::format("what it waits for itself has not come within {} ms", limit_ns_ / 1'000'000)};
    pause_ns(pause);
    pause = std::min<uint64_t>(pause * 2, 500'000);
  }
  return {};
}

std::string Drain::describe_stuck(hsa_signal_t signal) const {
  for (const Queue* queue : busy_) {
    const uint64_t read = queue->ring.read_index();
    const uint64_t write = queue->ring.write_index();
    if (read >= write) continue;
    return fmt::format(
        "queue {} of agent node {} did not drain within {} ms: packet {} (first word 0x{:08x}) is at its "
        "head, {} "
        "packets are behind it; drain signal 0x{:x} stays at {}",
        queue->id(), agent_.info().node, limit_ns_ / 1'000'000, read, queue->ring.packet_at(read).word[0],
        write - read - 1, signal.handle, device::signal_value(signal));
  }
  return fmt::format(
      "agent node {} did not come to rest within {} ms: a dispatch is still running; drain signal 0x{:x} "
      "stays at {}",
      agent_.info().node, limit_ns_ / 1'000'000, signal.handle, device::signal_value(signal));
}

}  // namespace kreplay::replay
