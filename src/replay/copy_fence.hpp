// Copies and fills run on engines and queues of the runtime that no proxy sees. They are counted here: a new
// one waits while a window is open on an agent it touches, and a window waits for those in flight.
//
// A copy in flight is known by its completion signal alone. The copies on one signal are done when its value
// has come down to what it will be once everything that changes it has done so. What changes it:
//   * copies that share it: counted when they enter;
//   * packets that carry it: found in the real rings, those submitted later when somebody asks (absorb());
//   * the host: stores, exchanges, arithmetic, each through a SignalChange; a store that re-arms a signal
//     whose copies are done, or that gives them up, ends their records;
//   * what cannot be followed: packets that were submitted before the copy and may or may not be over, other
//     processes, kernels and programs that have the value's address. Then the copy gets a signal of ours, and
//     the application's is counted down when that one has been (Ticket::stand_in).
// A small filter keeps operations on other signals cheap.
//
// One mutex for the process: a copy costs microseconds, a lock some ten nanoseconds. It is never held across
// a call into the runtime.
#pragma once

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/mutex.hpp"
#include "device/signal_pool.hpp"
#include "hsa/aql.hpp"
#include "hsa/hsa_api.hpp"

namespace kreplay::replay {

class QueueRegistry;

class CopyFence {
 public:
  /// @param queues all queues of the process: packets in them may carry a copy's signal
  CopyFence(const hsa::HsaApi& api, const QueueRegistry& queues)
      : api_(api), queues_(queues), stand_ins_(api) {}
  CopyFence(const CopyFence&) = delete;
  CopyFence& operator=(const CopyFence&) = delete;

  /// @param while_waiting called at least once per slice by a thread that waits for the window of an agent,
  /// with no
  ///        lock held; may end the wait with open(). @return true: the caller goes on in spite of the window
  void set_while_waiting(std::function<bool(uint64_t agent)> while_waiting, uint64_t slice_ns) {
    while_waiting_ = std::move(while_waiting);
    slice_ns_ = slice_ns;
  }

  /// Agents a copy touches (handles of GPU agents; 0 = none).
  struct Agents {
    uint64_t first = 0;
    uint64_t second = 0;
    bool touch(uint64_t agent) const { return agent != 0 && (first == agent || second == agent); }
  };

  /// One copy on its way into the runtime.
  struct Ticket {
    Agents agents;
    uint64_t record = 0;            ///< 0: synchronous, or nothing to follow
    hsa_signal_t completion = {0};  ///< the application's
    hsa_signal_t stand_in = {0};    ///< where not null, the copy completes this signal instead
    bool active = false;
  };

  /// Blocks while a window of another thread is open on one of the agents, then counts the copy as entering.
  /// @param completion signal that is decremented by one at the end; null for a synchronous call
  /// @param mine whether the calling thread owns the window of an agent (it is not held up by its own)
  Ticket enter(Agents agents, hsa_signal_t completion, const hsa_signal_t* dependencies,
               uint32_t dependency_count, bool (*mine)(uint64_t agent));
  /// After the runtime returned. A refused copy leaves no record. Calls the runtime when there is a stand-in.
  void leave(const Ticket& ticket, bool accepted);

  // --- signals ---
  /// Whether copies are in flight at all. One load.
  bool any_open() const { return open_.load(std::memory_order_relaxed) != 0; }
  /// Whether copies in flight may be known by this signal.
  bool tracks(hsa_signal_t signal) const {
    return filter_[bucket(signal)].load(std::memory_order_relaxed) != 0;
  }
  /// The signal is destroyed: what it carried is over.
  void signal_destroyed(hsa_signal_t signal);
  /// From now on others may change the signal's value without a call: through its address, or in another
  /// process.
  void signal_exposed(hsa_signal_t signal);
  /// Looks for packets that carry signals of copies in flight. Called when a real ring is about to lose sight
  /// of some (half of it written since the last time), and before every judgement.
  void absorb();
  /// Times of a copy that completed through a stand-in; empty for others.
  std::optional<hsa_amd_profiling_async_copy_time_t> times_of(hsa_signal_t signal) const;

  // --- window side ---
  /// New copies that touch `agent` wait from now on. Called by the owner of its window.
  void close(uint64_t agent);
  void open(uint64_t agent);
  /// Whether no copy that touches `agent` is entering or in flight. Reads memory, takes no runtime call.
  bool idle(uint64_t agent);
  struct Pending {
    Agents agents;
    hsa_signal_t completion = {0};
    std::array<hsa_signal_t, 5> dependencies = {};  ///< null ones are unused; more than five are not kept
  };
  /// Copies in flight, for the dependency look-ahead and for messages.
  /// @param out replaced; its capacity is reused
  void pending(std::vector<Pending>& out);
  /// Forgets everything (runtime shut down).
  void clear();

