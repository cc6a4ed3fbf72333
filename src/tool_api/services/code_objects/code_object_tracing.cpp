#include "tool_api/services/code_objects/code_object_tracing.hpp"

#include <algorithm>

#include "base/log.hpp"
#include "tool_api/registry.hpp"

namespace kreplay::tool_api {
namespace {

using LoadPayload = rocprofiler_callback_tracing_code_object_load_data_t;
using KernelPayload = rocprofiler_callback_tracing_code_object_kernel_symbol_register_data_t;

LoadPayload payload_of(uint64_t id, const LoadedObject& object) {
  LoadPayload payload = {};
  payload.size = sizeof payload;
  payload.code_object_id = id;
  payload.agent_id = {object.agent_id};
  payload.hsa_agent = {object.hsa_agent};
  payload.uri = object.uri.c_str();
  payload.load_base = object.load_base;
  payload.load_size = object.load_bytes;
  payload.load_delta = object.load_delta;
  payload.storage_type = object.storage;
  if (object.storage == ROCPROFILER_CODE_OBJECT_STORAGE_TYPE_FILE) {
    payload.storage_file = object.storage_file;
  } else {
    payload.memory_base = object.memory_base;
    payload.memory_size = object.memory_bytes;
  }
  return payload;
}

KernelPayload payload_of(uint64_t id, const LoadedKernel& kernel) {
  KernelPayload payload = {};
  payload.size = sizeof payload;
  payload.kernel_id = kernel.kernel_id;
  payload.code_object_id = id;
  payload.kernel_name = kernel.name.c_str();
  payload.kernel_object = kernel.kernel_object;
  payload.kernarg_segment_size = kernel.kernarg_bytes;
  payload.kernarg_segment_alignment = kernel.kernarg_alignment;
  payload.group_segment_size = kernel.group_bytes;
  payload.private_segment_size = kernel.private_bytes;
  payload.sgpr_count = kernel.sgprs;
  payload.arch_vgpr_count = kernel.vgprs;
  payload.accum_vgpr_count = kernel.agprs;
  payload.kernel_code_entry_byte_offset = kernel.entry_offset;
  payload.kernel_address.value = kernel.kernel_object + static_cast<uint64_t>(kernel.entry_offset);
  return payload;
}

}  // namespace

CodeObjectTracing::~CodeObjectTracing() = default;

void CodeObjectTracing::add(const Context& context, const CodeObjectCallback& to) {
  auto made = std::make_unique<Subscription>(Subscription{&context, to});
  const std::lock_guard lock(mutex_);
  subscriptions_.push_back(std::move(made));
}

bool CodeObjectTracing::wanted() const noexcept {
  const std::lock_guard lock(mutex_);
  return !subscriptions_.empty();
}

void CodeObjectTracing::tell(const Subscription& to, const Known& known, rocprofiler_user_data_t* data,
                             bool load) {
  rocprofiler_callback_tracing_record_t record = {};
  record.context_id = Registry::id_of(*to.context);
  record.thread_id = calling_thread();
  record.kind = ROCPROFILER_CALLBACK_TRACING_CODE_OBJECT;
  record.phase = load ? ROCPROFILER_CALLBACK_PHASE_LOAD : ROCPROFILER_CALLBACK_PHASE_UNLOAD;
  if (to.to.load) {
    LoadPayload payload = payload_of(known.id, known.object);
    record.operation = ROCPROFILER_CODE_OBJECT_LOAD;
    record.payload = &payload;
    to.to.function(record, &data[0], to.to.args);
  }
  if (!to.to.kernels) return;
  // Unloading, too, names the object first: a tool may write out what it has while it knows the kernels.
  for (size_t i = 0; i < known.object.kernels.size(); ++i) {
    KernelPayload payload = payload_of(known.id, known.object.kernels[i]);
    record.operation = ROCPROFILER_CODE_OBJECT_DEVICE_KERNEL_SYMBOL_REGISTER;
    record.payload = &payload;
    to.to.function(record, &data[i + 1], to.to.args);
  }
}

void CodeObjectTracing::report(Known& known, bool load) noexcept {
  const size_t stride = known.object.kernels.size() + 1;
  for (size_t i = 0; i < known.told.size(); ++i) {
    const Subscription& to = *known.told[i];
    Client& client = *to.context->client;
    if (!(load ? registry_.enter(client) : registry_.enter_late(client))) continue;
    try {
      tell(to, known, &known.data[i * stride], load);
    } catch (...) {
      log::error("services", "tool {}: its code-object callback threw an exception", name_of(client));
    }
    registry_.leave(client);
  }
}

void CodeObjectTracing::loaded(std::vector<LoadedObject> objects) noexcept {
  try {
    for (LoadedObject& object : objects) {
      auto known = std::make_shared<Known>();
      known->object = std::move(object);
      {
        const std::lock_guard lock(mutex_);
        known->id = next_id_++;
        for (const auto& subscription : subscriptions_)
          if (registry_.is_active(subscription->context->index)) known->told.push_back(subscription.get());
        known->data.resize(known->told.size() * (known->object.kernels.size() + 1));
        known_.push_back(known);
      }
      report(*known, true);
    }
  } catch (...) {
    log::error("services", "out of memory; code objects are missing in a tool's trace");
  }
}

void CodeObjectTracing::unload(std::vector<std::shared_ptr<Known>> list) noexcept {
  for (const auto& known : list) report(*known, false);
}

void CodeObjectTracing::unloading(uint64_t executable) noexcept {
  try {
    std::vector<std::shared_ptr<Known>> going;
    {
      const std::lock_guard lock(mutex_);
      const auto split = std::stable_partition(known_.begin(), known_.end(), [&](const auto& known) {
        return known->object.executable != executable;
      });
      going.assign(split, known_.end());
      known_.erase(split, known_.end());
    }
    unload(std::move(going));
  } catch (...) {  // out of memory: the tool is not told
  }
}

void CodeObjectTracing::unload_all() noexcept {
  std::vector<std::shared_ptr<Known>> going;
  {
    const std::lock_guard lock(mutex_);
    going.swap(known_);
  }
  unload(std::move(going));
}

}  // namespace kreplay::tool_api
