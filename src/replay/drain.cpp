#include "replay/drain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>

#include "replay/futex.hpp"

namespace kreplay::replay {
namespace {

constexpr uint64_t kPollNs = 20'000;

void pause_ns(uint64_t ns) {
  const timespec time{0, static_cast<long>(ns)};
  nanosleep(&time, nullptr);
}

}  // namespace

using report::Reason;

DrainResult Drain::run(Queue& own, const std::vector<Queue*>& queues, hsa_signal_t& signal) {
  busy_.clear();
  for (Queue* queue : queues) {
    const uint64_t written = queue->ring.runtime_write_index();
    if (written != queue->ring.write_index()) {
      agent_.bypassed.store(true, std::memory_order_relaxed);
      return {Reason::bypassed, false,
              fmt::format("queue {}: its write index is {}, {} packets went through the proxy", queue->id(),
                          written, queue->ring.write_index())};
    }
    // Another queue in error runs nothing any more: there is nothing to wait for.
    if (queue != &own && queue->error.load(std::memory_order_acquire) != 0) continue;
    if (written != queue->idle_at.load(std::memory_order_relaxed)) busy_.push_back(queue);
  }
  if (busy_.empty() && copies_.idle(agent_.handle().handle)) return {};
  start_ns_ = now_ns();
  doubt_since_ns_ = 0;
  if (DrainResult early = look_ahead(); early.reason != Reason::none) return early;
  if (DrainResult copied = wait_copies(); copied.reason != Reason::none) return copied;
  DrainResult out;
  if (!busy_.empty()) out = wait_queues(own, signal);
  if (out.reason == Reason::none) agent_.dependency_streak.store(0, std::memory_order_relaxed);
  return out;
}

std::optional<Blocked> Drain::blocked() {
  copies_.pending(pending_);
  return all_.visit([this](const std::vector<Queue*>& all) -> std::optional<Blocked> {
    const uint64_t agent = agent_.handle().handle;
    if (auto what = look_ahead_.find_blocked(all, busy_, pending_, agent)) return what;
    auto perhaps = look_ahead_.find_blocked(all, busy_, pending_, agent, false);
    if (!perhaps) {
      doubt_since_ns_ = 0;
      return std::nullopt;
    }
    const uint64_t now = now_ns();
    if (doubt_since_ns_ == 0) doubt_since_ns_ = now;
    return now - doubt_since_ns_ > shortened(limits_.doubt_ns) ? perhaps : std::nullopt;
  });
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

/// A wait on memory that was taken may be over since long; the read index does not tell. A barrier behind it
/// does: it is taken only when everything before it is complete.
void Drain::put_probe(const Blocked& what) {
  const auto it = std::find(busy_.begin(), busy_.end(), what.queue);
  if (it == busy_.end() || what.signal.handle != 0) return;
  RealRing& ring = (*it)->ring;
  if (what.index >= ring.read_index() || ring.free_slots() == 0) return;
  for (uint64_t i = what.index + 1; i < ring.write_index(); ++i)
    if (ring.barrier_at(i)) return;
  (*it)->submit_extra(hsa::barrier_packet({0}));
}

/// Gives what looks blocked a short time, then says so.
DrainResult Drain::look_ahead() {
  const uint64_t start = now_ns();
  while (const std::optional<Blocked> what = blocked()) {
    put_probe(*what);
    if (now_ns() - start > grace_ns()) return dependency(*what);
    pause_ns(kPollNs);
  }
  return {};
}

DrainResult Drain::wait_copies() {
  uint64_t pause = kPollNs;
  uint64_t blocked_since = 0;
  for (int spins = 0; !copies_.idle(agent_.handle().handle); ++spins) {
    if (spins < 100) {
      cpu_relax();
      continue;
    }
    if (const std::optional<Blocked> what = blocked()) {
      if (blocked_since == 0) blocked_since = now_ns();
      if (now_ns() - blocked_since > grace_ns()) return dependency(*what);
    } else {
      blocked_since = 0;
    }
    if (now_ns() - start_ns_ > limits_.timeout_ns)
      return {Reason::agent_drain, true,
              fmt::format("a copy that touches agent node {} did not complete within {} ms",
                          agent_.info().node, limits_.timeout_ns / 1'000'000)};
    pause_ns(pause);
    pause = std::min<uint64_t>(pause * 2, 500'000);
  }
  return {};
}

DrainResult Drain::wait_for_room(const Queue& own, Queue& queue) {
  while (queue.ring.free_slots(2) < 2) {
    if (const std::optional<Blocked> what = blocked()) return dependency(*what);
    if (now_ns() - start_ns_ > limits_.timeout_ns)
      return {stuck_reason(own), true,
              fmt::format("queue {}: its ring stayed full for {} ms", queue.id(),
                          limits_.timeout_ns / 1'000'000)};
    pause_ns(kPollNs);
  }
  return {};
}

DrainResult Drain::wait_queues(Queue& own, hsa_signal_t& signal) {
  for (Queue* queue : busy_)
    if (queue->ring.free_slots(2) < 2)
      if (DrainResult full = wait_for_room(own, *queue); full.reason != Reason::none) return full;
  api_.hsa_signal_store_relaxed(signal, static_cast<hsa_signal_value_t>(busy_.size()));
  for (Queue* queue : busy_) queue->submit_extra(hsa::barrier_packet(signal));

  uint64_t blocked_since = 0;
  DrainResult stop;
  const WaitEnd end = waiter_.wait(signal, limits_.timeout_ns, [&] {
    for (const Queue* queue : busy_)
      if (const uint32_t error = queue->error.load(std::memory_order_acquire); error != 0) {
        stop = {queue == &own ? Reason::queue_drain : Reason::agent_drain, false,
                fmt::format("queue {} is in error 0x{:x}", queue->id(), error)};
        return true;
      }
    const std::optional<Blocked> what = blocked();
    if (!what) {
      blocked_since = 0;
      return false;
    }
    if (blocked_since == 0) blocked_since = now_ns();
    if (now_ns() - blocked_since <= grace_ns()) return false;
    stop = dependency(*what);
    return true;
  });
  if (end == WaitEnd::done) {
    for (Queue* queue : busy_) queue->idle_at.store(queue->ring.write_index(), std::memory_order_release);
    return {};
  }
  if (end == WaitEnd::timeout) stop = {stuck_reason(own), true, describe_stuck(signal)};
  // The barriers stay in their rings and will write to the signal at some time: nobody may use it before.
  agent_.signals.abandon(signal);
  signal = {0};
  return stop;
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
        queue->id(), agent_.info().node, limits_.timeout_ns / 1'000'000, read,
        queue->ring.packet_at(read).word[0], write - read - 1, signal.handle, signal_value(signal));
  }
  return fmt::format(
      "agent node {} did not come to rest within {} ms: a dispatch is still running; drain signal 0x{:x} "
      "stays at {}",
      agent_.info().node, limits_.timeout_ns / 1'000'000, signal.handle, signal_value(signal));
}

}  // namespace kreplay::replay
