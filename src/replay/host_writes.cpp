#include "replay/host_writes.hpp"

#include <algorithm>
#include <cstring>
#include <new>

#include "base/check.hpp"

namespace kreplay::replay {
namespace {

using device::HostAccess;
using snapshot::Extent;
using snapshot::MemoryClass;

/// Compared at a time: small enough to stay in a cache between the copy and the comparison.
constexpr uint64_t kChunkBytes = 65536;

std::byte* cpu_address(const Extent& extent) {
  return extent.host.value != nullptr ? extent.host.value : reinterpret_cast<std::byte*>(extent.base.value);
}

}  // namespace

void HostWrites::begin_unchecked(const snapshot::ExtentTable& extents) {
  extents_ = &extents;
  pieces_.clear();
  seen_.clear();
  used_ = gone_ = lost_ = scanned_ = 0;
  kernargs_counted_ = true;
  reachable_ = extents.host_data_bytes() + extents.kernarg_bytes();
}

void HostWrites::begin(const Arguments& arguments, const snapshot::ExtentTable& extents) {
  begin_unchecked(extents);
  if (!arguments.known()) return;
  kernargs_counted_ = false;
  reachable_ = extents.host_data_bytes();
  for (const Pointee& pointee : arguments.pointees()) add(pointee.extent);
}

void HostWrites::add_pointed_at(std::span<const std::byte> bytes, const snapshot::ExtentTable& extents) {
  const uint64_t size = std::min<uint64_t>(bytes.size(), kMaxScannedBytes - scanned_);
  scanned_ += size;
  visit_addresses(bytes.first(size), 0, extents, [&](uint64_t word, uint64_t) {
    visit_pointed_at(extents, word, [&](const Extent& extent, bool) { add(extent); });
  });
}

void HostWrites::add(const Extent& extent) {
  if (!snapshot::is_host(extent.memory_class)) return;
  try {
    if (std::find(seen_.begin(), seen_.end(), extent.generation) != seen_.end()) return;
    seen_.push_back(extent.generation);
    if (extent.memory_class == MemoryClass::host_kernarg && !kernargs_counted_) reachable_ += extent.size;
    if (extent.size > kMaxBytes - used_) return;
    if (saved_.size() < used_ + extent.size) saved_.resize(used_ + extent.size);
    if (chunk_.empty()) chunk_.resize(kChunkBytes);
    HostAccess access;
    add_bytes(extent, access);
  } catch (const std::bad_alloc&) {
    // What was not copied is unverified.
  }
}

void HostWrites::add_bytes(const Extent& extent, HostAccess& access) {
  KR_CHECK(extent.generation != 0, "what is compared can be told from what comes after it");
  if (!KR_HOLDS(extent.size <= saved_.size() - used_, "what is copied has its place")) return;
  std::byte* const live = cpu_address(extent);
  for (uint64_t at = 0; at < extent.size;) {
    const uint64_t got = access.read(saved_.data() + used_, live + at, extent.size - at);
    if (got > 0) pieces_.push_back({extent, live + at, got, used_});
    used_ += got;
    at += got;
    if (at == extent.size) return;
    const uint64_t hole = std::min(HostAccess::left_in_page(live + at), extent.size - at);
    if (!HostAccess::mapped(live + at)) gone_ += hole;
    at += hole;
  }
}

uint64_t HostWrites::unverified_bytes() const {
  const uint64_t accounted = used_ + gone_;
  return (reachable_ > accounted ? reachable_ - accounted : 0) + lost_;
}

/// chunk_ holds what is at `at` now. Page by page, so that a difference can be tried to be written as a
/// whole.
template <typename Visit>
bool HostWrites::compare_chunk(const Piece& piece, uint64_t at, uint64_t size, Visit&& visit) const {
  KR_CHECK(size <= chunk_.size() && at + size <= piece.size && piece.offset + piece.size <= used_,
           "bytes are compared with their own copy");
  const std::byte* const saved = saved_.data() + piece.offset + at;
  if (std::memcmp(saved, chunk_.data(), size) == 0) return true;
  for (uint64_t from = 0; from < size;) {
    const uint64_t end = from + std::min(HostAccess::left_in_page(piece.live + at + from), size - from);
    uint64_t first = from, last = end;
    while (first < end && saved[first] == chunk_[first]) ++first;
    while (last > first && saved[last - 1] == chunk_[last - 1]) --last;
    if (first < last && !visit(Difference{&piece, at + first, last - first, chunk_[first]})) return false;
    from = end;
  }
  return true;
}

template <typename Visit>
void HostWrites::each_difference(HostAccess& access, uint64_t* lost, Visit&& visit) {
  for (const Piece& piece : pieces_) {
    for (uint64_t at = 0; at < piece.size;) {
      const uint64_t got =
          access.read(chunk_.data(), piece.live + at, std::min<uint64_t>(chunk_.size(), piece.size - at));
      if (got > 0 && !compare_chunk(piece, at, got, visit)) return;
      at += got;
      if (got > 0 || at == piece.size) continue;
      const uint64_t hole = std::min(HostAccess::left_in_page(piece.live + at), piece.size - at);
      if (HostAccess::mapped(piece.live + at)) *lost += hole;
      at += hole;
    }
  }
}

const Extent* HostWrites::first_changed() {
  const Extent* found = nullptr;
  uint64_t lost = 0;
  HostAccess access;
  each_difference(access, &lost, [&](const Difference& difference) {
    found = &difference.piece->extent;
    return false;
  });
  lost_ = std::max(lost_, lost);
  return found;
}

bool HostWrites::write(HostAccess& access, const Difference& difference, const std::byte* from,
                       uint64_t size) {
  const Piece& piece = *difference.piece;
  if (!KR_HOLDS(size <= difference.size && difference.at + difference.size <= piece.size,
                "no byte is written that was not copied"))
    return false;
  for (int left = 2; left > 0; --left) {
    if (!extents_->alive(piece.extent.base, piece.extent.generation)) return true;
    std::byte* const to = piece.live + difference.at;
    const uint64_t written = access.write(to, from, size);
    if (written == size || !HostAccess::mapped(to + written)) return true;
  }
  return false;
}

HostWrites::Restored HostWrites::restore(const Extent** failed) {
  // First with the byte that is there, so that nothing is half put back when something cannot be.
  Restored result = Restored::yes;
  uint64_t lost = 0;
  HostAccess access;
  each_difference(access, &lost, [&](const Difference& difference) {
    if (write(access, difference, &difference.now, 1)) return true;
    *failed = &difference.piece->extent;
    result = Restored::refused;
    return false;
  });
  lost_ = std::max(lost_, lost);
  if (result != Restored::yes) return result;
  each_difference(access, &lost, [&](const Difference& difference) {
    const Piece& piece = *difference.piece;
    if (write(access, difference, saved_.data() + piece.offset + difference.at, difference.size)) return true;
    *failed = &piece.extent;
    result = Restored::broken;
    return false;
  });
  return result;
}

}  // namespace kreplay::replay
