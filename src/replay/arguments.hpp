// What a dispatch's arguments point at. Looked at in one place and in one way: who decides on a dispatch, who
// covers memory, who compares host memory and who watches host calls all ask this view.
//
// The explicit arguments are copied once, through HostAccess, and every byte offset of them is looked at: a
// packed structure puts a pointer anywhere. A word counts for the extent it points into. It counts also
//   * for host data (pools, locked, shared) that ends exactly there (an end pointer, a reverse iterator), or
//     begins at most kBeforeBytes above (an array counted from one),
//   * where it lies in no known extent, for the nearest ones of any kind within kNearBytes on either side,
// but a signal only for a pointer into it. What is not said by a word of the arguments (base plus an index
// that is computed, a pointer inside a buffer) is not seen: docs/limits.md.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <vector>

#include "hsa/code_object.hpp"
#include "snapshot/extent.hpp"

namespace kreplay::replay {

/// Where the CPU finds [va, va + size_bytes): where the extent that holds it says, else at the same address.
/// Null when a known extent holds only a part of it. Nothing says that it may be read: use HostAccess.
std::byte* host_address(const snapshot::ExtentTable& extents, GpuVa va, uint64_t size_bytes);

/// One piece of memory that arguments point at.
struct Pointee {
  snapshot::Extent extent;  ///< with class and owning agent, as it was when the view looked
  uint64_t address = 0;     ///< the first word that counted for it
  uint32_t offset = 0;      ///< of that word, bytes into what was scanned
  bool inside = false;      ///< whether some word points into it, not only beside it
};

/// Calls `visit(const Extent&, bool inside)` for each extent that the word counts for.
template <typename Visit>
void visit_pointed_at(const snapshot::ExtentTable& extents, uint64_t word, Visit&& visit);

/// Threads: one at a time. Allocates only for more than kInline extents.
class Arguments {
 public:
  static constexpr uint64_t kBeforeBytes = 64;
  static constexpr uint64_t kNearBytes = 4096;
  static constexpr size_t kInline = 32;
  /// Where the metadata lists no arguments, the segment may be longer than it says: gcc's kernels read what
  /// libgomp puts behind the 8 bytes that they declare. So much of the memory that holds it is looked at.
  static constexpr uint64_t kUnlistedBytes = 256;

  enum class State : uint8_t {
    unknown,     ///< not looked at, or nobody knows where in the segment the arguments are
    unreadable,  ///< the segment is not where the CPU can read it
    no_memory,   ///< no memory to list what they point at
    known,
  };

  Arguments() = default;
  Arguments(const Arguments&) = delete;
  Arguments& operator=(const Arguments&) = delete;

  /// Looks anew: earlier work may have written the segment, other threads may have freed what it points at.
  /// @param kernel null: no metadata
  void look(const hsa::KernelMetadata* kernel, uint64_t kernarg_address,
            const snapshot::ExtentTable& extents);

  State state() const { return state_; }
  bool known() const { return state_ == State::known; }
  /// Each extent once, in the order of the arguments. Empty unless known.
  std::span<const Pointee> pointees() const;
  /// Address of the host-call buffer, from its hidden argument; 0 when there is none, or it cannot be read.
  uint64_t hostcall_buffer() const { return hostcall_buffer_; }

 private:
  static uint64_t explicit_bytes(const hsa::KernelMetadata& kernel, uint64_t kernarg_address,
                                 const snapshot::ExtentTable& extents);
  void scan(const std::byte* segment, uint64_t bytes, const snapshot::ExtentTable& extents);
  void add(const snapshot::Extent& extent, uint64_t address, uint64_t offset, bool inside);

  State state_ = State::unknown;
  uint64_t hostcall_buffer_ = 0;
  size_t count_ = 0;
  std::array<Pointee, kInline> few_;
  std::vector<Pointee> many_;  ///< all of them, once they are more than kInline
};

/// Calls `visit(word, offset)` for every word, at any byte, that may be an address in or near a known extent.
/// @param first offset of bytes[0], for `visit`
template <typename Visit>
void visit_addresses(std::span<const std::byte> bytes, uint64_t first, const snapshot::ExtentTable& extents,
                     Visit&& visit) {
  const snapshot::ExtentTable::Bounds bounds = extents.bounds();
  if (bounds.low > bounds.high) return;
  const uint64_t low = bounds.low > Arguments::kNearBytes ? bounds.low - Arguments::kNearBytes : 1;
  const uint64_t span = bounds.high + Arguments::kNearBytes - low;
  for (uint64_t at = 0; at + sizeof(uint64_t) <= bytes.size(); ++at) {
    uint64_t word = 0;
    std::memcpy(&word, bytes.data() + at, sizeof word);
    if (word - low <= span) visit(word, first + at);
  }
}

template <typename Visit>
void visit_pointed_at(const snapshot::ExtentTable& extents, uint64_t word, Visit&& visit) {
  using snapshot::MemoryClass;
  const GpuVa va(word);
  const snapshot::Neighbours around = extents.around(va);
  const auto data = [](const std::optional<snapshot::Extent>& one) {
    return one && snapshot::is_host_data(one->memory_class);
  };
  if (around.at && around.at->contains(va)) {
    visit(*around.at, true);
    if (va == around.at->base && data(around.before) && around.before->end() == va)
      visit(*around.before, false);
    if (data(around.after) && around.after->base - va <= Arguments::kBeforeBytes) visit(*around.after, false);
    return;
  }
  const auto may_be_meant = [](const std::optional<snapshot::Extent>& one) {
    return one && one->memory_class != MemoryClass::signal;
  };
  if (may_be_meant(around.at) && va - around.at->end() <= Arguments::kNearBytes) visit(*around.at, false);
  if (may_be_meant(around.after) && around.after->base - va <= Arguments::kNearBytes)
    visit(*around.after, false);
}

}  // namespace kreplay::replay
