#include "snapshot/extent.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <map>
#include <mutex>
#include <utility>

#include "base/check.hpp"
#include "base/mutex.hpp"
#include "snapshot/extent_index.hpp"

namespace kreplay::snapshot {

const char* name_of(MemoryClass c) {
  switch (c) {
    case MemoryClass::device_coarse:
      return "device_coarse";
    case MemoryClass::device_fine:
      return "device_fine";
    case MemoryClass::device_executable:
      return "device_executable";
    case MemoryClass::code_segment:
      return "code_segment";
    case MemoryClass::host_coarse:
      return "host_coarse";
    case MemoryClass::host_fine:
      return "host_fine";
    case MemoryClass::host_kernarg:
      return "host_kernarg";
    case MemoryClass::host_locked:
      return "host_locked";
    case MemoryClass::device_shared:
      return "device_shared";
    case MemoryClass::managed:
      return "managed";
    case MemoryClass::ipc_import:
      return "ipc_import";
    case MemoryClass::signal:
      return "signal";
  }
  return "unknown";
}

namespace {

using List = std::vector<Extent>;

struct Change {
  Extent extent;
  bool added = false;
};

/// Memory of lists nobody holds any more. Touching fresh pages costs far more than filling a list of this
/// size again, so the last one given back is kept. Owned by its users, as a list may outlive the table.
class ListPool {
 public:
  std::unique_ptr<List> get() {
    const std::lock_guard lock(mutex_);
    return spare_ != nullptr ? std::move(spare_) : std::make_unique<List>();
  }
  void put(std::unique_ptr<List> list) {
    const std::lock_guard lock(mutex_);
    spare_ = std::move(list);
  }
  static std::shared_ptr<const List> share(std::unique_ptr<List> list,
                                           const std::shared_ptr<ListPool>& pool) {
    return {list.release(), [pool](List* gone) { pool->put(std::unique_ptr<List>(gone)); }};
  }

 private:
  Mutex mutex_;
  std::unique_ptr<List> spare_;
};

/// One per agent seen, prepended to a list that only grows, so that epoch() needs no lock.
struct Agent {
  explicit Agent(uint64_t agent_handle) : handle(agent_handle) {}
  const uint64_t handle;
  std::atomic<uint64_t> epoch{1};
  Agent* next = nullptr;

  /// Union of the accessors of its live extents. Written under the table's mutex.
  std::atomic<uint64_t> accessors{0};
  std::array<uint32_t, 64> extents_by_accessor = {};  ///< guarded by the table's mutex

  // Guarded by the table's mutex. `tracking` starts with the first list: without one there is nothing to
  // apply changes to, and a process that replays nothing must not collect them.
  bool tracking = false;
  size_t live = 0;
  std::vector<Change> changes;

  // Guarded by list_mutex, which is taken before the table's mutex.
  Mutex list_mutex;
  std::shared_ptr<const List> list;
  const std::shared_ptr<ListPool> pool = std::make_shared<ListPool>();
  uint64_t list_epoch = 0;
};

/// `base` with the changes applied, the last change of an address winning, into `merged`.
void apply(const List& base, std::vector<Change>& changes, List& merged) {
  std::stable_sort(changes.begin(), changes.end(),
                   [](const Change& a, const Change& b) { return a.extent.base < b.extent.base; });
  merged.clear();
  merged.reserve(base.size() + changes.size());
  auto old = base.begin();
  for (size_t i = 0; i < changes.size(); ++i) {
    const GpuVa at = changes[i].extent.base;
    if (i + 1 < changes.size() && changes[i + 1].extent.base == at) continue;
    while (old != base.end() && old->base < at) merged.push_back(*old++);
    if (old != base.end() && old->base == at) ++old;
    if (changes[i].added) merged.push_back(changes[i].extent);
  }
  merged.insert(merged.end(), old, base.end());
}

}  // namespace

struct ExtentTable::Impl {
  ExtentIndex index;
  std::atomic<Agent*> agents{nullptr};
  std::atomic<size_t> count{0};
  std::atomic<size_t> with_accessors{0};  ///< live extents that others may access
  std::atomic<uint64_t> low{UINT64_MAX}, high{0};
  std::atomic<uint64_t> host_data_bytes{0}, kernarg_bytes{0};

  mutable Mutex mutex;  ///< writers of index, agents, uses; readers that lost too many races
  uint64_t last_generation = 0;
  std::map<GpuVa, unsigned> extra_uses;  ///< registrations on top of the first, by base

  ~Impl() {
    for (Agent* agent = agents.load(std::memory_order_acquire); agent != nullptr;)
      delete std::exchange(agent, agent->next);
  }

