// Events: create, destroy, set, reset, wait.
#include <cerrno>

#include "base/log.hpp"
#include "kfd/handlers.hpp"

namespace softgpu::kfd {
namespace {

namespace log = kreplay::log;

constexpr uint64_t kEventPageBytes = kEventSlots * sizeof(uint64_t);
constexpr uint32_t kMaxWaitEvents = 1u << 16;

/// Not zero, so that the runtime uses the slot; the page itself is a buffer that it has already mapped.
uint64_t event_page_token() { return static_cast<uint64_t>(MmapType::events) << kMmapTypeShift; }

}  // namespace

int create_event(Process& process, kfd_ioctl_create_event_args& args) {
  // The first call brings the handle of a buffer for the page; libhsakmt keeps the page across a shut-down.
  if (args.event_page_offset != 0 && !process.events().has_page()) {
    const auto storage = process.buffers().storage_of(args.event_page_offset);
    if (storage == nullptr || storage->size_bytes < kEventPageBytes) {
      log::error("kfd", "CREATE_EVENT: handle {:#x} is no buffer of {} bytes", args.event_page_offset,
                 kEventPageBytes);
      return -EINVAL;
    }
    const int rc = process.events().set_page(reinterpret_cast<uint64_t*>(storage->host));
    if (rc != 0) return rc;
  }
  EventTable::Created created;
  const int rc = process.events().create(args.event_type, args.auto_reset != 0, created);
  if (rc != 0) return rc;
  args.event_id = created.id;
  args.event_slot_index = created.slot;
  args.event_trigger_data = created.id;
  args.event_page_offset = event_page_token();
  return 0;
}

int destroy_event(Process& process, kfd_ioctl_destroy_event_args& args) {
  return process.events().destroy(args.event_id);
}
int set_event(Process& process, kfd_ioctl_set_event_args& args) {
  return process.events().set(args.event_id);
}
int reset_event(Process& process, kfd_ioctl_reset_event_args& args) {
  return process.events().reset(args.event_id);
}

int wait_events(Process& process, kfd_ioctl_wait_events_args& args) {
  if (args.events_ptr == 0 || args.num_events == 0 || args.num_events > kMaxWaitEvents) return -EINVAL;
  auto* events = reinterpret_cast<kfd_event_data*>(args.events_ptr);
  return process.events().wait({events, args.num_events}, args.wait_for_all != 0, args.timeout,
                               args.wait_result);
}

}  // namespace softgpu::kfd
