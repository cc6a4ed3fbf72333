// Who may do what with one queue, and when. Everything that decides it stands here; others call the named
// transitions.
//
//   state       the queue belongs to                       its real ring is written by
//   free        nobody                                     the owner of the agent's window (gate closed)
//   forwarding  a thread that passed the gate, or looks    that thread, once past the gate
//   held        a thread in a tool callback or a window    the owner of the agent's window, which it may be
//   parked      a thread whose packet waits for another    the owner of that window
//               thread's window
//   stealing    the same; the window's owner submits       the owner of that window, the thief
//               in its place
//   stolen      the same; its packet has been submitted    the owner of that window
//
//   transition   from -> to                    by
//   try_take     free -> forwarding            any thread; looks at the gate next
//   let_go       forwarding, held -> free      the thread the queue belongs to
//   hold         forwarding -> held            the same
//   resume       held -> forwarding            the same; looks at the gate next
//   park         held, forwarding -> parked    the same, when the gate is closed or the window is another's
//   unpark       parked -> held: its packet is still to be submitted
//                stolen -> held: it has been   the same; waits while the state is stealing
//   try_steal    parked, stolen -> stealing    the owner of the window it waits for, with room in the ring
//   end_steal    stealing -> stolen            the thief
//
// The opener of a window closes the agent's gate and then waits until no queue is being written (writing()).
// Taking the state and closing the gate are read-modify-write or sequentially consistent operations, so one
// of the two sides sees the other; the queue's word is needed anyway because threads share queues.
//
// Nothing that was published is left lying: a thread that gives up waiting leaves a note (left behind), and
// whoever lets go serves it; a ring that is full is tried again by others (stalled).
//
// A host is what a queue is for one thread:
//   bool gate_open()        the agent's gate
//   bool owns_window()      whether the calling thread owns the agent's window
//   bool wait_at_gate()     until the gate is open; false when waiting would be a deadlock (then go on)
//   bool room()             whether the real ring has a free slot; asked without having the queue
//   uint64_t patience_ns()  how long to wait for a queue that belongs to another thread
//   bool serve()            takes what was published; state forwarding, gate passed. False: the queue is not
//                           this thread's any more
//   bool serve_inside()     the same for the owner of the agent's window
//   void serve_behind(bool thief)  takes what was published behind the packet the queue is held for; state
//                           held (the caller's own callback) or stealing
//   void parking()          keeps the packet of enter() for submit_parked(); state forwarding
//   void submit_parked()    puts the parked packet into the real ring; state stealing
//   void stalled()          sees to it that somebody calls pump() until it is not; no state is held
//
// Checked by tests/unit/replay/queue_protocol_test.cpp, which runs this code under every interleaving.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <type_traits>

#include "base/check.hpp"
#include "replay/queue_sync.hpp"

namespace kreplay::replay {

template <typename Sync>
class BasicQueueProtocol {
 public:
  // --- transitions ---
  bool try_take() {
    uint32_t expected = kFree;
    return state_.compare_exchange_strong(expected, kForwarding, std::memory_order_seq_cst);
  }
  /// Waits at most about `timeout_ns` while the queue belongs to another thread.
  bool take_for(uint64_t timeout_ns) { return try_take() || take_slow(timeout_ns); }
  /// Without regard to notes of others: for a thread that will be back, or is alone.
  void let_go() {
    state_.store(kFree, std::memory_order_release);
    if (attention_.load(std::memory_order_relaxed) >= kOneWaiter) Sync::wake_all(state_);
  }
  void hold() {
    must_be(kForwarding, "a queue is held by the thread that has it");
    state_.store(kHeld, std::memory_order_release);
  }
  void resume() {
    if constexpr (Sync::kMutation == Mutation::resume_without_fence)
      state_.store(kForwarding, std::memory_order_release);
    else
      must(state_.exchange(kForwarding, std::memory_order_seq_cst) == kHeld,
           "only a queue that is held goes on");
  }
  void park() { state_.store(kParked, std::memory_order_release); }
  /// @return whether the packet is still to be submitted
  bool unpark();
  enum class Steal : uint8_t { nothing, packet, behind };
  /// @return packet: the parked one goes first; behind: it has gone already
  Steal try_steal();
  void end_steal() {
    must_be(kStealing, "nobody ends the steal but the thief");
    state_.store(kStolen, std::memory_order_release);
    Sync::wake_all(state_);
  }
  /// Whether a thread may be writing the real ring without owning the agent's window.
  bool writing() const {
    const uint32_t state = state_.load(std::memory_order_seq_cst);
    return state == kForwarding || state == kStealing;
  }
  bool held() const { return state_.load(std::memory_order_acquire) == kHeld; }
  bool parked() const { return state_.load(std::memory_order_acquire) == kParked; }

