#include "replay/saved_memory.hpp"

#include <algorithm>

#include "base/check.hpp"
#include "replay/agent.hpp"
#include "replay/open_windows.hpp"

namespace kreplay::replay {

using snapshot::AgentSnapshot;

SavedMemory::SavedMemory(const hsa::HsaApi& api, const Agent& agent, snapshot::ExtentTable& extents,
                         const snapshot::SnapshotLimits& limits)
    : api_(api),
      agent_(agent),
      extents_(extents),
      limits_(limits),
      own_(api, agent.handle(), extents, limits) {}
SavedMemory::~SavedMemory() = default;

AgentSnapshot& SavedMemory::of_other(hsa_agent_t agent) {
  const std::lock_guard lock(others_mutex_);
  auto& other = others_[agent.handle];
  if (other == nullptr)
    other = std::make_unique<AgentSnapshot>(api_, agent, extents_, limits_, agent_bit(agent_.info().index));
  return *other;
}

std::vector<AgentSnapshot*> SavedMemory::others() const {
  const std::lock_guard lock(others_mutex_);
  std::vector<AgentSnapshot*> all;
  for (const auto& [agent, snapshot] : others_) all.push_back(snapshot.get());
  return all;
}

Status SavedMemory::save(const std::vector<Agent*>& members) {
  saved_.clear();
  const uint64_t me = agent_bit(agent_.info().index);
  for (const Agent* member : members) {
    AgentSnapshot* snapshot = &own_;
    if (member != &agent_) {
      if ((extents_.accessors_of(member->handle().handle) & me) == 0) continue;
      snapshot = &of_other(member->handle());
    }
    if (Status saved = snapshot->save(); !saved) {
      finish();
      return saved;
    }
    saved_.push_back(snapshot);
  }
  KR_CHECK(!saved_.empty() && std::find(members.begin(), members.end(), &agent_) != members.end(),
           "an agent's own memory is saved with every window of its");
  return {};
}

Status SavedMemory::restore() {
  KR_CHECK(!saved_.empty() && std::find(saved_.begin(), saved_.end(), &own_) != saved_.end(),
           "what is put back was saved, the agent's own memory with it");
  for (AgentSnapshot* snapshot : saved_)
    if (Status restored = snapshot->restore(); !restored) return restored;
  return {};
}

void SavedMemory::visit_code_segments(
    const std::function<void(const std::byte* bytes, uint64_t size_bytes)>& visit) const {
  own_.visit_code_segments(visit);
}

void SavedMemory::finish() {
  for (AgentSnapshot* snapshot : saved_) snapshot->finish();
}

void SavedMemory::release() {
  own_.release();
  for (AgentSnapshot* snapshot : others()) snapshot->release();
}

bool SavedMemory::give_way() {
  bool gave = own_.give_way();
  for (AgentSnapshot* snapshot : others()) gave |= snapshot->give_way();
  return gave;
}

uint64_t SavedMemory::shadow_bytes(hsa_agent_t agent) const {
  if (agent.handle == agent_.handle().handle) return own_.shadow_bytes();
  const std::lock_guard lock(others_mutex_);
  const auto other = others_.find(agent.handle);
  return other == others_.end() ? 0 : other->second->shadow_bytes();
}

snapshot::SnapshotStats SavedMemory::stats() const {
  snapshot::SnapshotStats sum;
  for (const AgentSnapshot* snapshot : saved_) {
    const snapshot::SnapshotStats& one = snapshot->stats();
    sum.extents += one.extents;
    sum.bytes_saved += one.bytes_saved;
    sum.bytes_restored += one.bytes_restored;
    sum.link_bytes += one.link_bytes;
    sum.device_bytes += one.device_bytes;
    sum.shadowed += one.shadowed;
    sum.copies += one.copies;
    sum.save_ns += one.save_ns;
    sum.restore_ns += one.restore_ns;
  }
  return sum;
}

}  // namespace kreplay::replay
