// Copies and fills run on engines and queues of the runtime that no proxy sees. They are counted here: a new
// one waits while a window is open on an agent it touches, and a window waits for those in flight.
//
// A copy in flight is known by its completion signal: it is done when the signal has dropped far enough below
// the value it had before the copy was submitted. The application resets signals for reuse and destroys them,
// so stores to and destruction of a signal with an open record end the record (a small filter keeps other
// signals' stores cheap). Copies that share a signal count it down together.
//
// One mutex for the process: a copy costs microseconds, a lock some ten nanoseconds. It is never held across
// a call into the runtime.
#pragma once

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <vector>

#include "hsa/aql.hpp"
#include "hsa/hsa_api.hpp"

namespace kreplay::replay {

class CopyFence {
 public:
  /// @param while_waiting called at least once per slice by a thread that waits for the window of an agent,
  ///        with no lock held; may end the wait with open()
  void set_while_waiting(std::function<void(uint64_t agent)> while_waiting, uint64_t slice_ns) {
    while_waiting_ = std::move(while_waiting);
    slice_ns_ = slice_ns;
  }
  CopyFence() = default;
  CopyFence(const CopyFence&) = delete;
  CopyFence& operator=(const CopyFence&) = delete;

  /// Agents a copy touches (handles of GPU agents; 0 = none).
  struct Agents {
    uint64_t first = 0;
    uint64_t second = 0;
  };

  /// One copy on its way into the runtime.
  struct Ticket {
    Agents agents;
    uint64_t record = 0;  ///< 0: synchronous, or nothing to follow
    bool active = false;
  };

  /// Blocks while a window of another thread is open on one of the agents, then counts the copy as entering.
  /// @param completion signal that is decremented by one at the end; null for a synchronous call
  /// @param mine whether the calling thread owns the window of an agent (it is not held up by its own)
  Ticket enter(Agents agents, hsa_signal_t completion, const hsa_signal_t* dependencies,
               uint32_t dependency_count, bool (*mine)(uint64_t agent));
  /// After the runtime returned. A refused copy leaves no record.
  void leave(const Ticket& ticket, bool accepted);

  /// A store to `signal` (or its destruction) by the application: what it carried is over.
  void signal_reset(hsa_signal_t signal) {
    if (filter_[bucket(signal)].load(std::memory_order_relaxed) != 0) forget(signal);
  }

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
  struct Record {
    uint64_t id;
    Agents agents;
    hsa_signal_t signal;
    int64_t expected;  ///< done when the signal's value is at most this
    std::array<hsa_signal_t, 5> dependencies;
  };
  static size_t bucket(hsa_signal_t signal) { return (signal.handle >> 7) & 1023; }
  void forget(hsa_signal_t signal);
  void prune();             // drops finished records; mutex_ held
  void drop(size_t index);  // mutex_ held
  bool closed(uint64_t agent) const;

  std::function<void(uint64_t agent)> while_waiting_;  // set before the first copy, then constant
  uint64_t slice_ns_ = 1'000'000'000;                  // same
  std::mutex mutex_;                                   // guards everything below
  std::condition_variable changed_;
  std::vector<uint64_t> closed_;
  std::vector<uint64_t> entering_;  // one entry per agent and copy inside the runtime's call
  std::vector<Record> records_;
  uint64_t next_id_ = 1;
  std::array<std::atomic<uint16_t>, 1024> filter_ =
      {};  // open records per hash of the signal; written under mutex_
};

}  // namespace kreplay::replay
