#include "gfx9/lane_span.hpp"

#include "gfx9/memory_access.hpp"

namespace softgpu::gfx9 {
namespace {

/// True if va[l] == va[0] + l * size in all lanes.
bool is_contiguous(const uint64_t* va, unsigned size) {
  uint64_t differs = 0;
  for (unsigned l = 0; l < kLanes; ++l) differs |= va[l] - va[0] - uint64_t{l} * size;
  return differs == 0;
}

const char* why_not(MemoryAccess& memory, uint64_t va, unsigned size, bool write) {
  return write && memory.resolve(va, size, false) ? "memory is read-only" : "address is not mapped";
}

}  // namespace

void LaneSpan::gather(unsigned size) {
  for (uint64_t m = scattered; m != 0; m &= m - 1) {
    const auto l = static_cast<unsigned>(__builtin_ctzll(m));
    for (unsigned b = 0; b < size; ++b) bounce[l][b] = byte_at[l][b] ? *byte_at[l][b] : std::byte{0};
  }
}

void LaneSpan::flush(unsigned size) {
  for (uint64_t m = scattered; m != 0; m &= m - 1) {
    const auto l = static_cast<unsigned>(__builtin_ctzll(m));
    for (unsigned b = 0; b < size; ++b) {
      if (byte_at[l][b]) *byte_at[l][b] = bounce[l][b];
    }
  }
}

bool resolve_global(Env& env, const uint64_t* va, uint64_t exec, unsigned size, bool write, LaneSpan& span) {
  MemoryAccess& memory = *env.memory;
  memory.begin_instruction();
  if (exec == ~uint64_t{0} && is_contiguous(va, size)) {
    span.contiguous = memory.resolve(va[0], uint64_t{size} * kLanes, write);
    if (span.contiguous) return true;
  }
  MappedRange range = memory.last();
  for (uint64_t m = exec; m != 0; m &= m - 1) {
    const auto l = static_cast<unsigned>(__builtin_ctzll(m));
    if (range.holds(va[l], size) && (range.writable || !write)) {
      span.p[l] = range.host + (va[l] - range.begin);
      continue;
    }
    span.p[l] = memory.resolve(va[l], size, write);
    if (!span.p[l]) {
      env.raise_memory(va[l], write, why_not(memory, va[l], size, write));
      return false;
    }
    range = memory.last();
  }
  return true;
}

bool resolve_private_lane(Env& env, uint64_t base, uint64_t limit, unsigned lane, uint64_t offset,
                          unsigned size, bool write, bool force_scatter, LaneSpan& span) {
  if (offset + size > limit || offset + size < offset) {
    env.raise(FaultKind::aperture_violation, limit == 0
                                                 ? "private segment access, but the wave has no scratch"
                                                 : "private segment access beyond the scratch of the wave");
    env.fault.address = offset;
    env.fault.write = write;
    return false;
  }
  MemoryAccess& memory = *env.memory;
  const auto place = [&](uint64_t o) { return base + o / 4 * 256 + lane * 4 + o % 4; };
  const unsigned rows = static_cast<unsigned>((offset % 4 + size + 3) / 4);
  const uint64_t first = place(offset - offset % 4);
  std::byte* host = memory.resolve(first, uint64_t{rows - 1} * 256 + 4, write);
  if (!host) {
    env.raise_memory(first, write, why_not(memory, first, 4, write));
    return false;
  }
  if (!force_scatter && (offset % 4 == 0 || rows == 1)) {
    span.p[lane] = host + offset % 4;
    return true;
  }
  span.scatter(lane);
  for (unsigned b = 0; b < size; ++b) span.byte_at[lane][b] = host + (place(offset + b) - first);
  return true;
}

}  // namespace softgpu::gfx9
