// What everything in replay/ shares. One per Replayer.
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "base/options.hpp"
#include "base/progress.hpp"
#include "device/signal_wait.hpp"
#include "hsa/hsa_api.hpp"
#include "replay/copy_fence.hpp"
#include "replay/drain.hpp"
#include "replay/kernels.hpp"
#include "replay/queue_registry.hpp"
#include "replay/window_owners.hpp"
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
        waiter(real, ticks_per_second) {}

  const hsa::HsaApi& api;
  report::OutcomeSink& sink;
  const Options options;
  ProgressPage* const progress;  ///< null: nobody looks
  device::SignalWaiter waiter;
  CopyFence copies;
  QueueRegistry queues;
  WindowOwners owners;
  KernelTable kernels;
  snapshot::ExtentTable extents;
  std::atomic<uint64_t> next_dispatch{1};
  std::atomic<uint64_t> next_correlation{1};
  std::atomic<bool> closed{false};  ///< at exit or after shut down: no new window
};

}  // namespace kreplay::replay