  // --- what a thread does with them ---
  /// A doorbell was rung: takes what was published, or leaves it to the thread that has the queue.
  template <typename Host>
  void doorbell(Host& host) {
    if (__builtin_expect(!try_take(), 0) && !take_contended(host)) return;
    serve_and_let_go(host);
  }
  /// Tries again what did not fit into the real ring. Does nothing when it could not help.
  template <typename Host>
  void pump(Host& host) {
    if (!host.gate_open() || !host.room() || !try_take()) return;
    attention_.fetch_and(~(kStalled | kStallUntold), std::memory_order_relaxed);
    serve_and_let_go(host);
  }
  /// State forwarding, anywhere in serve(): lets the queue go while the gate is closed, so that the window's
  /// owner may use it. @return false when the queue is another thread's now, which serves what is left
  template <typename Host>
  bool pass_gate(Host& host) {
    return __builtin_expect(host.gate_open(), 1) || wait_gate(host) != Passed::lost;
  }
  /// held -> forwarding, past the gate, to submit one packet. Parks while the gate is closed.
  /// @return false: it was submitted in this thread's place, the state is held
  template <typename Host>
  bool enter(Host& host) {
    for (;;) {
      resume();
      if (host.gate_open() || host.owns_window()) return true;
      host.parking();
      park();
      const bool open = host.wait_at_gate();
      if (!unpark()) return false;
      if (open) continue;
      resume();
      return true;
    }
  }
  /// The calling thread has the queue and calls out: what its callbacks publish here is served by them.
  void call_out() { holder_.store(Sync::self(), std::memory_order_relaxed); }
  void called_out() {
    if constexpr (kMachine)
      KR_CHECK(holder_.load(std::memory_order_relaxed) == Sync::self(), "who called out comes back");
    holder_.store(nullptr, std::memory_order_relaxed);
  }

  /// Published packets wait because the real ring is full. State forwarding or stealing.
  void stall() {
    if (stalled()) return;
    attention_.fetch_or(Sync::kMutation == Mutation::stall_untold ? kStalled : kStalled | kStallUntold,
                        std::memory_order_relaxed);
  }
  bool stalled() const { return (attention_.load(std::memory_order_relaxed) & kStalled) != 0; }

 private:
  enum State : uint32_t { kFree, kForwarding, kHeld, kParked, kStealing, kStolen };
  // attention_: bits, and above them the number of threads in take_slow().
  static constexpr uint32_t kLeftBehind = 1;
  static constexpr uint32_t kStallUntold = 2;
  static constexpr uint32_t kStalled = 4;
  static constexpr uint32_t kOneWaiter = 8;
  /// let_go() has no fence between its store and its look at attention_, so a wake-up can be missed, and so
  /// can a note: both are made good by looking again after a time in which any store has arrived.
  static constexpr uint64_t kRecheckNs = 1'000'000;

  enum class Passed : uint8_t { lost, through, inside };

  // Assertions. A test that puts a fault in looks for what comes of it; one that counts every access to a
  // word as a step has no need of more of them.
  static constexpr bool kMachine = std::is_same_v<Sync, FutexSync>;
  static void must([[maybe_unused]] bool holds, [[maybe_unused]] const char* what) {
    if constexpr (Sync::kMutation == Mutation::none) KR_CHECK(holds, what);
  }
  void must_be([[maybe_unused]] State state, [[maybe_unused]] const char* what) const {
    if constexpr (kMachine) KR_CHECK(state_.load(std::memory_order_relaxed) == state, what);
  }

  template <typename Host>
  void serve_and_let_go(Host& host) {
    do {
      if (__builtin_expect(host.gate_open(), 1)) {
        if (!host.serve()) return;
      } else {
        const Passed passed = wait_gate(host);
        if (passed == Passed::lost || !(passed == Passed::inside ? host.serve_inside() : host.serve()))
          return;
      }
      state_.store(kFree, std::memory_order_release);
    } while (__builtin_expect((attention_.load(std::memory_order_relaxed) & ~kStalled) != 0, 0) &&
             attend(host));
  }
  template <typename Host>
  bool attend(Host& host);
  template <typename Host>
  Passed wait_gate(Host& host);
  template <typename Host>
  bool take_contended(Host& host);
  template <typename Host>
  bool take_or_leave(Host& host) {
    return take_for(host.patience_ns()) || leave_behind();
  }
  bool take_slow(uint64_t timeout_ns);
  bool leave_behind();

