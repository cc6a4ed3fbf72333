#include "cp/va_table.hpp"

#include <sched.h>

#include <algorithm>

namespace softgpu::cp {
namespace {

constexpr size_t kFirstCapacity = 256;
constexpr unsigned kTriesBeforeYield = 64;

}  // namespace

VaTable::VaTable() {
  arrays_.push_back(std::make_unique<Array>(kFirstCapacity));
  current_.store(arrays_.back().get(), std::memory_order_release);
}

VaTable::~VaTable() = default;

// The fields are loaded with acquire and stored with release, so a reader that saw one store of a writer also
// sees that writer's odd sequence number; no fence is needed (and thread sanitizers understand it).
gfx9::MappedRange VaTable::find(GpuVa va) const {
  for (unsigned attempt = 1;; ++attempt) {
    if (attempt % kTriesBeforeYield == 0) sched_yield();
    const uint64_t before = sequence_.load(std::memory_order_acquire);
    if ((before & 1) != 0) continue;
    const Array& array = *current_.load(std::memory_order_acquire);
    size_t low = 0;
    size_t high = std::min(array.used.load(std::memory_order_acquire), array.slots.size());
    while (low < high) {  // the first entry that begins behind va
      const size_t middle = low + (high - low) / 2;
      if (array.slots[middle].begin.load(std::memory_order_acquire) <= va.value) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    gfx9::MappedRange found;
    if (low > 0) {
      const Entry& entry = array.slots[low - 1];
      found = {entry.begin.load(std::memory_order_acquire), entry.end.load(std::memory_order_acquire),
               entry.host.load(std::memory_order_acquire), entry.writable.load(std::memory_order_acquire)};
    }
    if (sequence_.load(std::memory_order_relaxed) != before) continue;
    return found.holds(va.value, 1) ? found : gfx9::MappedRange{};
  }
}

size_t VaTable::map(GpuVa va, uint64_t size_bytes, HostPtr host, bool writable) {
  if (size_bytes == 0) return 0;
  const std::lock_guard lock(write_mutex_);
  const uint64_t begin = va.value;
  const uint64_t end = begin + size_bytes;
  std::vector<gfx9::MappedRange> kept;
  kept.reserve(ranges_.size() + 1);
  size_t overlapped = 0;
  bool placed = false;
  for (const gfx9::MappedRange& range : ranges_) {
    if (range.begin < end && begin < range.end) {
      ++overlapped;
      continue;
    }
    if (!placed && range.begin >= end) {
      kept.push_back({begin, end, host.value, writable});
      placed = true;
    }
    kept.push_back(range);
  }
  if (!placed) kept.push_back({begin, end, host.value, writable});
  publish(kept);
  ranges_ = std::move(kept);
  if (overlapped != 0) generation_.fetch_add(1, std::memory_order_acq_rel);
  return overlapped;
}

void VaTable::put(GpuVa va, uint64_t size_bytes, HostPtr host, bool writable) {
  if (size_bytes == 0) return;
  const std::lock_guard lock(write_mutex_);
  const uint64_t begin = va.value;
  const uint64_t end = begin + size_bytes;
  std::vector<gfx9::MappedRange> kept;
  kept.reserve(ranges_.size() + 2);
  bool overlapped = false;
  for (const gfx9::MappedRange& range : ranges_) {
    if (range.end <= begin || end <= range.begin) {
      kept.push_back(range);
      continue;
    }
    overlapped = true;
    if (range.begin < begin) kept.push_back({range.begin, begin, range.host, range.writable});
    if (range.end > end) kept.push_back({end, range.end, range.host + (end - range.begin), range.writable});
  }
  if (!overlapped && host.value == nullptr) return;
  if (host.value != nullptr) {
    const auto behind = std::find_if(kept.begin(), kept.end(),
                                     [end](const gfx9::MappedRange& range) { return range.begin >= end; });
    kept.insert(behind, {begin, end, host.value, writable});
  }
  publish(kept);
  ranges_ = std::move(kept);
  if (overlapped) generation_.fetch_add(1, std::memory_order_acq_rel);
}

bool VaTable::unmap(GpuVa va, HostPtr host) {
  const std::lock_guard lock(write_mutex_);
  const auto at =
      std::lower_bound(ranges_.begin(), ranges_.end(), va.value,
                       [](const gfx9::MappedRange& r, uint64_t value) { return r.begin < value; });
  if (at == ranges_.end() || at->begin != va.value || at->host != host.value) return false;
  ranges_.erase(at);
  publish(ranges_);
  generation_.fetch_add(1, std::memory_order_acq_rel);
  return true;
}

size_t VaTable::size() const {
  const std::lock_guard lock(write_mutex_);
  return ranges_.size();
}

void VaTable::publish(const std::vector<gfx9::MappedRange>& ranges) {
  Array* array = arrays_.back().get();
  const bool grow = ranges.size() > array->slots.size();
  if (grow) {
    arrays_.push_back(std::make_unique<Array>(std::max(ranges.size(), 2 * array->slots.size())));
    array = arrays_.back().get();
  }
  const uint64_t before = sequence_.load(std::memory_order_relaxed);
  sequence_.store(before + 1, std::memory_order_relaxed);
  for (size_t i = 0; i < ranges.size(); ++i) {
    Entry& entry = array->slots[i];
    if (entry.begin.load(std::memory_order_relaxed) == ranges[i].begin &&
        entry.end.load(std::memory_order_relaxed) == ranges[i].end &&
        entry.host.load(std::memory_order_relaxed) == ranges[i].host &&
        entry.writable.load(std::memory_order_relaxed) == ranges[i].writable)
      continue;
    entry.begin.store(ranges[i].begin, std::memory_order_release);
    entry.end.store(ranges[i].end, std::memory_order_release);
    entry.host.store(ranges[i].host, std::memory_order_release);
    entry.writable.store(ranges[i].writable, std::memory_order_release);
  }
  array->used.store(ranges.size(), std::memory_order_release);
  if (grow) current_.store(array, std::memory_order_release);
  sequence_.store(before + 2, std::memory_order_release);
}

}  // namespace softgpu::cp
