#include "cp/signals.hpp"

#include "cp/memory_access.hpp"

namespace softgpu::cp {
namespace {

// The vendor header declares the value volatile, which std::atomic_ref does not take.
std::atomic_ref<int64_t> value_of(const amd_signal_t& signal) {
  return std::atomic_ref<int64_t>(*const_cast<int64_t*>(&signal.value));
}

}  // namespace

amd_signal_t* signal_at(const EngineContext& context, uint64_t handle) {
  return host_object<amd_signal_t>(*context.memory, GpuVa(handle), Access::write);
}

int64_t load_signal(const amd_signal_t& signal) { return value_of(signal).load(std::memory_order_acquire); }

Mailbox mailbox_of(const amd_signal_t& signal) { return {GpuVa(signal.event_mailbox_ptr), signal.event_id}; }

void decrement_signal(const EngineContext& context, amd_signal_t& signal, const Mailbox& box) {
  value_of(signal).fetch_sub(1, std::memory_order_acq_rel);
  deliver(context, box);
  context.progress->notify();
}

void store_signal(const EngineContext& context, amd_signal_t& signal, int64_t value) {
  const Mailbox box = mailbox_of(signal);
  value_of(signal).store(value, std::memory_order_release);
  deliver(context, box);
  context.progress->notify();
}

void deliver(const EngineContext& context, const Mailbox& box) {
  if (box.slot.value == 0) return;
  auto* slot = host_object<uint64_t>(*context.memory, box.slot, Access::write);
  if (slot == nullptr) return;
  std::atomic_ref<uint64_t>(*slot).store(box.event_id, std::memory_order_release);
  context.interrupts->signal_event(box.event_id);
}

}  // namespace softgpu::cp
