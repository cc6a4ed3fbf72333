#include "tool_api/sdk_replay_tool.hpp"

#include <fmt/format.h>

#include "base/log.hpp"

namespace kreplay::tool_api {
namespace {

/// The PASS ENTER callback that runs on this thread: the only place where the toggles act (K17).
struct PassEnter {
  ReplayCall* call = nullptr;
  Registry* registry = nullptr;
};
__attribute__((tls_model("initial-exec"))) thread_local PassEnter tls_pass_enter;

/// Sets the thread's PASS ENTER for one callback; nests, as a callback may submit work to another agent.
class PassEnterScope {
 public:
  PassEnterScope(ReplayCall& call, Registry& registry) : before_(tls_pass_enter) {
    tls_pass_enter = {&call, &registry};
  }
  ~PassEnterScope() { tls_pass_enter = before_; }
  PassEnterScope(const PassEnterScope&) = delete;
  PassEnterScope& operator=(const PassEnterScope&) = delete;

 private:
  PassEnter before_;
};

/// Any other callback: what a toggle of an outer PASS ENTER did must not be reachable from here.
class NoPassEnterScope {
 public:
  NoPassEnterScope() : before_(tls_pass_enter) { tls_pass_enter = {}; }
  ~NoPassEnterScope() { tls_pass_enter = before_; }
  NoPassEnterScope(const NoPassEnterScope&) = delete;
  NoPassEnterScope& operator=(const NoPassEnterScope&) = delete;

 private:
  PassEnter before_;
};

/// Says that a thread is in the tool, as long as it is: when the process ends there, nobody else can.
class InsideScope {
 public:
  explicit InsideScope(const ReplaySubscription& tool)
      : inside_(tool.inside.load(std::memory_order_relaxed)) {
    if (inside_ != nullptr) inside_->fetch_add(1, std::memory_order_relaxed);
  }
  ~InsideScope() {
    if (inside_ != nullptr) inside_->fetch_sub(1, std::memory_order_relaxed);
  }
  InsideScope(const InsideScope&) = delete;
  InsideScope& operator=(const InsideScope&) = delete;

