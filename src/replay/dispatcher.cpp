#include "replay/dispatcher.hpp"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <exception>

#include "base/check.hpp"
#include "base/clock.hpp"
#include "base/log.hpp"
#include "base/mutex.hpp"
#include "replay/backtrace.hpp"
#include "replay/dispatch.hpp"
#include "replay/fatal.hpp"
#include "replay/pass_loop.hpp"
#include "replay/service_run.hpp"
#include "replay/window.hpp"

namespace kreplay::replay {

using hsa::Packet;
using report::Outcome;
using report::Reason;
using tool_api::PassMode;

namespace {

constexpr uint64_t kGateSliceNs = 1'000'000'000;

const char* explain(Reason reason) {
  switch (reason) {
    case Reason::multi_packet:
      return "it was submitted together with other packets";
    case Reason::graph:
      return "it belongs to a HIP graph launch";
    case Reason::cooperative:
      return "its queue is cooperative";
    case Reason::dependency:
      return "work ahead of it waits for something not submitted yet";
    case Reason::queue_drain:
      return "its queue did not come to rest";
    case Reason::agent_drain:
      return "its agent did not come to rest";
    case Reason::snapshot_failed:
      return "memory could not be saved";
    case Reason::budget:
      return "saving memory would exceed its limits (KREPLAY_TIER, KREPLAY_VRAM_BYTES, KREPLAY_HOST_BYTES)";
    case Reason::peer_write:
      return "another GPU may write the memory that would be put back, and cannot be held up";
    case Reason::bypassed:
      return "work reached its agent past this library";
    case Reason::reentrant:
      return "it was launched from a tool callback";
    case Reason::host_write:
      return "it writes host memory";
    case Reason::host_services:
      return "the kernel calls the host";
    case Reason::learned:
      return "this kernel did not end in time before";
    case Reason::callback_timeout:
      return "a tool callback did not return in time";
    case Reason::cache_flush:
      return "the caches cannot be flushed before each pass";
    case Reason::pass_timeout:
      return "a pass did not end in time";
    case Reason::queue_error:
      return "its queue failed";
    case Reason::collective:
      return "it works on memory of other agents or processes; time the whole exchange, or leave it out with "
             "KREPLAY_EXCLUDE";
    case Reason::unsupported_packet:
      return "its packet format is not known";
    default:
      return "see the detail in its record";
  }
}

}  // namespace

/// What is known about a dispatch before anybody decides.
struct Dispatcher::Described {
  tool_api::ReplayCall call;
  report::DispatchRecord record;
  std::string launch_site;
};

void Dispatcher::describe(Described& out, Queue& queue, const Dispatch& dispatch,
                          const Candidate& candidate) {
  const Agent& agent = queue.agent();
  const hsa::DispatchFields& fields = dispatch.fields;
  tool_api::ReplayCall& call = out.call;
  static_cast<tool_api::Candidate&>(call) = candidate.call;
  call.thread_id = thread_id();
  rocprofiler_kernel_dispatch_info_t& info = call.info;
  info.size = offsetof(rocprofiler_kernel_dispatch_info_t, reserved_padding);
  info.agent_id.handle = agent.info().tool_id;
  info.queue_id.handle = queue.id();
  info.kernel_id = call.kernel == nullptr ? 0 : call.kernel->kernel_id;
  info.dispatch_id = core_.next_dispatch.fetch_add(1, std::memory_order_relaxed);
  info.private_segment_size = fields.private_segment_bytes;
  info.group_segment_size = fields.group_segment_bytes;
  info.workgroup_size = {fields.workgroup[0], fields.workgroup[1], fields.workgroup[2]};
  info.grid_size = {fields.grid[0], fields.grid[1], fields.grid[2]};
  call.correlation.internal = core_.next_correlation.fetch_add(1, std::memory_order_relaxed);

  report::DispatchRecord& record = out.record;
  record.dispatch_id = info.dispatch_id;
  record.kernel = call.kernel;
  record.agent_node = agent.info().node;
  record.queue_id = queue.id();
  record.thread_id = call.thread_id;
  record.correlation_id = call.correlation.internal;
  record.launch = call.launch;
  if (core_.options.backtrace && candidate.tool != nullptr) {
    out.launch_site = launch_site();
    record.launch_site = out.launch_site;
  }
  record.lds_bytes = fields.group_segment_bytes;
  for (int i = 0; i < 3; ++i) {
    record.grid[i] = fields.grid[i];
    record.workgroup[i] = fields.workgroup[i];
  }
}

Reason Dispatcher::decline_reason(const Queue& queue, Dispatch& dispatch, std::string& detail) const {
  if (queue.cooperative()) return Reason::cooperative;
  if (queue.failed()) {
    detail = queue.describe_failure(core_.api);
    return Reason::queue_error;
  }
  if (queue.agent().bypassed.load(std::memory_order_relaxed)) return Reason::bypassed;
  if (dispatch.kernel != nullptr && dispatch.kernel->learned.load(std::memory_order_relaxed))
    return Reason::learned;
  dispatch.look_at_arguments(core_.extents);
  const bool signals = core_.options.host_write != Options::HostWrite::ignore;
  return dispatch.shares_memory(queue.agent().handle().handle, signals, detail);
}

void Dispatcher::write(const report::DispatchRecord& record, Kernel* kernel) {
  try {
    if (kernel != nullptr && !kernel->announced.load(std::memory_order_relaxed) &&
        !kernel->announced.exchange(true, std::memory_order_relaxed))
      core_.sink.kernel(kernel->info);
    core_.sink.record(record);
    if (core_.progress != nullptr) core_.progress->dispatches.fetch_add(1, std::memory_order_relaxed);
  } catch (const std::exception& error) {
    log::error("report", "a record could not be kept ({})", error.what());
  }
  KR_CHECK((record.outcome != Outcome::declined && record.outcome != Outcome::stopped) ||
               record.reason != Reason::none,
           "what was not replayed to the end says why");
  if (record.outcome == Outcome::opted_out || record.reason == Reason::none) return;
  const uint32_t bit = 1u << static_cast<unsigned>(record.reason);
  static_assert(static_cast<unsigned>(Reason::count) <= 32);
  if ((warned_.load(std::memory_order_relaxed) & bit) != 0 ||
      (warned_.fetch_or(bit, std::memory_order_relaxed) & bit) != 0)
    return;
  const std::string_view name =
      record.kernel == nullptr ? std::string_view("an unknown kernel") : record.kernel->demangled;
  const char* what = record.outcome == Outcome::declined  ? "runs once, not replayed"
                     : record.outcome == Outcome::stopped ? "was not replayed to the end"
                                                          : "was replayed, but not alone";
  log::warn("replay", "dispatch {} of {} {}: {}: {}{}{}; further cases are only recorded", record.dispatch_id,
            name, what, report::name_of(record.reason), explain(record.reason),
            record.detail.empty() ? "" : ": ", record.detail);
}

bool Dispatcher::wants(const Queue& queue, uint64_t kernel_object, Candidate& candidate) {
  tool_api::ReplayTool* const tool = tool_();
  const bool served = tool_api::kernel_services_listen();
  if (tool == nullptr && !served) return false;
  candidate.kernel = core_.kernels.find(kernel_object);
  candidate.call.kernel = candidate.kernel == nullptr ? nullptr : &candidate.kernel->info;
  candidate.call.agent = queue.agent().handle().handle;
  candidate.call.agent_index = queue.agent().info().index;
  if (tool != nullptr && tool->wants(candidate.call)) {
    candidate.tool = tool;
    return true;
  }
  if (candidate.call.skipped != Reason::none)
    core_.sink.count_skipped(candidate.call.kernel, candidate.call.skipped);
  return served;
}

void Dispatcher::account(Queue& queue, const Packet& packet, const Candidate& candidate, Reason reason) {
  if (candidate.tool == nullptr) return;
  Described described;
  describe(described, queue, Dispatch(packet, candidate.kernel), candidate);
  described.record.outcome = Outcome::declined;
  described.record.reason = reason;
  write(described.record, candidate.kernel);
}

void Dispatcher::submit(Queue& queue, const Packet& packet, const Candidate& candidate, Reason declined) {
  KR_CHECK(t_state.ours != 0, "what a submission calls in the runtime is our own");
  KR_CHECK(queue.held(), "a candidate is submitted by the thread that holds its queue");
  tool_api::ReplayTool* tool = candidate.tool;
  Dispatch dispatch(packet, candidate.kernel);
  Described described;
  describe(described, queue, dispatch, candidate);
  if (tool == nullptr || declined != Reason::none) {
    submit_served(queue, dispatch, described.call);
    if (tool == nullptr) return;
    described.record.outcome = Outcome::declined;
    described.record.reason = declined;
    return write(described.record, candidate.kernel);
  }
  tool_api::PassPlan plan;
  {
    const TheirsScope theirs;
    plan = tool->config_enter(described.call);
  }
  report::DispatchRecord& record = described.record;
  record.passes_requested = plan.mode == PassMode::until_stopped ? 0 : plan.passes;
  record.outcome = Outcome::opted_out;
  std::string detail;
  if (plan.mode == PassMode::once) {
    submit_served(queue, dispatch, described.call);
  } else {
    record.outcome = Outcome::declined;
    record.reason = decline_reason(queue, dispatch, detail);
    if (record.reason != Reason::none)
      submit_served(queue, dispatch, described.call);
    else if (record.reason = replay(queue, dispatch, *tool, described, plan, detail);
             record.reason == Reason::none)
      return;
  }
  {
    const TheirsScope theirs;
    tool->config_exit(described.call);
  }
  record.detail = detail;
  write(record, candidate.kernel);
}

/// @return none: replayed, CONFIG EXIT called and the record written. Else why not; it has been submitted
/// once.
Reason Dispatcher::replay(Queue& queue, Dispatch& dispatch, tool_api::ReplayTool& tool, Described& described,
                          const tool_api::PassPlan& plan, std::string& detail) {
  Window window(core_, queue, dispatch.kernel);
  bool submitted = false;
  Reason reason = window.open(dispatch.packet, detail, submitted);
  if (reason == Reason::none) {
    PassLoop passes(core_, window, dispatch);
    reason = passes.save(detail);
    if (reason == Reason::none) {
      report::DispatchRecord& record = described.record;
      passes.run(tool, described.call, plan, record, detail);
      window.close();
      record.window_ns = monotonic_ns() - window.opened_ns();
      record.detail = detail;
      write(record, dispatch.kernel);
      window.release();
      return Reason::none;
    }
    window.close();
    window.release();
  }
  if (!submitted) submit_served(queue, dispatch, described.call);
  return reason;
}

/// Submits once, with what services want around it.
void Dispatcher::submit_served(Queue& queue, Dispatch& dispatch, const tool_api::ReplayCall& call) {
  std::shared_ptr<tool_api::KernelRun> run = begin_run(core_, queue.agent(), call, nullptr);
  if (!run) return submit_once(queue, dispatch.packet);
  if (run->exclusive()) {
    if (submit_alone(queue, dispatch, call, run)) return;
    run->leave_packets_out();
  }
  Packet packet = dispatch.packet;
  if (!follow(core_, queue.agent(), packet, run))
    log::warn("services", "dispatch {}: no signal to follow it with; it has no record",
              call.info.dispatch_id);
  submit_once(queue, packet);
  const TheirsScope theirs;
  run->enqueued();
}

/// With nothing else on the agent, as counters need it. @return false: it was not submitted
bool Dispatcher::submit_alone(Queue& queue, Dispatch& dispatch, const tool_api::ReplayCall& call,
                              const std::shared_ptr<tool_api::KernelRun>& run) {
  std::string detail;
  bool submitted = false;
  Reason reason = Reason::none;
  if (queue.cooperative())
    reason = Reason::cooperative;
  else if (queue.failed())
    reason = Reason::queue_error;
  else if (queue.agent().bypassed.load(std::memory_order_relaxed))
    reason = Reason::bypassed;
  else if (dispatch.kernel != nullptr && dispatch.kernel->learned.load(std::memory_order_relaxed))
    reason = Reason::learned;
  if (reason == Reason::none) {
    Window window(core_, queue, dispatch.kernel);
    reason = window.open(dispatch.packet, detail, submitted);
    if (reason == Reason::none) {
      PassLoop(core_, window, dispatch).run_once(run, detail);
      window.close();
      window.release();
      return true;
    }
  }
  const uint32_t bit = 1u << static_cast<unsigned>(reason);
  if ((not_alone_.fetch_or(bit, std::memory_order_relaxed) & bit) == 0)
    log::warn("services", "dispatch {} runs without counters: {}: {}{}{}; further cases are not shown",
              call.info.dispatch_id, report::name_of(reason), explain(reason), detail.empty() ? "" : ": ",
              detail);
  return submitted;
}

namespace {

/// What QueueProtocol::enter() asks on behalf of one packet.
struct AtGate {
  Dispatcher& dispatcher;
  Queue& queue;
  const Packet& packet;

