#include "kfd/process.hpp"

#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <new>

#include "base/log.hpp"

namespace softgpu::kfd {
namespace {

namespace log = kreplay::log;
using kreplay::Result;

std::atomic<Process*> g_process{nullptr};                  // made by Process::open, never destroyed
pthread_mutex_t g_open_mutex = PTHREAD_MUTEX_INITIALIZER;  // guards the making of g_process
std::atomic<bool> g_fork_handlers{false};

// A fork must not leave the mutex locked for ever in the child.
void register_fork_handlers() {
  if (g_fork_handlers.exchange(true)) return;
  pthread_atfork([] { pthread_mutex_lock(&g_open_mutex); }, [] { pthread_mutex_unlock(&g_open_mutex); },
                 [] { pthread_mutex_unlock(&g_open_mutex); });
}

struct OpenLock {
  OpenLock() { pthread_mutex_lock(&g_open_mutex); }
  ~OpenLock() { pthread_mutex_unlock(&g_open_mutex); }
  OpenLock(const OpenLock&) = delete;
  OpenLock& operator=(const OpenLock&) = delete;
};

long system_mmap(void* address, size_t size_bytes, int protection, int flags, int fd, uint64_t offset) {
  const long result = syscall(SYS_mmap, address, size_bytes, protection, flags, fd, offset);
  return result == -1 ? -errno : result;
}

}  // namespace

Process::Process(const Options& options) : options_(options), pid_(getpid()) {}

Result<std::unique_ptr<Process>> Process::create(const Options& options) {
  std::unique_ptr<Process> process(new Process(options));
  for (uint32_t i = 0; i < options.gpus; ++i) {
    auto gpu = Gpu::create(options, i, process->events_, process->progress_);
    if (!gpu) return gpu.status();
    process->gpus_.push_back(std::move(*gpu));
  }
  return process;
}

Process* Process::open(const Options& options, int& error) {
  register_fork_handlers();
  const OpenLock lock;
  Process* existing = g_process.load(std::memory_order_acquire);
  if (existing != nullptr && existing->pid_ == getpid()) return existing;
  if (existing != nullptr) existing->abandon_in_child();
  auto made = create(options);
  if (!made) {
    log::error("kfd", "the software GPU cannot start: {}; the process runs without it",
               made.status().message());
    error = made.error() == kreplay::Error::out_of_memory ? ENOMEM : ENODEV;
    return nullptr;
  }
  Process* process = made->release();
  g_process.store(process, std::memory_order_release);
  return process;
}

Process* Process::current() {
  Process* process = g_process.load(std::memory_order_acquire);
  return process != nullptr && process->pid_ == getpid() ? process : nullptr;
}

/// The parent's state in a fork child: its threads do not exist here and its locks may be held, so it is only
/// stripped of its descriptors and forgotten.
void Process::abandon_in_child() {
  for (const auto& gpu : gpus_) gpu->abandon_in_child();
}

Gpu* Process::gpu_by_id(uint32_t gpu_id) const {
  for (const auto& gpu : gpus_) {
    if (gpu->gpu_id == gpu_id) return gpu.get();
  }
  return nullptr;
}

void Process::add_queue(uint32_t id, Gpu* gpu) {
  const std::lock_guard lock(queues_mutex_);
  queues_[id] = gpu;
}

Gpu* Process::gpu_of_queue(uint32_t id) {
  const std::lock_guard lock(queues_mutex_);
  const auto at = queues_.find(id);
  return at == queues_.end() ? nullptr : at->second;
}

Gpu* Process::take_queue(uint32_t id) {
  const std::lock_guard lock(queues_mutex_);
  const auto at = queues_.find(id);
  if (at == queues_.end()) return nullptr;
  Gpu* gpu = at->second;
  queues_.erase(at);
  return gpu;
}

long Process::mmap_kfd(void* address, size_t size_bytes, int protection, int flags, uint64_t offset) {
  const auto type = static_cast<MmapType>(offset >> kMmapTypeShift);
  const auto gpu_id = static_cast<uint32_t>(offset >> kMmapGpuIdShift & 0xffff);
  Gpu* gpu = gpu_by_id(gpu_id);
  if (gpu != nullptr && type == MmapType::doorbell && size_bytes <= cp::kDoorbellPageBytes)
    return system_mmap(address, size_bytes, protection, flags, gpu->control->fd(), Gpu::kDoorbellOffset);
  if (gpu != nullptr && type == MmapType::mmio && size_bytes <= Gpu::kMmioBytes)
    return system_mmap(address, size_bytes, protection, flags, gpu->control->fd(), Gpu::kMmioOffset);
  log::error("kfd", "mmap of /dev/kfd: offset {:#x} (type {}, gpu_id {:#x}), {} bytes: not emulated", offset,
             static_cast<uint64_t>(type), gpu_id, size_bytes);
  return -EINVAL;
}

long Process::mmap_render(Gpu& gpu, void* address, size_t size_bytes, int protection, int flags,
                          uint64_t offset) {
  int fd = -1;
  uint64_t file_offset = 0;
  if (!storages_.find_mapping(gpu, offset, size_bytes, fd, file_offset)) {
    log::error("kfd", "mmap of render node {}: offset {:#x}, {} bytes: no buffer there", gpu.index, offset,
               size_bytes);
    return -EINVAL;
  }
  // A buffer for the GPU alone keeps its address reserved, and a touch by the CPU faults as on hardware.
  if (protection == PROT_NONE || (flags & MAP_TYPE) == MAP_PRIVATE)
    return system_mmap(address, size_bytes, PROT_NONE,
                       (flags & ~MAP_TYPE) | MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return system_mmap(address, size_bytes, protection, flags, fd, file_offset);
}

long Process::mmap_dmabuf(int fd, void* address, size_t size_bytes, int protection, int flags,
                          uint64_t offset) {
  const std::shared_ptr<Storage> storage = dmabufs_.find(fd);
  if (storage == nullptr || offset >= storage->size_bytes ||
      whole_pages(size_bytes) > storage->size_bytes - offset) {
    log::error("kfd", "mmap of dmabuf {}: offset {:#x}, {} bytes: no such memory", fd, offset, size_bytes);
    return -EINVAL;
  }
  return system_mmap(address, size_bytes, protection, flags, storage->fd(), storage->offset + offset);
}

}  // namespace softgpu::kfd