  Agent* find_agent(uint64_t handle) const {
    for (Agent* agent = agents.load(std::memory_order_acquire); agent != nullptr; agent = agent->next)
      if (agent->handle == handle) return agent;
    return nullptr;
  }

  Agent& agent_of(uint64_t handle) {  // under mutex
    if (Agent* known = find_agent(handle)) return *known;
    auto* agent = new Agent(handle);
    agent->next = agents.load(std::memory_order_relaxed);
    agents.store(agent, std::memory_order_release);
    return *agent;
  }

  // Under mutex. Whatever may fail comes first: a failed allocation changes neither index nor epoch.
  void add(const Extent& extent) {
    KR_CHECK(extent.generation != 0 && extent.generation <= last_generation, "generations are the table's");
    KR_CHECK(extent.accessors == 0 || extent.agent != 0, "only device memory has accessors");
    Agent* agent = prepare(extent);
    Agent* reached = extent.accessors == 0 ? nullptr : &agent_of(extent.agent);
    // Before the extent can be found: who finds it by an address has not been turned away by the bounds.
    low.store(std::min(low.load(std::memory_order_relaxed), extent.base.value), std::memory_order_release);
    high.store(std::max(high.load(std::memory_order_relaxed), extent.end().value), std::memory_order_release);
    index.insert(extent);
    count.fetch_add(1, std::memory_order_relaxed);
    if (std::atomic<uint64_t>* sum = sum_of(extent.memory_class))
      sum->fetch_add(extent.size, std::memory_order_relaxed);
    if (reached != nullptr) count_accessors(*reached, extent.accessors, +1);
    if (agent != nullptr) note(*agent, {extent, true});
  }
  void remove(const Extent& extent) {
    Agent* agent = prepare(extent);
    const bool known = index.erase(extent.base);
    KR_CHECK(known, "what leaves the table was in it");
    extra_uses.erase(extent.base);
    KR_CHECK(count.load(std::memory_order_relaxed) > 0, "only a known extent is removed");
    count.fetch_sub(1, std::memory_order_relaxed);
    if (extent.accessors != 0)
      if (Agent* reached = find_agent(extent.agent); KR_HOLDS(reached != nullptr, "accessors have an owner"))
        count_accessors(*reached, extent.accessors, -1);
    if (std::atomic<uint64_t>* sum = sum_of(extent.memory_class)) {
      const uint64_t before = sum->fetch_sub(extent.size, std::memory_order_relaxed);
      KR_CHECK(before >= extent.size, "bytes of host memory are counted");
    }
    if (agent != nullptr) note(*agent, {extent, false});
  }
  void count_accessors(Agent& agent, uint64_t accessors, int change) {
    uint64_t all = agent.accessors.load(std::memory_order_relaxed);
    for (uint64_t left = accessors; left != 0; left &= left - 1) {
      const auto bit = static_cast<size_t>(std::countr_zero(left));
      KR_CHECK(change > 0 || agent.extents_by_accessor[bit] > 0,
               "accessors of an agent's extents are counted");
      const uint32_t now = agent.extents_by_accessor[bit] += static_cast<uint32_t>(change);
      all = now == 0 ? all & ~(uint64_t{1} << bit) : all | (uint64_t{1} << bit);
    }
    agent.accessors.store(all, std::memory_order_seq_cst);
    const size_t others = with_accessors.fetch_add(static_cast<size_t>(change), std::memory_order_seq_cst);
    KR_CHECK(change > 0 || others > 0, "extents with accessors are counted");
  }

  std::atomic<uint64_t>* sum_of(MemoryClass c) {
    if (is_host_data(c)) return &host_data_bytes;
    return c == MemoryClass::host_kernarg ? &kernarg_bytes : nullptr;
  }

  /// The agent whose saved set is about to change, with room for one more change; null for other classes.
  Agent* prepare(const Extent& extent) {
    if (!saved_by_default(extent.memory_class)) return nullptr;
    Agent& agent = agent_of(extent.agent);
    if (!agent.tracking) return &agent;
    if (agent.changes.size() > std::max<size_t>(4096, agent.live)) {
      agent.tracking = false;  // nobody asks for lists; the next one is built afresh
      agent.changes = {};
    } else if (agent.changes.size() == agent.changes.capacity()) {
      agent.changes.reserve(std::max<size_t>(64, 2 * agent.changes.size()));
    }
    return &agent;
  }
  static void note(Agent& agent, const Change& change) {
    if (agent.tracking) agent.changes.push_back(change);
    KR_CHECK(change.added || agent.live > 0, "saved extents of an agent are counted");
    if (change.added)
      ++agent.live;
    else
      --agent.live;
    agent.epoch.fetch_add(1, std::memory_order_acq_rel);
  }

