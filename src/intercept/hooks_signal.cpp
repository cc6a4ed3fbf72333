// Signals: stores ring doorbells; stores and destruction end what is known about a copy's completion. Where
// signals lie is known from their creation on, so that a kernel with an argument that points at one is found.

#include <hsa/amd_hsa_signal.h>

#include <optional>

#include "intercept/hook_scope.hpp"
#include "intercept/proxy_queue.hpp"

namespace kreplay::intercept {
namespace {

/// A store to a signal that is no proxy's doorbell.
void seen_store(const HookScope& hook, hsa_signal_t signal) {
  hook.observe([&](Replayer& r) {
    r.copies().signal_reset(signal);
    if (signal.handle == 0) return;
    // Nobody should know a hardware doorbell: the application has only proxies'. Whoever rings one has a
    // queue we never saw.
    const auto* object = reinterpret_cast<const amd_signal_t*>(signal.handle);
    if (object->kind == AMD_SIGNAL_KIND_DOORBELL || object->kind == AMD_SIGNAL_KIND_LEGACY_DOORBELL)
      r.mark_bypassed(0, "hsa_signal_store", "a queue that was not created through this library is in use");
  });
}

/// After the runtime made it.
void made(const HookScope& hook, hsa_status_t status, const hsa_signal_t* signal) {
  hook.observe([&](Replayer& r) {
    if (status == HSA_STATUS_SUCCESS && signal != nullptr && signal->handle != 0) r.signal_made(*signal);
  });
}

}  // namespace
}  // namespace kreplay::intercept

using kreplay::intercept::ProxyQueue;
using kreplay::intercept::Replayer;

extern "C" {

#define KR_STORE(fn)                                                   \
  KR_EXPORT void fn(hsa_signal_t signal, hsa_signal_value_t value) {   \
    if (ProxyQueue* proxy = kreplay::intercept::arena::find(signal)) { \
      if (!kreplay::intercept::process::forked()) proxy->doorbell();   \
      return;                                                          \
    }                                                                  \
    KR_SCOPE(fn);                                                      \
    kreplay::intercept::seen_store(hook, signal);                      \
    hook.next().fn(signal, value);                                     \
  }

KR_STORE(hsa_signal_store_relaxed)
KR_STORE(hsa_signal_store_screlease)
KR_STORE(hsa_signal_silent_store_relaxed)
KR_STORE(hsa_signal_silent_store_screlease)

KR_EXPORT hsa_status_t hsa_signal_create(hsa_signal_value_t initial_value, uint32_t num_consumers,
                                         const hsa_agent_t* consumers, hsa_signal_t* signal) {
  KR_SCOPE(hsa_signal_create);
  const hsa_status_t status = hook.next().hsa_signal_create(initial_value, num_consumers, consumers, signal);
  kreplay::intercept::made(hook, status, signal);
  return status;
}

KR_EXPORT hsa_status_t hsa_amd_signal_create(hsa_signal_value_t initial_value, uint32_t num_consumers,
                                             const hsa_agent_t* consumers, uint64_t attributes,
                                             hsa_signal_t* signal) {
  KR_SCOPE(hsa_amd_signal_create);
  const hsa_status_t status =
      hook.next().hsa_amd_signal_create(initial_value, num_consumers, consumers, attributes, signal);
  kreplay::intercept::made(hook, status, signal);
  return status;
}

KR_EXPORT hsa_status_t hsa_amd_ipc_signal_attach(const hsa_amd_ipc_signal_t* handle, hsa_signal_t* signal) {
  KR_SCOPE(hsa_amd_ipc_signal_attach);
  const hsa_status_t status = hook.next().hsa_amd_ipc_signal_attach(handle, signal);
  kreplay::intercept::made(hook, status, signal);
  return status;
}

KR_EXPORT hsa_status_t hsa_signal_destroy(hsa_signal_t signal) {
  KR_SCOPE(hsa_signal_destroy);
  std::optional<kreplay::snapshot::Extent> gone;
  // Before the call: the handle may come back as another signal.
  hook.observe([&](Replayer& r) {
    r.copies().signal_reset(signal);
    gone = r.signal_ends(signal);
  });
  const hsa_status_t status = hook.next().hsa_signal_destroy(signal);
  hook.observe([&](Replayer& r) {
    if (status != HSA_STATUS_SUCCESS && gone) r.extents().put_back(*gone);
  });
  return status;
}

}  // extern "C"
