#include "snapshot/snapshot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <thread>

#include "base/check.hpp"
#include "base/clock.hpp"
#include "hsa/status_text.hpp"
#include "snapshot/arena.hpp"
#include "snapshot/copy_batch.hpp"
#include "snapshot/copy_plan.hpp"

namespace kreplay::snapshot {

struct AgentSnapshot::Impl {
  Impl(const hsa::HsaApi& runtime, hsa_agent_t device, ExtentTable& table, const SnapshotLimits& bounds,
       uint64_t accessor_bits)
      : api(runtime),
        agent(device),
        extents(table),
        limits(bounds),
        accessors(accessor_bits),
        shadow(runtime, device, Place::device),
        staging(runtime, device, Place::host),
        batch(runtime, device) {}

  const hsa::HsaApi& api;
  const hsa_agent_t agent;
  ExtentTable& extents;
  const SnapshotLimits limits;
  const uint64_t accessors;
  Arena shadow;
  Arena staging;
  CopyBatch batch;
  SnapshotStats stats;

  // The plan, valid while the agent's epoch is plan_epoch. `placed` says whether pieces are.
  bool planned = false;
  std::atomic<bool> placed{false};  ///< give_way() takes it back
  uint64_t plan_epoch = 0;
  uint64_t plan_bytes = 0;
  std::shared_ptr<const std::vector<Extent>> list;
  std::vector<Range> ranges;
  std::vector<Piece> pieces;

  /// Who may touch the shadow: nobody, the window's owner between save() and finish(), or a thread in
  /// give_way().
  enum class Use : uint8_t { nobody, window, giving_way };
  std::atomic<Use> use{Use::nobody};

  bool saved = false;
  /// A copy never completed: it may touch its arena at any later time, so no further snapshot is taken.
  bool poisoned = false;

