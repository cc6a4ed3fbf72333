#include "replay/code_objects.hpp"

#include <algorithm>

#include "base/check.hpp"
#include "base/log.hpp"
#include "base/mutex.hpp"
#include "replay/agent.hpp"

namespace kreplay::replay {

using hsa::LoadedCodeObject;

Agent* CodeObjects::find_agent(uint64_t handle) const {
  for (const auto& agent : gpu_agents_)
    if (agent->handle().handle == handle) return agent.get();
  return nullptr;
}

Status CodeObjects::scan(hsa_executable_t executable) {
  std::vector<uint64_t> known;
  {
    const std::lock_guard lock(mutex_);
    for (const LoadedCodeObject& object : executables_[executable.handle].objects)
      known.push_back(object.handle);
  }
  KR_CHECK_UNLOCKED();
  Result<std::vector<LoadedCodeObject>> found = loader_.loaded_code_objects(executable, known);
  if (!found) return found.status();
  const std::lock_guard lock(mutex_);
  auto& objects = executables_[executable.handle].objects;
  for (LoadedCodeObject& object : *found) objects.push_back(std::move(object));
  return {};
}

void CodeObjects::loaded(hsa_executable_t executable) {
  // A failure here shows again, and counts, when the executable is frozen.
  if (loader_.available()) (void)scan(executable);
}

void CodeObjects::frozen(hsa_executable_t executable) {
  const Status listed = scan(executable);
  if (!listed.ok()) {
    // Nobody can say for which agents it was loaded, so no agent's snapshot is complete while it lives.
    log::warn("hsa_executable_freeze", "executable 0x{:x}: {}; dispatches run once while it is loaded",
              executable.handle, listed.message());
    for (const auto& agent : gpu_agents_) agent->set_incomplete(executable.handle, listed.message());
  }
  Executable state;
  {
    const std::lock_guard lock(mutex_);
    state = executables_[executable.handle];
  }
  for (LoadedCodeObject& object : state.objects) {
    Agent* agent = find_agent(object.agent.handle);
    if (agent == nullptr) {
      if (!object.problem.empty() && object.agent.handle == 0)  // it may be any agent's
        for (const auto& each : gpu_agents_) each->set_incomplete(executable.handle, object.problem);
      continue;  // a CPU agent, or a program code object
    }
    if (std::find(state.agents.begin(), state.agents.end(), object.agent.handle) == state.agents.end())
      state.agents.push_back(object.agent.handle);
    if (object.problem.empty()) loader_.place(object);
    if (!object.problem.empty()) agent->set_incomplete(executable.handle, object.problem);
    for (const hsa::LoadedSegment& segment : object.writable) {
      snapshot::Extent extent;
      extent.base = GpuVa(segment.base);
      extent.size = segment.size_bytes;
      extent.agent = object.agent.handle;
      extent.memory_class = snapshot::MemoryClass::code_segment;
      extents_.insert(extent);
      state.segments.push_back(segment.base);
    }
  }
  for (const uint64_t handle : state.agents) {
    Result<std::vector<hsa::KernelSymbol>> symbols = loader_.kernel_symbols(executable, {handle});
    if (!symbols) {
      // Kernels stay nameless; what they write is known from the segments, so replay stays sound.
      log::warn("hsa_executable_freeze", "executable 0x{:x}: {}; its kernels have no names",
                executable.handle, symbols.status().message());
      continue;
    }
    for (const hsa::KernelSymbol& symbol : *symbols) {
      const hsa::KernelMetadata* metadata = nullptr;
      for (const LoadedCodeObject& object : state.objects)
        for (const hsa::KernelMetadata& candidate : object.object.kernels)
          if (object.agent.handle == handle &&
              (candidate.symbol == symbol.symbol || candidate.name == symbol.symbol))
            metadata = &candidate;
      kernels_.insert(symbol.kernel_object, symbol.symbol, metadata);
      state.kernel_objects.push_back(symbol.kernel_object);
    }
  }
  const std::lock_guard lock(mutex_);
  executables_[executable.handle] = std::move(state);
}

std::vector<Agent*> CodeObjects::take(hsa_executable_t executable) {
  Executable state;
  {
    const std::lock_guard lock(mutex_);
    const auto it = executables_.find(executable.handle);
    if (it == executables_.end()) return {};
    state = std::move(it->second);
    executables_.erase(it);
  }
  for (const uint64_t base : state.segments) extents_.take(GpuVa(base));
  for (const uint64_t kernel_object : state.kernel_objects) kernels_.erase(kernel_object);
  for (const auto& agent : gpu_agents_) agent->clear_incomplete(executable.handle);
  std::vector<Agent*> agents;
  for (const uint64_t handle : state.agents)
    if (Agent* agent = find_agent(handle)) agents.push_back(agent);
  KR_CHECK(agents.size() == state.agents.size(), "agents stay for as long as the runtime");
  return agents;
}

void CodeObjects::clear() {
  const std::lock_guard lock(mutex_);
  executables_.clear();
}

}  // namespace kreplay::replay
