// What the command processor asks of the driver above it: events. The driver implements this; the command
// processor never includes it.
#pragma once

#include <cstdint>

#include "base/types.hpp"

namespace softgpu::cp {

using kreplay::GpuVa;

enum class FaultReason { not_present, read_only };

/// Threads: every function may be called by any queue worker, with no lock of the caller held.
class InterruptSink {
 public:
  virtual ~InterruptSink() = default;
  /// `event_id` was written to its mailbox slot: mark the event, wake its waiters.
  virtual void signal_event(uint32_t event_id) = 0;
  /// A shader sent an interrupt (s_sendmsg 1): which event is not known, look at the mailbox slots.
  virtual void scan_event_slots() = 0;
  /// A queue touched memory that is not mapped, or wrote to a range mapped read-only.
  /// @param address the byte touched; the driver reports its page
  virtual void memory_fault(uint32_t gpu_id, GpuVa address, FaultReason reason) = 0;
  /// A queue stopped with an error. Newer runtimes take it from the queue's save area, older ones from its
  /// inactive signal.
  /// @param save_area the queue's context save area, as it was created with
  /// @param code number of the exception; see QueueError in aql_packets.hpp
  /// @return whether it was delivered; if not, the caller uses the inactive signal
  virtual bool queue_exception(GpuVa /*save_area*/, uint32_t /*code*/) { return false; }
};

}  // namespace softgpu::cp
