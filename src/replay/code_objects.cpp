#include "replay/code_objects.hpp"

#include <algorithm>

#include "base/check.hpp"
#include "base/log.hpp"
#include "base/mutex.hpp"
#include "replay/agent.hpp"
#include "replay/thread_state.hpp"
#include "tool_api/tools.hpp"

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
  std::vector<hsa::KernelSymbol> kernels;
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
      kernels.push_back(symbol);
    }
  }
  {
    const std::lock_guard lock(mutex_);
    executables_[executable.handle] = state;
  }
  report(executable, state, kernels);
}

void CodeObjects::report(hsa_executable_t executable, const Executable& state,
                         const std::vector<hsa::KernelSymbol>& kernels) const {
  tool_api::CodeObjectTracing* tracing = tool_api::code_object_tracing();
  if (tracing == nullptr) return;
  std::vector<tool_api::LoadedObject> objects;
  for (const LoadedCodeObject& object : state.objects) {
    const Agent* agent = find_agent(object.agent.handle);
    if (agent == nullptr) continue;
    const hsa::LoadPlace place = loader_.where(object);
    tool_api::LoadedObject out;
    out.executable = executable.handle;
    out.hsa_agent = object.agent.handle;
    out.agent_id = agent->info().tool_id;
    out.uri = place.uri;
    out.load_base = place.base;
    out.load_bytes = place.size_bytes;
    out.load_delta = place.delta;
    out.storage = static_cast<rocprofiler_code_object_storage_type_t>(place.storage);
    out.storage_file = place.file;
    out.memory_base = place.memory_base;
    out.memory_bytes = place.memory_bytes;
    for (const hsa::KernelSymbol& symbol : kernels) {
      // An executable may hold several objects; a kernel belongs to the one its descriptor lies in.
      if (symbol.kernel_object < place.base || symbol.kernel_object - place.base >= place.size_bytes)
        continue;
      const Kernel* kernel = kernels_.find(symbol.kernel_object);
      if (kernel == nullptr) continue;
      const hsa::KernelMetadata& metadata = kernel->metadata;
      out.kernels.push_back({kernel->info.kernel_id, symbol.symbol, symbol.kernel_object,
                             symbol.kernarg_bytes, symbol.kernarg_alignment, symbol.group_bytes,
                             symbol.private_bytes, metadata.sgprs, metadata.vgprs, metadata.agprs,
                             loader_.entry_offset(symbol.kernel_object)});
    }
    objects.push_back(std::move(out));
  }
  const TheirsScope theirs;
  tracing->loaded(std::move(objects));
}

std::vector<Agent*> CodeObjects::take(hsa_executable_t executable) {
  if (tool_api::CodeObjectTracing* tracing = tool_api::code_object_tracing()) {
    const TheirsScope theirs;
    tracing->unloading(executable.handle);
  }
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
