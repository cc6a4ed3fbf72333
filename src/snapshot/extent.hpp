// Extents: what we know about each piece of memory an agent can reach. The table is fed by the hooks and
// read by snapshots; a reused address is told apart by its generation, never by the address alone.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/types.hpp"

namespace kreplay::snapshot {

/// What kind of memory an extent is; decides whether it is saved (see saved_by_default()).
enum class MemoryClass : uint8_t {
  device_coarse,      ///< agent-local, coarse-grained: hipMalloc
  device_fine,        ///< agent-local, fine-grained
  device_executable,  ///< agent-local with the executable flag: HIP keeps runtime internals there
  device_shared,      ///< agent-local, given to other processes or devices, or taken from them
  code_segment,       ///< writable segment of a loaded code object (device globals)
  host_coarse,
  host_fine,
  host_kernarg,
  host_locked,  ///< application memory registered with the runtime
  managed,      ///< shared virtual memory
  ipc_import,
  signal,  ///< an amd_signal_t of the application; lies in memory of the runtime's that is not known itself
};

constexpr bool saved_by_default(MemoryClass c) {
  return c == MemoryClass::device_coarse || c == MemoryClass::device_fine || c == MemoryClass::code_segment;
}
/// Host memory that is the application's data. Argument memory is host memory, too, but a window does not
/// look at it unless an argument points there.
constexpr bool is_host_data(MemoryClass c) {
  return c == MemoryClass::host_coarse || c == MemoryClass::host_fine || c == MemoryClass::host_locked ||
         c == MemoryClass::managed;
}
constexpr bool is_host(MemoryClass c) { return is_host_data(c) || c == MemoryClass::host_kernarg; }
const char* name_of(MemoryClass c);

/// One live piece of memory: [base, base + size) on the agent's side.
struct Extent {
  GpuVa base;
  uint64_t size = 0;
  uint64_t generation = 0;  ///< set by ExtentTable::insert; never reused in a process
  uint64_t agent = 0;       ///< hsa_agent_t::handle of the owner; 0 for host memory
  MemoryClass memory_class = MemoryClass::device_coarse;
  HostPtr host;  ///< CPU address of `base` where it differs or is known (host classes), else null
  /// Other GPU agents that may access it, one bit each (Replayer's order of agents). Only device memory's.
  uint64_t accessors = 0;
  bool contains(GpuVa va) const { return va >= base && va - base < size; }
  GpuVa end() const { return base + size; }
};

/// What lies around an address: the extent with the greatest base not above it (which need not reach it), and
/// the neighbours of that one.
struct Neighbours {
  std::optional<Extent> before;
  std::optional<Extent> at;
  std::optional<Extent> after;
};

/// All extents of the process. Extents do not overlap: what is inserted over known ones replaces them, since
/// the runtime does not hand out memory twice (we missed a free). The one exception is application memory
/// that is registered inside memory already known (host_locked): it adds nothing and is counted, not stored.
///
/// Threads: any. find(), alive() and epoch() take no lock and write nothing shared. insert() and take() hold
/// one mutex for well under a microsecond; it is never held across a call into the runtime.
/// Cost: O(log n) each; insert() and take() allocate only while the table grows.
class ExtentTable {
 public:
  ExtentTable();
  ~ExtentTable();
  ExtentTable(const ExtentTable&) = delete;
  ExtentTable& operator=(const ExtentTable&) = delete;

  /// Adds an extent after the runtime returned it. Sizes of 0, and ranges that wrap, are not stored.
  /// @return its generation
  uint64_t insert(Extent extent);
  /// Removes the extent that starts at `base`, before the runtime frees it, registrations of it included.
  /// Empty when unknown.
  std::optional<Extent> take(GpuVa base);
  /// Undoes take() after the runtime refused the free; keeps the generation.
  void put_back(const Extent& extent);
  /// Ends one registration at `base`, before the runtime ends it: of memory that stays (its other uses are
  /// counted), or of application memory (host_locked), which leaves the table. Other memory is left alone.
  /// @return what put_back_registration() wants when the runtime refuses; empty: there was none
  std::optional<Extent> take_registration(GpuVa base);
  void put_back_registration(const Extent& extent);
  /// Gives a live extent another class, e.g. when it turns out to be the application's. Its generation stays.
  /// @return false when no extent of this generation starts there any more
  bool reclassify(GpuVa base, uint64_t generation, MemoryClass memory_class);
  /// Sets who else may access the live extent that holds `va`; its generation stays.
  /// @return the extent as it was; empty when `va` is in none
  std::optional<Extent> set_accessors(GpuVa va, uint64_t accessors);
  /// Agents that may access some live extent of `agent`, one bit each. No lock.
  uint64_t accessors_of(uint64_t agent) const;
  /// Whether anybody may access memory of another agent. One load.
  bool any_accessors() const;
  /// The extent that holds `va`.
  std::optional<Extent> find(GpuVa va) const;
  /// For addresses that may lie beside an extent instead of inside. Takes no lock.
  Neighbours around(GpuVa va) const;
  /// No extent since the last clear() reached below `low` or above `high`. Tells most numbers from addresses
  /// without a look-up. Takes no lock.
  struct Bounds {
    uint64_t low = UINT64_MAX;
    uint64_t high = 0;
  };
  Bounds bounds() const;
  /// Live bytes of is_host_data() classes, and of argument memory. Takes no lock.
  uint64_t host_data_bytes() const;
  uint64_t kernarg_bytes() const;
  /// Changes whenever the set of saved extents of `agent` changes.
  uint64_t epoch(uint64_t agent) const;
  /// Saved extents of `agent`, by address. @param epoch receives the epoch the list belongs to
  std::vector<Extent> saved_extents(uint64_t agent, uint64_t* epoch) const;
  /// The same without a copy: built once per epoch and shared. Applies the changes since the last call, and
  /// holds the writers' mutex only to fetch them.
  std::shared_ptr<const std::vector<Extent>> saved_list(uint64_t agent, uint64_t* epoch) const;
  /// Whether the extent of this generation is still live.
  bool alive(GpuVa base, uint64_t generation) const;
  /// Forgets everything (runtime shut down).
  void clear();
  size_t size() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace kreplay::snapshot
