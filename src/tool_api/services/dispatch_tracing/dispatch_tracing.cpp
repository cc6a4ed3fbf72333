#include "tool_api/services/dispatch_tracing/dispatch_tracing.hpp"

#include <utility>

#include "tool_api/registry.hpp"

namespace kreplay::tool_api {
namespace {

using CallbackPayload = rocprofiler_callback_tracing_kernel_dispatch_data_t;
using BufferRecord = rocprofiler_buffer_tracing_kernel_dispatch_record_t;

rocprofiler_kernel_dispatch_info_t shown(const KernelLaunch& launch) {
  rocprofiler_kernel_dispatch_info_t info = launch.info;
  info.size = offsetof(rocprofiler_kernel_dispatch_info_t, reserved_padding);
  return info;
}

// ---- callbacks

class CallbackRun final : public RunPart {
 public:
  CallbackRun(rocprofiler_context_id_t context, ExternalCorrelation& external, const DispatchCallback& to,
              const KernelLaunch& launch)
      : to_(to) {
    record_.context_id = context;
    record_.thread_id = launch.thread_id;
    record_.correlation_id = launch.correlation;
    record_.correlation_id.external = external.top(context.handle, launch.thread_id);
    record_.kind = ROCPROFILER_CALLBACK_TRACING_KERNEL_DISPATCH;
    payload_.size = sizeof payload_;
    payload_.dispatch_info = shown(launch);
  }

  void enter() {
    if (!to_.enqueue) return;
    call(ROCPROFILER_KERNEL_DISPATCH_ENQUEUE, ROCPROFILER_CALLBACK_PHASE_ENTER, payload_, data_);
  }
  void enqueued() override {
    if (!to_.enqueue) return;
    rocprofiler_user_data_t data = data_;  // a change in EXIT is not seen in COMPLETE
    call(ROCPROFILER_KERNEL_DISPATCH_ENQUEUE, ROCPROFILER_CALLBACK_PHASE_EXIT, payload_, data);
  }
  void completed(const report::PassTime& time) override {
    if (!to_.complete) return;
    CallbackPayload payload = payload_;
    payload.start_timestamp = time.start_ns;
    payload.end_timestamp = time.end_ns;
    call(ROCPROFILER_KERNEL_DISPATCH_COMPLETE, ROCPROFILER_CALLBACK_PHASE_NONE, payload, data_);
  }

 private:
  void call(int operation, rocprofiler_callback_phase_t phase, const CallbackPayload& payload,
            rocprofiler_user_data_t& data) const {
    CallbackPayload own = payload;  // what the tool writes there changes nothing
    rocprofiler_callback_tracing_record_t record = record_;
    record.operation = operation;
    record.phase = phase;
    record.payload = &own;
    to_.function(record, &data, to_.args);
  }

  const DispatchCallback& to_;
  rocprofiler_callback_tracing_record_t record_ = {};
  CallbackPayload payload_ = {};
  rocprofiler_user_data_t data_ = {};
};

class CallbackRoom final : public KernelRoom {
 public:
  CallbackRoom(const Context& context, ExternalCorrelation& external, const DispatchCallback& to)
      : KernelRoom(context, Rank::tracing), external_(external), to_(to) {}

  std::unique_ptr<RunPart> enter(const KernelLaunch& launch) override {
    auto part = std::make_unique<CallbackRun>(Registry::id_of(context()), external_, to_, launch);
    part->enter();
    return part;
  }

 private:
  ExternalCorrelation& external_;
  const DispatchCallback to_;
};

// ---- buffer

class BufferedRun final : public RunPart {
 public:
  BufferedRun(rocprofiler_context_id_t context, ExternalCorrelation& external, std::shared_ptr<Buffer> buffer,
              const KernelLaunch& launch)
      : buffer_(std::move(buffer)) {
    record_.size = sizeof record_;
    record_.kind = ROCPROFILER_BUFFER_TRACING_KERNEL_DISPATCH;
    record_.operation = ROCPROFILER_KERNEL_DISPATCH_COMPLETE;
    record_.correlation_id = {launch.correlation.internal, external.top(context.handle, launch.thread_id)};
    record_.thread_id = launch.thread_id;
    record_.dispatch_info = shown(launch);
  }
  void completed(const report::PassTime& time) override {
    record_.start_timestamp = time.start_ns;
    record_.end_timestamp = time.end_ns;
    const BufferItem item = {ROCPROFILER_BUFFER_CATEGORY_TRACING, ROCPROFILER_BUFFER_TRACING_KERNEL_DISPATCH,
                             &record_, sizeof record_};
    buffer_->write({&item, 1});
  }

 private:
  const std::shared_ptr<Buffer> buffer_;
  BufferRecord record_ = {};
};

class BufferRoom final : public KernelRoom {
 public:
  BufferRoom(const Context& context, ExternalCorrelation& external, std::shared_ptr<Buffer> buffer)
      : KernelRoom(context, Rank::tracing), external_(external), buffer_(std::move(buffer)) {}

  std::unique_ptr<RunPart> enter(const KernelLaunch& launch) override {
    return std::make_unique<BufferedRun>(Registry::id_of(context()), external_, buffer_, launch);
  }

 private:
  ExternalCorrelation& external_;
  const std::shared_ptr<Buffer> buffer_;
};

}  // namespace

std::unique_ptr<KernelRoom> make_dispatch_callbacks(const Context& context, ExternalCorrelation& external,
                                                    const DispatchCallback& to) {
  return std::make_unique<CallbackRoom>(context, external, to);
}

std::unique_ptr<KernelRoom> make_dispatch_records(const Context& context, ExternalCorrelation& external,
                                                  std::shared_ptr<Buffer> buffer) {
  return std::make_unique<BufferRoom>(context, external, std::move(buffer));
}

}  // namespace kreplay::tool_api
