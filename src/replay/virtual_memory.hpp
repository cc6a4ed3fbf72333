// Virtual memory of the hsa_amd_vmem_* calls: physical memory without an address (a handle), mapped piece by
// piece at addresses of the application's choice. A mapping that its owner may read and write is an extent
// like any allocation. One that is mapped twice is two extents with the same bytes, saved and restored twice.
#pragma once

#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "base/mutex.hpp"
#include "hsa/hsa_api.hpp"
#include "snapshot/extent.hpp"

namespace kreplay::replay {

/// Threads: any. Calls neither the runtime nor anybody else under its lock, except the extent table.
class VirtualMemory {
 public:
  explicit VirtualMemory(snapshot::ExtentTable& extents) : extents_(extents) {}

  /// What the memory behind a handle is.
  struct Backing {
    uint64_t owner = 0;  ///< agent; 0 for host memory
    snapshot::MemoryClass memory_class = snapshot::MemoryClass::device_coarse;
  };

  /// A handle was created, imported, or taken once more. @param backing empty: as it is known already
  void add_handle(uint64_t handle, std::optional<Backing> backing);
  /// Others have the memory behind a handle, too: what is mapped of it, now or later, is `device_shared`.
  /// @return the agent that owns it; 0: host memory, or not known
  uint64_t share(uint64_t handle);
  /// A reference to it was given back.
  void release_handle(uint64_t handle);
  /// After hsa_amd_vmem_map. No access yet, hence no extent.
  void mapped(void* va, uint64_t size_bytes, uint64_t handle);

  /// Extents that stop being what they are when [va, va + size) is unmapped, or loses the owner's access:
  /// taken out of the table. Ask before the call, so that no window starts to cover them meanwhile.
  /// @param access null: the range is unmapped; else what the call grants
  std::vector<snapshot::Extent> take(void* va, uint64_t size_bytes,
                                     const hsa_amd_memory_access_desc_t* access, size_t access_count);
  /// The runtime refused: as it was.
  void put_back(const std::vector<snapshot::Extent>& extents);
  /// After hsa_amd_vmem_unmap.
  void unmapped(void* va);
  /// After hsa_amd_vmem_set_access. Mappings whose owner may read and write now become extents.
  void granted(void* va, uint64_t size_bytes, const hsa_amd_memory_access_desc_t* access,
               size_t access_count);
  /// After hsa_amd_agents_allow_access, which gives full access to the run of mappings around `address`.
  void allowed(const void* address, const hsa_agent_t* agents, size_t count);
  /// What such a call is about: the live mappings of the run around `address`, or, where nothing is mapped,
  /// `extent`.
  std::vector<snapshot::Extent> run_around(const void* address, const snapshot::Extent& extent);
  /// Extents of live mappings that begin in [va, va + size).
  std::vector<snapshot::Extent> live_in(void* va, uint64_t size_bytes);

 private:
  struct Handle {
    Backing backing;
    uint64_t references = 0;
  };
  struct Mapping {
    uint64_t size = 0;
    uint64_t handle = 0;
    Backing backing;
    bool live = false;  ///< its owner may read and write it: it is in the extent table
  };
  using Mappings = std::map<uint64_t, Mapping>;

  void make_live(Mappings::value_type& mapping);
  Mappings::iterator mapping_of(const void* address);

  snapshot::ExtentTable& extents_;
  Mutex mutex_;  ///< guards what follows; taken before the extent table's own
  std::map<uint64_t, Handle> handles_;
  Mappings mappings_;  ///< by address
};

}  // namespace kreplay::replay
