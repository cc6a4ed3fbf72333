// A process that starts the tools as the interceptor does, and ends. With an argument "K:W" per dispatch
// (kernel id, work-items) it also drives the replay of those dispatches as the window does, without any
// device.
#include <cstdio>
#include <cstdlib>

#include "tool_api/tools.hpp"

extern "C" char** environ;

using namespace kreplay::tool_api;  // NOLINT(google-build-using-namespace): a small program

namespace {

/// @return how often the dispatch ran
uint64_t dispatch(ReplayTool* tool, uint64_t id, uint64_t kernel, uint32_t workitems) {
  ReplayCall call;
  call.info.dispatch_id = id;
  call.info.kernel_id = kernel;
  call.info.grid_size = {workitems, 1, 1};
  if (tool == nullptr || !tool->listening() || !tool->wants(call)) return 1;
  const PassPlan plan = tool->config_enter(call);
  uint64_t runs = plan.mode == PassMode::once ? 1 : 0;
  bool more = plan.mode != PassMode::once;
  for (uint64_t pass = 0; more; ++pass) {
    tool->pass_enter(call, pass);
    ++runs;
    tool->pass_exit(call, pass);
    more =
        (plan.mode == PassMode::until_stopped || pass + 1 < plan.passes) && tool->continue_after(call, pass);
  }
  tool->config_exit(call);
  return runs;
}

}  // namespace

int main(int argc, char** argv) {
  start(kreplay::read_options(environ));
  for (int i = 1; i < argc; ++i) {
    char* rest = nullptr;
    const uint64_t kernel = std::strtoull(argv[i], &rest, 10);
    const auto workitems = static_cast<uint32_t>(std::strtoull(rest + 1, nullptr, 10));
    std::printf("host: kernel %lu ran %lu\n", kernel,
                dispatch(replay_tool(), static_cast<uint64_t>(i), kernel, workitems));
  }
  std::printf("host: tools '%s', present %d, replay %d\n", tool_names().c_str(), tool_present() ? 1 : 0,
              replay_tool() != nullptr ? 1 : 0);
  std::fflush(stdout);
  return 0;
}
