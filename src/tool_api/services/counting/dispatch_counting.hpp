// Dispatch counting, both forms: the tool names a set of counters for each run, and gets the values of the
// run.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "rocprofiler-sdk/rocprofiler.h"
#include "tool_api/external_correlation.hpp"
#include "tool_api/services/buffers.hpp"
#include "tool_api/services/counting/configs.hpp"
#include "tool_api/services/kernel_services.hpp"

namespace kreplay::tool_api {

/// What the tool gave. One of `record` and `buffer` is set.
struct CountingSetup {
  rocprofiler_dispatch_counting_service_cb_t dispatch = nullptr;
  void* dispatch_args = nullptr;
  rocprofiler_dispatch_counting_record_cb_t record = nullptr;
  void* record_args = nullptr;
  std::shared_ptr<Buffer> buffer;
};

class CountingRoom final : public KernelRoom {
 public:
  CountingRoom(const Context& context, ExternalCorrelation& external, CounterConfigs& configs,
               const CountingSetup& setup)
      : KernelRoom(context, Rank::counting), external_(external), configs_(configs), setup_(setup) {}

  std::unique_ptr<RunPart> enter(const KernelLaunch& launch) override;
  /// Empty: every agent.
  void set_agents(std::vector<uint64_t> agents) {
    const std::lock_guard lock(mutex_);
    agents_ = std::move(agents);
  }

 private:
  bool counts_on(uint64_t agent) const;

  ExternalCorrelation& external_;
  CounterConfigs& configs_;
  const CountingSetup setup_;
  mutable std::mutex mutex_;  // guards agents_
  std::vector<uint64_t> agents_;
};

}  // namespace kreplay::tool_api
