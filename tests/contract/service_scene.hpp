// A fake tool with services, and a fake submitter that drives them as src/replay does.
#pragma once

#include "support.hpp"
#include "tool_api/services/services.hpp"

namespace tool_test {

inline KernelLaunch make_launch(uint64_t dispatch_id = 7) {
  const ReplayCall call = make_call(dispatch_id);
  KernelLaunch launch;
  launch.info = call.info;
  launch.thread_id = call.thread_id;
  launch.correlation = call.correlation;
  return launch;
}

/// Tool 0 with whatever `configure` asks for in its initialize, on one started context.
class ServiceScene : public Scene {
 public:
  explicit ServiceScene(const std::function<void(rocprofiler_context_id_t)>& configure_services)
      : Scene({configure<0>}) {
    tools[0].on_initialize = [&](auto) {
      REQUIRE(rocprofiler_create_context(&context) == ROCPROFILER_STATUS_SUCCESS);
      configure_services(context);
      REQUIRE(rocprofiler_start_context(context) == ROCPROFILER_STATUS_SUCCESS);
    };
    registry.start();
  }
  /// One run outside of a replay, or the pass of `pass_of` that runs now.
  void run(const kreplay::report::PassTime& time, uint64_t dispatch_id = 7,
           const ReplayCall* pass_of = nullptr) {
    const auto around = registry.services().kernels.begin(make_launch(dispatch_id), pass_of);
    if (!around) return;
    around->enqueued();
    around->completed(time);
    REQUIRE(around->wait_delivered(std::chrono::seconds(60)));
  }
  rocprofiler_context_id_t context = {0};
};

}  // namespace tool_test
