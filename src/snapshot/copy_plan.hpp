// What one save or restore copies: the extents of an agent, adjacent ones merged, cut into pieces that each
// lie in one segment of an arena.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "snapshot/extent.hpp"

namespace kreplay::snapshot {

/// Device memory without a gap, made of one or more extents.
struct Range {
  GpuVa base;
  uint64_t size = 0;
};

/// Where saved bytes lie.
enum class Place : uint8_t {
  device,  ///< memory of the same agent: copies do not cross the host link
  host,    ///< pinned host memory; the only place whose bytes the CPU reads
};

/// One copy call. The two addresses agree modulo kCongruence.
struct Piece {
  GpuVa device;
  std::byte* backing = nullptr;
  uint64_t size = 0;
  Place place = Place::host;
};

/// The runtime's copy kernel is fast only where source and destination agree modulo a few bytes; 256 is the
/// widest access any engine makes.
constexpr uint64_t kCongruence = 256;
/// Longest single copy: bounds what one failure repeats and lets a stuck engine be told from a slow one.
constexpr uint64_t kMaxPieceBytes = uint64_t{1} << 30;

/// Merges neighbours. @param extents sorted by address, disjoint. @param ranges emptied first
void merge_adjacent(const std::vector<Extent>& extents, std::vector<Range>* ranges);

/// The parts of `pieces` that lie in `live` extents: memory freed since the save must not be written.
/// @param live sorted by address, disjoint
std::vector<Piece> clip_to(const std::vector<Piece>& pieces, const std::vector<Extent>& live);

}  // namespace kreplay::snapshot
