#include "snapshot/copy_plan.hpp"

#include <algorithm>

#include "base/check.hpp"

namespace kreplay::snapshot {

void merge_adjacent(const std::vector<Extent>& extents, std::vector<Range>* ranges) {
  ranges->clear();
  for (const Extent& extent : extents) {
    KR_CHECK(ranges->empty() || ranges->back().base + ranges->back().size <= extent.base,
             "saved extents are sorted and do not overlap");
    if (!ranges->empty() && ranges->back().base + ranges->back().size == extent.base) {
      ranges->back().size += extent.size;
    } else {
      ranges->push_back({extent.base, extent.size});
    }
  }
}

std::vector<Piece> clip_to(const std::vector<Piece>& pieces, const std::vector<Extent>& live) {
  std::vector<Piece> clipped;
  for (const Piece& piece : pieces) {
    const GpuVa end = piece.device + piece.size;
    auto extent = std::upper_bound(live.begin(), live.end(), piece.device,
                                   [](GpuVa va, const Extent& e) { return va < e.base + e.size; });
    for (; extent != live.end() && extent->base < end; ++extent) {
      const GpuVa from = std::max(piece.device, extent->base);
      const GpuVa to = std::min(end, extent->base + extent->size);
      KR_CHECK(from < to && piece.device <= from && to <= end, "a part lies in its piece");
      Piece part{from, piece.backing + (from - piece.device), to - from, piece.place};
      // A cut made by the longest copy stays one.
      const bool joins = !clipped.empty() && clipped.back().place == part.place &&
                         part.size <= kMaxPieceBytes - clipped.back().size &&
                         clipped.back().device + clipped.back().size == part.device &&
                         clipped.back().backing + clipped.back().size == part.backing;
      if (joins)
        clipped.back().size += part.size;
      else
        clipped.push_back(part);
    }
  }
  return clipped;
}

}  // namespace kreplay::snapshot
