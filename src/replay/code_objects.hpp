// Follows executables from loading to destruction: names of kernels and the writable segments a kernel can
// reach through global variables. Segments, not symbols: an unexported static has no symbol.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "base/mutex.hpp"
#include "hsa/loader.hpp"
#include "replay/kernels.hpp"
#include "snapshot/extent.hpp"

namespace kreplay::replay {

class Agent;

/// Threads: any. The lock is never held across a call into the runtime.
class CodeObjects {
 public:
  /// @param agents the GPU agents; must outlive this object
  CodeObjects(const hsa::HsaApi& api, KernelTable& kernels, snapshot::ExtentTable& extents,
              const std::vector<std::unique_ptr<Agent>>& agents)
      : loader_(api), kernels_(kernels), extents_(extents), gpu_agents_(agents) {}

  /// After a code object was loaded: reads its bytes while the application still has them.
  void loaded(hsa_executable_t executable);
  /// After the executable was frozen: addresses are known, kernels and segments enter the tables.
  void frozen(hsa_executable_t executable);
  /// Before the executable is destroyed: what it brought leaves the tables.
  /// @return agents with memory of it
  std::vector<Agent*> take(hsa_executable_t executable);
  /// Undoes take() after the runtime refused to destroy.
  void put_back(hsa_executable_t executable) { frozen(executable); }
  /// Forgets everything (runtime shut down).
  void clear();

 private:
  struct Executable {
    std::vector<hsa::LoadedCodeObject> objects;
    std::vector<uint64_t> segments;        ///< bases of the extents entered
    std::vector<uint64_t> kernel_objects;  ///< kernels entered
    std::vector<uint64_t> agents;
  };
  Status scan(hsa_executable_t executable);
  Agent* find_agent(uint64_t handle) const;
  /// Tells tools that trace code objects; calls them. @param kernels in the table already
  void report(hsa_executable_t executable, const Executable& state,
              const std::vector<hsa::KernelSymbol>& kernels) const;

  hsa::Loader loader_;
  KernelTable& kernels_;
  snapshot::ExtentTable& extents_;
  const std::vector<std::unique_ptr<Agent>>& gpu_agents_;
  Mutex mutex_;  // guards executables_
  std::map<uint64_t, Executable> executables_;
};

}  // namespace kreplay::replay
