// Queues: create, destroy, update. The queue itself is the command processor's.
#include <cerrno>

#include "base/log.hpp"
#include "kfd/handlers.hpp"

namespace softgpu::kfd {
namespace {

namespace log = kreplay::log;
using kreplay::GpuVa;

/// A queue on an SDMA engine of the caller's choice: all engines are alike here. Source: the kernel's
/// kfd_ioctl.h, version 1.17.
constexpr uint32_t kQueueTypeSdmaByEngine = 4;

int errno_of(kreplay::Error error) {
  switch (error) {
    case kreplay::Error::budget:
      return -ENOSPC;
    case kreplay::Error::runtime:
      return -ENOMEM;
    default:
      return -EINVAL;
  }
}

bool valid_shares(uint32_t percentage, uint32_t priority) {
  return percentage <= KFD_MAX_QUEUE_PERCENTAGE && priority <= KFD_MAX_QUEUE_PRIORITY;
}

}  // namespace

int create_queue(Process& process, kfd_ioctl_create_queue_args& args) {
  Gpu* gpu = process.gpu_by_id(args.gpu_id);
  if (gpu == nullptr || !valid_shares(args.queue_percentage, args.queue_priority)) return -EINVAL;
  cp::QueueSetup setup;
  switch (args.queue_type) {
    case KFD_IOC_QUEUE_TYPE_COMPUTE_AQL:
      setup.kind = cp::QueueKind::aql;
      break;
    case KFD_IOC_QUEUE_TYPE_SDMA:
    case KFD_IOC_QUEUE_TYPE_SDMA_XGMI:
    case kQueueTypeSdmaByEngine:
      setup.kind = cp::QueueKind::sdma;
      break;
    default:
      log::error("kfd", "CREATE_QUEUE: type {}; SDMA (1, 3, 4) and AQL (2) are emulated", args.queue_type);
      return -EINVAL;
  }
  setup.ring = GpuVa(args.ring_base_address);
  setup.ring_bytes = args.ring_size;
  setup.read_pointer = GpuVa(args.read_pointer_address);
  setup.save_area = GpuVa(args.ctx_save_restore_address);
  setup.suspended = args.queue_percentage == 0;
  const uint32_t id = process.new_queue_id();
  const auto doorbell = gpu->device->create_queue(id, setup);
  if (!doorbell) {
    log::error("kfd", "CREATE_QUEUE: {}", doorbell.status().message());
    return errno_of(doorbell.error());
  }
  process.add_queue(id, gpu);
  args.queue_id = id;
  args.doorbell_offset = kfd_mmap_token(MmapType::doorbell, gpu->gpu_id) | (*doorbell * sizeof(uint64_t));
  return 0;
}

int destroy_queue(Process& process, kfd_ioctl_destroy_queue_args& args) {
  Gpu* gpu = process.take_queue(args.queue_id);
  return gpu != nullptr && gpu->device->destroy_queue(args.queue_id) ? 0 : -EINVAL;
}

int update_queue(Process& process, kfd_ioctl_update_queue_args& args) {
  Gpu* gpu = process.gpu_of_queue(args.queue_id);
  if (gpu == nullptr || !valid_shares(args.queue_percentage, args.queue_priority)) return -EINVAL;
  // A ring address of zero is how the runtime takes a queue off the hardware without naming a ring.
  const uint64_t ring_bytes = args.ring_base_address != 0 ? args.ring_size : 0;
  const auto status = gpu->device->update_queue(args.queue_id, GpuVa(args.ring_base_address), ring_bytes,
                                                args.queue_percentage == 0 || args.ring_base_address == 0);
  if (status) return 0;
  log::error("kfd", "UPDATE_QUEUE {}: {}", args.queue_id, status.message());
  return errno_of(status.code());
}

int set_cu_mask(Process& process, kfd_ioctl_set_cu_mask_args& args) {
  Gpu* gpu = process.gpu_of_queue(args.queue_id);
  if (gpu == nullptr || args.num_cu_mask == 0 || args.num_cu_mask % 32 != 0) return -EINVAL;
  // One shader array, so bit n is compute unit n; what the caller leaves out is off.
  gfx9::CuMask mask{{0, 0}};
  const auto* given = reinterpret_cast<const uint32_t*>(args.cu_mask_ptr);
  for (uint32_t n = 0; n < std::min(args.num_cu_mask, gfx9::kMaxComputeUnits) / 32; ++n)
    mask.words[n / 2] |= uint64_t{given[n]} << 32 * (n % 2);
  const auto status = gpu->device->set_cu_mask(args.queue_id, mask);
  if (status) return 0;
  log::error("kfd", "SET_CU_MASK of queue {}: {}", args.queue_id, status.message());
  return errno_of(status.code());
}

int alloc_queue_gws(Process& process, kfd_ioctl_alloc_queue_gws_args& args) {
  Gpu* gpu = process.gpu_of_queue(args.queue_id);
  if (gpu == nullptr || !gpu->device->set_cooperative(args.queue_id)) return -EINVAL;
  args.first_gws = 0;
  return 0;
}

}  // namespace softgpu::kfd