  bool gate_open() const { return queue.agent().gate_open(); }
  bool owns_window() const { return Window::mine(queue.agent()) != nullptr; }
  bool wait_at_gate() const { return dispatcher.wait_at_gate(queue); }
  void parking() const { queue.parked_packet = packet; }
};

}  // namespace

void Dispatcher::submit_once(Queue& queue, const Packet& packet) {
  AtGate gate{*this, queue, packet};
  if (!queue.enter(gate)) return;
  // The ring cannot be full for long: the application's view of free slots already counts our packets. It can
  // be for as long as a barrier of ours sits in a queue that is held up.
  uint64_t start = 0;
  while (queue.ring.free_slots() == 0 && !queue.failed()) {
    if (start == 0) start = monotonic_ns();
    if (monotonic_ns() - start > core_.options.drain_timeout_ns)
      fatal("replay", fmt::format("queue {}: no free slot within {} ms", queue.id(),
                                  core_.options.drain_timeout_ns / 1'000'000));
    sched_yield();
  }
  core_.watch_carriers(queue);
  queue.ring.submit(packet);
  queue.hold();
}

bool Dispatcher::wait_at_gate(Queue& queue) {
  KR_CHECK_UNLOCKED();
  Agent& agent = queue.agent();
  const uint64_t slice_ns = std::min(kGateSliceNs, core_.options.drain_timeout_ns);
  if (t_state.window != nullptr) return core_.windows.wait_over(agent) == nullptr;
  while (!agent.wait_gate(slice_ns)) core_.windows.break_stuck(agent);
  return true;
}

}  // namespace kreplay::replay
