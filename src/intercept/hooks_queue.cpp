// Queues: creation makes a proxy, every function that takes a queue maps it back.

#include "base/check.hpp"
#include "base/log.hpp"
#include "intercept/hook_scope.hpp"
#include "intercept/proxy_queue.hpp"

namespace kreplay::intercept {
namespace {

/// Stands between the runtime's error callback and the application's. Lives as long as the real queue.
struct ErrorRelay {
  ProxyQueue::Callback application;
  std::atomic<ProxyQueue*> proxy{nullptr};

  static void relay(hsa_status_t status, hsa_queue_t* source, void* data) {
    auto& self = *static_cast<ErrorRelay*>(data);
    ProxyQueue* proxy = self.proxy.load(std::memory_order_acquire);
    if (proxy != nullptr) {
      proxy->queue().error.store(static_cast<uint32_t>(status), std::memory_order_release);
      proxy->show_unfinished();
      source = proxy->application_queue();
    }
    if (self.application.function != nullptr)
      self.application.function(status, source, self.application.data);
  }
};

/// Turns a fresh real queue into a proxy. @return null: the application gets the real one
hsa_queue_t* make_proxy(Replayer& replayer, hsa_agent_t agent_handle, hsa_queue_t* real,
                        hsa_queue_type32_t type, ErrorRelay& relay) {
  replay::Agent* agent = replayer.find_agent(agent_handle.handle);
  if (agent == nullptr) return nullptr;  // a CPU agent's queue
  const HsaApi& api = process::real();
  // Times of passes come from the queue's profiling; on for good, see hsa_amd_profiling_set_profiler_enabled.
  api.hsa_amd_profiling_set_profiler_enabled(real, 1);
  const hsa_signal_t model = process::doorbell_model();
  ProxySlot* slot = model.handle == 0 ? nullptr : arena::take();
  ProxyQueue* proxy =
      slot == nullptr ? nullptr : ProxyQueue::make(slot, replayer, *agent, api, real, type, model);
  if (proxy == nullptr) {
    if (slot != nullptr) arena::give_back(slot);
    replayer.mark_bypassed(agent_handle.handle, "hsa_queue_create", "a queue could not be intercepted");
    return nullptr;
  }
  KR_CHECK(&proxy->queue().agent() == agent && proxy->real() == real,
           "a proxy stands for the queue it was made of");
  relay.proxy.store(proxy, std::memory_order_release);
  proxy->set_relay(&relay);
  replayer.add_queue(proxy->queue());
  return proxy->application_queue();
}

void free_relay(void* relay) {
  KR_CHECK(relay != nullptr, "every proxy was made with a relay");
  delete static_cast<ErrorRelay*>(relay);
}

/// The queue to call the runtime with.
hsa_queue_t* real_of(const hsa_queue_t* queue) {
  ProxyQueue* proxy = arena::find(queue);
  return proxy == nullptr ? const_cast<hsa_queue_t*>(queue) : proxy->real();
}

}  // namespace
}  // namespace kreplay::intercept

using kreplay::intercept::ErrorRelay;
using kreplay::intercept::ProxyQueue;
using kreplay::intercept::real_of;
using kreplay::intercept::Replayer;
using kreplay::intercept::arena::find;

