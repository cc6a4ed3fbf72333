// Queue errors as exceptions: a bit in a word of the runtime's, whose address stands at the head of the
// queue's context save area, and an event.
#include <atomic>

#include "kfd/events.hpp"

namespace softgpu::kfd {
namespace {

/// Head of a context save area. Source: the kernel's kfd_ioctl.h, version 1.13.
struct SaveAreaHeader {
  uint32_t wave_state[4];
  uint32_t debug_offset;
  uint32_t debug_size;
  uint64_t payload_address;
  uint32_t event_id;
  uint32_t reserved;
};
static_assert(sizeof(SaveAreaHeader) == 40);

}  // namespace

bool EventTable::queue_exception(GpuVa save_area, uint32_t code) {
  if (!exceptions_.load(std::memory_order_acquire) || code == 0 || save_area.value == 0) return false;
  const auto& header = *reinterpret_cast<const SaveAreaHeader*>(save_area.value);
  if (header.payload_address == 0) return false;
  std::atomic_ref<uint64_t>(*reinterpret_cast<uint64_t*>(header.payload_address))
      .fetch_or(uint64_t{1} << (code - 1), std::memory_order_acq_rel);
  // Without interrupts the runtime looks at the word itself and names no event.
  if (header.event_id != 0) (void)set(header.event_id);
  return true;
}

}  // namespace softgpu::kfd
