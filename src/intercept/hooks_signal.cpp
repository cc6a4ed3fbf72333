// Signals: stores ring doorbells; everything that changes a value is told to the copy fence, which knows
// copies in flight by the value of their completion signal.

#include <hsa/amd_hsa_signal.h>

#include <optional>

#include "intercept/hook_scope.hpp"
#include "intercept/proxy_queue.hpp"

namespace kreplay::intercept {
namespace {

using replay::SignalChange;

/// Nobody should know a hardware doorbell: the application has only proxies'. Whoever rings one has a queue
/// we never saw.
void look_for_doorbell(Replayer& replayer, hsa_signal_t signal) {
  if (signal.handle == 0) return;
  const auto* object = reinterpret_cast<const amd_signal_t*>(signal.handle);
  if (object->kind != AMD_SIGNAL_KIND_DOORBELL && object->kind != AMD_SIGNAL_KIND_LEGACY_DOORBELL) return;
  const CancelGuard whole;  // there may be something to say
  replayer.mark_bypassed(0, "hsa_signal_store",
                         "a queue that was not created through this library is in use");
}

/// One operation on a signal's value between what the fence must know before and after it.
class Observed {
 public:
  Observed(const HookScope& hook, hsa_signal_t signal) {
    hook.observe_short([&](Replayer& r) { change_.begin(r.copies(), signal); });
  }
  /// Whether somebody must know by how much the value changes.
  bool tracked() const { return change_.tracked(); }
  void by(int64_t delta) { change_.by(delta); }
  void stored(int64_t before, int64_t value) { change_.stored(before, value); }

 private:
  SignalChange change_;  // of nothing when nobody observes
};

/// After the runtime made it: where signals lie is known, so that a kernel with an argument that points at
/// one is found.
void made(const HookScope& hook, hsa_status_t status, const hsa_signal_t* signal) {
  hook.observe_short([&](Replayer& r) {
    if (status == HSA_STATUS_SUCCESS && signal != nullptr && signal->handle != 0)
      r.memory().signal_made(*signal);
  });
}

}  // namespace
}  // namespace kreplay::intercept

using kreplay::intercept::HookScope;
using kreplay::intercept::Observed;
using kreplay::intercept::ProxyQueue;
using kreplay::intercept::Replayer;

