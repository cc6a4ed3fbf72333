// HIP graph launches: the thread is marked while it is inside one, so that the packets are known as a
// graph's.

#include <atomic>

#include "hsa/runtime_binding.hpp"
#include "intercept/exports.hpp"
#include "replay/thread_state.hpp"

namespace kreplay::intercept {
namespace {

constexpr int kHipErrorNotFound = 500;

/// Both arguments are handles (hipGraphExec_t, hipStream_t), the result a hipError_t.
using GraphLaunch = int (*)(void* graph, void* stream);

int launch(std::atomic<GraphLaunch>& next, const char* name, void* graph, void* stream) {
  GraphLaunch function = next.load(std::memory_order_acquire);
  if (function == nullptr) {
    function = reinterpret_cast<GraphLaunch>(hsa::find_hip_symbol(name));
    if (function == nullptr) return kHipErrorNotFound;
    next.store(function, std::memory_order_release);
  }
  ++replay::t_state.graph;
  const int result = function(graph, stream);
  --replay::t_state.graph;
  return result;
}

std::atomic<GraphLaunch> g_launch{nullptr};
std::atomic<GraphLaunch> g_launch_spt{nullptr};

}  // namespace
}  // namespace kreplay::intercept

extern "C" {

KR_EXPORT int hipGraphLaunch(void* graph, void* stream) {
  return kreplay::intercept::launch(kreplay::intercept::g_launch, "hipGraphLaunch", graph, stream);
}

KR_EXPORT int hipGraphLaunch_spt(void* graph, void* stream) {
  return kreplay::intercept::launch(kreplay::intercept::g_launch_spt, "hipGraphLaunch_spt", graph, stream);
}

}  // extern "C"
