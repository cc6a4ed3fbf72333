// Everything that an open /dev/kfd stands for in one process: GPUs, buffers, events, queues. It is made when
// the device is first opened, and then stays: the real driver, too, ties it to the process and not to the
// descriptor, and the runtime relies on that when it shuts down and starts again. It is leaked on purpose,
// since its threads may still run while the process exits.
//
// Created by Process::open(), ended by nobody. A fork child has no threads, so there it does not count: the
// child's first open makes a new one.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "base/status.hpp"
#include "cp/worker.hpp"
#include "kfd/buffers.hpp"
#include "kfd/dmabufs.hpp"
#include "kfd/events.hpp"
#include "kfd/gem.hpp"
#include "kfd/gpu.hpp"
#include "kfd/options.hpp"
#include "kfd/svm.hpp"

namespace softgpu::kfd {

class Process {
 public:
  /// The process's state, made if there is none yet. Null (with errno-style code in `error`) when it cannot
  /// be.
  static Process* open(const Options& options, int& error);
  /// Null when this process has not opened the device itself.
  static Process* current();

  /// A state of its own, for tests. Errors: io, out_of_memory
  static kreplay::Result<std::unique_ptr<Process>> create(const Options& options);

  const Options& options() const { return options_; }
  const std::vector<std::unique_ptr<Gpu>>& gpus() const { return gpus_; }
  Gpu* gpu_by_id(uint32_t gpu_id) const;
  StorageTable& storages() { return storages_; }
  BufferTable& buffers() { return buffers_; }
  SvmTable& svm() { return svm_; }
  DmabufTable& dmabufs() { return dmabufs_; }
  GemTable& gem() { return gem_; }
  EventTable& events() { return events_; }

  /// Queue numbers are the process's, queues the device's.
  uint32_t new_queue_id() { return next_queue_id_.fetch_add(1, std::memory_order_relaxed); }
  void add_queue(uint32_t id, Gpu* gpu);
  /// @return null if there is no such queue
  Gpu* gpu_of_queue(uint32_t id);
  Gpu* take_queue(uint32_t id);

  /// ioctl on /dev/kfd. @return 0 or more, or -errno
  int ioctl(unsigned long request, void* argument);
  /// mmap of /dev/kfd, of a render node, of a dmabuf. @return the address, or -errno as the system call
  /// returns it
  long mmap_kfd(void* address, size_t size_bytes, int protection, int flags, uint64_t offset);
  long mmap_render(Gpu& gpu, void* address, size_t size_bytes, int protection, int flags, uint64_t offset);
  long mmap_dmabuf(int fd, void* address, size_t size_bytes, int protection, int flags, uint64_t offset);

 private:
  explicit Process(const Options& options);
  void abandon_in_child();

  const Options options_;
  const pid_t pid_;
  EventTable events_;
  cp::ProgressHub progress_;
  std::vector<std::unique_ptr<Gpu>> gpus_;  ///< before all that holds their memory
  StorageTable storages_;
  BufferTable buffers_{storages_};
  SvmTable svm_{gpus_, buffers_};
  DmabufTable dmabufs_;
  GemTable gem_;
  std::atomic<uint32_t> next_queue_id_{1};
  std::mutex queues_mutex_;  ///< guards queues_
  std::map<uint32_t, Gpu*> queues_;
};

}  // namespace softgpu::kfd
