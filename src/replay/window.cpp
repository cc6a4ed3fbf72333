#include "replay/window.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/check.hpp"
#include "base/clock.hpp"
#include "base/mutex.hpp"
#include "replay/fatal.hpp"

namespace kreplay::replay {
namespace {

using hsa::Packet;
using report::Reason;

constexpr uint64_t kWaitersPassNs = 5'000'000;

}  // namespace

/// Owns the group's windows afterwards, if none is returned.
Reason Window::acquire(const Packet& packet, std::string& detail, bool& submitted) {
  queue_.park(packet);
  const OpenWindows::Acquired acquired = core_.windows.acquire(agent_, *this);
  submitted = !queue_.unpark();
  switch (acquired) {
    case OpenWindows::Acquired::circle:
      detail = "two windows would wait for each other";
      return Reason::reentrant;
    case OpenWindows::Acquired::stuck:
      detail = "the window in front of it is held up by a tool callback";
      return Reason::callback_timeout;
    case OpenWindows::Acquired::closed:
      detail = "the process or the runtime is ending";
      return Reason::agent_drain;
    case OpenWindows::Acquired::too_large:
      detail = fmt::format("more than {} GPUs may write each other's memory", OpenWindows::kLargestGroup);
      return Reason::peer_write;
    case OpenWindows::Acquired::yes:
      KR_CHECK(agent_.owner == this, "who acquired a window owns it");
      break;
  }
  if (!submitted) return Reason::none;
  core_.windows.release(*this);
  detail = "submitted inside another window, by a callback that launched on the same queue";
  return Reason::reentrant;
}

Reason Window::open(const Packet& packet, std::string& detail, bool& submitted) {
  if (const Reason reason = acquire(packet, detail, submitted); reason != Reason::none) return reason;
  KR_CHECK(!open_ && mine(agent_) == nullptr, "a thread has one window of an agent");
  outer_ = t_state.window;
  t_state.window = this;
  open_ = true;
  const Reason reason = isolate(packet, detail);
  if (reason != Reason::none) {
    close();
    release();
  }
  return reason;
}

Reason Window::isolate(const Packet& packet, std::string& detail) {
  KR_CHECK(isolates(agent_), "a window isolates its own agent");
  for (Agent* member : members()) member->let_waiters_pass(kWaitersPassNs);
  opened_ns_ = monotonic_ns();
  for (Agent* member : members()) member->close_gate();
  for (Agent* member : members()) core_.copies.close(member->handle().handle);
  core_.windows.start_covering(*this);
  agent_.window.queues.clear();
  for (Agent* member : members()) {
    member->pin_queues(agent_.window.queues);
    ++pinned_;
  }
  for (const Agent* member : members()) {
    if (member == &agent_ || !member->bypassed.load(std::memory_order_relaxed)) continue;
    detail = fmt::format("agent node {} may write this agent's memory, and work reached it past this library",
                         member->info().node);
    return Reason::peer_write;
  }
  if (!ready_signals(detail)) return Reason::snapshot_failed;
  return drain(packet, detail);
}

Reason Window::drain(const Packet& packet, std::string& detail) {
  AgentWindow& own = agent_.window;
  if (!own.drain)
    own.drain = std::make_unique<Drain>(agent_, core_.queues, core_.copies, core_.waiter, core_.kernels,
                                        core_.api, DrainLimits{core_.options.drain_timeout_ns});
  DrainResult drained = own.drain->run(queue_, packet, members(), own.queues, own.drain_signal);
  if (drained.reason == Reason::none) return Reason::none;
  if (drained.stuck && !core_.options.decline_on_stuck_drain) {
    const char* name = kernel_ != nullptr ? kernel_->demangled.c_str() : "unknown kernel";
    fatal("replay",
          fmt::format("{} (before a replay of {}; set KREPLAY_ON_STUCK_DRAIN=decline to run it once "
                      "instead)",
                      drained.detail, name));
  }
  detail = std::move(drained.detail);
  return drained.reason;
}

bool Window::ready_signals(std::string& detail) {
  for (hsa_signal_t* signal : {&agent_.window.pass_signal, &agent_.window.drain_signal}) {
    if (signal->handle != 0) continue;
    const Result<hsa_signal_t> made = agent_.signals.acquire();
    if (!made) {
      detail = made.status().message();
      return false;
    }
    *signal = *made;
  }
  KR_CHECK(agent_.window.pass_signal.handle != agent_.window.drain_signal.handle,
           "passes and barriers are counted apart");
  return true;
}

Window::CallbackScope::CallbackScope(Window& window) : window_(window) {
  KR_CHECK(window_.thread_ == &t_state, "callbacks run on the thread that owns the window");
  window_.callback_since_ns_.store(monotonic_ns(), std::memory_order_release);
  uint32_t expected = kWorking;
  const bool begun = window_.phase_.compare_exchange_strong(expected, kInCallback, std::memory_order_acq_rel);
  KR_CHECK(begun || expected == kStuck, "no callback runs while memory is put back, or within another");
}

Window::CallbackScope::~CallbackScope() {
  uint32_t expected = kInCallback;
  const bool ended = window_.phase_.compare_exchange_strong(expected, kWorking, std::memory_order_acq_rel);
  KR_CHECK(ended || expected == kStuck, "a callback ends as it began, or stuck");
}

bool Window::break_if_stuck(uint64_t limit_ns) {
  uint32_t phase = phase_.load(std::memory_order_acquire);
  // Read before the clock: the next callback may begin between the two, and its start must not lie ahead.
  const uint64_t since = callback_since_ns_.load(std::memory_order_acquire);
  if (phase == kInCallback && monotonic_ns() - since > limit_ns &&
      phase_.compare_exchange_strong(phase, kStuck, std::memory_order_acq_rel))
    return true;
  return phase == kStuck;
}

bool Window::begin_restore() {
  KR_CHECK(thread_ == &t_state, "memory is put back by the thread that owns the window");
  uint32_t expected = kWorking;
  if (!phase_.compare_exchange_strong(expected, kRestoring, std::memory_order_seq_cst)) return false;
  // Whoever breaks in sets its flag first and then looks at the phase: one of the two sees the other.
  if (!broken() && !core_.closed.load(std::memory_order_seq_cst)) return true;
  end_restore();
  return false;
}

void Window::end_restore() {
  const uint32_t before = phase_.exchange(kWorking, std::memory_order_seq_cst);
  KR_CHECK(before == kRestoring, "nobody takes a window away while memory is put back");
}

void Window::close() {
  KR_CHECK(t_state.window == this, "windows of a thread end in the reverse order of their opening");
  for (Agent* member : members()) core_.copies.open(member->handle().handle);
  const auto due = core_.windows.stop_covering(*this);
  for (Agent* member : members()) {
    if (pinned_ != 0) {  // fewer than members when memory ran out
      member->unpin_queues();
      --pinned_;
    }
    member->open_gate();
  }
  t_state.window = outer_;
  KR_CHECK_UNLOCKED();
  for (const auto& work : due) work();
}

void Window::release() {
  KR_CHECK(!covering_, "a window is closed before it is given back");
  open_ = false;
  core_.windows.release(*this);
}

}  // namespace kreplay::replay
