#include "replay/tracked_memory.hpp"

#include <hsa/amd_hsa_signal.h>

#include <algorithm>

#include "base/check.hpp"
#include "base/mutex.hpp"
#include "replay/thread_state.hpp"
#include "replay/window.hpp"

namespace kreplay::replay {

using snapshot::Extent;
using snapshot::MemoryClass;

namespace {

constexpr AgentSet kEvery = ~AgentSet{0};
constexpr uint64_t kHeldSliceNs = 1'000'000'000;

}  // namespace

TrackedMemory::TrackedMemory(Core& core, const std::vector<std::unique_ptr<Agent>>& agents)
    : core_(core), agents_(agents), virtual_memory_(core.extents) {}

Agent* TrackedMemory::find_agent(uint64_t handle) const {
  for (const auto& agent : agents_)
    if (agent->handle().handle == handle) return agent.get();
  return nullptr;
}

AgentSet TrackedMemory::set_of(uint64_t handle) const {
  const Agent* agent = find_agent(handle);
  return agent == nullptr ? AgentSet{0} : agent_bit(agent->info().index);
}

void TrackedMemory::allocated(void* address, uint64_t size_bytes, uint64_t pool_or_region, uint32_t flags) {
  const PoolInfo* pool = map_.find(pool_or_region);
  if (pool == nullptr) return;
  Extent extent;
  extent.base = GpuVa(address);
  extent.size = size_bytes;
  extent.agent = pool->agent;
  extent.memory_class = pool->memory_class;
  if (pool->agent != 0 && (flags & kExecutableFlag) != 0)
    extent.memory_class = MemoryClass::device_executable;
  if (pool->agent == 0) extent.host = HostPtr(address);
  core_.extents.insert(extent);
}

TrackedMemory::Freed TrackedMemory::freeing(void* address, const std::function<void()>& release) {
  Freed out;
  // Taken before asking: a window that starts to cover after this no longer lists the extent.
  out.extent = core_.extents.take(GpuVa(address));
  if (!out.extent) return out;
  // Any window may be comparing host memory, and memory that its agent was given access to.
  const Extent& extent = *out.extent;
  if (extent.agent == 0)
    out.deferred = core_.windows.defer(kEvery, release);
  else if (snapshot::saved_by_default(extent.memory_class))
    out.deferred = core_.windows.defer(set_of(extent.agent) | extent.accessors, release);
  return out;
}

void TrackedMemory::not_freed(const Freed& freed) {
  if (freed.extent) core_.extents.put_back(*freed.extent);
}

bool TrackedMemory::make_room() {
  KR_CHECK_UNLOCKED();
  bool waited = false;
  for (const auto& agent : agents_) {
    if (Window::mine(*agent) != nullptr || !core_.windows.covering(agent_bit(agent->info().index))) continue;
    agent->wait_gate(10 * std::min(kHeldSliceNs, core_.options.drain_timeout_ns));
    waited = true;
  }
  bool gave = false;
  for (const auto& agent : agents_) gave |= agent->window.memory->give_way();
  return waited || gave;
}

uint64_t TrackedMemory::shadow_bytes(hsa_agent_t of) const {
  uint64_t bytes = 0;
  for (const auto& agent : agents_) bytes += agent->window.memory->shadow_bytes(of);
  return bytes;
}

std::optional<Extent> TrackedMemory::exported(const void* address) {
  const std::optional<Extent> extent = core_.extents.find(GpuVa(address));
  if (!extent || extent->agent == 0) return std::nullopt;
  core_.extents.reclassify(extent->base, extent->generation, MemoryClass::device_shared);
  core_.windows.wait_none(set_of(extent->agent) | extent->accessors);
  return extent;
}

void TrackedMemory::not_exported(const std::optional<Extent>& before) {
  if (before) core_.extents.reclassify(before->base, before->generation, before->memory_class);
}

void TrackedMemory::handle_exported(uint64_t handle) {
  const uint64_t owner = virtual_memory_.share(handle);
  if (owner != 0) core_.windows.wait_none(set_of(owner));
}

void TrackedMemory::migrated(void* address, uint64_t pool) {
  const std::optional<Extent> extent = core_.extents.take(GpuVa(address));
  if (extent) allocated(address, extent->size, pool, 0);
}

/// Whoever may write an agent's memory is isolated with it from now on.
void TrackedMemory::changed_access(const Extent& before, AgentSet accessors) {
  KR_CHECK(before.agent != 0, "only device memory has accessors");
  KR_CHECK((accessors & set_of(before.agent)) == 0, "an owner is none of those who were given access");
  if ((accessors & ~before.accessors) == 0) return;
  core_.windows.wait_joined(set_of(before.agent) | accessors);
}

void TrackedMemory::access_allowed(const void* address, const hsa_agent_t* agents, size_t count) {
  virtual_memory_.allowed(address, agents, count);
  const std::optional<Extent> extent = core_.extents.find(GpuVa(address));
  if (!extent || extent->agent == 0) return;
  AgentSet accessors = 0;
  for (size_t i = 0; i < count; ++i)
    if (agents[i].handle != extent->agent) accessors |= set_of(agents[i].handle);
  for (const Extent& part : virtual_memory_.run_around(address, *extent))
    if (const auto before = core_.extents.set_accessors(part.base, accessors))
      changed_access(*before, accessors);
}

void TrackedMemory::access_set(void* va, uint64_t size_bytes, const hsa_amd_memory_access_desc_t* access,
                               size_t count) {
  virtual_memory_.granted(va, size_bytes, access, count);
  for (const Extent& extent : virtual_memory_.live_in(va, size_bytes)) {
    AgentSet accessors = extent.accessors;
    for (size_t i = 0; i < count; ++i) {
      if (access[i].agent_handle.handle == extent.agent) continue;
      const AgentSet one = set_of(access[i].agent_handle.handle);
      const bool writes = (access[i].permissions & HSA_ACCESS_PERMISSION_WO) != 0;
      accessors = writes ? accessors | one : accessors & ~one;
    }
    if (const auto before = core_.extents.set_accessors(extent.base, accessors))
      changed_access(*before, accessors);
  }
}

void TrackedMemory::signal_made(hsa_signal_t signal) {
  Extent extent;
  extent.base = GpuVa(signal.handle);
  extent.size = sizeof(amd_signal_t);
  extent.memory_class = MemoryClass::signal;
  core_.extents.insert(extent);
}

std::optional<Extent> TrackedMemory::signal_ends(hsa_signal_t signal) {
  const std::optional<Extent> known = core_.extents.find(GpuVa(signal.handle));
  if (!known || known->memory_class != MemoryClass::signal) return std::nullopt;
  return core_.extents.take(known->base);
}

void TrackedMemory::shared(void* address, uint64_t size_bytes) {
  constexpr uint64_t kPageBytes = 4096;
  uint64_t begin = GpuVa(address).value / kPageBytes * kPageBytes;
  uint64_t end = (GpuVa(address).value + size_bytes + kPageBytes - 1) / kPageBytes * kPageBytes;
  // Attributes of a part say nothing about the rest: a range that reaches into known ones makes them one.
  for (const uint64_t inside : {begin, end - 1}) {
    const std::optional<Extent> known = core_.extents.find(GpuVa(inside));
    if (!known || known->memory_class != MemoryClass::managed) continue;
    begin = std::min(begin, known->base.value);
    end = std::max(end, known->base.value + known->size);
    if (begin == known->base.value && end == begin + known->size) return;
  }
  Extent extent;
  extent.base = GpuVa(begin);
  extent.size = end - begin;
  extent.memory_class = MemoryClass::managed;
  core_.extents.insert(extent);
}

void TrackedMemory::locked(void* host_address, void* agent_address, uint64_t size_bytes) {
  Extent extent;
  extent.base = GpuVa(agent_address);
  extent.size = size_bytes;
  extent.memory_class = MemoryClass::host_locked;
  extent.host = HostPtr(host_address);
  core_.extents.insert(extent);
  if (host_address == agent_address) return;
  const std::lock_guard lock(locked_mutex_);
  locked_.emplace(host_address, agent_address);
}

TrackedMemory::Unlocked TrackedMemory::unlocking(void* host_address, const std::function<void()>& release) {
  Unlocked out;
  {
    const std::lock_guard lock(locked_mutex_);
    const auto it = locked_.find(host_address);
    if (it != locked_.end()) {
      out.agent_address = it->second;
      locked_.erase(it);
    }
  }
  out.extent =
      core_.extents.take_registration(GpuVa(out.agent_address != nullptr ? out.agent_address : host_address));
  if (out.extent && out.extent->memory_class == MemoryClass::host_locked)
    out.deferred = core_.windows.defer(kEvery, release);
  return out;
}

void TrackedMemory::not_unlocked(void* host_address, const Unlocked& unlocked) {
  if (unlocked.extent) core_.extents.put_back_registration(*unlocked.extent);
  if (unlocked.agent_address == nullptr) return;
  const std::lock_guard lock(locked_mutex_);
  locked_.emplace(host_address, unlocked.agent_address);
}

bool TrackedMemory::hold(AgentSet agents, const std::function<void()>& release) {
  KR_CHECK_UNLOCKED();
  if (t_state.window != nullptr)
    return core_.windows.covering(agents) && core_.windows.defer(agents, release);
  for (const auto& agent : agents_) {
    const AgentSet one = agent_bit(agent->info().index);
    if ((agents & one) == 0 || !core_.windows.covering(one)) continue;
    while (!agent->wait_gate(std::min(kHeldSliceNs, core_.options.drain_timeout_ns)))
      core_.windows.break_stuck(*agent);
  }
  return false;
}

bool TrackedMemory::hold_executable(const std::vector<Agent*>& agents, const std::function<void()>& release) {
  AgentSet set = 0;
  for (const Agent* agent : agents) set |= agent_bit(agent->info().index);
  return hold(set, release);
}

bool TrackedMemory::hold_extents(const std::vector<Extent>& extents, const std::function<void()>& release) {
  AgentSet set = 0;
  for (const Extent& extent : extents)
    if (extent.agent != 0) set |= set_of(extent.agent) | extent.accessors;
  return hold(set, release);
}

std::optional<VirtualMemory::Backing> TrackedMemory::backing_of_pool(uint64_t pool) const {
  const PoolInfo* info = map_.find(pool);
  if (info == nullptr) return std::nullopt;
  return VirtualMemory::Backing{info->agent, info->memory_class};
}

CopyFence::Agents TrackedMemory::agents_of(const void* first, const void* second) const {
  CopyFence::Agents out;
  for (const void* address : {first, second}) {
    const std::optional<Extent> extent = core_.extents.find(GpuVa(address));
    if (!extent || extent->agent == 0 || find_agent(extent->agent) == nullptr) continue;
    if (out.first == 0)
      out.first = extent->agent;
    else if (out.first != extent->agent)
      out.second = extent->agent;
  }
  return out;
}

}  // namespace kreplay::replay
