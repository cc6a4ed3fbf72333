// Fake tools and a fake window. A tool's entry points are plain C functions, so the state behind them is
// global; each Scene resets it.
#pragma once

#include <array>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "tool_api/registry.hpp"
#include "tool_api/sdk_replay_tool.hpp"

namespace tool_test {

using namespace kreplay::tool_api;  // NOLINT(google-build-using-namespace): test code

using Record = rocprofiler_callback_tracing_record_t;
using Payload = rocprofiler_callback_tracing_kernel_replay_data_t;

/// One callback as the tool saw it on entry.
struct Seen {
  Record record = {};
  Payload payload = {};
  rocprofiler_user_data_t user = {};
  pthread_t thread = {};
  int op() const { return record.operation; }
  bool enter() const { return record.phase == ROCPROFILER_CALLBACK_PHASE_ENTER; }
};

/// What tool number N does; empty hooks do nothing.
struct FakeTool {
  bool null_result = false;
  int initialize_answer = 0;
  std::function<void(uint32_t, const char*, uint32_t, rocprofiler_client_id_t*)> on_configure;
  std::function<void(rocprofiler_client_finalize_t)> on_initialize;
  std::function<void()> on_finalize;
  std::function<void(Record, Payload&, rocprofiler_user_data_t*)> on_callback;

  rocprofiler_client_id_t* id = nullptr;
  rocprofiler_context_id_t context = {0};
  std::mutex mutex;
  std::vector<Seen> seen;
};

constexpr size_t kTools = 3;
inline std::array<FakeTool, kTools>* g_tools = nullptr;
/// What happened, over all tools and the window, in order.
inline std::vector<std::string>* g_events = nullptr;
inline void event(const std::string& text) { g_events->push_back(text); }

template <size_t N>
FakeTool& tool() {
  return (*g_tools)[N];
}

inline void replay_callback(Record record, rocprofiler_user_data_t* user, void* args) {
  auto& self = *static_cast<FakeTool*>(args);
  auto& payload = *static_cast<Payload*>(record.payload);
  {
    const std::lock_guard lock(self.mutex);
    self.seen.push_back({record, payload, *user, pthread_self()});
  }
  if (self.on_callback) self.on_callback(record, payload, user);
}

template <size_t N>
int initialize(rocprofiler_client_finalize_t finalize, void* data) {
  event("initialize " + std::to_string(N));
  auto& self = *static_cast<FakeTool*>(data);
  if (self.on_initialize) self.on_initialize(finalize);
  return self.initialize_answer;
}

template <size_t N>
void finalize(void* data) {
  event("finalize " + std::to_string(N));
  auto& self = *static_cast<FakeTool*>(data);
  if (self.on_finalize) self.on_finalize();
}

template <size_t N>
rocprofiler_tool_configure_result_t* configure(uint32_t version, const char* runtime, uint32_t priority,
                                               rocprofiler_client_id_t* id) {
  event("configure " + std::to_string(N));
  tool<N>().id = id;
  if (tool<N>().on_configure) tool<N>().on_configure(version, runtime, priority, id);
  if (tool<N>().null_result) return nullptr;
  static rocprofiler_tool_configure_result_t result;
  result = {sizeof(result), initialize<N>, finalize<N>, &tool<N>()};
  return &result;
}

/// Creates and starts a context with a KERNEL_REPLAY subscription for tool N.
inline rocprofiler_status_t subscribe(FakeTool& self, std::vector<rocprofiler_tracing_operation_t> ops = {},
                                      int kind = ROCPROFILER_CALLBACK_TRACING_KERNEL_REPLAY,
                                      bool start = true) {
  rocprofiler_status_t status = rocprofiler_create_context(&self.context);
  if (status != ROCPROFILER_STATUS_SUCCESS) return status;
  status = rocprofiler_configure_callback_tracing_service(
      self.context, static_cast<rocprofiler_callback_tracing_kind_t>(kind),
      ops.empty() ? nullptr : ops.data(), ops.size(), replay_callback, &self);
  if (status == ROCPROFILER_STATUS_SUCCESS && start) status = rocprofiler_start_context(self.context);
  return status;
}

/// A registry of its own behind the exported functions, and fresh fake tools.
class Scene {
 public:
  explicit Scene(const std::vector<rocprofiler_configure_func_t>& found = {})
      : previous_(Registry::exchange_current(&registry)) {
    g_tools = &tools;
    g_events = &events;
    registry.set_options(kreplay::Options{});
    registry.set_wait_ms(200, 2000);
    registry.set_discovery([found]() -> kreplay::Result<std::vector<Discovered>> {
      std::vector<Discovered> list;
      list.reserve(found.size());
      for (const auto function : found) list.push_back({function, "libtest.so"});
      return list;
    });
  }
  ~Scene() { Registry::exchange_current(previous_); }
  Scene(const Scene&) = delete;
  Scene& operator=(const Scene&) = delete;

  std::vector<std::string> events;
  std::array<FakeTool, kTools> tools;
  Registry registry;

 private:
  Registry* previous_;
};

/// A scene with tool 0 subscribed and started.
class ReplayScene : public Scene {
 public:
  explicit ReplayScene(const std::vector<rocprofiler_tracing_operation_t>& ops = {}) : Scene({configure<0>}) {
    tools[0].on_initialize = [this, ops](auto) { subscribe_status = subscribe(tools[0], ops); };
    registry.start();
  }
  FakeTool& self() { return tools[0]; }
  rocprofiler_status_t subscribe_status = ROCPROFILER_STATUS_ERROR;
};

inline ReplayCall make_call(uint64_t dispatch_id = 7) {
  ReplayCall call;
  call.info.size = 4711;  // the tool must be given 72 whatever stands here
  call.info.agent_id = {11};
  call.info.queue_id = {12};
  call.info.kernel_id = 13;
  call.info.dispatch_id = dispatch_id;
  call.info.private_segment_size = 16;
  call.info.group_segment_size = 32;
  call.info.workgroup_size = {67, 1, 1};
  call.info.grid_size = {670, 1, 1};
  call.thread_id = 4242;
  call.correlation.internal = 21;
  call.correlation.ancestor = 22;
  return call;
}

struct Driven {
  bool wanted = false;
  uint64_t executions = 0;
  uint64_t restores = 0;
  bool snapshot = false;
};

/// The window, as src/replay drives it: the executions and restores are events, nothing else happens.
/// @param limit ends a loop that nothing else ends; reaching it is a failed test
inline Driven drive(ReplayTool& tool, ReplayCall& call, uint64_t limit = 64) {
  Driven driven;
  driven.wanted = tool.wants(call);
  if (!driven.wanted) {
    driven.executions = 1;
    return driven;
  }
  const PassPlan plan = tool.config_enter(call);
  if (plan.mode == PassMode::once) {
    driven.executions = 1;
    event("run");
  } else {
    driven.snapshot = true;
    for (uint64_t pass = 0; pass < limit; ++pass) {
      tool.pass_enter(call, pass);
      event("run " + std::to_string(pass));
      ++driven.executions;
      tool.pass_exit(call, pass);
      if (plan.mode == PassMode::fixed && pass + 1 >= plan.passes) break;
      if (!tool.continue_after(call, pass)) break;
      event("restore");
      ++driven.restores;
    }
  }
  tool.config_exit(call);
  return driven;
}

inline Driven drive(Registry& registry, uint64_t dispatch_id = 7) {
  ReplayCall call = make_call(dispatch_id);
  return drive(*registry.replay_tool(), call);
}

}  // namespace tool_test
