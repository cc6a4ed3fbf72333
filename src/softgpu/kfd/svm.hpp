// Shared virtual memory: attributes of ranges of the process's own addresses, set and asked for by one ioctl.
// A GPU that has access to a range sees the CPU's memory at the CPU's address; nothing migrates. Attributes
// stay when the memory goes away: munmap is not seen.
// Source: linux/kfd_ioctl.h (the comments at kfd_ioctl_svm_args); defaults as documented there and in the
// driver.
#pragma once

#include <linux/kfd_ioctl.h>

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "kfd/buffers.hpp"
#include "kfd/gpu.hpp"

namespace softgpu::kfd {

/// Threads: any.
class SvmTable {
 public:
  SvmTable(const std::vector<std::unique_ptr<Gpu>>& gpus, const BufferTable& buffers)
      : gpus_(gpus), buffers_(buffers) {}

  /// Sets attributes of [begin, begin + size_bytes), and maps it to, or unmaps it from, GPUs.
  /// @return 0; -EINVAL (not whole pages, unknown attribute or GPU; named on stderr), -EADDRINUSE (a buffer
  ///         is there)
  int set(uint64_t begin, uint64_t size_bytes, std::span<const kfd_ioctl_svm_attribute> attributes);
  /// Replaces each attribute's value, and the type of those about access, by what holds for the whole range.
  /// @return 0, -EINVAL
  int get(uint64_t begin, uint64_t size_bytes, std::span<kfd_ioctl_svm_attribute> attributes) const;

 private:
  /// What the pages of one range have in common.
  struct Attributes {
    uint32_t preferred = KFD_IOCTL_SVM_LOCATION_UNDEFINED;
    uint32_t prefetched = KFD_IOCTL_SVM_LOCATION_UNDEFINED;
    uint32_t flags = KFD_IOCTL_SVM_FLAG_HOST_ACCESS | KFD_IOCTL_SVM_FLAG_COHERENT;
    uint32_t granularity = 9;             ///< log2 of pages
    std::map<uint32_t, uint32_t> access;  ///< gpu_id to ..._ATTR_ACCESS or _IN_PLACE; absent: none
    bool operator==(const Attributes&) const = default;
  };
  struct Range {
    uint64_t end = 0;
    Attributes attributes;
  };
  using Ranges = std::map<uint64_t, Range>;  ///< by begin; disjoint. Pages in none have the defaults

  bool known_gpu(uint32_t gpu_id) const;
  int check(uint64_t begin, uint64_t size_bytes, std::span<const kfd_ioctl_svm_attribute> attributes) const;
  void split(uint64_t at);
  void cover(uint64_t begin, uint64_t end);
  void map(uint64_t begin, const Range& range);

  const std::vector<std::unique_ptr<Gpu>>& gpus_;  // constant once the process runs
  const BufferTable& buffers_;
  mutable std::mutex mutex_;  ///< guards what follows
  Ranges ranges_;
};

}  // namespace softgpu::kfd
