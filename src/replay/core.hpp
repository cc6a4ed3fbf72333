// What everything in replay/ shares. One per Replayer.
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "base/options.hpp"
#include "base/progress.hpp"
#include "device/signal_wait.hpp"
#include "hsa/hsa_api.hpp"
#include "replay/completing.hpp"
#include "replay/copy_fence.hpp"
#include "replay/kernels.hpp"
#include "replay/open_windows.hpp"
#include "replay/queue.hpp"
#include "replay/queue_registry.hpp"
#include "report/sink.hpp"
#include "snapshot/extent.hpp"
#include "tool_api/replay_tool.hpp"

namespace kreplay::replay {

struct Core {
  Core(const hsa::HsaApi& real, report::OutcomeSink& outcomes, const Options& settings,
       uint64_t ticks_per_second)
      : api(real),
        sink(outcomes),
        options(settings),
        progress(map_progress(settings.progress)),
        waiter(real, ticks_per_second),
        copies(real, queues),
        // Host memory is put back, too, if so asked: every agent may write it.
        windows(extents, copies, settings.drain_timeout_ns,
                settings.host_write == Options::HostWrite::restore) {}

  /// Before packets are written to a real ring: half a ring may not be written without a look for signals of
  /// copies.
  void watch_carriers(const Queue& queue, uint64_t count = 1) {
    if (__builtin_expect(copies.any_open(), 0) &&
        queue.ring.write_index() + count - queue.carriers_seen.load(std::memory_order_relaxed) >
            queue.ring.size() / 2)
      copies.absorb();
  }

  const hsa::HsaApi& api;
  report::OutcomeSink& sink;
  const Options options;
  ProgressPage* const progress;  ///< null: nobody looks
  device::SignalWaiter waiter;
  QueueRegistry queues;
  CopyFence copies;
  Completing completing;
  KernelTable kernels;
  snapshot::ExtentTable extents;
  OpenWindows windows;
  std::atomic<uint64_t> next_dispatch{1};
  std::atomic<uint64_t> next_correlation{1};
  std::atomic<bool> closed{false};  ///< at exit or after shut down: no new window
};

}  // namespace kreplay::replay
