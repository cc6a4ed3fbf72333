#include "kfd/svm.hpp"

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <numeric>

#include "base/log.hpp"

namespace softgpu::kfd {
namespace {

namespace log = kreplay::log;
using kreplay::GpuVa;
using kreplay::HostPtr;

constexpr uint32_t kReadOnly = KFD_IOCTL_SVM_FLAG_GPU_RO | KFD_IOCTL_SVM_FLAG_GPU_READ_MOSTLY;
constexpr uint32_t kMaxGranularity = 63;

// Of two kinds of access to parts of a range, the larger number is what holds for both.
static_assert(KFD_IOCTL_SVM_ATTR_ACCESS < KFD_IOCTL_SVM_ATTR_ACCESS_IN_PLACE &&
              KFD_IOCTL_SVM_ATTR_ACCESS_IN_PLACE < KFD_IOCTL_SVM_ATTR_NO_ACCESS);

bool is_access(uint32_t type) {
  return type == KFD_IOCTL_SVM_ATTR_ACCESS || type == KFD_IOCTL_SVM_ATTR_ACCESS_IN_PLACE ||
         type == KFD_IOCTL_SVM_ATTR_NO_ACCESS;
}

bool is_location(uint32_t type) {
  return type == KFD_IOCTL_SVM_ATTR_PREFERRED_LOC || type == KFD_IOCTL_SVM_ATTR_PREFETCH_LOC;
}

}  // namespace

bool SvmTable::known_gpu(uint32_t gpu_id) const {
  return std::any_of(gpus_.begin(), gpus_.end(), [gpu_id](const auto& gpu) { return gpu->gpu_id == gpu_id; });
}

int SvmTable::check(uint64_t begin, uint64_t size_bytes,
                    std::span<const kfd_ioctl_svm_attribute> attributes) const {
  if (begin == 0 || size_bytes == 0 || begin % kPageBytes != 0 || size_bytes % kPageBytes != 0 ||
      begin >= kGpuvmLimit || size_bytes > kGpuvmLimit - begin) {
    log::error("kfd", "SVM: {} bytes at {:#x}: not whole pages below {:#x}", size_bytes, begin, kGpuvmLimit);
    return -EINVAL;
  }
  for (const kfd_ioctl_svm_attribute& attribute : attributes) {
    const bool place = is_location(attribute.type) && attribute.value != KFD_IOCTL_SVM_LOCATION_SYSMEM &&
                       attribute.value != KFD_IOCTL_SVM_LOCATION_UNDEFINED;
    const bool good = attribute.type <= KFD_IOCTL_SVM_ATTR_GRANULARITY &&
                      (!(place || is_access(attribute.type)) || known_gpu(attribute.value));
    if (good) continue;
    log::error("kfd", "SVM: attribute {} with value {:#x}: no such attribute, or no GPU of that id",
               attribute.type, attribute.value);
    return -EINVAL;
  }
  return 0;
}

/// Makes `at` the border of two ranges if it is inside one. mutex_ held.
void SvmTable::split(uint64_t at) {
  auto it = ranges_.upper_bound(at);
  if (it == ranges_.begin()) return;
  it = std::prev(it);
  if (it->first == at || it->second.end <= at) return;
  const Range behind = it->second;
  it->second.end = at;
  ranges_.emplace(at, behind);
}

/// Makes [begin, end) consist of whole ranges. mutex_ held.
void SvmTable::cover(uint64_t begin, uint64_t end) {
  split(begin);
  split(end);
  for (uint64_t at = begin; at < end;) {
    const auto next = ranges_.lower_bound(at);
    if (next != ranges_.end() && next->first == at) {
      at = next->second.end;
      continue;
    }
    const uint64_t gap_end = next == ranges_.end() ? end : std::min(end, next->first);
    ranges_.emplace(at, Range{gap_end, {}});
    at = gap_end;
  }
}

/// Lets each GPU see the range, or not, as its attributes say. mutex_ held.
void SvmTable::map(uint64_t begin, const Range& range) {
  const bool writable = (range.attributes.flags & kReadOnly) == 0;
  for (const auto& gpu : gpus_) {
    cp::VaTable& memory = gpu->device->memory();
    const uint64_t size_bytes = range.end - begin;
    if (range.attributes.access.contains(gpu->gpu_id))
      memory.put(GpuVa(begin), size_bytes, HostPtr(reinterpret_cast<std::byte*>(begin)), writable);
    else
      memory.put(GpuVa(begin), size_bytes, HostPtr(nullptr), false);
  }
}

int SvmTable::set(uint64_t begin, uint64_t size_bytes, std::span<const kfd_ioctl_svm_attribute> attributes) {
  if (const int rc = check(begin, size_bytes, attributes); rc != 0) return rc;
  if (buffers_.overlaps(begin, size_bytes)) {
    log::error("kfd", "SVM: {} bytes at {:#x}: a buffer is there", size_bytes, begin);
    return -EADDRINUSE;
  }
  const uint64_t end = begin + size_bytes;
  for (const auto& [type, value] : attributes)
    log::debug("kfd", "SVM: {} bytes at {:#x}: attribute {} = {:#x}", size_bytes, begin, type, value);
  const std::lock_guard lock(mutex_);
  cover(begin, end);
  for (auto it = ranges_.find(begin); it != ranges_.end() && it->first < end; ++it) {
    Attributes& now = it->second.attributes;
    for (const auto& [type, value] : attributes) {
      if (type == KFD_IOCTL_SVM_ATTR_PREFERRED_LOC) now.preferred = value;
      if (type == KFD_IOCTL_SVM_ATTR_PREFETCH_LOC) now.prefetched = value;
      if (type == KFD_IOCTL_SVM_ATTR_SET_FLAGS) now.flags |= value;
      if (type == KFD_IOCTL_SVM_ATTR_CLR_FLAGS) now.flags &= ~value;
      if (type == KFD_IOCTL_SVM_ATTR_GRANULARITY) now.granularity = std::min(value, kMaxGranularity);
      if (type == KFD_IOCTL_SVM_ATTR_NO_ACCESS)
        now.access.erase(value);
      else if (is_access(type))
        now.access[value] = type;
    }
    // Also when nothing changed: the memory may be another one than last time, and a buffer may have been
    // mapped there in between.
    map(it->first, it->second);
  }
  return 0;
}

int SvmTable::get(uint64_t begin, uint64_t size_bytes, std::span<kfd_ioctl_svm_attribute> attributes) const {
  if (begin == 0) return -EINVAL;  // asked by the runtime after a null access: no mistake of anybody's
  if (const int rc = check(begin, size_bytes, attributes); rc != 0) return rc;
  const uint64_t end = begin + size_bytes;
  std::vector<Attributes> parts;
  {
    const std::lock_guard lock(mutex_);
    uint64_t covered = 0;
    auto it = ranges_.upper_bound(begin);
    if (it != ranges_.begin()) it = std::prev(it);
    for (; it != ranges_.end() && it->first < end; ++it) {
      if (it->second.end <= begin) continue;
      covered += std::min(it->second.end, end) - std::max(it->first, begin);
      parts.push_back(it->second.attributes);
    }
    if (covered < size_bytes) parts.emplace_back();
  }
  for (auto& [type, value] : attributes) {
    const Attributes& first = parts.front();
    const auto everywhere = [&](auto member) {
      return std::all_of(parts.begin(), parts.end(),
                         [&](const Attributes& part) { return part.*member == first.*member; });
    };
    const auto both = [&](uint32_t left, const Attributes& part) { return left & part.flags; };
    const auto either = [&](uint32_t left, const Attributes& part) { return left | part.flags; };
    const auto least = [](uint32_t left, const Attributes& part) { return std::min(left, part.granularity); };
    switch (type) {
      case KFD_IOCTL_SVM_ATTR_PREFERRED_LOC:
        value = everywhere(&Attributes::preferred) ? first.preferred : KFD_IOCTL_SVM_LOCATION_UNDEFINED;
        break;
      case KFD_IOCTL_SVM_ATTR_PREFETCH_LOC:
        value = everywhere(&Attributes::prefetched) ? first.prefetched : KFD_IOCTL_SVM_LOCATION_UNDEFINED;
        break;
      case KFD_IOCTL_SVM_ATTR_SET_FLAGS:
        value = std::accumulate(parts.begin(), parts.end(), ~0u, both);
        break;
      case KFD_IOCTL_SVM_ATTR_CLR_FLAGS:
        value = ~std::accumulate(parts.begin(), parts.end(), 0u, either);
        break;
      case KFD_IOCTL_SVM_ATTR_GRANULARITY:
        value = std::accumulate(parts.begin(), parts.end(), first.granularity, least);
        break;
      default:
        type = KFD_IOCTL_SVM_ATTR_ACCESS;
        for (const Attributes& part : parts) {
          const auto granted = part.access.find(value);
          type = std::max(
              type, granted == part.access.end() ? uint32_t{KFD_IOCTL_SVM_ATTR_NO_ACCESS} : granted->second);
        }
    }
  }
  return 0;
}

}  // namespace softgpu::kfd
