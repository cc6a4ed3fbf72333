#include "cp/memory_access.hpp"

#include <algorithm>
#include <cstring>

namespace softgpu::cp {
namespace {

/// The part of a range from `va` on, at most `want` bytes. Null host: not accessible.
struct Piece {
  std::byte* host = nullptr;
  uint64_t bytes = 0;
};

Piece piece_at(const gfx9::Memory& memory, GpuVa va, uint64_t want, Access access) {
  const gfx9::MappedRange range = memory.find(va);
  if (range.host == nullptr || (access == Access::write && !range.writable)) return {};
  return {range.host + (va.value - range.begin), std::min(want, range.end - va.value)};
}

}  // namespace

FaultReason fault_reason(const gfx9::Memory& memory, GpuVa address, bool write) {
  return write && memory.find(address).host != nullptr ? FaultReason::read_only : FaultReason::not_present;
}

std::byte* host_bytes(const gfx9::Memory& memory, GpuVa va, uint64_t size_bytes, Access access) {
  const Piece piece = piece_at(memory, va, size_bytes, access);
  return piece.bytes == size_bytes ? piece.host : nullptr;
}

std::optional<AccessFault> copy_memory(const gfx9::Memory& memory, GpuVa to, GpuVa from,
                                       uint64_t size_bytes) {
  while (size_bytes > 0) {
    const Piece source = piece_at(memory, from, size_bytes, Access::read);
    if (source.host == nullptr) return AccessFault{from, false};
    const Piece target = piece_at(memory, to, source.bytes, Access::write);
    if (target.host == nullptr) return AccessFault{to, true};
    std::memmove(target.host, source.host, target.bytes);
    from = from + target.bytes;
    to = to + target.bytes;
    size_bytes -= target.bytes;
  }
  return std::nullopt;
}

std::optional<AccessFault> read_memory(const gfx9::Memory& memory, GpuVa from, void* to,
                                       uint64_t size_bytes) {
  auto* out = static_cast<std::byte*>(to);
  while (size_bytes > 0) {
    const Piece source = piece_at(memory, from, size_bytes, Access::read);
    if (source.host == nullptr) return AccessFault{from, false};
    std::memcpy(out, source.host, source.bytes);
    out += source.bytes;
    from = from + source.bytes;
    size_bytes -= source.bytes;
  }
  return std::nullopt;
}

std::optional<AccessFault> fill_memory(const gfx9::Memory& memory, GpuVa to, uint32_t pattern,
                                       unsigned pattern_bytes, uint64_t size_bytes) {
  uint64_t done = 0;
  while (done < size_bytes) {
    const Piece target = piece_at(memory, to + done, size_bytes - done, Access::write);
    if (target.host == nullptr) return AccessFault{to + done, true};
    // A range may begin anywhere, so the phase of the pattern follows the fill, not the piece.
    for (uint64_t i = 0; i < target.bytes;) {
      const auto phase = static_cast<unsigned>((done + i) % pattern_bytes);
      if (phase == 0 && pattern_bytes == 4 && target.bytes - i >= 4) {
        const uint64_t words = (target.bytes - i) / 4;
        for (uint64_t w = 0; w < words; ++w) std::memcpy(target.host + i + 4 * w, &pattern, 4);
        i += 4 * words;
        continue;
      }
      target.host[i] = static_cast<std::byte>(pattern >> (8 * phase));
      ++i;
    }
    done += target.bytes;
  }
  return std::nullopt;
}

}  // namespace softgpu::cp
