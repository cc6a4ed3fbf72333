// The runtime's events: a GPU that faulted finishes nothing any more, so nobody here may go on waiting for
// it. An application with a handler of its own (HIP 7) lives on after a fault; without one the runtime
// aborts.

#include "intercept/event_failure.hpp"
#include "intercept/hook_scope.hpp"

namespace kreplay::intercept {
namespace {

/// Stands between the runtime and the application's handler. Handlers cannot be taken back, so it stays.
struct EventRelay {
  hsa_amd_system_event_callback_t application;
  void* data;

  static hsa_status_t relay(const hsa_amd_event_t* event, void* data) {
    const auto& self = *static_cast<const EventRelay*>(data);
    if (event != nullptr) observe(*event);
    return self.application(event, self.data);
  }

  static void observe(const hsa_amd_event_t& event) {
    const hsa_status_t failure = failure_of(event.event_type);
    if (failure == HSA_STATUS_SUCCESS || process::forked()) return;
    Replayer* replayer = process::replayer();
    if (replayer == nullptr) return;
    if (replay::Agent* agent = replayer->find_agent(event.memory_fault.agent.handle))
      agent->fail_queues(failure);
  }
};

}  // namespace
}  // namespace kreplay::intercept

using kreplay::intercept::EventRelay;

extern "C" {

KR_EXPORT hsa_status_t hsa_amd_register_system_event_handler(hsa_amd_system_event_callback_t callback,
                                                             void* data) {
  KR_SCOPE(hsa_amd_register_system_event_handler);
  EventRelay* relay = nullptr;
  hook.observe([&](kreplay::intercept::Replayer&) {
    if (callback != nullptr) relay = new EventRelay{callback, data};
  });
  const hsa_status_t status = hook.next().hsa_amd_register_system_event_handler(
      relay != nullptr ? &EventRelay::relay : callback, relay != nullptr ? static_cast<void*>(relay) : data);
  if (status != HSA_STATUS_SUCCESS) delete relay;
  return status;
}

}  // extern "C"