  alignas(64) typename Sync::template Atomic<uint32_t> state_{kFree};
  typename Sync::template Atomic<uint32_t> attention_{0};
  /// The thread that has called out, see call_out().
  typename Sync::template Atomic<const void*> holder_{nullptr};
};

template <typename Sync>
bool BasicQueueProtocol<Sync>::take_slow(uint64_t timeout_ns) {
  for (int i = 0; i < Sync::kSpins; ++i) {
    if (state_.load(std::memory_order_relaxed) == kFree && try_take()) return true;
    Sync::relax();
  }
  const typename Sync::Deadline end(timeout_ns);
  attention_.fetch_add(kOneWaiter, std::memory_order_seq_cst);
  bool ours = try_take();
  for (bool last = false; !ours && !last;) {
    last = end.passed();
    const uint32_t seen = state_.load(std::memory_order_relaxed);
    if (!last && seen != kFree) Sync::wait(state_, seen, kRecheckNs);
    if (Sync::kMutation == Mutation::take_once_in_vain && last) break;
    ours = try_take();  // once more when the time is up: it may have passed between the two
  }
  attention_.fetch_sub(kOneWaiter, std::memory_order_relaxed);
  return ours;
}

/// The thread that has the queue will serve what we published. @return true when it is ours after all
template <typename Sync>
bool BasicQueueProtocol<Sync>::leave_behind() {
  attention_.fetch_or(kLeftBehind, std::memory_order_seq_cst);
  // That thread looks for the note after it let go. If it did so just before, the queue is free by now.
  if (!take_for(kRecheckNs)) return false;
  attention_.fetch_and(~kLeftBehind, std::memory_order_seq_cst);
  return true;
}

/// After letting go. @return whether the queue is ours again, to serve what another thread left
template <typename Sync>
template <typename Host>
bool BasicQueueProtocol<Sync>::attend(Host& host) {
  const uint32_t seen = attention_.load(std::memory_order_relaxed);
  if (seen >= kOneWaiter) Sync::wake_all(state_);
  if ((seen & kStallUntold) != 0) {
    attention_.fetch_and(~kStallUntold, std::memory_order_relaxed);
    host.stalled();
  }
  if (Sync::kMutation == Mutation::left_behind_forgotten || (seen & kLeftBehind) == 0) return false;
  if constexpr (Sync::kMutation == Mutation::left_behind_taken_early) {
    attention_.fetch_and(~kLeftBehind, std::memory_order_seq_cst);
    return try_take();
  }
  // The queue first: if another thread has it, the note stays for that one.
  if (!try_take()) return false;
  attention_.fetch_and(~kLeftBehind, std::memory_order_seq_cst);
  return true;
}

template <typename Sync>
template <typename Host>
typename BasicQueueProtocol<Sync>::Passed BasicQueueProtocol<Sync>::wait_gate(Host& host) {
  while (!host.gate_open()) {
    if (host.owns_window()) return Passed::inside;
    let_go();
    const bool open = host.wait_at_gate();
    if (!take_or_leave(host)) return Passed::lost;
    if (!open) break;
  }
  return Passed::through;
}

/// The queue belongs to somebody. @return true when it is ours now; false when the doorbell was served
/// otherwise.
template <typename Sync>
template <typename Host>
bool BasicQueueProtocol<Sync>::take_contended(Host& host) {
  if (holder_.load(std::memory_order_relaxed) == Sync::self()) {
    host.serve_behind(false);
    return false;
  }
  if (!host.owns_window()) return take_or_leave(host);
  // Inside our window we cannot wait for a thread that waits for our window: its dispatch goes first.
  std::optional<typename Sync::Deadline> end;
  bool last = false;
  for (int spins = 0;; ++spins) {
    if (const Steal stolen = host.room() ? try_steal() : Steal::nothing; stolen != Steal::nothing) {
      if (stolen == Steal::packet) host.submit_parked();
      host.serve_behind(true);
      end_steal();
      return false;
    }
    if (try_take()) return true;
    if (last) return leave_behind();
    if (spins < Sync::kSpins) {
      Sync::relax();
      continue;
    }
    // It may be in a tool callback that has not come to our window yet, or never will.
    if (!end) end.emplace(host.patience_ns());
    last = end->passed();
    if (!last) Sync::yield();
  }
}

template <typename Sync>
bool BasicQueueProtocol<Sync>::unpark() {
  for (;;) {
    uint32_t seen = kParked;
    if (state_.compare_exchange_strong(seen, kHeld, std::memory_order_acq_rel)) return true;
    if (seen == kStolen && state_.compare_exchange_strong(seen, kHeld, std::memory_order_acq_rel))
      return false;
    if (Sync::kMutation == Mutation::unpark_ignores_thief && seen == kStealing) {
      state_.store(kHeld, std::memory_order_release);
      return false;
    }
    must(seen == kStealing, "a parked queue is its thread's or a thief's");
    // The thief copies packets and writes their records; it waits for nothing.
    Sync::wait(state_, kStealing, kRecheckNs);
  }
}

template <typename Sync>
typename BasicQueueProtocol<Sync>::Steal BasicQueueProtocol<Sync>::try_steal() {
  uint32_t seen = kParked;
  if (state_.compare_exchange_strong(seen, kStealing, std::memory_order_acq_rel)) return Steal::packet;
  if (seen == kStolen && state_.compare_exchange_strong(seen, kStealing, std::memory_order_acq_rel))
    return Steal::behind;
  return Steal::nothing;
}

using QueueProtocol = BasicQueueProtocol<FutexSync>;
extern template class BasicQueueProtocol<FutexSync>;

}  // namespace kreplay::replay
