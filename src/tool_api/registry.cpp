#include "tool_api/registry.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <chrono>
#include <random>

#include "base/log.hpp"
#include "tool_api/kinds.hpp"
#include "tool_api/sdk_replay_tool.hpp"
#include "tool_api/services/services.hpp"

namespace kreplay::tool_api {
namespace {

std::atomic<Registry*> g_current{nullptr};  // null: the process's own, see Registry::current()
std::atomic<Registry*> g_own{nullptr};      // null: not made yet; never unmade

/// Callback sequences this thread is inside of; a thread that finalises a tool must not wait for itself.
__attribute__((tls_model("initial-exec"))) thread_local uint64_t tls_own_calls = 0;

}  // namespace

rocprofiler_thread_id_t calling_thread() noexcept {
  return static_cast<rocprofiler_thread_id_t>(syscall(SYS_gettid));
}

Registry::Registry()
    : sdk_tool_(std::make_unique<SdkReplayTool>(*this)), services_(std::make_unique<Services>(*this)) {
  // Any value serves that another process is unlikely to have; the clock would make two runs alike.
  std::random_device device;
  client_base_ = 0xff + device() % (0xffffff00u - 0xffu);
}

Registry::~Registry() = default;

Registry& Registry::current() {
  if (Registry* set = g_current.load(std::memory_order_acquire)) return *set;
  return own();
}

Registry& Registry::own() {
  static Registry* made = [] {
    auto* registry = new Registry;
    g_own.store(registry, std::memory_order_release);
    return registry;
  }();
  return *made;
}

Registry* Registry::existing() noexcept {
  Registry* set = g_current.load(std::memory_order_acquire);
  return set != nullptr ? set : g_own.load(std::memory_order_acquire);
}

Registry* Registry::exchange_current(Registry* registry) { return g_current.exchange(registry); }

void Registry::set_options(const Options& options) {
  const std::lock_guard lock(mutex_);
  options_ = options;
  options_set_ = true;
  replay_kind_ = static_cast<unsigned>(options.replay_kind);
}

void Registry::set_discovery(Discovery discovery) {
  const std::lock_guard lock(mutex_);
  discovery_ = std::move(discovery);
}

bool Registry::tool_present() const {
  const std::lock_guard lock(mutex_);
  for (const auto& client : clients_)
    if (client->takes_part) return true;
  return false;
}

std::string Registry::tool_names() const {
  const std::lock_guard lock(mutex_);
  std::string names;
  for (const auto& client : clients_) {
    if (!client->takes_part) continue;
    if (!names.empty()) names += ", ";
    names += name_of(*client);
  }
  if (names.empty() && timing_tool_ && replay_tool() == timing_tool_.get()) names = "timing";
  return names;
}

// ---- contexts

void Registry::set_active(unsigned index, bool active) noexcept {
  const uint64_t bit = uint64_t{1} << (index % 64);
  if (active)
    active_[index / 64].fetch_or(bit, std::memory_order_acq_rel);
  else
    active_[index / 64].fetch_and(~bit, std::memory_order_acq_rel);
  services_->kernels.activity_changed(active_contexts());
}

ContextSet Registry::active_contexts() const noexcept {
  ContextSet set;
  for (size_t i = 0; i < active_.size(); ++i) set.words[i] = active_[i].load(std::memory_order_acquire);
  return set;
}

Context* Registry::find_locked(rocprofiler_context_id_t id) {
  if (id.handle < kFirstContext || id.handle - kFirstContext >= contexts_.size()) return nullptr;
  Context* context = contexts_[id.handle - kFirstContext].get();
  return context->dropped ? nullptr : context;
}

const Context* Registry::find_context(rocprofiler_context_id_t id) const {
  const std::lock_guard lock(mutex_);
  return const_cast<Registry*>(this)->find_locked(id);
}

rocprofiler_status_t Registry::create_context(rocprofiler_context_id_t* id) {
  if (id == nullptr) return ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT;
  if (id->handle != 0) return ROCPROFILER_STATUS_ERROR_CONTEXT_ID_NOT_ZERO;
  if (init_status() >= 0) return ROCPROFILER_STATUS_ERROR_CONFIGURATION_LOCKED;
  const std::lock_guard lock(mutex_);
  if (initializing_ == nullptr) return ROCPROFILER_STATUS_ERROR_CONFIGURATION_LOCKED;
  if (contexts_.size() >= kMaxContexts) return ROCPROFILER_STATUS_ERROR_CONTEXT_ERROR;
  auto context = std::make_unique<Context>();
  context->index = static_cast<unsigned>(contexts_.size());
  context->client = initializing_;
  *id = id_of(*context);
  contexts_.push_back(std::move(context));
  return ROCPROFILER_STATUS_SUCCESS;
}

rocprofiler_status_t Registry::start_context(rocprofiler_context_id_t id) {
  const std::lock_guard lock(mutex_);
  const Context* context = find_locked(id);
  if (context == nullptr) return ROCPROFILER_STATUS_ERROR_CONTEXT_NOT_FOUND;
  if (fini_status() != 0) return ROCPROFILER_STATUS_ERROR_CONFIGURATION_LOCKED;
  if (context->client->closing.load()) return ROCPROFILER_STATUS_ERROR_CONFIGURATION_LOCKED;
  // The hardware has one set of counters, so one context programs them at a time.
  for (const auto& other : contexts_)
    if (!context->counting.empty() && other.get() != context && !other->counting.empty() &&
        is_active(other->index))
      return ROCPROFILER_STATUS_ERROR_CONTEXT_CONFLICT;
  set_active(context->index, true);
  return ROCPROFILER_STATUS_SUCCESS;
}

rocprofiler_status_t Registry::stop_context(rocprofiler_context_id_t id) {
  if (fini_status() == 1) return ROCPROFILER_STATUS_SUCCESS;
  const std::lock_guard lock(mutex_);
  const Context* context = find_locked(id);
  if (context == nullptr || !is_active(context->index)) return ROCPROFILER_STATUS_ERROR_CONTEXT_NOT_FOUND;
  set_active(context->index, false);
  return ROCPROFILER_STATUS_SUCCESS;
}

void Registry::drop_contexts_of(const Client& client) {
  const std::lock_guard lock(mutex_);
  for (const auto& context : contexts_) {
    if (context->client != &client) continue;
    set_active(context->index, false);
    context->dropped = true;
  }
  const ReplaySubscription* claim = replay_.load();
  if (claim != nullptr && claim->client == &client) replay_.store(nullptr);
}

// ---- callback tracing

rocprofiler_status_t Registry::configure_callback_tracing(rocprofiler_context_id_t id, int kind,
                                                          const rocprofiler_tracing_operation_t* operations,
                                                          size_t count,
                                                          rocprofiler_callback_tracing_cb_t callback,
                                                          void* args) {
  if (init_status() >= 0) return ROCPROFILER_STATUS_ERROR_CONFIGURATION_LOCKED;
  const KindSupport support = callback_kind_support(kind, replay_kind());
  if (support == KindSupport::known) {
    tell_refused(id, callback_kind_name(kind, replay_kind()), "its callbacks are not traced");
    return ROCPROFILER_STATUS_ERROR_NOT_IMPLEMENTED;
  }
  const std::lock_guard lock(mutex_);
  Context* context = find_locked(id);
  if (context == nullptr) return ROCPROFILER_STATUS_ERROR_CONTEXT_NOT_FOUND;
  if (support == KindSupport::unknown) return ROCPROFILER_STATUS_ERROR_KIND_NOT_FOUND;
  if (!is_replay_kind(kind, replay_kind()))
    return configure_service(*context, kind, operations, count, callback, args);
  // The claim: under the lock, so of two racing threads exactly one wins.
  if (replay_.load() != nullptr) return ROCPROFILER_STATUS_ERROR_SERVICE_ALREADY_CONFIGURED;
  if (callback == nullptr || (operations == nullptr && count != 0))
    return ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT;
  auto claim = std::make_unique<ReplaySubscription>();
  claim->config = claim->pass = count == 0;
  for (size_t i = 0; i < count; ++i) {
    if (operations[i] < 0 || operations[i] >= kMaxOperations)
      return ROCPROFILER_STATUS_ERROR_OPERATION_NOT_FOUND;
    claim->config |= operations[i] == ROCPROFILER_KERNEL_REPLAY_CONFIG;
    claim->pass |= operations[i] == ROCPROFILER_KERNEL_REPLAY_PASS;
  }
  claim->context = context;
  claim->client = context->client;
  claim->kind = static_cast<rocprofiler_callback_tracing_kind_t>(kind);
  claim->callback = callback;
  claim->args = args;
  context->kinds |= uint64_t{1} << kind;
  claims_.push_back(std::move(claim));
  replay_.store(claims_.back().get(), std::memory_order_release);
  return ROCPROFILER_STATUS_SUCCESS;
}

// ---- callbacks in flight

bool Registry::enter(Client& client) noexcept {
  client.in_flight.fetch_add(1);
  if (client.closing.load()) {
    client.in_flight.fetch_sub(1);
    const std::lock_guard lock(idle_mutex_);
    idle_.notify_all();
    return false;
  }
  ++tls_own_calls;
  return true;
}

bool Registry::enter_late(Client& client) noexcept {
  client.in_flight.fetch_add(1);
  ++tls_own_calls;
  if (!client.finalized.load()) return true;
  leave(client);
  return false;
}

void Registry::leave(Client& client) noexcept {
  --tls_own_calls;
  // Sequentially consistent, like the waiter's pair: either it sees the decrement, or we see that it waits.
  client.in_flight.fetch_sub(1);
  if (client.closing.load()) {
    const std::lock_guard lock(idle_mutex_);
    idle_.notify_all();
  }
}

void Registry::finalize_one(Client& client) noexcept {
  if (client.finalizing.exchange(true)) return;
  client.closing.store(true);
  {
    const std::lock_guard lock(mutex_);
    for (const auto& context : contexts_)
      if (context->client == &client) set_active(context->index, false);
  }
  const char* name = name_of(client);
  const std::chrono::milliseconds limit(wait_ms_.load());
  // First: what is delivered below are calls in flight, too.
  if (!services_->kernels.wait_idle(limit, tls_own_calls != 0))
    log::warn("finalize", "tool {}: kernels are still running after {} ms; finalising without their records",
              name, limit.count());
  bool idle;
  {
    std::unique_lock lock(idle_mutex_);
    idle = idle_.wait_for(lock, limit, [&] { return client.in_flight.load() <= tls_own_calls; });
  }
  if (!idle)
    log::warn("finalize",
              "tool {}: a replay of another thread is still running after {} ms; finalising without it", name,
              limit.count());
  client.finalized.store(true);
  if (client.result.finalize == nullptr) return;
  tool_enters(client, "its finalize");
  try {
    client.result.finalize(client.result.tool_data);
  } catch (...) {
    tool_threw(client, "its finalize", "");
  }
  tool_leaves(client);
}

}  // namespace kreplay::tool_api