extern "C" {

KR_EXPORT hsa_status_t hsa_queue_create(hsa_agent_t agent, uint32_t size, hsa_queue_type32_t type,
                                        void (*callback)(hsa_status_t status, hsa_queue_t* source,
                                                         void* data),
                                        void* data, uint32_t private_segment_size,
                                        uint32_t group_segment_size, hsa_queue_t** queue) {
  KR_SCOPE(hsa_queue_create);
  ErrorRelay* relay = nullptr;
  hook.observe([&](Replayer& r) {
    if (r.find_agent(agent.handle) == nullptr || queue == nullptr) return;
    relay = new ErrorRelay;
    relay->application = {callback, data};
  });
  // An application without a callback keeps none: the runtime then behaves as it would without us.
  const bool relayed = relay != nullptr && callback != nullptr;
  const hsa_status_t status = hook.next().hsa_queue_create(
      agent, size, type, relayed ? &ErrorRelay::relay : callback, relayed ? static_cast<void*>(relay) : data,
      private_segment_size, group_segment_size, queue);
  if (relay == nullptr) return status;
  hsa_queue_t* shown = nullptr;
  if (status == HSA_STATUS_SUCCESS)
    hook.observe(
        [&](Replayer& r) { shown = kreplay::intercept::make_proxy(r, agent, *queue, type, *relay); });
  if (shown != nullptr)
    *queue = shown;
  else if (status != HSA_STATUS_SUCCESS || !relayed)
    delete relay;  // otherwise the unproxied queue still refers to it
  return status;
}

KR_EXPORT hsa_status_t hsa_queue_destroy(hsa_queue_t* queue) {
  KR_SCOPE(hsa_queue_destroy);
  ProxyQueue* proxy = find(queue);
  if (proxy == nullptr) return hook.next().hsa_queue_destroy(queue);
  const auto destroy_later = [proxy] {
    (void)kreplay::intercept::process::real().hsa_queue_destroy(proxy->real());
    kreplay::intercept::free_relay(proxy->relay());
    ProxyQueue::destroy(proxy);
  };
  // Not through observe(): a proxy's queue leaves its lists in every phase of the process.
  if (!kreplay::intercept::process::forked() && proxy->replayer().take_queue(proxy->queue(), destroy_later))
    return HSA_STATUS_SUCCESS;
  const hsa_status_t status = hook.next().hsa_queue_destroy(proxy->real());
  if (kreplay::intercept::process::forked()) return status;
  if (status != HSA_STATUS_SUCCESS) {
    proxy->replayer().put_back_queue(proxy->queue());
    return status;
  }
  kreplay::intercept::free_relay(proxy->relay());
  ProxyQueue::destroy(proxy);
  return status;
}

KR_EXPORT hsa_status_t hsa_queue_inactivate(hsa_queue_t* queue) {
  KR_SCOPE(hsa_queue_inactivate);
  return hook.next().hsa_queue_inactivate(real_of(queue));
}

KR_EXPORT hsa_status_t hsa_amd_profiling_set_profiler_enabled(hsa_queue_t* queue, int enable) {
  KR_SCOPE(hsa_amd_profiling_set_profiler_enabled);
  // Off would take the times of the passes away; the application cannot tell the difference.
  const bool ours = find(queue) != nullptr;
  return hook.next().hsa_amd_profiling_set_profiler_enabled(real_of(queue), ours ? 1 : enable);
}

KR_EXPORT hsa_status_t hsa_amd_queue_cu_set_mask(const hsa_queue_t* queue, uint32_t num_cu_mask_count,
                                                 const uint32_t* cu_mask) {
  KR_SCOPE(hsa_amd_queue_cu_set_mask);
  return hook.next().hsa_amd_queue_cu_set_mask(real_of(queue), num_cu_mask_count, cu_mask);
}

KR_EXPORT hsa_status_t hsa_amd_queue_cu_get_mask(const hsa_queue_t* queue, uint32_t num_cu_mask_count,
                                                 uint32_t* cu_mask) {
  KR_SCOPE(hsa_amd_queue_cu_get_mask);
  return hook.next().hsa_amd_queue_cu_get_mask(real_of(queue), num_cu_mask_count, cu_mask);
}

KR_EXPORT hsa_status_t hsa_amd_queue_set_priority(hsa_queue_t* queue, hsa_amd_queue_priority_t priority) {
  KR_SCOPE(hsa_amd_queue_set_priority);
  return hook.next().hsa_amd_queue_set_priority(real_of(queue), priority);
}

KR_EXPORT hsa_status_t hsa_amd_queue_get_info(hsa_queue_t* queue, int attribute, void* value) {
  KR_SCOPE(hsa_amd_queue_get_info);
  return hook.next().hsa_amd_queue_get_info(real_of(queue), attribute, value);
}

// --- indices: a proxy answers by itself, other queues go on ---

#define KR_LOAD_READ(fn)                                                             \
  KR_EXPORT uint64_t fn(const hsa_queue_t* queue) {                                  \
    if (ProxyQueue* proxy = find(queue))                                             \
      return kreplay::intercept::process::forked() ? proxy->queue().accounts.taken() \
                                                   : proxy->load_read_index();       \
    KR_SCOPE(fn);                                                                    \
    return hook.next().fn(queue);                                                    \
  }
#define KR_LOAD_WRITE(fn, order)                                                \
  KR_EXPORT uint64_t fn(const hsa_queue_t* queue) {                             \
    if (ProxyQueue* proxy = find(queue)) return proxy->load_write_index(order); \
    KR_SCOPE(fn);                                                               \
    return hook.next().fn(queue);                                               \
  }
#define KR_STORE_WRITE(fn, order)                                                       \
  KR_EXPORT void fn(const hsa_queue_t* queue, uint64_t value) {                         \
    if (ProxyQueue* proxy = find(queue)) return proxy->store_write_index(value, order); \
    KR_SCOPE(fn);                                                                       \
    hook.next().fn(queue, value);                                                       \
  }
#define KR_ADD_WRITE(fn, order)                                                       \
  KR_EXPORT uint64_t fn(const hsa_queue_t* queue, uint64_t value) {                   \
    if (ProxyQueue* proxy = find(queue)) return proxy->add_write_index(value, order); \
    KR_SCOPE(fn);                                                                     \
    return hook.next().fn(queue, value);                                              \
  }
#define KR_CAS_WRITE(fn, order)                                                                 \
  KR_EXPORT uint64_t fn(const hsa_queue_t* queue, uint64_t expected, uint64_t value) {          \
    if (ProxyQueue* proxy = find(queue)) return proxy->cas_write_index(expected, value, order); \
    KR_SCOPE(fn);                                                                               \
    return hook.next().fn(queue, expected, value);                                              \
  }
// Only a queue whose packets the host processes has its read index stored; on a hardware queue the runtime
// refuses, so it is asked with the real queue and answers as it would without us.
#define KR_STORE_READ(fn)                                       \
  KR_EXPORT void fn(const hsa_queue_t* queue, uint64_t value) { \
    KR_SCOPE(fn);                                               \
    hook.next().fn(real_of(queue), value);                      \
  }

KR_LOAD_READ(hsa_queue_load_read_index_relaxed)
KR_LOAD_READ(hsa_queue_load_read_index_scacquire)
KR_LOAD_WRITE(hsa_queue_load_write_index_relaxed, __ATOMIC_RELAXED)
KR_LOAD_WRITE(hsa_queue_load_write_index_scacquire, __ATOMIC_ACQUIRE)
KR_STORE_WRITE(hsa_queue_store_write_index_relaxed, __ATOMIC_RELAXED)
KR_STORE_WRITE(hsa_queue_store_write_index_screlease, __ATOMIC_RELEASE)
KR_ADD_WRITE(hsa_queue_add_write_index_relaxed, __ATOMIC_RELAXED)
KR_ADD_WRITE(hsa_queue_add_write_index_scacquire, __ATOMIC_ACQUIRE)
KR_ADD_WRITE(hsa_queue_add_write_index_screlease, __ATOMIC_RELEASE)
KR_ADD_WRITE(hsa_queue_add_write_index_scacq_screl, __ATOMIC_ACQ_REL)
KR_CAS_WRITE(hsa_queue_cas_write_index_relaxed, __ATOMIC_RELAXED)
KR_CAS_WRITE(hsa_queue_cas_write_index_scacquire, __ATOMIC_ACQUIRE)
KR_CAS_WRITE(hsa_queue_cas_write_index_screlease, __ATOMIC_RELEASE)
KR_CAS_WRITE(hsa_queue_cas_write_index_scacq_screl, __ATOMIC_ACQ_REL)
KR_STORE_READ(hsa_queue_store_read_index_relaxed)
KR_STORE_READ(hsa_queue_store_read_index_screlease)

}  // extern "C"
