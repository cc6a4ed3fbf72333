// Code-object tracing (CODE_OBJECT, callback form): code objects and their kernels, reported when they are
// loaded and before they go, once each.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "rocprofiler-sdk/rocprofiler.h"
#include "tool_api/replay_tool.hpp"

namespace kreplay::tool_api {

class Registry;
struct Context;

struct LoadedKernel {
  uint64_t kernel_id = 0;
  std::string name;  ///< as the loader has it, with ".kd"
  uint64_t kernel_object = 0;
  uint32_t kernarg_bytes = 0;
  uint32_t kernarg_alignment = 0;
  uint32_t group_bytes = 0;
  uint32_t private_bytes = 0;
  uint32_t sgprs = 0;
  uint32_t vgprs = 0;
  uint32_t agprs = 0;
  int64_t entry_offset = 0;  ///< of the code, from the descriptor
};

/// A code object on one agent.
struct LoadedObject {
  uint64_t executable = 0;  ///< hsa_executable_t::handle
  uint64_t hsa_agent = 0;
  uint64_t agent_id = 0;  ///< rocprofiler_agent_id_t::handle
  std::string uri;
  uint64_t load_base = 0;
  uint64_t load_bytes = 0;
  int64_t load_delta = 0;
  rocprofiler_code_object_storage_type_t storage = ROCPROFILER_CODE_OBJECT_STORAGE_TYPE_NONE;
  int storage_file = -1;
  uint64_t memory_base = 0;
  uint64_t memory_bytes = 0;
  std::vector<LoadedKernel> kernels;
};

struct CodeObjectCallback {
  bool load = false;  ///< the operations the tool asked for
  bool kernels = false;
  rocprofiler_callback_tracing_cb_t function = nullptr;
  void* args = nullptr;
};

/// Threads: any. No lock is held while a tool is called.
class CodeObjectTracing {
 public:
  explicit CodeObjectTracing(Registry& registry) : registry_(registry) {}
  ~CodeObjectTracing();

  void add(const Context& context, const CodeObjectCallback& to);
  /// Whether some context asks for code objects at all.
  bool wanted() const noexcept;
  /// After the executable was frozen, with no lock held. Contexts that are active now hear of the objects,
  /// and of their unloading; others never do.
  void loaded(std::vector<LoadedObject> objects) noexcept;
  /// Before the executable is destroyed.
  void unloading(uint64_t executable) noexcept;
  /// What is still loaded is reported as going; before tools are finalised.
  void unload_all() noexcept;

 private:
  struct Subscription {
    const Context* context = nullptr;
    CodeObjectCallback to;
  };
  struct Known {
    uint64_t id = 0;
    LoadedObject object;
    std::vector<rocprofiler_user_data_t> data;  ///< of the object, then of each kernel; per subscription
    std::vector<const Subscription*> told;
  };
  void report(Known& known, bool load) noexcept;
  void tell(const Subscription& to, const Known& known, rocprofiler_user_data_t* data, bool load);
  void unload(std::vector<std::shared_ptr<Known>> list) noexcept;

  Registry& registry_;
  mutable std::mutex mutex_;  // guards everything below
  std::vector<std::unique_ptr<Subscription>> subscriptions_;
  std::vector<std::shared_ptr<Known>> known_;
  uint64_t next_id_ = 1;
};

}  // namespace kreplay::tool_api
