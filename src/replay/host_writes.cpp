#include "replay/host_writes.hpp"

#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
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

enum class Copied { all, gone, refused };

/// What process_vm_readv and process_vm_writev, applied to this process, did.
template <auto Transfer>
Copied transfer(std::byte* ours, std::byte* other, uint64_t size_bytes) {
  for (uint64_t done = 0; done < size_bytes;) {
    const iovec local{ours + done, size_bytes - done};
    const iovec remote{other + done, size_bytes - done};
    const ssize_t moved = Transfer(getpid(), &local, 1, &remote, 1, 0);
    if (moved <= 0) return moved < 0 && errno != EFAULT ? Copied::refused : Copied::gone;
    done += static_cast<uint64_t>(moved);
  }
  return Copied::all;
}

/// Copies from memory that may not be there. Where the system forbids to ask, it is taken to be there.
/// @return whether it was
bool read_managed(std::byte* to, std::byte* from, uint64_t size_bytes) {
  const Copied copied = transfer<process_vm_readv>(to, from, size_bytes);
  if (copied == Copied::refused) std::memcpy(to, from, size_bytes);
  return copied != Copied::gone;
}

void write_managed(std::byte* from, std::byte* to, uint64_t size_bytes) {
  if (transfer<process_vm_writev>(from, to, size_bytes) == Copied::refused) std::memcpy(to, from, size_bytes);
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
  if (extent.memory_class != MemoryClass::managed)
    std::memcpy(saved_.data() + piece.offset, piece.live, extent.size);
  else if (!read_managed(saved_.data() + piece.offset, piece.live, extent.size))
    return;  // the application has unmapped it
  used_ += extent.size;
  pieces_.push_back(piece);
}

/// Memory that went away meanwhile does not differ: nobody can see it.
bool HostWrites::managed_differs(const Piece& piece) const {
  std::array<std::byte, 65536> chunk;
  for (uint64_t at = 0; at < piece.extent.size; at += chunk.size()) {
    const uint64_t size = std::min<uint64_t>(chunk.size(), piece.extent.size - at);
    if (!read_managed(chunk.data(), piece.live + at, size)) return false;
    if (std::memcmp(saved_.data() + piece.offset + at, chunk.data(), size) != 0) return true;
  }
  return false;
}

bool HostWrites::differs(const Piece& piece) const {
  if (piece.extent.memory_class == MemoryClass::managed) return managed_differs(piece);
  return std::memcmp(saved_.data() + piece.offset, piece.live, piece.extent.size) != 0;
}

bool HostWrites::changed() const { return first_changed() != nullptr; }

const Extent* HostWrites::first_changed() const {
  for (const Piece& piece : pieces_)
    if (differs(piece)) return &piece.extent;
  return nullptr;
}

void HostWrites::restore() {
  for (const Piece& piece : pieces_) {
    if (!differs(piece)) continue;
    std::byte* const saved = saved_.data() + piece.offset;
    if (piece.extent.memory_class == MemoryClass::managed)
      write_managed(saved, piece.live, piece.extent.size);
    else
      std::memcpy(piece.live, saved, piece.extent.size);
  }
}

}  // namespace kreplay::replay
