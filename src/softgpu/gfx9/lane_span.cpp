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

namespace {

/// Dwords an access touches, and with that how far apart its bytes may be.
unsigned rows_of(uint64_t offset, unsigned size) {
  return static_cast<unsigned>((offset % 4 + size + 3) / 4);
}

/// Byte o of a lane, relative to the segment.
uint64_t swizzle(uint64_t o, unsigned lane) { return o / 4 * 256 + lane * 4 + o % 4; }

bool check_private(Env& env, const PrivateSegment& segment, uint64_t offset, unsigned size, bool write) {
  if (offset + size <= segment.lane_bytes) [[likely]]
    return true;
  env.raise(FaultKind::aperture_violation, segment.lane_bytes == 0
                                               ? "private segment access, but the wave has no scratch"
                                               : "private segment access beyond the scratch of the wave");
  env.fault.address = offset;
  env.fault.write = write;
  return false;
}

/// Host address of the dword that holds byte `offset`, with the rows behind it that the access needs.
std::byte* private_dwords(Env& env, const PrivateSegment& segment, unsigned lane, uint64_t offset,
                          unsigned size, bool write) {
  const uint64_t va = segment.base + swizzle(offset - offset % 4, lane);
  std::byte* host = env.memory->resolve(va, uint64_t{rows_of(offset, size) - 1} * 256 + 4, write);
  if (!host) env.raise_memory(va, write, why_not(*env.memory, va, 4, write));
  return host;
}

void scatter_private(LaneSpan& span, std::byte* dwords, unsigned lane, uint64_t offset, unsigned size) {
  span.scatter(lane);
  const uint64_t first = swizzle(offset - offset % 4, lane);
  for (unsigned b = 0; b < size; ++b) span.byte_at[lane][b] = dwords + (swizzle(offset + b, lane) - first);
}

}  // namespace

bool resolve_private(Env& env, const PrivateSegment& segment, const uint32_t* offset, uint64_t exec,
                     unsigned size, bool write, LaneSpan& span) {
  MemoryAccess& memory = *env.memory;
  memory.begin_instruction();
  span.step = 256;
  bool ok = true, crosses = false;
  // Normally the whole segment is one range, and one translation does for all lanes.
  std::byte* whole = memory.resolve(segment.base, segment.lane_bytes * kLanes, write);
  for (uint64_t m = exec; m != 0 && ok; m &= m - 1) {
    const auto l = static_cast<unsigned>(__builtin_ctzll(m));
    const uint64_t o = offset[l];
    ok = check_private(env, segment, o, size, write);
    if (!ok) break;
    crosses = crosses || (o % 4 != 0 && rows_of(o, size) > 1);
    if (whole) {
      span.p[l] = whole + swizzle(o, l);
    } else {
      std::byte* dwords = private_dwords(env, segment, l, o, size, write);
      ok = dwords != nullptr;
      span.p[l] = dwords + o % 4;
    }
  }
  if (!ok || !crosses) return ok;
  // An access crosses dwords: all lanes go byte by byte, because the distance of dwords is one for all.
  span.step = 4;
  for (uint64_t m = exec; m != 0; m &= m - 1) {
    const auto l = static_cast<unsigned>(__builtin_ctzll(m));
    scatter_private(span, span.p[l] - offset[l] % 4, l, offset[l], size);
  }
  return true;
}

bool resolve_private_lane(Env& env, const PrivateSegment& segment, unsigned lane, uint64_t offset,
                          unsigned size, bool write, LaneSpan& span) {
  if (!check_private(env, segment, offset, size, write)) return false;
  std::byte* dwords = private_dwords(env, segment, lane, offset, size, write);
  if (!dwords) return false;
  if (rows_of(offset, size) == 1) {
    span.p[lane] = dwords + offset % 4;
  } else {
    scatter_private(span, dwords, lane, offset, size);
  }
  return true;
}

}  // namespace softgpu::gfx9
