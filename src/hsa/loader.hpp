// The runtime's loader extension: what is loaded where, on which agent, from which bytes.
#pragma once

#include <hsa/hsa_ven_amd_loader.h>

#include <cstdint>
#include <string>
#include <vector>

#include "base/status.hpp"
#include "hsa/code_object.hpp"
#include "hsa/hsa_api.hpp"

namespace kreplay::hsa {

struct LoadedSegment {
  uint64_t base = 0;  ///< address on the agent
  uint64_t size_bytes = 0;
};

/// One code object loaded into an executable for one agent.
struct LoadedCodeObject {
  uint64_t handle = 0;
  hsa_agent_t agent = {0};
  CodeObject object;                    ///< segments still at their unloaded addresses
  std::vector<LoadedSegment> writable;  ///< filled by place()
  std::string problem;                  ///< why metadata or segments are incomplete; empty when they are not
};

/// Where the loader put a code object, and where it had it from.
struct LoadPlace {
  std::string uri;
  uint64_t base = 0;
  uint64_t size_bytes = 0;
  int64_t delta = 0;
  uint32_t storage = 0;  ///< hsa_ven_amd_loader_code_object_storage_type_t
  int file = -1;
  uint64_t memory_base = 0;
  uint64_t memory_bytes = 0;
};

/// A kernel symbol of a frozen executable.
struct KernelSymbol {
  std::string symbol;  ///< ends in ".kd" for code objects of version 3 and later
  uint64_t kernel_object = 0;
  hsa_agent_t agent = {0};
  uint32_t kernarg_bytes = 0;
  uint32_t kernarg_alignment = 0;
  uint32_t group_bytes = 0;
  uint32_t private_bytes = 0;
};

/// Threads: any. Calls the runtime, so hold no lock.
class Loader {
 public:
  explicit Loader(const HsaApi& api);
  /// Whether the runtime offers what loaded_code_objects() needs.
  bool available() const { return table_.hsa_ven_amd_loader_loaded_code_object_get_info != nullptr; }
  /// Agent code objects of `executable`, except those whose handle is in `known`. Reads their bytes, so call
  /// it before the application may give them up, that is right after loading.
  Result<std::vector<LoadedCodeObject>> loaded_code_objects(hsa_executable_t executable,
                                                            const std::vector<uint64_t>& known) const;
  /// Fills `writable`; the executable must be frozen, the loader knows no addresses before.
  void place(LoadedCodeObject& loaded) const;
  /// What the loader tells of a loaded object of a frozen executable; what it does not tell stays zero.
  LoadPlace where(const LoadedCodeObject& loaded) const;
  /// Offset of a kernel's code from its descriptor; 0 when the descriptor cannot be read from the host.
  int64_t entry_offset(uint64_t kernel_object) const;
  /// Kernel symbols of a frozen executable on `agent`.
  Result<std::vector<KernelSymbol>> kernel_symbols(hsa_executable_t executable, hsa_agent_t agent) const;

 private:
  LoadedCodeObject read(hsa_loaded_code_object_t handle) const;

  const HsaApi& api_;
  hsa_ven_amd_loader_1_01_pfn_t table_ = {};
};

}  // namespace kreplay::hsa
