// amd_signal_t as the packet processor handles it. The order of the steps is the contract with the host,
// which may free the signal in the instant its value changes.
#pragma once

#include <hsa/amd_hsa_signal.h>

#include <cstdint>

#include "cp/engine.hpp"

namespace softgpu::cp {

/// Where the host is told about a signal beside its value; read before the value is touched.
struct Mailbox {
  GpuVa slot;  ///< zero: none
  uint32_t event_id = 0;
};

/// @return null when the handle is not mapped
amd_signal_t* signal_at(const EngineContext& context, uint64_t handle);
int64_t load_signal(const amd_signal_t& signal);
Mailbox mailbox_of(const amd_signal_t& signal);

/// Subtracts one (release) and tells the host and blocked queues.
/// @param box read before with mailbox_of: the signal may be gone when this returns
void decrement_signal(const EngineContext& context, amd_signal_t& signal, const Mailbox& box);
/// Stores a value (release) and tells the host: queue errors, the scratch protocol.
void store_signal(const EngineContext& context, amd_signal_t& signal, int64_t value);

/// Writes the event id into the mailbox slot and raises the interrupt. An unmapped slot means that the host
/// is already gone: nothing to tell.
void deliver(const EngineContext& context, const Mailbox& box);

}  // namespace softgpu::cp