  Status check_api() const;
  void plan();
  Status place();
  Status place_shadow(const std::vector<Range>& shadowed, std::vector<Range>* left);
  Status save_all();
  void count(const std::vector<Piece>& copied);
  Status take();
  /// Leaves a thread in give_way() alone.
  void let_go() {
    Use mine = Use::window;
    use.compare_exchange_strong(mine, Use::nobody, std::memory_order_release);
  }
  std::string agent_name() const { return fmt::format("agent {:#x}", agent.handle); }
  std::string describe(const Piece& piece) const;
  Status failure(const BatchResult& result, const std::vector<Piece>& copied, const char* what) const;
  Status second_path(const std::vector<Piece>& copied, size_t first);
};

namespace {

uint64_t total_bytes(const std::vector<Piece>& pieces) {
  uint64_t sum = 0;
  for (const Piece& piece : pieces) sum += piece.size;
  return sum;
}

template <typename... Functions>
bool all_there(Functions... functions) {
  return ((functions != nullptr) && ...);
}

}  // namespace

Status AgentSnapshot::Impl::check_api() const {
  if (all_there(api.hsa_iterate_agents, api.hsa_agent_get_info, api.hsa_system_get_info,
                api.hsa_signal_create, api.hsa_signal_destroy, api.hsa_signal_store_relaxed,
                api.hsa_signal_wait_scacquire, api.hsa_amd_agent_iterate_memory_pools,
                api.hsa_amd_memory_pool_get_info, api.hsa_amd_agent_memory_pool_get_info,
                api.hsa_amd_memory_pool_allocate, api.hsa_amd_memory_pool_free,
                api.hsa_amd_agents_allow_access, api.hsa_amd_memory_async_copy)) {
    return {};
  }
  return {Error::unsupported, "the runtime lacks a function that snapshots need"};
}

void AgentSnapshot::Impl::plan() {
  KR_CHECK(!saved, "the plan of a snapshot in use stays as it is");
  if (planned && extents.epoch(agent.handle) == plan_epoch) return;
  planned = false;
  placed.store(false, std::memory_order_relaxed);
  list = extents.saved_list(agent.handle, &plan_epoch);
  if (accessors != 0) {
    auto reachable = std::make_shared<std::vector<Extent>>();
    for (const Extent& extent : *list)
      if ((extent.accessors & accessors) != 0) reachable->push_back(extent);
    list = std::move(reachable);
  }
  merge_adjacent(*list, &ranges);
  plan_bytes = 0;
  for (const Range& range : ranges) plan_bytes += range.size;
  planned = true;
}

/// Code segments go to host memory, where their pointers can be read. They are small.
Status AgentSnapshot::Impl::place() {
  std::vector<Extent> read_by_host;
  std::vector<Extent> others;
  for (const Extent& extent : *list)
    (extent.memory_class == MemoryClass::code_segment ? read_by_host : others).push_back(extent);
  std::vector<Range> shadowed;
  std::vector<Range> to_host;
  merge_adjacent(others, &shadowed);
  merge_adjacent(read_by_host, &to_host);
  pieces.clear();
  if (limits.tier == SnapshotTier::host) {
    shadow.release_segments();
    merge_adjacent(*list, &to_host);
  } else if (Status there = place_shadow(shadowed, &to_host); !there) {
    return there;
  }
  if (Status there = staging.place(to_host, {limits.host_bytes, 0}, &pieces); !there) {
    shadow.release_segments();
    return there;
  }
  return {};
}

/// @param left appended to: what the shadow has no room for
Status AgentSnapshot::Impl::place_shadow(const std::vector<Range>& shadowed, std::vector<Range>* left) {
  uint64_t known_bytes = 0;
  for (const Extent& extent : *list) known_bytes += extent.size;
  const bool only = limits.tier == SnapshotTier::shadow;
  const Status there =
      shadow.place(shadowed, {limits.device_bytes, known_bytes}, &pieces, only ? nullptr : left);
  if (there || only) return there;
  left->insert(left->end(), shadowed.begin(), shadowed.end());  // an agent without a pool of its own
  return {};
}

/// Waits for a thread that frees the shadow: one call into the runtime.
Status AgentSnapshot::Impl::take() {
  const uint64_t start_ns = monotonic_ns();
  for (Use seen = Use::nobody; !use.compare_exchange_weak(seen, Use::window, std::memory_order_acquire);
       seen = Use::nobody) {
    if (seen == Use::window) return {Error::internal, "a snapshot of " + agent_name() + " is in use already"};
    if (monotonic_ns() - start_ns > limits.copy_timeout_ns)
      return {Error::timeout, "the shadow of " + agent_name() + " is being freed and does not come free"};
    std::this_thread::yield();
  }
  return {};
}

void AgentSnapshot::Impl::count(const std::vector<Piece>& copied) {
  for (const Piece& piece : copied)
    (piece.place == Place::device ? stats.device_bytes : stats.link_bytes) += piece.size;
}

/// Names the first extent of a piece and how many more it covers.
std::string AgentSnapshot::Impl::describe(const Piece& piece) const {
  const auto first = std::upper_bound(list->begin(), list->end(), piece.device,
                                      [](GpuVa va, const Extent& e) { return va < e.base + e.size; });
  size_t count = 0;
  for (auto at = first; at != list->end() && at->base < piece.device + piece.size; ++at) ++count;
  std::string text = fmt::format("{} bytes at {:#x}", piece.size, piece.device.value);
  if (count > 0) {
    text += fmt::format(" (extent {:#x}, {} bytes, {}, generation {}", first->base.value, first->size,
                        name_of(first->memory_class), first->generation);
    if (count > 1) text += fmt::format(", and {} more", count - 1);
    text += ")";
  }
  return text;
}

Status AgentSnapshot::Impl::failure(const BatchResult& result, const std::vector<Piece>& copied,
                                    const char* what) const {
  using End = BatchResult::End;
  switch (result.end) {
    case End::done:
      return {};
    case End::unusable:
      return result.error;
    case End::refused:
      return {Error::device_copy,
              fmt::format("{} of {}, {}: hsa_amd_memory_async_copy: {}", what, agent_name(),
                          describe(copied[result.index]), hsa::status_text(api, result.status))};
    case End::failed:
      return {Error::device_copy,
              fmt::format("{} of {}: one of {} asynchronous copies failed, the first being of {}", what,
                          agent_name(), copied.size(), describe(copied.front()))};
    case End::stuck:
      return {Error::timeout,
              fmt::format(
                  "{} of {}: {} of {} copies did not complete, and none did within {} ms; the last is of {}",
                  what, agent_name(), result.outstanding, copied.size(), limits.copy_timeout_ns / 1'000'000,
                  describe(copied.back()))};
  }
  return {Error::internal, "unknown end of a batch"};
}

/// Synchronous copies to the device, from piece `first` on.
Status AgentSnapshot::Impl::second_path(const std::vector<Piece>& copied, size_t first) {
  if (api.hsa_memory_copy == nullptr) return {Error::unsupported, "hsa_memory_copy is not there"};
  for (size_t i = first; i < copied.size(); ++i) {
    const hsa_status_t status = api.hsa_memory_copy(reinterpret_cast<void*>(copied[i].device.value),
                                                    copied[i].backing, copied[i].size);
    ++stats.copies;
    if (status != HSA_STATUS_SUCCESS) {
      return {Error::device_copy, fmt::format("restore of {}, {}: hsa_memory_copy: {}", agent_name(),
                                              describe(copied[i]), hsa::status_text(api, status))};
    }
  }
  return {};
}

AgentSnapshot::AgentSnapshot(const hsa::HsaApi& api, hsa_agent_t agent, ExtentTable& extents,
                             const SnapshotLimits& limits, uint64_t accessors)
    : impl_(std::make_unique<Impl>(api, agent, extents, limits, accessors)) {}

AgentSnapshot::~AgentSnapshot() = default;

uint64_t AgentSnapshot::footprint_bytes() {
  if (!impl_->saved) impl_->plan();  // the plan of a snapshot in use stays as it is
  return impl_->plan_bytes;
}

void AgentSnapshot::visit_code_segments(
    const std::function<void(const std::byte* bytes, uint64_t size_bytes)>& visit) const {
  const Impl& s = *impl_;
  if (!s.saved || s.list == nullptr) return;
  for (const Extent& extent : *s.list) {
    if (extent.memory_class != MemoryClass::code_segment) continue;
    const uint64_t end = extent.base.value + extent.size;
    for (const Piece& piece : s.pieces) {
      const uint64_t from = std::max(piece.device.value, extent.base.value);
      const uint64_t to = std::min(piece.device.value + piece.size, end);
      if (from >= to) continue;
      KR_CHECK(piece.place == Place::host, "code segments are saved where the host reads them");
      if (piece.place == Place::host) visit(piece.backing + (from - piece.device.value), to - from);
    }
  }
}

Status AgentSnapshot::save() {
  Impl& s = *impl_;
  KR_CHECK(!s.saved, "a snapshot is finished before the next one");
  if (Status taken = s.take(); !taken) return taken;
  const Status saved = s.save_all();
  if (!saved) s.let_go();
  return saved;
}

Status AgentSnapshot::Impl::save_all() {
  const uint64_t start_ns = monotonic_ns();
  stats = {};
  saved = false;
  if (poisoned)
    return {Error::timeout,
            "an earlier copy of " + agent_name() + " never completed; its snapshots stay off"};
  plan();
  if (!placed.load(std::memory_order_relaxed)) {
    if (Status there = check_api(); !there) return there;
    if (Status found = place(); !found) return found;
    // Bytes without a place would be lost with the first restore.
    if (!KR_HOLDS(total_bytes(pieces) == plan_bytes, "every byte of the plan has its place"))
      return {Error::internal, "the snapshot of " + agent_name() + " is not complete"};
    placed.store(true, std::memory_order_relaxed);
  }
  const uint64_t before = batch.copies_submitted();
  const BatchResult result =
      batch.run(Direction::save, pieces, staging.owner(), limits.copy_timeout_ns, limits.settle_ns);
  stats.copies = batch.copies_submitted() - before;
  if (result.end != BatchResult::End::done) {
    Status status = failure(result, pieces, "save");
    if (result.end == BatchResult::End::stuck) poisoned = true;
    if (result.end == BatchResult::End::stuck || result.end == BatchResult::End::failed) {
      shadow.abandon();
      staging.abandon();
      placed.store(false, std::memory_order_relaxed);
    }
    return status;
  }
  KR_CHECK(planned, "what was saved was planned");
  saved = true;
  count(pieces);
  stats.shadowed = stats.device_bytes;
  stats.extents = list->size();
  stats.bytes_saved = plan_bytes;
  stats.save_ns = monotonic_ns() - start_ns;
  return {};
}

Status AgentSnapshot::restore() {
  Impl& s = *impl_;
  if (!s.saved) return {Error::internal, "restore without a saved snapshot of " + s.agent_name()};
  KR_CHECK(!s.poisoned && s.list != nullptr, "what was saved is known and nobody else writes it");
  const uint64_t start_ns = monotonic_ns();
  const std::vector<Piece>* pieces = &s.pieces;
  std::vector<Piece> clipped;
  if (s.extents.epoch(s.agent.handle) != s.plan_epoch) {
    // The window holds frees back; this is for those that went past it.
    std::vector<Extent> live;
    for (const Extent& extent : *s.list)
      if (s.extents.alive(extent.base, extent.generation)) live.push_back(extent);
    if (live.size() != s.list->size()) {
      clipped = clip_to(s.pieces, live);
      pieces = &clipped;
    }
  }
  const uint64_t before = s.batch.copies_submitted();
  const BatchResult result = s.batch.run(Direction::restore, *pieces, s.staging.owner(),
                                         s.limits.copy_timeout_ns, s.limits.settle_ns);
  s.stats.copies += s.batch.copies_submitted() - before;
  if (result.end == BatchResult::End::stuck) {
    // Those copies may land at any later time: no other path can make the state known.
    s.poisoned = true;
    s.saved = false;
    return s.failure(result, *pieces, "restore");
  }
  if (result.end != BatchResult::End::done) {
    const size_t first = result.end == BatchResult::End::refused ? result.index : 0;
    if (const Status second = s.second_path(*pieces, first); !second) {
      s.saved = false;
      return {Error::device_copy,
              s.failure(result, *pieces, "restore").message() + "; then " + second.message()};
    }
  }
  const uint64_t restored = total_bytes(*pieces);
  KR_CHECK(pieces == &clipped ? restored < s.plan_bytes : restored == s.plan_bytes,
           "all that was saved is put back, but for what was freed");
  s.stats.bytes_restored += restored;
  s.count(*pieces);
  s.stats.restore_ns += monotonic_ns() - start_ns;
  return {};
}

void AgentSnapshot::finish() {
  impl_->saved = false;
  impl_->let_go();
}

bool AgentSnapshot::give_way() {
  Impl& s = *impl_;
  if (s.shadow.held_bytes() == 0) return false;
  auto nobody = Impl::Use::nobody;
  if (!s.use.compare_exchange_strong(nobody, Impl::Use::giving_way, std::memory_order_acquire)) return false;
  const bool had = s.shadow.capacity_bytes() != 0;
  s.placed.store(false, std::memory_order_relaxed);
  s.shadow.release_segments();
  s.use.store(Impl::Use::nobody, std::memory_order_release);
  return had;
}

uint64_t AgentSnapshot::shadow_bytes() const { return impl_->shadow.held_bytes(); }

void AgentSnapshot::release() {
  Impl& s = *impl_;
  (void)s.take();  // a window that never ended may have it; nobody else
  s.saved = false;
  s.planned = false;
  s.placed.store(false, std::memory_order_relaxed);
  s.list = nullptr;
  for (Arena* arena : {&s.shadow, &s.staging}) {
    if (s.poisoned) arena->abandon();
    arena->release();
  }
  s.batch.release();
  s.let_go();
}

const SnapshotStats& AgentSnapshot::stats() const { return impl_->stats; }

}  // namespace kreplay::snapshot