  /// Readers: without the lock, with it if writers keep interfering.
  bool floor(GpuVa va, Extent* out) const {
    ExtentIndex::Lookup result = index.floor(va, out);
    if (result == ExtentIndex::Lookup::raced) {
      const std::lock_guard lock(mutex);
      result = index.floor(va, out);
    }
    return result == ExtentIndex::Lookup::found;
  }
  bool floor_locked(GpuVa va, Extent* out) const {
    return index.floor(va, out) == ExtentIndex::Lookup::found;
  }

  /// Same place, other facts. Who looks without the lock never sees fewer accessors than before and after.
  void replace(const Extent& before, const Extent& after) {
    KR_CHECK(before.base == after.base && before.size == after.size && before.generation == after.generation,
             "facts change, the extent stays");
    const auto uses = extra_uses.find(before.base);
    const unsigned extra = uses == extra_uses.end() ? 0 : uses->second;
    const uint64_t either = before.accessors | after.accessors;
    if (either != 0) count_accessors(agent_of(after.agent), either, +1);
    remove(before);
    add(after);
    if (either != 0) count_accessors(agent_of(after.agent), either, -1);
    if (extra != 0) extra_uses[before.base] = extra;
  }

  void insert_locked(const Extent& extent) {
    Extent known;
    while (floor_locked(extent.base + (extent.size - 1), &known) &&
           known.base + (known.size - 1) >= extent.base) {
      remove(known);
    }
    add(extent);
  }
};

ExtentTable::ExtentTable() : impl_(std::make_unique<Impl>()) {}
ExtentTable::~ExtentTable() = default;

uint64_t ExtentTable::insert(Extent extent) {
  const std::lock_guard lock(impl_->mutex);
  extent.generation = ++impl_->last_generation;
  if (extent.size == 0 || extent.size - 1 > UINT64_MAX - extent.base.value) return extent.generation;
  if (extent.memory_class == MemoryClass::host_locked) {
    Extent known;
    const bool inside = impl_->floor_locked(extent.base, &known) && known.contains(extent.base) &&
                        known.contains(extent.base + (extent.size - 1));
    if (inside) {
      if (known.base == extent.base) ++impl_->extra_uses[known.base];
      return known.generation;
    }
  }
  impl_->insert_locked(extent);
  return extent.generation;
}

std::optional<Extent> ExtentTable::take(GpuVa base) {
  const std::lock_guard lock(impl_->mutex);
  Extent known;
  if (!impl_->floor_locked(base, &known) || known.base != base) return std::nullopt;
  impl_->remove(known);
  return known;
}

void ExtentTable::put_back(const Extent& extent) {
  const std::lock_guard lock(impl_->mutex);
  impl_->insert_locked(extent);
}

std::optional<Extent> ExtentTable::take_registration(GpuVa base) {
  const std::lock_guard lock(impl_->mutex);
  Extent known;
  if (!impl_->floor_locked(base, &known) || known.base != base) return std::nullopt;
  if (const auto uses = impl_->extra_uses.find(base); uses != impl_->extra_uses.end()) {
    KR_CHECK(uses->second > 0, "a registration is counted until it ends");
    if (--uses->second == 0) impl_->extra_uses.erase(uses);
    return known;
  }
  if (known.memory_class != MemoryClass::host_locked) return std::nullopt;
  impl_->remove(known);
  return known;
}

void ExtentTable::put_back_registration(const Extent& extent) {
  const std::lock_guard lock(impl_->mutex);
  Extent known;
  if (impl_->floor_locked(extent.base, &known) && known.base == extent.base &&
      known.generation == extent.generation) {
    ++impl_->extra_uses[extent.base];
    return;
  }
  if (extent.memory_class == MemoryClass::host_locked) impl_->insert_locked(extent);
}

std::optional<Extent> ExtentTable::set_accessors(GpuVa va, uint64_t accessors) {
  const std::lock_guard lock(impl_->mutex);
  Extent known;
  if (!impl_->floor_locked(va, &known) || !known.contains(va)) return std::nullopt;
  if (known.accessors == accessors) return known;
  Extent changed = known;
  changed.accessors = accessors;
  impl_->replace(known, changed);
  return known;
}

uint64_t ExtentTable::accessors_of(uint64_t agent) const {
  const Agent* known = impl_->find_agent(agent);
  return known == nullptr ? 0 : known->accessors.load(std::memory_order_seq_cst);
}

bool ExtentTable::any_accessors() const { return impl_->with_accessors.load(std::memory_order_seq_cst) != 0; }

bool ExtentTable::reclassify(GpuVa base, uint64_t generation, MemoryClass memory_class) {
  const std::lock_guard lock(impl_->mutex);
  Extent known;
  if (!impl_->floor_locked(base, &known) || known.base != base || known.generation != generation)
    return false;
  Extent changed = known;
  changed.memory_class = memory_class;
  impl_->replace(known, changed);
  return true;
}

std::optional<Extent> ExtentTable::find(GpuVa va) const {
  Extent known;
  if (!impl_->floor(va, &known) || !known.contains(va)) return std::nullopt;
  return known;
}

Neighbours ExtentTable::around(GpuVa va) const {
  Neighbours out;
  if (impl_->index.around(va, &out) == ExtentIndex::Lookup::raced) {
    const std::lock_guard lock(impl_->mutex);
    (void)impl_->index.around(va, &out);
  }
  return out;
}

ExtentTable::Bounds ExtentTable::bounds() const {
  return {impl_->low.load(std::memory_order_acquire), impl_->high.load(std::memory_order_acquire)};
}

uint64_t ExtentTable::host_data_bytes() const {
  return impl_->host_data_bytes.load(std::memory_order_relaxed);
}
uint64_t ExtentTable::kernarg_bytes() const { return impl_->kernarg_bytes.load(std::memory_order_relaxed); }

uint64_t ExtentTable::epoch(uint64_t agent) const {
  const Agent* known = impl_->find_agent(agent);
  return known == nullptr ? 0 : known->epoch.load(std::memory_order_acquire);
}

std::shared_ptr<const std::vector<Extent>> ExtentTable::saved_list(uint64_t agent, uint64_t* epoch) const {
  Agent* known = impl_->find_agent(agent);
  if (known == nullptr) {
    if (epoch != nullptr) *epoch = 0;
    return std::make_shared<const List>();
  }
  const std::lock_guard list_lock(known->list_mutex);
  if (known->list != nullptr && known->list_epoch == known->epoch.load(std::memory_order_acquire)) {
    if (epoch != nullptr) *epoch = known->list_epoch;
    return known->list;
  }
  std::vector<Change> changes;
  std::unique_ptr<List> fresh = known->pool->get();
  bool rebuild = false;
  uint64_t now = 0;
  size_t live = 0;
  {
    const std::lock_guard lock(impl_->mutex);
    now = known->epoch.load(std::memory_order_relaxed);
    live = known->live;
    KR_CHECK(now >= known->list_epoch, "epochs only rise");
    rebuild = !known->tracking || known->list == nullptr;
    if (rebuild) {
      fresh->clear();
      fresh->reserve(known->live);
      impl_->index.each([&](const Extent& extent) {
        if (extent.agent == agent && saved_by_default(extent.memory_class)) fresh->push_back(extent);
      });
      known->changes.clear();
      known->tracking = true;
    } else {
      changes.swap(known->changes);
    }
  }
  const auto old = std::exchange(known->list, nullptr);  // a failure here leads to a fresh build
  if (!rebuild) apply(*old, changes, *fresh);
  KR_CHECK(fresh->size() == live, "the list of saved extents is complete");
  known->list = ListPool::share(std::move(fresh), known->pool);
  known->list_epoch = now;
  if (epoch != nullptr) *epoch = now;
  return known->list;
}

std::vector<Extent> ExtentTable::saved_extents(uint64_t agent, uint64_t* epoch) const {
  return *saved_list(agent, epoch);
}

bool ExtentTable::alive(GpuVa base, uint64_t generation) const {
  Extent known;
  return impl_->floor(base, &known) && known.base == base && known.generation == generation;
}

void ExtentTable::clear() {
  const std::lock_guard lock(impl_->mutex);
  impl_->index.clear();
  impl_->extra_uses.clear();
  impl_->count.store(0, std::memory_order_relaxed);
  impl_->with_accessors.store(0, std::memory_order_seq_cst);
  impl_->low.store(UINT64_MAX, std::memory_order_release);
  impl_->high.store(0, std::memory_order_release);
  impl_->host_data_bytes.store(0, std::memory_order_relaxed);
  impl_->kernarg_bytes.store(0, std::memory_order_relaxed);
  for (Agent* agent = impl_->agents.load(std::memory_order_acquire); agent != nullptr; agent = agent->next) {
    agent->tracking = false;
    agent->changes = {};
    agent->live = 0;
    agent->accessors.store(0, std::memory_order_seq_cst);
    agent->extents_by_accessor = {};
    agent->epoch.fetch_add(1, std::memory_order_acq_rel);
  }
}

size_t ExtentTable::size() const { return impl_->count.load(std::memory_order_relaxed); }

}  // namespace kreplay::snapshot
