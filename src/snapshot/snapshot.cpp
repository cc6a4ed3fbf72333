#include "snapshot/snapshot.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/check.hpp"
#include "base/clock.hpp"
#include "hsa/status_text.hpp"
#include "snapshot/copy_batch.hpp"
#include "snapshot/copy_plan.hpp"
#include "snapshot/staging.hpp"

namespace kreplay::snapshot {

struct AgentSnapshot::Impl {
  Impl(const hsa::HsaApi& runtime, hsa_agent_t device, ExtentTable& table, const SnapshotLimits& bounds,
       uint64_t accessor_bits)
      : api(runtime),
        agent(device),
        extents(table),
        limits(bounds),
        accessors(accessor_bits),
        staging(runtime, device),
        batch(runtime, device) {}

  const hsa::HsaApi& api;
  const hsa_agent_t agent;
  ExtentTable& extents;
  const SnapshotLimits limits;
  const uint64_t accessors;
  Staging staging;
  CopyBatch batch;
  SnapshotStats stats;

  // The plan, valid while the agent's epoch is plan_epoch. `placed` says whether pieces are.
  bool planned = false;
  bool placed = false;
  uint64_t plan_epoch = 0;
  uint64_t plan_bytes = 0;
  std::shared_ptr<const std::vector<Extent>> list;
  std::vector<Range> ranges;
  std::vector<Piece> pieces;

  bool saved = false;
  /// A copy never completed: it may touch staging at any later time, so no further snapshot is taken.
  bool poisoned = false;

  Status check_api() const;
  void plan();
  std::string agent_name() const { return fmt::format("agent {:#x}", agent.handle); }
  std::string describe(const Piece& piece) const;
  Status failure(const BatchResult& result, const std::vector<Piece>& copied, const char* what) const;
  Status second_path(const std::vector<Piece>& copied, size_t first);
};

namespace {

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
  if (planned && extents.epoch(agent.handle) == plan_epoch) return;
  planned = placed = false;
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
    const hsa_status_t status =
        api.hsa_memory_copy(reinterpret_cast<void*>(copied[i].device.value), copied[i].host, copied[i].size);
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

void AgentSnapshot::visit_saved(
    MemoryClass memory_class,
    const std::function<void(const std::byte* bytes, uint64_t size_bytes)>& visit) const {
  const Impl& s = *impl_;
  if (!s.saved || s.list == nullptr) return;
  for (const Extent& extent : *s.list) {
    if (extent.memory_class != memory_class) continue;
    const uint64_t end = extent.base.value + extent.size;
    for (const Piece& piece : s.pieces) {
      const uint64_t from = std::max(piece.device.value, extent.base.value);
      const uint64_t to = std::min(piece.device.value + piece.size, end);
      if (from < to) visit(piece.host + (from - piece.device.value), to - from);
    }
  }
}

Status AgentSnapshot::save() {
  Impl& s = *impl_;
  const uint64_t start_ns = monotonic_ns();
  KR_CHECK(!s.saved, "a snapshot is finished before the next one");
  s.stats = {};
  s.saved = false;
  if (s.poisoned) {
    return {Error::timeout,
            "an earlier copy of " + s.agent_name() + " never completed; its snapshots stay off"};
  }
  s.plan();
  if (!s.placed) {
    if (Status there = s.check_api(); !there) return there;
    if (Status placed = s.staging.place(s.ranges, s.limits.host_bytes, &s.pieces); !placed) return placed;
    s.placed = true;
  }
  const uint64_t before = s.batch.copies_submitted();
  const BatchResult result = s.batch.run(Direction::to_host, s.pieces, s.staging.host_agent(),
                                         s.limits.copy_timeout_ns, s.limits.settle_ns);
  s.stats.copies = s.batch.copies_submitted() - before;
  if (result.end != BatchResult::End::done) {
    Status status = s.failure(result, s.pieces, "save");
    if (result.end == BatchResult::End::stuck) s.poisoned = true;
    if (result.end == BatchResult::End::stuck || result.end == BatchResult::End::failed) {
      s.staging.abandon();
      s.placed = false;
    }
    return status;
  }
  KR_CHECK(s.placed && s.planned, "what was saved has its place");
  s.saved = true;
  s.stats.extents = s.list->size();
  s.stats.bytes_saved = s.plan_bytes;
  s.stats.save_ns = monotonic_ns() - start_ns;
  return {};
}

Status AgentSnapshot::restore() {
  Impl& s = *impl_;
  if (!s.saved) return {Error::internal, "restore without a saved snapshot of " + s.agent_name()};
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
  const BatchResult result = s.batch.run(Direction::to_device, *pieces, s.staging.host_agent(),
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
  for (const Piece& piece : *pieces) s.stats.bytes_restored += piece.size;
  s.stats.restore_ns += monotonic_ns() - start_ns;
  return {};
}

void AgentSnapshot::finish() { impl_->saved = false; }

void AgentSnapshot::release() {
  Impl& s = *impl_;
  s.saved = false;
  s.planned = s.placed = false;
  s.list = nullptr;
  if (s.poisoned) s.staging.abandon();
  s.staging.release();
  s.batch.release();
}

const SnapshotStats& AgentSnapshot::stats() const { return impl_->stats; }

}  // namespace kreplay::snapshot
