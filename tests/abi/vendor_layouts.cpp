// Vendor structures whose layout the proxy queues and the software GPU rely on. A runtime release that moves
// one of them must fail here, not in an application.
#include <hsa/amd_hsa_queue.h>
#include <hsa/amd_hsa_signal.h>
#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>

#include <cstddef>

#define VENDOR_SIZE(type, size) static_assert(sizeof(type) == (size), "size of " #type);
#define VENDOR_MEMBER(type, member, offset) \
  static_assert(offsetof(type, member) == (offset), "offset of " #type "." #member);

VENDOR_SIZE(amd_signal_t, 64)
VENDOR_MEMBER(amd_signal_t, kind, 0x0)
VENDOR_MEMBER(amd_signal_t, value, 0x8)
VENDOR_MEMBER(amd_signal_t, hardware_doorbell_ptr, 0x8)
VENDOR_MEMBER(amd_signal_t, event_mailbox_ptr, 0x10)
VENDOR_MEMBER(amd_signal_t, event_id, 0x18)
VENDOR_MEMBER(amd_signal_t, start_ts, 0x20)
VENDOR_MEMBER(amd_signal_t, end_ts, 0x28)
VENDOR_MEMBER(amd_signal_t, queue_ptr, 0x30)

VENDOR_SIZE(hsa_queue_t, 40)
VENDOR_MEMBER(hsa_queue_t, type, 0x0)
VENDOR_MEMBER(hsa_queue_t, features, 0x4)
VENDOR_MEMBER(hsa_queue_t, base_address, 0x8)
VENDOR_MEMBER(hsa_queue_t, doorbell_signal, 0x10)
VENDOR_MEMBER(hsa_queue_t, size, 0x18)
VENDOR_MEMBER(hsa_queue_t, id, 0x20)

VENDOR_MEMBER(amd_queue_t, hsa_queue, 0x0)
VENDOR_MEMBER(amd_queue_t, write_dispatch_id, 0x38)
VENDOR_MEMBER(amd_queue_t, max_cu_id, 0x48)
VENDOR_MEMBER(amd_queue_t, max_wave_id, 0x4c)
VENDOR_MEMBER(amd_queue_t, read_dispatch_id, 0x80)
VENDOR_MEMBER(amd_queue_t, read_dispatch_id_field_base_byte_offset, 0x88)
VENDOR_MEMBER(amd_queue_t, compute_tmpring_size, 0x8c)
VENDOR_MEMBER(amd_queue_t, scratch_resource_descriptor, 0x90)
VENDOR_MEMBER(amd_queue_t, scratch_backing_memory_location, 0xa0)
VENDOR_MEMBER(amd_queue_t, scratch_wave64_lane_byte_size, 0xb0)
VENDOR_MEMBER(amd_queue_t, queue_properties, 0xb4)
VENDOR_MEMBER(amd_queue_t, queue_inactive_signal, 0xc0)

VENDOR_SIZE(hsa_kernel_dispatch_packet_t, 64)
VENDOR_MEMBER(hsa_kernel_dispatch_packet_t, header, 0)
VENDOR_MEMBER(hsa_kernel_dispatch_packet_t, setup, 2)
VENDOR_MEMBER(hsa_kernel_dispatch_packet_t, workgroup_size_x, 4)
VENDOR_MEMBER(hsa_kernel_dispatch_packet_t, grid_size_x, 12)
VENDOR_MEMBER(hsa_kernel_dispatch_packet_t, private_segment_size, 24)
VENDOR_MEMBER(hsa_kernel_dispatch_packet_t, group_segment_size, 28)
VENDOR_MEMBER(hsa_kernel_dispatch_packet_t, kernel_object, 32)
VENDOR_MEMBER(hsa_kernel_dispatch_packet_t, kernarg_address, 40)
VENDOR_MEMBER(hsa_kernel_dispatch_packet_t, completion_signal, 56)
VENDOR_SIZE(hsa_barrier_and_packet_t, 64)
VENDOR_MEMBER(hsa_barrier_and_packet_t, dep_signal, 8)
VENDOR_MEMBER(hsa_barrier_and_packet_t, completion_signal, 56)
VENDOR_SIZE(hsa_barrier_or_packet_t, 64)
VENDOR_SIZE(hsa_agent_dispatch_packet_t, 64)
VENDOR_SIZE(hsa_amd_barrier_value_packet_t, 64)
VENDOR_MEMBER(hsa_amd_barrier_value_packet_t, signal, 8)
VENDOR_MEMBER(hsa_amd_barrier_value_packet_t, value, 16)
VENDOR_MEMBER(hsa_amd_barrier_value_packet_t, mask, 24)
VENDOR_MEMBER(hsa_amd_barrier_value_packet_t, cond, 32)
VENDOR_MEMBER(hsa_amd_barrier_value_packet_t, completion_signal, 56)
