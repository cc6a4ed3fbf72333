// Host memory a kernel's arguments point at: the snapshot does not cover it, because host threads may own it.
// It is compared around pass 0; what KREPLAY_HOST_WRITE says decides what a change means.
//
// Looked at is what the words of the explicit arguments point at (arguments.hpp), and those of device
// variables (so __managed__ variables are found); argument memory, too, when an argument points at it:
// runtimes keep buffers there that a kernel writes. The memory may be unmapped or protected by other threads
// at any time, so it is read and written through HostAccess, page by page: what can be read is compared and
// put back, the rest counts as unverified. Host memory reached in another way (a pointer inside a buffer) is
// not seen, and counts as unverified, too: docs/limits.md.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "device/host_access.hpp"
#include "replay/arguments.hpp"
#include "snapshot/extent.hpp"

namespace kreplay::replay {

/// Threads: one, the window's owner. One per agent: keeps its buffers, so the steady state allocates nothing.
class HostWrites {
 public:
  /// At most this much is copied for one dispatch; extents beyond it count as unverified.
  static constexpr uint64_t kMaxBytes = uint64_t{1} << 30;

  /// Device variables beyond this are not searched for pointers.
  static constexpr uint64_t kMaxScannedBytes = uint64_t{1} << 20;

  /// Copies the host extents the arguments point at.
  void begin(const Arguments& arguments, const snapshot::ExtentTable& extents);
  /// Nothing is copied and nothing will be compared: all that is in reach is unverified.
  void begin_unchecked(const snapshot::ExtentTable& extents);
  /// Adds what the words of device variables point at. At most kMaxScannedBytes per begin().
  void add_pointed_at(std::span<const std::byte> bytes, const snapshot::ExtentTable& extents);

  /// The first extent with a byte that differs from what was copied, for a message. Null when nothing
  /// changed. What can no longer be read counts as unverified from here on, unless it is no longer mapped:
  /// then nobody can see it.
  const snapshot::Extent* first_changed();

  enum class Restored : uint8_t {
    yes,
    refused,  ///< something that changed cannot be written; nothing was written at all
    broken,   ///< a part was written, then it could not go on
  };
  /// Writes back the bytes that differ from what was copied, and no others; none of extents that were freed,
  /// unlocked or unmapped meanwhile, whose addresses may be somebody else's by now.
  /// @param failed receives the first extent that could not be written
  Restored restore(const snapshot::Extent** failed);

  /// Bytes of host memory in reach of the agent that were not compared: all host data that is known, and
  /// argument memory that an argument points at (all of it when the arguments are not known), without what
  /// was copied and what is no longer mapped.
  uint64_t unverified_bytes() const;

 private:
  /// Bytes of an extent without a gap.
  struct Piece {
    snapshot::Extent extent;
    std::byte* live = nullptr;
    uint64_t size = 0;
    uint64_t offset = 0;  ///< into saved_
  };
  /// Bytes that differ, within one page.
  struct Difference {
    const Piece* piece = nullptr;
    uint64_t at = 0;  ///< into the piece
    uint64_t size = 0;
    std::byte now{};  ///< the first of them, as it is
  };
  void add(const snapshot::Extent& extent);
  /// Tries again before it gives up: another thread may just have changed what is mapped there.
  bool write(device::HostAccess& access, const Difference& difference, const std::byte* from, uint64_t size);
  void add_bytes(const snapshot::Extent& extent, device::HostAccess& access);
  /// Calls `visit(Difference)` until it returns false. @param lost receives mapped bytes that cannot be read
  template <typename Visit>
  void each_difference(device::HostAccess& access, uint64_t* lost, Visit&& visit);
  template <typename Visit>
  bool compare_chunk(const Piece& piece, uint64_t at, uint64_t size, Visit&& visit) const;

  const snapshot::ExtentTable* extents_ = nullptr;
  std::vector<Piece> pieces_;
  std::vector<uint64_t> seen_;  ///< generations
  std::vector<std::byte> saved_;
  std::vector<std::byte> chunk_;
  uint64_t used_ = 0;       ///< of saved_
  uint64_t reachable_ = 0;  ///< of all known host data, and of argument memory that counts
  uint64_t gone_ = 0;       ///< of it, not mapped
  uint64_t lost_ = 0;       ///< copied, but could not be read again
  uint64_t scanned_ = 0;
  bool kernargs_counted_ = false;  ///< reachable_ holds all argument memory
};

}  // namespace kreplay::replay
