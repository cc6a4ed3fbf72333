// The application's completion signal of a dispatch whose passes carry a signal of ours: brought down once,
// whatever happens after the first pass was submitted.
#pragma once

#include <hsa/hsa.h>

#include "device/signal_pool.hpp"
#include "hsa/aql.hpp"
#include "hsa/hsa_api.hpp"

namespace kreplay::replay {

struct Core;
class Agent;
class Queue;

/// Puts the times of `from` into `to`. Raw ticks need no conversion: both belong to the same agent.
void copy_times(hsa_signal_t to, hsa_signal_t from);

/// Completes `application` (may be null) when `ours` drops below one: whoever sees the dispatch end does it,
/// on a thread of the runtime, and `ours` goes back to `pool`.
/// @return false when the runtime refused or there is no memory: nothing has changed
bool complete_later(Core& core, device::SignalPool& pool, hsa_signal_t application,
                    hsa_signal_t ours) noexcept;
/// Completes `application` (may be null) with the times of `from`.
void complete_now(Core& core, hsa_signal_t application, hsa_signal_t from);

/// Around the passes of one dispatch. When an exception ends them after the first one was submitted, the
/// dispatch is finished in its place: run once more if memory was put back, and its signal completed.
/// Threads: the owner of the window.
class CompletionGuard {
 public:
  CompletionGuard(Core& core, Agent& agent, Queue& queue, const hsa::Packet& packet);
  ~CompletionGuard();
  CompletionGuard(const CompletionGuard&) = delete;
  CompletionGuard& operator=(const CompletionGuard&) = delete;

  /// Memory is being put back to what it was before the dispatch: without another pass its work is lost.
  void put_back() { put_back_ = true; }
  /// Does nothing from here on.
  void dismiss() { dismissed_ = true; }
  /// A pass was submitted.
  void submitted() { put_back_ = false; }

 private:
  void finish() noexcept;
  void put_back_again() const noexcept;

  Core& core_;
  Agent& agent_;
  Queue& queue_;
  const hsa::Packet& packet_;
  const uint64_t before_;  ///< the application's packets in the real ring
  const int exceptions_;
  bool put_back_ = false;
  bool dismissed_ = false;
};

}  // namespace kreplay::replay
