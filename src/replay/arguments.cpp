#include "replay/arguments.hpp"

#include <algorithm>
#include <cstring>
#include <new>
#include <optional>

#include "base/check.hpp"
#include "device/host_access.hpp"

namespace kreplay::replay {

using snapshot::Extent;

std::byte* host_address(const snapshot::ExtentTable& extents, GpuVa va, uint64_t size_bytes) {
  const std::optional<Extent> extent = extents.find(va);
  if (!extent) return reinterpret_cast<std::byte*>(va.value);
  const uint64_t offset = va - extent->base;
  if (extent->size - offset < size_bytes) return nullptr;
  std::byte* const base =
      extent->host.value != nullptr ? extent->host.value : reinterpret_cast<std::byte*>(extent->base.value);
  return base + offset;
}

std::span<const Pointee> Arguments::pointees() const {
  return {count_ > kInline ? many_.data() : few_.data(), count_};
}

uint64_t Arguments::explicit_bytes(const hsa::KernelMetadata& kernel, uint64_t kernarg_address,
                                   const snapshot::ExtentTable& extents) {
  if (kernel.arguments_listed || kernel.kernarg_bytes == 0) return kernel.explicit_bytes;
  const std::optional<Extent> extent = extents.find(GpuVa(kernarg_address));
  if (!extent) return kernel.explicit_bytes;
  const uint64_t room = extent->end() - GpuVa(kernarg_address);
  return std::max<uint64_t>(kernel.explicit_bytes, std::min(room, kUnlistedBytes));
}

void Arguments::look(const hsa::KernelMetadata* kernel, uint64_t kernarg_address,
                     const snapshot::ExtentTable& extents) {
  state_ = State::unknown;
  hostcall_buffer_ = 0;
  count_ = 0;
  many_.clear();
  if (kernel == nullptr) return;
  state_ = State::known;
  if (kernel->hostcall_offset >= 0) {
    const auto offset = static_cast<uint64_t>(kernel->hostcall_offset);
    const std::byte* slot = host_address(extents, GpuVa(kernarg_address + offset), sizeof(uint64_t));
    if (slot != nullptr) hostcall_buffer_ = device::HostAccess().load<uint64_t>(slot).value_or(0);
  }
  const uint64_t bytes = explicit_bytes(*kernel, kernarg_address, extents);
  if (bytes < sizeof(uint64_t)) return;
  const std::byte* segment = host_address(extents, GpuVa(kernarg_address), bytes);
  try {
    if (segment == nullptr)
      state_ = State::unreadable;
    else
      scan(segment, bytes, extents);
  } catch (const std::bad_alloc&) {
    state_ = State::no_memory;
  }
  if (state_ != State::known) count_ = 0;
}

void Arguments::scan(const std::byte* segment, uint64_t bytes, const snapshot::ExtentTable& extents) {
  // One copy for all but kernels with huge structures; those go in pieces that share a word less a byte.
  std::array<std::byte, 4096> copy;
  constexpr uint64_t kShared = sizeof(uint64_t) - 1;
  device::HostAccess access;
  for (uint64_t first = 0;; first += copy.size() - kShared) {
    if (!KR_HOLDS(first < bytes, "a piece that is not the last is followed by another")) return;
    const uint64_t size = std::min<uint64_t>(bytes - first, copy.size());
    if (access.read(copy.data(), segment + first, size) != size) {
      state_ = State::unreadable;
      return;
    }
    visit_addresses({copy.data(), size}, first, extents, [&](uint64_t word, uint64_t offset) {
      visit_pointed_at(extents, word,
                       [&](const Extent& extent, bool inside) { add(extent, word, offset, inside); });
    });
    if (first + size == bytes) return;
  }
}

void Arguments::add(const Extent& extent, uint64_t address, uint64_t offset, bool inside) {
  KR_CHECK(extent.generation != 0, "what is known of memory comes from the table");
  KR_CHECK(count_ <= kInline || many_.size() == count_, "the long list holds all of them");
  Pointee* list = count_ > kInline ? many_.data() : few_.data();
  Pointee* const known = std::find_if(
      list, list + count_, [&](const Pointee& p) { return p.extent.generation == extent.generation; });
  if (known != list + count_) {
    known->inside |= inside;
    return;
  }
  const Pointee fresh{extent, address, static_cast<uint32_t>(offset), inside};
  if (count_ < kInline) {
    few_[count_++] = fresh;
    return;
  }
  if (count_ == kInline) many_.assign(few_.begin(), few_.end());
  many_.push_back(fresh);
  ++count_;
}

}  // namespace kreplay::replay
