// Host memory a kernel's arguments point at: the snapshot does not cover it, because host threads may own it.
// It is compared around pass 0; what KREPLAY_HOST_WRITE says decides what a change means.
//
// Looked at is memory that an aligned 8-byte word points into, a word of the explicit arguments or of a
// device variable (so __managed__ variables are found). Nobody says when shared virtual memory goes away: it
// is read by way of the kernel, which answers with an error where a load would end the process. Host memory
// reached in another way (a pointer inside a buffer) is not seen: docs/limits.md.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "hsa/code_object.hpp"
#include "snapshot/extent.hpp"

namespace kreplay::replay {

/// The part of `extent` at `va` that the CPU can read; null when it is not host memory with a known address.
std::byte* host_bytes(const snapshot::ExtentTable& extents, GpuVa va, uint64_t size_bytes);

/// Threads: one, the window's owner. One per agent: keeps its buffer, so the steady state allocates nothing.
class HostWrites {
 public:
  /// At most this much is copied for one dispatch; extents beyond it count as unverified.
  static constexpr uint64_t kMaxBytes = uint64_t{1} << 30;

  /// Device variables beyond this are not searched for pointers.
  static constexpr uint64_t kMaxScannedBytes = uint64_t{1} << 20;

  /// Copies the host extents the kernel can reach through its arguments.
  /// @param kernel null: the arguments are unknown, nothing is checked
  void begin(const hsa::KernelMetadata* kernel, uint64_t kernarg_address,
             const snapshot::ExtentTable& extents);
  /// Adds what the words of `bytes` point at. At most kMaxScannedBytes per begin().
  void add_pointed_at(const std::byte* bytes, uint64_t size_bytes, const snapshot::ExtentTable& extents);
  /// Whether a checked byte differs from what begin() saw.
  bool changed() const;
  /// Writes the bytes of begin() back where they differ.
  void restore();
  /// Bytes of reachable host memory that were not copied.
  uint64_t unverified_bytes() const { return unverified_; }
  /// Address of the first changed extent and its class, for a message. Null when nothing changed.
  const snapshot::Extent* first_changed() const;

 private:
  struct Piece {
    snapshot::Extent extent;
    std::byte* live = nullptr;
    uint64_t offset = 0;  ///< into saved_
  };
  void add(const snapshot::Extent& extent);
  bool differs(const Piece& piece) const;
  bool managed_differs(const Piece& piece) const;

  std::vector<Piece> pieces_;
  std::vector<std::byte> saved_;
  uint64_t used_ = 0;
  uint64_t unverified_ = 0;
  uint64_t scanned_ = 0;
};

}  // namespace kreplay::replay