extern "C" {

// A store to a signal that nobody tracks stays one; of a tracked one the value it replaces must be known,
// which an exchange tells.
#define KR_STORE(fn)                                                                        \
  KR_EXPORT void fn(hsa_signal_t signal, hsa_signal_value_t value) {                        \
    if (ProxyQueue* proxy = kreplay::intercept::arena::find(signal)) {                      \
      if (!kreplay::intercept::process::forked()) proxy->doorbell();                        \
      return;                                                                               \
    }                                                                                       \
    KR_SCOPE(fn);                                                                           \
    bool tracked = false;                                                                   \
    hook.observe_short([&](Replayer& r) {                                                   \
      kreplay::intercept::look_for_doorbell(r, signal);                                     \
      tracked = r.copies().tracks(signal);                                                  \
    });                                                                                     \
    if (__builtin_expect(!tracked, 1)) return hook.next().fn(signal, value);                \
    Observed change(hook, signal);                                                          \
    const hsa_signal_value_t before =                                                       \
        kreplay::intercept::process::real().hsa_signal_exchange_scacq_screl(signal, value); \
    change.stored(before, value);                                                           \
  }

KR_STORE(hsa_signal_store_relaxed)
KR_STORE(hsa_signal_store_screlease)
KR_STORE(hsa_signal_silent_store_relaxed)
KR_STORE(hsa_signal_silent_store_screlease)

#define KR_ARITHMETIC(fn, sign)                                      \
  KR_EXPORT void fn(hsa_signal_t signal, hsa_signal_value_t value) { \
    KR_SCOPE(fn);                                                    \
    Observed change(hook, signal);                                   \
    hook.next().fn(signal, value);                                   \
    change.by(sign value);                                           \
  }

// The runtime does not tell what a logical operation made of the value; of a tracked signal it must be known.
#define KR_LOGIC(fn, op)                                                                       \
  KR_EXPORT void fn(hsa_signal_t signal, hsa_signal_value_t value) {                           \
    KR_SCOPE(fn);                                                                              \
    Observed change(hook, signal);                                                             \
    if (__builtin_expect(!change.tracked(), 1)) return hook.next().fn(signal, value);          \
    const auto& real = kreplay::intercept::process::real();                                    \
    hsa_signal_value_t before = real.hsa_signal_load_relaxed(signal);                          \
    for (hsa_signal_value_t seen;                                                              \
         (seen = real.hsa_signal_cas_scacq_screl(signal, before, before op value)) != before;) \
      before = seen;                                                                           \
    change.by((before op value)-before);                                                       \
  }

#define KR_EXCHANGE(fn)                                                            \
  KR_EXPORT hsa_signal_value_t fn(hsa_signal_t signal, hsa_signal_value_t value) { \
    KR_SCOPE(fn);                                                                  \
    Observed change(hook, signal);                                                 \
    const hsa_signal_value_t before = hook.next().fn(signal, value);               \
    change.by(value - before);                                                     \
    return before;                                                                 \
  }

#define KR_CAS(fn)                                                                  \
  KR_EXPORT hsa_signal_value_t fn(hsa_signal_t signal, hsa_signal_value_t expected, \
                                  hsa_signal_value_t value) {                       \
    KR_SCOPE(fn);                                                                   \
    Observed change(hook, signal);                                                  \
    const hsa_signal_value_t before = hook.next().fn(signal, expected, value);      \
    if (before == expected) change.by(value - before);                              \
    return before;                                                                  \
  }

#define KR_ORDERS(KIND, name, ...)                               \
  KIND(hsa_signal_##name##_relaxed __VA_OPT__(, ) __VA_ARGS__)   \
  KIND(hsa_signal_##name##_scacquire __VA_OPT__(, ) __VA_ARGS__) \
  KIND(hsa_signal_##name##_screlease __VA_OPT__(, ) __VA_ARGS__) \
  KIND(hsa_signal_##name##_scacq_screl __VA_OPT__(, ) __VA_ARGS__)

KR_ORDERS(KR_ARITHMETIC, add, +)
KR_ORDERS(KR_ARITHMETIC, subtract, -)
KR_ORDERS(KR_LOGIC, and, &)
KR_ORDERS(KR_LOGIC, or, |)
KR_ORDERS(KR_LOGIC, xor, ^)
KR_ORDERS(KR_EXCHANGE, exchange)
KR_ORDERS(KR_CAS, cas)

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

KR_EXPORT hsa_status_t hsa_signal_destroy(hsa_signal_t signal) {
  KR_SCOPE(hsa_signal_destroy);
  std::optional<kreplay::snapshot::Extent> gone;
  // Before the call: the handle may come back as another signal.
  hook.observe_short([&](Replayer& r) {
    (void)r.core().completing.wait(signal);
    r.copies().signal_destroyed(signal);
    gone = r.memory().signal_ends(signal);
  });
  const hsa_status_t status = hook.next().hsa_signal_destroy(signal);
  hook.observe_short([&](Replayer& r) {
    if (status != HSA_STATUS_SUCCESS && gone) r.extents().put_back(*gone);
  });
  return status;
}

KR_EXPORT hsa_status_t hsa_amd_signal_value_pointer(hsa_signal_t signal,
                                                    volatile hsa_signal_value_t** value_ptr) {
  KR_SCOPE(hsa_amd_signal_value_pointer);
  hook.observe([&](Replayer& r) { r.copies().signal_exposed(signal); });
  return hook.next().hsa_amd_signal_value_pointer(signal, value_ptr);
}

KR_EXPORT hsa_status_t hsa_amd_ipc_signal_create(hsa_signal_t signal, hsa_amd_ipc_signal_t* handle) {
  KR_SCOPE(hsa_amd_ipc_signal_create);
  hook.observe([&](Replayer& r) { r.copies().signal_exposed(signal); });
  return hook.next().hsa_amd_ipc_signal_create(signal, handle);
}

KR_EXPORT hsa_status_t hsa_amd_ipc_signal_attach(const hsa_amd_ipc_signal_t* handle, hsa_signal_t* signal) {
  KR_SCOPE(hsa_amd_ipc_signal_attach);
  const hsa_status_t status = hook.next().hsa_amd_ipc_signal_attach(handle, signal);
  hook.observe([&](Replayer& r) {
    if (status == HSA_STATUS_SUCCESS) r.copies().signal_exposed(*signal);
  });
  kreplay::intercept::made(hook, status, signal);
  return status;
}

KR_EXPORT hsa_status_t hsa_amd_profiling_get_async_copy_time(hsa_signal_t signal,
                                                             hsa_amd_profiling_async_copy_time_t* time) {
  KR_SCOPE(hsa_amd_profiling_get_async_copy_time);
  std::optional<hsa_amd_profiling_async_copy_time_t> known;
  hook.observe([&](Replayer& r) { known = r.copies().times_of(signal); });
  if (!known || time == nullptr) return hook.next().hsa_amd_profiling_get_async_copy_time(signal, time);
  *time = *known;
  return HSA_STATUS_SUCCESS;
}

}  // extern "C"