 private:
  friend class SignalChange;
  struct Record {
    uint64_t id;
    Agents agents;
    hsa_signal_t signal;    ///< the application's
    hsa_signal_t stand_in;  ///< null: `signal` itself tells
    int64_t expected;       ///< the same for all records of one signal: done when its value is at most this
    uint32_t changing;      ///< the host is changing the value right now: it tells nothing
    std::array<hsa_signal_t, 5> dependencies;
  };
  struct StandIn;
  static size_t bucket(hsa_signal_t signal) { return (signal.handle >> 7) & 1023; }

  bool begin_change(hsa_signal_t signal);
  void end_change(hsa_signal_t signal, int64_t delta, bool store);
  hsa_signal_t make_stand_in();
  void stand_in_done(hsa_signal_t application, uint64_t record,
                     const hsa_amd_profiling_async_copy_time_t* times);

  // mutex_ held:
  bool unfollowable(hsa_signal_t signal) const;
  void absorb_locked();
  static bool done(const Record& record);
  void shift(hsa_signal_t signal, int64_t delta);
  void prune();
  void drop(size_t index);
  bool closed(uint64_t agent) const;

  const hsa::HsaApi& api_;
  const QueueRegistry& queues_;
  device::SignalPool stand_ins_;
  std::function<bool(uint64_t agent)> while_waiting_;  // set before the first copy, then constant
  uint64_t slice_ns_ = 1'000'000'000;                  // same
  mutable Mutex mutex_;                                // guards everything below that is not atomic
  std::condition_variable_any changed_;
  std::vector<uint64_t> closed_;
  std::vector<uint64_t> entering_;  // one entry per agent and copy inside the runtime's call
  std::vector<Record> records_;
  std::unordered_set<uint64_t> exposed_;                                     // signals
  std::unordered_map<uint64_t, hsa_amd_profiling_async_copy_time_t> times_;  // by the application's signal
  uint64_t next_id_ = 1;
  std::atomic<uint32_t> open_{0};  // records
  /// Open records per hash of the signal; written under mutex_.
  std::array<std::atomic<uint16_t>, 1024> filter_ = {};
  /// Host operations under way per hash of the signal, that began while nothing was tracked there.
  std::array<std::atomic<uint16_t>, 1024> operations_ = {};
};

/// Around an operation of the host that changes a signal's value by arithmetic, exchange or store.
/// Threads: any; lives on the stack around one call into the runtime.
class SignalChange {
 public:
  /// Of nothing until begin().
  SignalChange() = default;
  SignalChange(CopyFence& fence, hsa_signal_t signal) { begin(fence, signal); }
  /// Before the operation; once.
  void begin(CopyFence& fence, hsa_signal_t signal) {
    if (signal.handle == 0) return;
    fence_ = &fence;
    signal_ = signal;
    auto& operations = fence.operations_[CopyFence::bucket(signal)];
    operations.fetch_add(1, std::memory_order_seq_cst);
    if (__builtin_expect(fence.filter_[CopyFence::bucket(signal)].load(std::memory_order_seq_cst) == 0, 1)) {
      counted_ = true;
      return;
    }
    operations.fetch_sub(1, std::memory_order_seq_cst);
    tracked_ = fence.begin_change(signal);
  }
  /// After the operation. @param delta by how much the value was changed
  void by(int64_t delta) { delta_ = delta; }
  /// The same for a store, with the value it replaced. One that leaves the signal where its copies would
  /// leave it says that nobody waits for them any more.
  void stored(int64_t before, int64_t value) {
    delta_ = value - before;
    store_ = true;
  }
  /// Whether the delta matters to anybody.
  bool tracked() const { return tracked_; }
  ~SignalChange() {
    if (counted_) fence_->operations_[CopyFence::bucket(signal_)].fetch_sub(1, std::memory_order_seq_cst);
    if (tracked_) fence_->end_change(signal_, delta_, store_);
  }
  SignalChange(const SignalChange&) = delete;
  SignalChange& operator=(const SignalChange&) = delete;

 private:
  CopyFence* fence_ = nullptr;
  hsa_signal_t signal_ = {0};
  bool counted_ = false;
  bool tracked_ = false;
  int64_t delta_ = 0;
  bool store_ = false;
};

}  // namespace kreplay::replay
