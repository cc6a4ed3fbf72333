#include "replay/host_writes.hpp"

#include <algorithm>
#include <cstring>
#include <new>
#include <optional>

namespace kreplay::replay {
namespace {

using snapshot::Extent;
using snapshot::MemoryClass;

bool is_host(MemoryClass c) {
  return c == MemoryClass::host_coarse || c == MemoryClass::host_fine || c == MemoryClass::host_kernarg ||
         c == MemoryClass::host_locked || c == MemoryClass::managed;
}

std::byte* cpu_address(const Extent& extent) {
  return extent.host.value != nullptr ? extent.host.value : reinterpret_cast<std::byte*>(extent.base.value);
}

}  // namespace

std::byte* host_bytes(const snapshot::ExtentTable& extents, GpuVa va, uint64_t size_bytes) {
  const std::optional<Extent> extent = extents.find(va);
  if (!extent || !is_host(extent->memory_class)) return nullptr;
  const uint64_t offset = va - extent->base;
  if (extent->size - offset < size_bytes) return nullptr;
  return cpu_address(*extent) + offset;
}

void HostWrites::begin(const hsa::KernelMetadata* kernel, uint64_t kernarg_address,
                       const snapshot::ExtentTable& extents) {
  pieces_.clear();
  used_ = 0;
  unverified_ = 0;
  scanned_ = 0;
  if (kernel == nullptr || kernel->explicit_bytes < sizeof(uint64_t)) return;
  const std::byte* arguments = host_bytes(extents, GpuVa(kernarg_address), kernel->explicit_bytes);
  if (arguments == nullptr) return;
  add_pointed_at(arguments, kernel->explicit_bytes, extents);
}

void HostWrites::add_pointed_at(const std::byte* bytes, uint64_t size_bytes,
                                const snapshot::ExtentTable& extents) {
  const uint64_t size = std::min(size_bytes, kMaxScannedBytes - scanned_);
  scanned_ += size;
  for (uint64_t at = 0; at + sizeof(uint64_t) <= size; at += sizeof(uint64_t)) {
    uint64_t word = 0;
    std::memcpy(&word, bytes + at, sizeof word);
    if (word == 0) continue;
    const std::optional<Extent> extent = extents.find(GpuVa(word));
    if (extent && is_host(extent->memory_class) && extent->memory_class != MemoryClass::host_kernarg)
      add(*extent);
  }
}

void HostWrites::add(const Extent& extent) {
  if (std::any_of(pieces_.begin(), pieces_.end(),
                  [&](const Piece& p) { return p.extent.generation == extent.generation; }))
    return;
  if (extent.size > kMaxBytes - used_) {
    unverified_ += extent.size;
    return;
  }
  try {
    if (saved_.size() < used_ + extent.size) saved_.resize(used_ + extent.size);
  } catch (const std::bad_alloc&) {
    unverified_ += extent.size;
    return;
  }
  const Piece piece{extent, cpu_address(extent), used_};
  std::memcpy(saved_.data() + piece.offset, piece.live, extent.size);
  used_ += extent.size;
  pieces_.push_back(piece);
}

bool HostWrites::differs(const Piece& piece) const {
  return std::memcmp(saved_.data() + piece.offset, piece.live, piece.extent.size) != 0;
}

bool HostWrites::changed() const { return first_changed() != nullptr; }

const Extent* HostWrites::first_changed() const {
  for (const Piece& piece : pieces_)
    if (differs(piece)) return &piece.extent;
  return nullptr;
}

void HostWrites::restore() const {
  for (const Piece& piece : pieces_)
    if (differs(piece)) std::memcpy(piece.live, saved_.data() + piece.offset, piece.extent.size);
}

}  // namespace kreplay::replay
