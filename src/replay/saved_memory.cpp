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

Status SavedMemory::save(const std::vector<Agent*>& members) {
  saved_.clear();
  const uint64_t me = agent_bit(agent_.info().index);
  for (const Agent* member : members) {
    AgentSnapshot* snapshot = &own_;
    if (member != &agent_) {
      if ((extents_.accessors_of(member->handle().handle) & me) == 0) continue;
      auto& other = others_[member->handle().handle];
      if (other == nullptr)
        other = std::make_unique<AgentSnapshot>(api_, member->handle(), extents_, limits_, me);
      snapshot = other.get();
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
  for (AgentSnapshot* snapshot : saved_)
    if (Status restored = snapshot->restore(); !restored) return restored;
  return {};
}

void SavedMemory::visit_saved(
    snapshot::MemoryClass memory_class,
    const std::function<void(const std::byte* bytes, uint64_t size_bytes)>& visit) const {
  own_.visit_saved(memory_class, visit);
}

void SavedMemory::finish() {
  for (AgentSnapshot* snapshot : saved_) snapshot->finish();
}

void SavedMemory::release() {
  own_.release();
  for (const auto& [agent, snapshot] : others_) snapshot->release();
}

snapshot::SnapshotStats SavedMemory::stats() const {
  snapshot::SnapshotStats sum;
  for (const AgentSnapshot* snapshot : saved_) {
    const snapshot::SnapshotStats& one = snapshot->stats();
    sum.extents += one.extents;
    sum.bytes_saved += one.bytes_saved;
    sum.bytes_restored += one.bytes_restored;
    sum.copies += one.copies;
    sum.save_ns += one.save_ns;
    sum.restore_ns += one.restore_ns;
  }
  return sum;
}

}  // namespace kreplay::replay