 private:
  std::atomic<uint32_t>* inside_;
};

rocprofiler_status_t toggle(rocprofiler_context_id_t id, bool stop) noexcept {
  const PassEnter now = tls_pass_enter;
  if (now.call == nullptr) return ROCPROFILER_STATUS_ERROR_CONTEXT_ERROR;
  try {
    const Context* context = now.registry->find_context(id);
    if (context == nullptr) return ROCPROFILER_STATUS_ERROR_CONTEXT_NOT_FOUND;
    // Stopped stays stopped: a local start only undoes a local stop (K18, K20).
    if (!now.call->active.has(context->index)) return ROCPROFILER_STATUS_ERROR_CONTEXT_NOT_STARTED;
    if (stop)
      now.call->stopped.insert(context->index);
    else
      now.call->stopped.erase(context->index);
    return ROCPROFILER_STATUS_SUCCESS;
  } catch (...) {
    return ROCPROFILER_STATUS_ERROR_CONTEXT_ERROR;
  }
}

rocprofiler_status_t local_start(rocprofiler_context_id_t id) { return toggle(id, false); }
rocprofiler_status_t local_stop(rocprofiler_context_id_t id) { return toggle(id, true); }

const ReplaySubscription& subscription_of(const ReplayCall& call) {
  return *static_cast<const ReplaySubscription*>(call.subscriber);
}

}  // namespace

bool enabled_in_loop(const ReplayCall& call, const Context& context) {
  return call.active.has(context.index) && !call.stopped.has(context.index);
}

bool SdkReplayTool::listening() const noexcept {
  const ReplaySubscription* subscription = registry_.replay_subscription();
  return subscription != nullptr && subscription->config && registry_.is_active(subscription->context->index);
}

bool SdkReplayTool::wants(Candidate& candidate) noexcept {
  try {
    LaunchTable::Entry& entry = table_.entry(candidate.kernel, candidate.agent,
                                             [](const report::KernelInfo*) { return report::Reason::none; });
    candidate.launch = entry.launches.fetch_add(1, std::memory_order_relaxed) + 1;
  } catch (...) {
    candidate.launch = 0;  // out of memory: the ordinal is unknown, the dispatch still is a candidate
  }
  const ReplaySubscription* subscription = registry_.replay_subscription();
  if (subscription == nullptr || !subscription->config || !registry_.is_active(subscription->context->index))
    return false;
  candidate.subscriber = subscription;
  return true;
}

SdkReplayTool::Payload SdkReplayTool::payload_of(const ReplayCall& call) const noexcept {
  Payload payload = {};
  payload.size = sizeof(Payload);
  payload.dispatch_info = call.info;
  payload.dispatch_info.size = offsetof(rocprofiler_kernel_dispatch_info_t, reserved_padding);
  return payload;
}

void SdkReplayTool::threw(ReplayCall& call, const char* where) noexcept {
  call.tool_threw = true;
  const ReplaySubscription& to = subscription_of(call);
  if (to.warned_throw.exchange(true)) return;
  try {
    registry_.tool_failed(*to.client,
                          fmt::format("its {} threw {}, at dispatch {}; that replay ends there. Further "
                                      "ones are not shown",
                                      where, thrown_text(), call.info.dispatch_id));
  } catch (...) {  // out of memory: the record says that the tool threw
  }
}

bool SdkReplayTool::deliver(ReplayCall& call, rocprofiler_kernel_replay_operation_t operation,
                            rocprofiler_callback_phase_t phase, Payload& payload,
                            rocprofiler_user_data_t& data) noexcept {
  const ReplaySubscription& to = subscription_of(call);
  if (to.client->finalized.load()) return false;
  try {
    rocprofiler_callback_tracing_record_t record = {};
    record.context_id = Registry::id_of(*to.context);
    record.thread_id = call.thread_id;
    record.correlation_id = call.correlation;
    record.correlation_id.external =
        registry_.external_correlation().top(record.context_id.handle, record.thread_id);
    record.kind = to.kind;  // the tool's own number: it compares with its own constant
    record.operation = operation;
    record.phase = phase;
    record.payload = &payload;
    const InsideScope inside(to);
    to.callback(record, &data, to.args);
    return true;
  } catch (...) {
    threw(call, operation == ROCPROFILER_KERNEL_REPLAY_CONFIG ? "CONFIG callback" : "PASS callback");
    return false;
  }
}

PassPlan SdkReplayTool::config_enter(ReplayCall& call) noexcept {
  call.plan = {};
  const ReplaySubscription& to = subscription_of(call);
  if (!registry_.enter(*to.client)) return call.plan;
  call.entered = true;
  const NoPassEnterScope scope;
  Payload payload = payload_of(call);
  if (!deliver(call, ROCPROFILER_KERNEL_REPLAY_CONFIG, ROCPROFILER_CALLBACK_PHASE_ENTER, payload,
               call.config_data))
    return call.plan;
  call.pass_count_cb = payload.replay_pass_count;
  call.continue_cb = payload.replay_continue;
  if (call.pass_count_cb == nullptr || to.client->finalized.load()) return call.plan;
  uint64_t passes = 1;
  try {
    const InsideScope inside(to);
    passes = call.pass_count_cb(payload_of(call).dispatch_info, call.config_data);
  } catch (...) {
    threw(call, "replay_pass_count");
    return call.plan;
  }
  if (passes > 1) {
    call.plan = {PassMode::fixed, passes};
  } else if (passes == 0 && call.continue_cb != nullptr) {
    call.plan = {PassMode::until_stopped, 0};
  } else if (passes == 0 && !to.warned_endless.exchange(true)) {
    log::warn(
        "tool",
        "replay_pass_count returned 0 without a replay_continue for dispatch {}: nothing would end the loop, "
        "so it runs once. Further ones are not shown",
        call.info.dispatch_id);
  }
  if (call.plan.mode != PassMode::once) call.active = registry_.active_contexts();
  return call.plan;
}

void SdkReplayTool::pass_enter(ReplayCall& call, uint64_t pass) noexcept {
  call.pass_data = call.config_data;
  if (!call.entered || !subscription_of(call).pass) return;
  const PassEnterScope scope(call, registry_);
  Payload payload = payload_of(call);
  payload.current_pass = pass;
  payload.total_passes = call.plan.mode == PassMode::fixed ? call.plan.passes : 0;
  payload.replay_start_context = local_start;
  payload.replay_stop_context = local_stop;
  deliver(call, ROCPROFILER_KERNEL_REPLAY_PASS, ROCPROFILER_CALLBACK_PHASE_ENTER, payload, call.pass_data);
}

void SdkReplayTool::pass_exit(ReplayCall& call, uint64_t pass) noexcept {
  call.pass_continue_cb = call.continue_cb;
  if (!call.entered || !subscription_of(call).pass) return;
  const NoPassEnterScope scope;
  Payload payload = payload_of(call);
  payload.current_pass = pass;
  payload.total_passes = call.plan.mode == PassMode::fixed ? call.plan.passes : 0;
  payload.replay_continue = call.continue_cb;
  if (deliver(call, ROCPROFILER_KERNEL_REPLAY_PASS, ROCPROFILER_CALLBACK_PHASE_EXIT, payload, call.pass_data))
    call.pass_continue_cb = payload.replay_continue;
}

bool SdkReplayTool::continue_after(ReplayCall& call, uint64_t pass) noexcept {
  if (call.tool_threw || !call.entered || call.plan.mode == PassMode::once) return false;
  if (subscription_of(call).client->finalized.load()) return false;
  const bool fixed = call.plan.mode == PassMode::fixed;
  if (fixed && pass + 1 >= call.plan.passes) return false;  // K9: never extends a fixed loop
  if (call.pass_continue_cb == nullptr) return true;        // K12
  const NoPassEnterScope scope;
  try {
    const InsideScope inside(subscription_of(call));
    return call.pass_continue_cb(payload_of(call).dispatch_info, pass, fixed ? call.plan.passes : 0,
                                 call.pass_data) != 0;
  } catch (...) {
    threw(call, "replay_continue");
    return false;
  }
}

void SdkReplayTool::config_exit(ReplayCall& call) noexcept {
  if (!call.entered) return;
  call.entered = false;
  {
    const NoPassEnterScope scope;
    Payload payload = payload_of(call);
    payload.replay_pass_count = call.pass_count_cb;
    payload.replay_continue = call.continue_cb;
    rocprofiler_user_data_t data = call.config_data;
    deliver(call, ROCPROFILER_KERNEL_REPLAY_CONFIG, ROCPROFILER_CALLBACK_PHASE_EXIT, payload, data);
  }
  registry_.leave(*subscription_of(call).client);
}

}  // namespace kreplay::tool_api
