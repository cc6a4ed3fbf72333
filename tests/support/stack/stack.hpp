// Program side of the tests on the whole stack: HSA on the software GPU, libkreplay.so above it, and the tool
// of stack_tool.hpp. `run-program` sets the environment up.
#pragma once

#include <dlfcn.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "e2e/support/hsa_check.hpp"
#include "support/stack/stack_tool.hpp"

namespace stack {

/// The tool behind ROCP_TOOL_LIBRARIES; null without one. Only after hsa_init.
inline Tool* find_tool() {
  const char* path = std::getenv("ROCP_TOOL_LIBRARIES");
  void* library = path == nullptr ? nullptr : dlopen(path, RTLD_NOLOAD | RTLD_LAZY);
  if (library == nullptr) return nullptr;
  const auto get = reinterpret_cast<decltype(&stack_tool)>(dlsym(library, "stack_tool"));
  return get == nullptr ? nullptr : get();
}

/// Everything a test needs; one per process, never destroyed: programs end with work in flight, too.
class Machine {
 public:
  static Machine& get() {
    static auto* machine = new Machine;
    return *machine;
  }

  e2e::Agents agents;
  std::unique_ptr<e2e::CodeObject> code;
  std::unique_ptr<e2e::Queue> queue;
  Tool* tool = nullptr;

  e2e::Kernel kernel(const char* name) const { return code->kernel(name); }

  /// Device memory with these values.
  unsigned* device(const std::vector<unsigned>& values) { return e2e::to_device(agents, values); }
  /// Fine-grained host memory, zero.
  unsigned* host(size_t count) {
    auto* data = e2e::allocate<unsigned>(agents, agents.host, count);
    std::memset(data, 0, count * sizeof(unsigned));
    return data;
  }
  unsigned value(const unsigned* device_data) const { return e2e::from_device(agents, device_data, 1)[0]; }

  /// Submits alone and waits for the application's signal.
  template <class... Args>
  void run(const e2e::Kernel& what, Args... args) {
    run_on(*queue, what, args...);
  }
  template <class... Args>
  void run_on(e2e::Queue& on, const e2e::Kernel& what, Args... args) {
    const hsa_signal_t done = e2e::make_signal(1);
    on.dispatch(what, 64, 64, done, args...);
    e2e::wait_below(done, 1, "a dispatch");
    HSA_OK(hsa_signal_destroy(done));
  }

  /// Outcome records written since the last call, oldest first.
  std::vector<nlohmann::json> take_records() {
    std::vector<nlohmann::json> out;
    std::ifstream in(records_);
    in.seekg(at_);
    for (std::string line; std::getline(in, line);) {
      auto parsed = nlohmann::json::parse(line);
      if (parsed["type"] == "dispatch") out.push_back(std::move(parsed));
    }
    in.clear();
    in.seekg(0, std::ios::end);
    at_ = in.tellg();
    return out;
  }

 private:
  Machine() {
    HSA_OK(hsa_init());
    agents = e2e::find_agents();
    code = std::make_unique<e2e::CodeObject>(agents);
    queue = std::make_unique<e2e::Queue>(agents);
    HSA_OK(hsa_amd_profiling_set_profiler_enabled(queue->get(), 1));
    tool = find_tool();
    if (const char* path = std::getenv("KREPLAY_OUTPUT")) records_ = path;
  }
  std::filesystem::path records_;
  std::streamoff at_ = 0;
};

}  // namespace stack
