#include "replay/replayer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "base/check.hpp"
#include "base/log.hpp"
#include "base/mutex.hpp"
#include "device/pools.hpp"

namespace kreplay::replay {
namespace {

snapshot::SnapshotLimits limits_of(const Options& options) {
  using Tier = Options::Tier;
  snapshot::SnapshotLimits limits;
  limits.tier = options.tier == Tier::host     ? snapshot::SnapshotTier::host
                : options.tier == Tier::shadow ? snapshot::SnapshotTier::shadow
                                               : snapshot::SnapshotTier::automatic;
  limits.host_bytes = options.host_bytes;
  limits.device_bytes = options.vram_bytes;
  limits.copy_timeout_ns = options.drain_timeout_ns;
  return limits;
}

constexpr uint64_t kGateSliceNs = 1'000'000'000;
/// How long exit and shut down wait for windows of other threads; what a window restores is bounded by
/// itself.
constexpr uint64_t kSettleNs = 10'000'000'000;

uint64_t timestamp_frequency(const hsa::HsaApi& api) {
  uint64_t value = 0;
  if (api.hsa_system_get_info == nullptr ||
      api.hsa_system_get_info(HSA_SYSTEM_INFO_TIMESTAMP_FREQUENCY, &value) != HSA_STATUS_SUCCESS)
    return 0;
  return value;
}

}  // namespace

Replayer::Replayer(const hsa::HsaApi& api, report::OutcomeSink& sink, const Options& options, ToolSource tool,
                   AgentIdOf agent_id_of)
    : core_(std::make_unique<Core>(api, sink, options, timestamp_frequency(api))),
      agent_id_of_(agent_id_of),
      memory_(*core_, agents_),
      dispatcher_(*core_, tool) {
  core_->windows.set_agents(agents_);
  code_objects_ = std::make_unique<CodeObjects>(api, core_->kernels, core_->extents, agents_);
  core_->copies.set_while_waiting([this](uint64_t handle) { return wait_at_fence(handle); },
                                  std::min(kGateSliceNs, options.drain_timeout_ns));
}
Replayer::~Replayer() = default;

/// A copy that waits for a window of `handle`'s agent. @return whether it must go on in spite of it
bool Replayer::wait_at_fence(uint64_t handle) {
  Agent* agent = find_agent(handle);
  if (agent == nullptr) return false;
  if (t_state.window != nullptr) return core_->windows.wait_over(*agent) != nullptr;
  core_->windows.break_stuck(*agent);
  return false;
}

void Replayer::continue_ids(const Replayer& before) {
  KR_CHECK(before.core_->closed.load() && agents_.empty(), "ids go on where a closed replayer ended");
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
  std::vector<hsa_agent_t> gpus, others;
  for (const hsa_agent_t agent : found) {
    const std::optional<hsa_device_type_t> type = device::type_of(api, agent);
    if (!type)  // taken for a CPU, a GPU's memory would never be saved
      return Status(Error::runtime,
                    fmt::format("the runtime does not tell the type of agent 0x{:x}", agent.handle));
    (*type == HSA_DEVICE_TYPE_GPU ? gpus : others).push_back(agent);
  }
  // CPU agents first: a GPU's region list repeats their memory.
  for (const bool gpu : {false, true})
    for (const hsa_agent_t agent : gpu ? gpus : others) {
      if (!memory_.add_agent(agent, gpu))
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
      info.memory_bytes = memory_.device_bytes(agent);
      if (agent_id_of_ != nullptr) info.tool_id = agent_id_of_(info.node);
      agents_.push_back(std::make_unique<Agent>(api, std::move(info)));
      agents_.back()->window.memory =
          std::make_unique<SavedMemory>(api, *agents_.back(), core_->extents, limits_of(core_->options));
    }
  for (size_t i = 0; i < agents_.size(); ++i)
    KR_CHECK(agents_[i]->info().index == i, "a bit of an agent set is the agent's place in the list");
  if (agents_.size() > kMostAgents)
    mark_bypassed(0, "start",
                  fmt::format("the process has {} GPU agents, {} at the most can be told apart",
                              agents_.size(), kMostAgents));
  return {};
}

void Replayer::settle(bool for_good) {
  core_->windows.settle(std::min(kSettleNs, core_->options.drain_timeout_ns), for_good);
}

void Replayer::release_runtime_objects() {
  KR_CHECK_UNLOCKED();
  settle(false);
  for (const auto& agent : agents_) {
    AgentWindow& window = agent->window;
    window.memory->release();
    if (window.cache_flush) window.cache_flush->release();
    if (window.drain) window.drain->release();
    for (hsa_signal_t* signal : {&window.pass_signal, &window.drain_signal})
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
  queue.carriers_seen.store(queue.ring.write_index(), std::memory_order_relaxed);
  core_->queues.add(queue);
  queue.agent().add_queue(queue);
}

bool Replayer::take_queue(Queue& queue, const std::function<void()>& destroy) {
  KR_CHECK_UNLOCKED();
  core_->copies.absorb();
  core_->queues.remove(queue);
  if (queue.agent().remove_queue(queue)) return false;
  // A window had it on its list. If that window ended meanwhile, nothing looks at the queue any more.
  return core_->windows.defer(agent_bit(queue.agent().info().index), destroy);
}

void Replayer::mark_bypassed(uint64_t agent, const char* area, const std::string& why) {
  bool fresh = false;
  for (const auto& each : agents_)
    if (agent == 0 || each->handle().handle == agent)
      if (!each->bypassed.exchange(true, std::memory_order_relaxed)) fresh = true;
  if (fresh) log::warn(area, "{}; its dispatches will run once and be reported as bypassed", why);
}

}  // namespace kreplay::replay
