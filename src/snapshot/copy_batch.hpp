// Many asynchronous copies, one completion signal that counts them, one wait. In the steady state a batch
// costs its copy calls, one signal store and one wait; nothing is allocated or created.
#pragma once

#include <cstdint>
#include <vector>

#include "base/status.hpp"
#include "hsa/hsa_api.hpp"
#include "snapshot/copy_plan.hpp"

namespace kreplay::snapshot {

enum class Direction { save, restore };

struct BatchResult {
  enum class End {
    done,      ///< every copy completed
    refused,   ///< copy `index` was refused with `status`; those before it completed, nothing is in flight
    failed,    ///< the runtime marked the signal: one of the copies failed, which one is not told; no further
               ///< completion was seen for a while, so nothing is taken to be in flight
    stuck,     ///< no copy completed within the bound: `outstanding` may still be in flight
    unusable,  ///< the batch could not begin; `error` says why
  };
  End end = End::done;
  size_t index = 0;
  hsa_status_t status = HSA_STATUS_SUCCESS;
  uint64_t outstanding = 0;
  Status error;
};

/// Threads: one at a time. Calls the runtime; never call it under a lock.
class CopyBatch {
 public:
  CopyBatch(const hsa::HsaApi& api, hsa_agent_t device) : api_(api), device_(device) {}
  CopyBatch(const CopyBatch&) = delete;
  CopyBatch& operator=(const CopyBatch&) = delete;

  /// Copies all pieces. Ordered after whatever completed before the call; the caller has drained the agent,
  /// so no dependency signals are given.
  /// @param host the agent of pinned host backing
  /// @param stall_ns longest time without any completion
  /// @param settle_ns after a failure, time without any completion after which none is expected
  BatchResult run(Direction direction, const std::vector<Piece>& pieces, hsa_agent_t host, uint64_t stall_ns,
                  uint64_t settle_ns);

  /// Destroys the signal (the runtime may be shut down next).
  void release();
  uint64_t copies_submitted() const { return copies_; }

 private:
  Status begin(hsa_signal_value_t count);
  /// Waits until `left` copies remain. @return as run(), without index
  BatchResult wait(hsa_signal_value_t left, uint64_t stall_ns, uint64_t settle_ns);
  hsa_signal_value_t wait_below(hsa_signal_value_t bound, uint64_t timeout_ns) const;
  /// Lets go of a signal that copies may still touch; a bounded number is leaked on purpose.
  void abandon_signal();

  const hsa::HsaApi& api_;
  const hsa_agent_t device_;
  hsa_signal_t signal_{};
  uint64_t ticks_per_second_ = 0;
  unsigned abandoned_ = 0;
  uint64_t copies_ = 0;
};

}  // namespace kreplay::snapshot
