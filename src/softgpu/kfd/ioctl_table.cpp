// The table of KFD ioctls: number, size and handler. A number that is not in it is an error with a name.
#include <linux/kfd_ioctl.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "base/log.hpp"
#include "kfd/handlers.hpp"

namespace softgpu::kfd {
namespace {

namespace log = kreplay::log;

struct Row {
  uint32_t number;
  uint32_t size_bytes;
  const char* name;
  int (*run)(Process&, void*);
  const char* refusal = nullptr;  ///< known and not emulated: why
  int refusal_code = 0;
  bool in_place = false;  ///< the structure ends in an array: the handler gets the caller's own
};

template <auto Handler>
struct Thunk;
template <typename Args, int (*Handler)(Process&, Args&)>
struct Thunk<Handler> {
  static constexpr uint32_t kSizeBytes = sizeof(Args);
  static int run(Process& process, void* raw) { return Handler(process, *static_cast<Args*>(raw)); }
};

template <auto Handler>
constexpr Row row(unsigned long request, const char* name) {
  return {static_cast<uint32_t>(_IOC_NR(request)), Thunk<Handler>::kSizeBytes, name, Thunk<Handler>::run};
}
template <auto Handler>
constexpr Row row_in_place(unsigned long request, const char* name) {
  Row out = row<Handler>(request, name);
  out.in_place = true;
  return out;
}
constexpr Row refused(uint32_t number, const char* name, int code, const char* why) {
  return {number, 0, name, nullptr, why, code};
}

constexpr uint32_t kExportDmabuf = 0x24;
constexpr uint32_t kRuntimeEnable = 0x25;
constexpr uint32_t kDebugTrap = 0x26;
constexpr uint32_t kDebugTrapOutOfTree = 0x82;

constexpr std::array kRows = {
    row<get_version>(AMDKFD_IOC_GET_VERSION, "GET_VERSION"),
    row<create_queue>(AMDKFD_IOC_CREATE_QUEUE, "CREATE_QUEUE"),
    row<destroy_queue>(AMDKFD_IOC_DESTROY_QUEUE, "DESTROY_QUEUE"),
    row<set_memory_policy>(AMDKFD_IOC_SET_MEMORY_POLICY, "SET_MEMORY_POLICY"),
    row<get_clock_counters>(AMDKFD_IOC_GET_CLOCK_COUNTERS, "GET_CLOCK_COUNTERS"),
    row<update_queue>(AMDKFD_IOC_UPDATE_QUEUE, "UPDATE_QUEUE"),
    row<create_event>(AMDKFD_IOC_CREATE_EVENT, "CREATE_EVENT"),
    row<destroy_event>(AMDKFD_IOC_DESTROY_EVENT, "DESTROY_EVENT"),
    row<set_event>(AMDKFD_IOC_SET_EVENT, "SET_EVENT"),
    row<reset_event>(AMDKFD_IOC_RESET_EVENT, "RESET_EVENT"),
    row<wait_events>(AMDKFD_IOC_WAIT_EVENTS, "WAIT_EVENTS"),
    row<set_scratch_backing_va>(AMDKFD_IOC_SET_SCRATCH_BACKING_VA, "SET_SCRATCH_BACKING_VA"),
    row<get_tile_config>(AMDKFD_IOC_GET_TILE_CONFIG, "GET_TILE_CONFIG"),
    row<set_trap_handler>(AMDKFD_IOC_SET_TRAP_HANDLER, "SET_TRAP_HANDLER"),
    row<get_process_apertures_new>(AMDKFD_IOC_GET_PROCESS_APERTURES_NEW, "GET_PROCESS_APERTURES_NEW"),
    row<acquire_vm>(AMDKFD_IOC_ACQUIRE_VM, "ACQUIRE_VM"),
    row<alloc_memory_of_gpu>(AMDKFD_IOC_ALLOC_MEMORY_OF_GPU, "ALLOC_MEMORY_OF_GPU"),
    row<free_memory_of_gpu>(AMDKFD_IOC_FREE_MEMORY_OF_GPU, "FREE_MEMORY_OF_GPU"),
    row<map_memory_to_gpu>(AMDKFD_IOC_MAP_MEMORY_TO_GPU, "MAP_MEMORY_TO_GPU"),
    row<unmap_memory_from_gpu>(AMDKFD_IOC_UNMAP_MEMORY_FROM_GPU, "UNMAP_MEMORY_FROM_GPU"),
    row<get_dmabuf_info>(AMDKFD_IOC_GET_DMABUF_INFO, "GET_DMABUF_INFO"),
    row<import_dmabuf>(AMDKFD_IOC_IMPORT_DMABUF, "IMPORT_DMABUF"),
    row<export_dmabuf>(_IOWR('K', kExportDmabuf, ExportDmabufArgs), "EXPORT_DMABUF"),
    row<set_cu_mask>(AMDKFD_IOC_SET_CU_MASK, "SET_CU_MASK"),
    row<alloc_queue_gws>(AMDKFD_IOC_ALLOC_QUEUE_GWS, "ALLOC_QUEUE_GWS"),
    refused(_IOC_NR(AMDKFD_IOC_SMI_EVENTS), "SMI_EVENTS", -EPERM, "no system management events"),
    row_in_place<svm>(AMDKFD_IOC_SVM, "SVM"),
    row<set_xnack_mode>(AMDKFD_IOC_SET_XNACK_MODE, "SET_XNACK_MODE"),
    row<available_memory>(AMDKFD_IOC_AVAILABLE_MEMORY, "AVAILABLE_MEMORY"),
    row<runtime_enable>(_IOWR('K', kRuntimeEnable, RuntimeEnableArgs), "RUNTIME_ENABLE"),
    refused(kDebugTrap, "DBG_TRAP", -EPERM, "no debugger interface"),
    // ROCr 5.2 tries it at start and end, and takes the refusal for "no debugger support".
    refused(kDebugTrapOutOfTree, "DBG_TRAP (out of tree)", -EINVAL, nullptr),
};

const Row* find_row(uint32_t number) {
  for (const Row& row : kRows) {
    if (row.number == number) return &row;
  }
  return nullptr;
}

}  // namespace

// As in the kernel: the structure may be shorter or longer than ours, since fields are only ever added. What
// the caller did not send is zero, what it cannot take is not given.
int Process::ioctl(unsigned long request, void* argument) {
  const uint32_t number = _IOC_NR(request);
  const uint32_t size_bytes = _IOC_SIZE(request);
  const Row* row = _IOC_TYPE(request) == AMDKFD_IOCTL_BASE ? find_row(number) : nullptr;
  if (row == nullptr) {
    log::error("kfd", "ioctl {:#x} (number {:#x}, {} bytes) is not emulated", request, number, size_bytes);
    return -ENOTTY;
  }
  if (row->run == nullptr) {
    if (row->refusal != nullptr) log::warn("kfd", "ioctl {} is refused: {}", row->name, row->refusal);
    return row->refusal_code;
  }
  if (argument == nullptr) return -EFAULT;
  if (row->in_place) {
    const int rc = size_bytes < row->size_bytes ? -EINVAL : row->run(*this, argument);
    log::debug("kfd", "ioctl {} = {}", row->name, rc);
    return rc;
  }
  alignas(16) std::array<std::byte, 256> copy{};
  if (row->size_bytes > copy.size()) return -EINVAL;
  const uint32_t shared = std::min(size_bytes, row->size_bytes);
  std::memcpy(copy.data(), argument, shared);
  const int rc = row->run(*this, copy.data());
  log::debug("kfd", "ioctl {} = {}", row->name, rc);
  if (rc >= 0) std::memcpy(argument, copy.data(), shared);
  return rc;
}

}  // namespace softgpu::kfd
