// The memory of all proxy queues. One reserved range, so that "is this queue, is this doorbell ours" is one
// subtraction and one comparison, without a load or a lock.
//
// A slot is what the application sees of its queue: an amd_queue_t copied from the real one, with our ring,
// our indices and our doorbell. Behind it the slot is zero, so that a runtime function we do not wrap fails
// loudly on it instead of acting on the wrong object.
#pragma once

#include <hsa/amd_hsa_queue.h>
#include <hsa/amd_hsa_signal.h>

#include <cstddef>
#include <cstdint>

namespace kreplay::intercept {

class ProxyQueue;

struct ProxySlot {
  amd_queue_t queue;        ///< offset 0: what the application's hsa_queue_t* points at
  std::byte zero[2304];     ///< newer runtimes look up to 2304 bytes behind the start
  std::byte doorbell[128];  ///< the doorbell's amd_signal_t and the runtime's words behind it
  ProxyQueue* proxy;        ///< null while the slot is free
};
constexpr size_t kSlotBytes = 4096;
constexpr size_t kDoorbellOffset = offsetof(ProxySlot, doorbell);
static_assert(sizeof(ProxySlot) <= kSlotBytes && kDoorbellOffset % 64 == 0);

namespace arena {

/// Start and size of the range; size 0 until the first proxy. Constant afterwards.
extern uintptr_t g_base;
extern size_t g_size;

/// The proxy behind a queue pointer, or null when it is somebody else's queue.
inline ProxyQueue* find(const hsa_queue_t* queue) {
  const uintptr_t offset = reinterpret_cast<uintptr_t>(queue) - g_base;
  if (__builtin_expect(offset >= g_size, 0)) return nullptr;
  return reinterpret_cast<const ProxySlot*>(queue)->proxy;
}
/// The proxy behind a doorbell signal, or null.
inline ProxyQueue* find(hsa_signal_t signal) {
  const uintptr_t offset = static_cast<uintptr_t>(signal.handle) - g_base;
  if (offset >= g_size) return nullptr;
  return reinterpret_cast<const ProxySlot*>(signal.handle - kDoorbellOffset)->proxy;
}

/// A zeroed slot, or null when 4096 proxies are alive. Slots come back in the order they were given up, so a
/// stale pointer meets a free slot for as long as possible.
ProxySlot* take();
void give_back(ProxySlot* slot);

}  // namespace arena

}  // namespace kreplay::intercept
