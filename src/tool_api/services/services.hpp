// The services of a process beside kernel replay, which has its own door (replay_tool.hpp).
#pragma once

#include "tool_api/services/buffers.hpp"
#include "tool_api/services/code_objects/code_object_tracing.hpp"
#include "tool_api/services/counting/dispatch_counting.hpp"
#include "tool_api/services/internal_threads.hpp"
#include "tool_api/services/kernel_services.hpp"

namespace kreplay::tool_api {

struct Services {
  explicit Services(Registry& registry)
      : buffers(internal_threads), kernels(registry, internal_threads), code_objects(registry) {}

  InternalThreads internal_threads;
  BufferTable buffers;
  CounterConfigs configs;
  KernelServices kernels;
  CodeObjectTracing code_objects;
};

}  // namespace kreplay::tool_api
