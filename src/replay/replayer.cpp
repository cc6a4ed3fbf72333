#include "replay/replayer.hpp"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <exception>

#include "base/clock.hpp"
#include "base/log.hpp"
#include "device/futex.hpp"
#include "device/pools.hpp"
#include "replay/arguments.hpp"
#include "replay/backtrace.hpp"
#include "replay/fatal.hpp"

namespace kreplay::replay {

using hsa::Packet;
using report::Outcome;
using report::Reason;
using tool_api::PassMode;

namespace {

constexpr uint64_t kGateSliceNs = 1'000'000'000;

uint64_t timestamp_frequency(const hsa::HsaApi& api) {
  uint64_t value = 0;
  if (api.hsa_system_get_info == nullptr ||
      api.hsa_system_get_info(HSA_SYSTEM_INFO_TIMESTAMP_FREQUENCY, &value) != HSA_STATUS_SUCCESS)
    return 0;
  return value;
}

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
      return "saving memory would exceed KREPLAY_HOST_BYTES";
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

Replayer::Replayer(const hsa::HsaApi& api, report::OutcomeSink& sink, const Options& options, ToolSource tool,
                   AgentIdOf agent_id_of)
    : core_(std::make_unique<Core>(api, sink, options, timestamp_frequency(api))),
      tool_(tool),
      agent_id_of_(agent_id_of) {
  code_objects_ = std::make_unique<CodeObjects>(api, core_->kernels, core_->extents, agents_);
  core_->copies.set_while_waiting(
      [this](uint64_t handle) {
        if (Agent* agent = find_agent(handle)) break_stuck(*agent);
      },
      gate_slice_ns());
  virtual_memory_ = std::make_unique<VirtualMemory>(core_->extents);
}
Replayer::~Replayer() = default;

void Replayer::continue_ids(const Replayer& before) {
  core_->next_dispatch = before.core_->next_dispatch.load();
  core_->next_correlation = before.core_->next_correlation.load();
  next_queue_id_ = before.next_queue_id_.load();
  core_->kernels.continue_ids(before.core_->kernels);
}

Status Replayer::start() {
  const hsa::HsaApi& api = core_->api;
  std::vector<hsa_agent_t> found;
  const hsa_status_t status = device::list_agents(api, found);
  if (status != HSA_STATUS_SUCCESS)
    return Status(Error::runtime,
                  fmt::format("hsa_iterate_agents failed with 0x{:x}", static_cast<unsigned>(status)));
  // CPU agents first: a GPU's region list repeats their memory.
  for (const bool gpu : {false, true})
    for (const hsa_agent_t agent : found) {
      if ((device::type_of(api, agent) == HSA_DEVICE_TYPE_GPU) != gpu) continue;
      if (!memory_.add_agent(api, agent, gpu))
        return Status(Error::runtime,
                      fmt::format("the memory pools of agent 0x{:x} cannot be listed", agent.handle));
      if (!gpu) continue;
      AgentInfo info;
      info.handle = agent;
      info.index = static_cast<uint32_t>(agents_.size());
      char name[64] = "";
      api.hsa_agent_get_info(agent, HSA_AGENT_INFO_NAME, name);
      info.name = std::string(name, strnlen(name, sizeof name));
      char product[64] = "";
      api.hsa_agent_get_info(agent, static_cast<hsa_agent_info_t>(HSA_AMD_AGENT_INFO_PRODUCT_NAME), product);
      info.product = std::string(product, strnlen(product, sizeof product));
      api.hsa_agent_get_info(agent, static_cast<hsa_agent_info_t>(HSA_AMD_AGENT_INFO_DRIVER_NODE_ID),
                             &info.node);
      api.hsa_agent_get_info(agent, static_cast<hsa_agent_info_t>(HSA_AMD_AGENT_INFO_COMPUTE_UNIT_COUNT),
                             &info.compute_units);
      info.memory_bytes = memory_.device_bytes(agent.handle);
      if (agent_id_of_ != nullptr) info.tool_id = agent_id_of_(info.node);
      agents_.push_back(std::make_unique<Agent>(api, std::move(info)));
    }
  return {};
}

void Replayer::release_runtime_objects() {
  for (const auto& agent : agents_) {
    if (agent->snapshot) agent->snapshot->release();
    if (agent->cache_flush) agent->cache_flush->release();
    if (agent->drain) agent->drain->release();
    for (hsa_signal_t* signal : {&agent->pass_signal, &agent->drain_signal})
      if (signal->handle != 0) {
        agent->signals.release(*signal);
        *signal = {0};
      }
    agent->signals.drop_all();
  }
  core_->copies.clear();
}

Agent* Replayer::find_agent(uint64_t handle) const {
  for (const auto& agent : agents_)
    if (agent->handle().handle == handle) return agent.get();
  return nullptr;
}

void Replayer::add_queue(Queue& queue) {
  core_->queues.add(queue);
  queue.agent().add_queue(queue);
}

bool Replayer::take_queue(Queue& queue, std::function<void()> destroy) {
  core_->queues.remove(queue);
  if (queue.agent().remove_queue(queue)) return false;
  // A window had it on its list. If that window ended meanwhile, nothing looks at the queue any more.
  return queue.agent().defer(std::move(destroy));
}

void Replayer::mark_bypassed(uint64_t agent, const char* area, const std::string& why) {
  bool fresh = false;
  for (const auto& each : agents_)
    if (agent == 0 || each->handle().handle == agent)
      if (!each->bypassed.exchange(true, std::memory_order_relaxed)) fresh = true;
  if (fresh) log::warn(area, "{}; its dispatches will run once and be reported as bypassed", why);
}

/// What is known about a dispatch before anybody decides.
struct Replayer::Described {
  hsa::DispatchFields fields;
  tool_api::ReplayCall call;
  report::DispatchRecord record;
  std::string launch_site;
};

void Replayer::describe(Described& out, Queue& queue, const Packet& packet, const Candidate& candidate) {
  const Agent& agent = queue.agent();
  out.fields = hsa::dispatch_fields(packet);
  tool_api::ReplayCall& call = out.call;
  static_cast<tool_api::Candidate&>(call) = candidate.call;
  call.thread_id = thread_id();
  rocprofiler_kernel_dispatch_info_t& info = call.info;
  info.size = offsetof(rocprofiler_kernel_dispatch_info_t, reserved_padding);
  info.agent_id.handle = agent.info().tool_id;
  info.queue_id.handle = queue.id();
  info.kernel_id = call.kernel == nullptr ? 0 : call.kernel->kernel_id;
  info.dispatch_id = core_->next_dispatch.fetch_add(1, std::memory_order_relaxed);
  info.private_segment_size = out.fields.private_segment_bytes;
  info.group_segment_size = out.fields.group_segment_bytes;
  info.workgroup_size = {out.fields.workgroup[0], out.fields.workgroup[1], out.fields.workgroup[2]};
  info.grid_size = {out.fields.grid[0], out.fields.grid[1], out.fields.grid[2]};
  call.correlation.internal = core_->next_correlation.fetch_add(1, std::memory_order_relaxed);

  report::DispatchRecord& record = out.record;
  record.dispatch_id = info.dispatch_id;
  record.kernel = call.kernel;
  record.agent_node = agent.info().node;
  record.queue_id = queue.id();
  record.thread_id = call.thread_id;
  record.correlation_id = call.correlation.internal;
  record.launch = call.launch;
  if (core_->options.backtrace) {
    out.launch_site = launch_site();
    record.launch_site = out.launch_site;
  }
  record.lds_bytes = out.fields.group_segment_bytes;
  for (int i = 0; i < 3; ++i) {
    record.grid[i] = out.fields.grid[i];
    record.workgroup[i] = out.fields.workgroup[i];
  }
}

/// Memory that others write too cannot be put back under them, and a kernel may wait there for theirs.
bool Replayer::shares_memory(const Queue& queue, const Packet& packet, const Kernel* kernel,
                             std::string& detail) const {
  using snapshot::MemoryClass;
  const uint64_t agent = queue.agent().handle().handle;
  visit_arguments(kernel, packet, core_->extents, [&](const snapshot::Extent& extent) {
    const bool shared =
        extent.memory_class == MemoryClass::ipc_import || extent.memory_class == MemoryClass::device_shared;
    if (!shared && (extent.agent == 0 || extent.agent == agent)) return true;
    detail = fmt::format("an argument points into {} at 0x{:x} ({} bytes)",
                         shared ? "memory shared with another process or device" : "memory of another GPU",
                         extent.base.value, extent.size);
    return false;
  });
  return !detail.empty();
}

report::Reason Replayer::decline_reason(const Queue& queue, const Packet& packet, const Kernel* kernel,
                                        std::string& detail) const {
  if (queue.cooperative()) return Reason::cooperative;
  if (queue.failed()) {
    detail = queue.describe_failure(core_->api);
    return Reason::queue_error;
  }
  if (queue.agent().bypassed.load(std::memory_order_relaxed)) return Reason::bypassed;
  if (kernel != nullptr && kernel->learned.load(std::memory_order_relaxed)) return Reason::learned;
  return shares_memory(queue, packet, kernel, detail) ? Reason::collective : Reason::none;
}

void Replayer::write(const report::DispatchRecord& record, Kernel* kernel) {
  try {
    if (kernel != nullptr && !kernel->announced.load(std::memory_order_relaxed) &&
        !kernel->announced.exchange(true, std::memory_order_relaxed))
      core_->sink.kernel(kernel->info);
    core_->sink.record(record);
    if (core_->progress != nullptr) core_->progress->dispatches.fetch_add(1, std::memory_order_relaxed);
  } catch (const std::exception& error) {
    log::error("report", "a record could not be kept ({})", error.what());
  }
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

bool Replayer::wants(const Queue& queue, uint64_t kernel_object, Candidate& candidate) {
  candidate.tool = tool_();
  if (candidate.tool == nullptr) return false;
  candidate.kernel = core_->kernels.find(kernel_object);
  candidate.call.kernel = candidate.kernel == nullptr ? nullptr : &candidate.kernel->info;
  candidate.call.agent = queue.agent().handle().handle;
  candidate.call.agent_index = queue.agent().info().index;
  if (candidate.tool->wants(candidate.call)) return true;
  if (candidate.call.skipped != Reason::none)
    core_->sink.count_skipped(candidate.call.kernel, candidate.call.skipped);
  return false;
}

void Replayer::account(Queue& queue, const Packet& packet, const Candidate& candidate, Reason reason) {
  Described dispatch;
  describe(dispatch, queue, packet, candidate);
  dispatch.record.outcome = Outcome::declined;
  dispatch.record.reason = reason;
  write(dispatch.record, candidate.kernel);
}

void Replayer::submit(Queue& queue, const Packet& packet, const Candidate& candidate) {
  tool_api::ReplayTool* tool = candidate.tool;
  Described dispatch;
  describe(dispatch, queue, packet, candidate);
  tool_api::ReplayCall& call = dispatch.call;
  report::DispatchRecord& record = dispatch.record;

  tool_api::PassPlan plan;
  {
    const TheirsScope theirs;
    plan = tool->config_enter(call);
  }
  record.passes_requested = plan.mode == PassMode::until_stopped ? 0 : plan.passes;
  std::string detail;
  Reason reason =
      plan.mode == PassMode::once ? Reason::none : decline_reason(queue, packet, candidate.kernel, detail);
  if (plan.mode != PassMode::once && reason == Reason::none) {
    Window window(*core_, queue, candidate.kernel);
    bool submitted = false;
    reason = window.open(packet, detail, submitted);
    if (reason == Reason::none) {
      window.run(packet, *tool, call, plan, record, detail);
      window.close();
      record.window_ns = monotonic_ns() - window.opened_ns();
      record.detail = detail;
      write(record, candidate.kernel);
      window.release();
      return;
    }
    if (!submitted) submit_once(queue, packet);
  } else {
    submit_once(queue, packet);
  }
  {
    const TheirsScope theirs;
    tool->config_exit(call);
  }
  record.outcome = plan.mode == PassMode::once ? Outcome::opted_out : Outcome::declined;
  record.reason = reason;
  record.detail = detail;
  write(record, candidate.kernel);
}

namespace {

/// What QueueProtocol::enter() asks on behalf of one packet.
struct AtGate {
  Replayer& replayer;
  Queue& queue;
  const Packet& packet;

  bool gate_open() const { return queue.agent().gate_open(); }
  bool owns_window() const { return Window::mine(queue.agent()) != nullptr; }
  bool wait_at_gate() const { return replayer.wait_at_gate(queue); }
  void parking() const { queue.parked_packet = packet; }
};

}  // namespace

void Replayer::submit_once(Queue& queue, const Packet& packet) {
  AtGate gate{*this, queue, packet};
  if (!queue.enter(gate)) return;
  // The ring cannot be full for long: the application's view of free slots already counts our packets. It can
  // be for as long as a barrier of ours sits in a queue that is held up.
  uint64_t start = 0;
  while (queue.ring.free_slots() == 0 && !queue.failed()) {
    if (start == 0) start = monotonic_ns();
    if (monotonic_ns() - start > core_->options.drain_timeout_ns)
      fatal("replay", fmt::format("queue {}: no free slot within {} ms", queue.id(),
                                  core_->options.drain_timeout_ns / 1'000'000));
    sched_yield();
  }
  queue.ring.submit(packet);
  queue.hold();
}

bool Replayer::wait_at_gate(Queue& queue) {
  Agent& agent = queue.agent();
  if (t_state.window != nullptr)
    return core_->owners.wait_over(agent, core_->options.drain_timeout_ns, core_->copies) == nullptr;
  while (!agent.wait_gate(gate_slice_ns())) break_stuck(agent);
  return true;
}

bool Replayer::break_stuck(Agent& agent) {
  return core_->owners.break_stuck(agent, core_->options.drain_timeout_ns, core_->copies);
}

uint64_t Replayer::gate_slice_ns() const { return std::min(kGateSliceNs, core_->options.drain_timeout_ns); }

void Replayer::allocated(void* address, uint64_t size_bytes, uint64_t pool_or_region, uint32_t flags) {
  const PoolInfo* pool = memory_.find(pool_or_region);
  if (pool == nullptr) return;
  snapshot::Extent extent;
  extent.base = GpuVa(address);
  extent.size = size_bytes;
  extent.agent = pool->agent;
  extent.memory_class = pool->memory_class;
  if (pool->agent != 0 && (flags & kExecutableFlag) != 0)
    extent.memory_class = snapshot::MemoryClass::device_executable;
  if (pool->agent == 0) extent.host = HostPtr(address);
  core_->extents.insert(extent);
}

std::optional<snapshot::Extent> Replayer::exported(const void* address) {
  const std::optional<snapshot::Extent> extent = core_->extents.find(GpuVa(address));
  if (!extent || extent->agent == 0) return std::nullopt;
  core_->extents.reclassify(extent->base, extent->generation, snapshot::MemoryClass::device_shared);
  return extent;
}

void Replayer::not_exported(const std::optional<snapshot::Extent>& before) {
  if (before) core_->extents.reclassify(before->base, before->generation, before->memory_class);
}

void Replayer::migrated(void* address, uint64_t pool) {
  const std::optional<snapshot::Extent> extent = core_->extents.take(GpuVa(address));
  if (extent) allocated(address, extent->size, pool, 0);
}

Replayer::Freed Replayer::freeing(void* address, const std::function<void()>& release) {
  Freed out;
  out.extent = core_->extents.take(GpuVa(address));
  if (!out.extent) return out;
  if (out.extent->agent == 0) {
    // Host memory: an open window may be comparing it (HostWrites).
    for (const auto& agent : agents_)
      if (agent->defer(release)) {
        out.deferred = true;
        break;
      }
    return out;
  }
  if (!snapshot::saved_by_default(out.extent->memory_class)) return out;
  // Taken before asking: a window that starts to cover after this no longer lists the extent.
  if (Agent* agent = find_agent(out.extent->agent)) out.deferred = agent->defer(release);
  return out;
}

bool Replayer::wait_for_deferred_frees() {
  bool waited = false;
  for (const auto& agent : agents_) {
    if (!agent->covering() || Window::mine(*agent) != nullptr) continue;
    agent->wait_gate(10 * gate_slice_ns());
    waited = true;
  }
  return waited;
}

void Replayer::shared(void* address, uint64_t size_bytes) {
  constexpr uint64_t kPageBytes = 4096;
  uint64_t begin = GpuVa(address).value / kPageBytes * kPageBytes;
  uint64_t end = (GpuVa(address).value + size_bytes + kPageBytes - 1) / kPageBytes * kPageBytes;
  // Attributes of a part say nothing about the rest: a range that reaches into known ones makes them one.
  for (const uint64_t inside : {begin, end - 1}) {
    const std::optional<snapshot::Extent> known = core_->extents.find(GpuVa(inside));
    if (!known || known->memory_class != snapshot::MemoryClass::managed) continue;
    begin = std::min(begin, known->base.value);
    end = std::max(end, known->base.value + known->size);
    if (begin == known->base.value && end == begin + known->size) return;
  }
  snapshot::Extent extent;
  extent.base = GpuVa(begin);
  extent.size = end - begin;
  extent.memory_class = snapshot::MemoryClass::managed;
  core_->extents.insert(extent);
}

void Replayer::locked(void* host_address, void* agent_address, uint64_t size_bytes) {
  snapshot::Extent extent;
  extent.base = GpuVa(agent_address);
  extent.size = size_bytes;
  extent.memory_class = snapshot::MemoryClass::host_locked;
  extent.host = HostPtr(host_address);
  core_->extents.insert(extent);
  if (host_address == agent_address) return;
  const std::lock_guard lock(locked_mutex_);
  locked_.emplace(host_address, agent_address);
}

void Replayer::forget_host(void* host_address) {
  void* agent_address = host_address;
  {
    const std::lock_guard lock(locked_mutex_);
    const auto it = locked_.find(host_address);
    if (it != locked_.end()) {
      agent_address = it->second;
      locked_.erase(it);
    }
  }
  (void)core_->extents.take(GpuVa(agent_address));
}

bool Replayer::hold_executable(const std::vector<Agent*>& agents, const std::function<void()>& release) {
  for (Agent* agent : agents) {
    if (!agent->covering()) continue;
    if (t_state.window != nullptr) {
      if (agent->defer(release)) return true;
      continue;
    }
    while (!agent->wait_gate(gate_slice_ns())) break_stuck(*agent);
  }
  return false;
}

std::optional<VirtualMemory::Backing> Replayer::backing_of_pool(uint64_t pool) const {
  const PoolInfo* info = memory_.find(pool);
  if (info == nullptr) return std::nullopt;
  return VirtualMemory::Backing{info->agent, info->memory_class};
}

bool Replayer::hold_extents(const std::vector<snapshot::Extent>& extents,
                            const std::function<void()>& release) {
  std::vector<Agent*> owners;
  for (const snapshot::Extent& extent : extents) {
    Agent* owner = extent.agent == 0 ? nullptr : find_agent(extent.agent);
    if (owner != nullptr && std::find(owners.begin(), owners.end(), owner) == owners.end())
      owners.push_back(owner);
  }
  return hold_executable(owners, release);
}

CopyFence::Agents Replayer::agents_of(const void* first, const void* second) const {
  CopyFence::Agents out;
  for (const void* address : {first, second}) {
    const std::optional<snapshot::Extent> extent = core_->extents.find(GpuVa(address));
    if (!extent || extent->agent == 0 || find_agent(extent->agent) == nullptr) continue;
    if (out.first == 0)
      out.first = extent->agent;
    else if (out.first != extent->agent)
      out.second = extent->agent;
  }
  return out;
}

}  // namespace kreplay::replay
