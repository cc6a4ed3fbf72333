// Which services a context gets, beside kernel replay.
#include <algorithm>
#include <chrono>

#include "base/log.hpp"
#include "tool_api/kinds.hpp"
#include "tool_api/registry.hpp"
#include "tool_api/services/counting/dispatch_counting.hpp"
#include "tool_api/services/dispatch_tracing/dispatch_tracing.hpp"
#include "tool_api/services/services.hpp"

namespace kreplay::tool_api {
namespace {

constexpr std::chrono::seconds kLongestSettle{60};

bool asked(const rocprofiler_tracing_operation_t* operations, size_t count, int operation) {
  return count == 0 || std::find(operations, operations + count, operation) != operations + count;
}

rocprofiler_status_t check(const rocprofiler_tracing_operation_t* operations, size_t count) {
  if (operations == nullptr && count != 0) return ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT;
  for (size_t i = 0; i < count; ++i)
    if (operations[i] < 0 || operations[i] >= kMaxOperations)
      return ROCPROFILER_STATUS_ERROR_OPERATION_NOT_FOUND;
  return ROCPROFILER_STATUS_SUCCESS;
}

}  // namespace

/// Under mutex_. A callback kind other than KERNEL_REPLAY.
rocprofiler_status_t Registry::configure_service(Context& context, int kind,
                                                 const rocprofiler_tracing_operation_t* operations,
                                                 size_t count, rocprofiler_callback_tracing_cb_t callback,
                                                 void* args) {
  if ((context.kinds >> kind & 1) != 0) return ROCPROFILER_STATUS_ERROR_SERVICE_ALREADY_CONFIGURED;
  if (callback == nullptr) return ROCPROFILER_STATUS_ERROR_INVALID_ARGUMENT;
  if (const rocprofiler_status_t wrong = check(operations, count); wrong != ROCPROFILER_STATUS_SUCCESS)
    return wrong;
  const auto wants = [&](int operation) { return asked(operations, count, operation); };
  if (kind == ROCPROFILER_CALLBACK_TRACING_CODE_OBJECT) {
    services_->code_objects.add(
        context, {wants(ROCPROFILER_CODE_OBJECT_LOAD),
                  wants(ROCPROFILER_CODE_OBJECT_DEVICE_KERNEL_SYMBOL_REGISTER), callback, args});
  } else {
    services_->kernels.add(
        make_dispatch_callbacks(context, external_,
                                {wants(ROCPROFILER_KERNEL_DISPATCH_ENQUEUE),
                                 wants(ROCPROFILER_KERNEL_DISPATCH_COMPLETE), callback, args}));
    services_->kernels.activity_changed(active_contexts());
  }
  context.kinds |= uint64_t{1} << kind;
  return ROCPROFILER_STATUS_SUCCESS;
}

rocprofiler_status_t Registry::configure_buffer_tracing(rocprofiler_context_id_t id, int kind,
                                                        const rocprofiler_tracing_operation_t* operations,
                                                        size_t count, rocprofiler_buffer_id_t buffer_id) {
  if (init_status() >= 0) return ROCPROFILER_STATUS_ERROR_CONFIGURATION_LOCKED;
  const KindSupport support = buffer_kind_support(kind);
  if (support == KindSupport::known) {
    tell_refused(id, buffer_kind_name(kind), "its records are not collected");
    return ROCPROFILER_STATUS_ERROR_NOT_IMPLEMENTED;
  }
  const std::lock_guard lock(mutex_);
  Context* context = find_locked(id);
  if (context == nullptr) return ROCPROFILER_STATUS_ERROR_CONTEXT_NOT_FOUND;
  std::shared_ptr<Buffer> buffer = services_->buffers.find(buffer_id);
  if (!buffer) return ROCPROFILER_STATUS_ERROR_BUFFER_NOT_FOUND;
  if (support == KindSupport::unknown) return ROCPROFILER_STATUS_ERROR_KIND_NOT_FOUND;
  if ((context->buffer_kinds >> kind & 1) != 0) return ROCPROFILER_STATUS_ERROR_SERVICE_ALREADY_CONFIGURED;
  if (const rocprofiler_status_t wrong = check(operations, count); wrong != ROCPROFILER_STATUS_SUCCESS)
    return wrong;
  context->buffer_kinds |= uint64_t{1} << kind;
  // The only operation that has a record is COMPLETE.
  if (!asked(operations, count, ROCPROFILER_KERNEL_DISPATCH_COMPLETE)) return ROCPROFILER_STATUS_SUCCESS;
  services_->kernels.add(make_dispatch_records(*context, external_, std::move(buffer)));
  services_->kernels.activity_changed(active_contexts());
  return ROCPROFILER_STATUS_SUCCESS;
}

rocprofiler_status_t Registry::configure_counting(rocprofiler_context_id_t id, const CountingSetup& setup) {
  const std::lock_guard lock(mutex_);
  Context* context = find_locked(id);
  if (context == nullptr) return ROCPROFILER_STATUS_ERROR_CONTEXT_INVALID;
  auto room = std::make_unique<CountingRoom>(*context, external_, services_->configs, setup);
  context->counting.reserve(context->counting.size() + 1);
  CountingRoom* made = room.get();
  services_->kernels.add(std::move(room));
  context->counting.push_back(made);
  services_->kernels.activity_changed(active_contexts());
  return ROCPROFILER_STATUS_SUCCESS;
}

rocprofiler_status_t Registry::set_counting_agents(rocprofiler_context_id_t id,
                                                   std::vector<uint64_t> agents) {
  const std::lock_guard lock(mutex_);
  Context* context = find_locked(id);
  if (context == nullptr) return ROCPROFILER_STATUS_ERROR_CONTEXT_NOT_FOUND;
  if (context->counting.empty()) return ROCPROFILER_STATUS_ERROR_CONTEXT_INVALID;
  if (is_active(context->index)) return ROCPROFILER_STATUS_ERROR_CONTEXT_CONFLICT;
  for (CountingRoom* room : context->counting) room->set_agents(agents);
  return ROCPROFILER_STATUS_SUCCESS;
}

void Registry::settle_services() noexcept {
  if (!services_->kernels.settle(kLongestSettle))
    log::warn("services", "records of kernels that have ended are not delivered after {} s",
              kLongestSettle.count());
}

std::vector<std::string> Registry::refused() const {
  const std::lock_guard lock(mutex_);
  return refused_;
}

void Registry::tell_refused(rocprofiler_context_id_t id, const char* service, const char* why) {
  std::string tool = "the tool";
  {
    const std::lock_guard lock(mutex_);
    const Context* context = find_locked(id);
    const Client* client = context != nullptr ? context->client : initializing_;
    if (client != nullptr) tool = std::string("tool ") + name_of(*client);
    const std::string key = tool + ": " + service;
    if (std::find(refused_.begin(), refused_.end(), key) != refused_.end()) return;
    refused_.push_back(key);
  }
  mark_told();
  log::warn("services", "{} asks for {}: {}; it was told so", tool, service, why);
}

}  // namespace kreplay::tool_api
