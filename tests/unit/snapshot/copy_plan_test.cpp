#include "snapshot/copy_plan.hpp"

#include <catch2/catch.hpp>

using kreplay::GpuVa;
using namespace kreplay::snapshot;

namespace {

Extent at(uint64_t base, uint64_t size) {
  Extent extent;
  extent.base = GpuVa(base);
  extent.size = size;
  return extent;
}

}  // namespace

TEST_CASE("only extents without a gap are merged") {
  std::vector<Range> ranges(5);
  merge_adjacent({at(0x1000, 0x10), at(0x1010, 0x10), at(0x1021, 0x10), at(0x2000, 1), at(0x2001, 1)},
                 &ranges);
  REQUIRE(ranges.size() == 3);
  CHECK(ranges[0].base == GpuVa(0x1000));
  CHECK(ranges[0].size == 0x20);
  CHECK(ranges[1].size == 0x10);
  CHECK(ranges[2].size == 2);
  merge_adjacent({}, &ranges);
  CHECK(ranges.empty());
}

TEST_CASE("pieces are clipped to live extents and joined where both sides continue") {
  std::byte host[0x100];
  const std::vector<Piece> pieces = {{GpuVa(0x1000), host, 0x40}, {GpuVa(0x2000), host + 0x80, 0x40}};
  SECTION("all live") {
    const auto clipped = clip_to(pieces, {at(0x1000, 0x20), at(0x1020, 0x20), at(0x2000, 0x40)});
    REQUIRE(clipped.size() == 2);
    CHECK(clipped[0].size == 0x40);
  }
  SECTION("the middle is gone, an extent spans more than the piece") {
    const auto clipped = clip_to(pieces, {at(0x1000, 0x10), at(0x1030, 0x10), at(0x1f00, 0x120)});
    REQUIRE(clipped.size() == 3);
    CHECK(clipped[0].device == GpuVa(0x1000));
    CHECK(clipped[0].size == 0x10);
    CHECK(clipped[1].device == GpuVa(0x1030));
    CHECK(clipped[1].backing == host + 0x30);
    CHECK(clipped[2].device == GpuVa(0x2000));
    CHECK(clipped[2].backing == host + 0x80);
    CHECK(clipped[2].size == 0x20);
  }
  SECTION("nothing live") { CHECK(clip_to(pieces, {}).empty()); }
}

TEST_CASE("clipping joins no more than one copy may be long") {
  auto* const host = reinterpret_cast<std::byte*>(0x10000000);  // not touched
  const uint64_t base = uint64_t{1} << 40;
  const std::vector<Piece> pieces = {{GpuVa(base), host, kMaxPieceBytes},
                                     {GpuVa(base + kMaxPieceBytes), host + kMaxPieceBytes, 0x1000}};
  const auto clipped = clip_to(pieces, {at(base, kMaxPieceBytes + 0x1000)});
  REQUIRE(clipped.size() == 2);
  CHECK(clipped[0].size == kMaxPieceBytes);
  CHECK(clipped[1].size == 0x1000);
}
