#include "device/real_ring.hpp"

#include <cstring>

#if defined(__x86_64__)
#include <emmintrin.h>

#include "base/check.hpp"
#endif

#include "base/environment.hpp"

namespace kreplay::device {

void RealRing::fence_stores() {
#if defined(__x86_64__)
  _mm_sfence();
#else
  std::atomic_thread_fence(std::memory_order_seq_cst);
#endif
}

RealRing::RealRing(const hsa::HsaApi& api, hsa_queue_t* queue)
    : api_(api),
      queue_(queue),
      base_(static_cast<std::byte*>(queue->base_address)),
      size_(queue->size),
      mask_(queue->size - 1),
      headers_(new uint32_t[queue->size]()) {
  // An intercept queue of another tool has a user-kind signal as its doorbell: then only the runtime's own
  // functions know where the indices are.
  const auto* doorbell = reinterpret_cast<const amd_signal_t*>(queue->doorbell_signal.handle);
  if (doorbell != nullptr && doorbell->kind == AMD_SIGNAL_KIND_DOORBELL) {
    direct_ = true;
    doorbell_ = doorbell->hardware_doorbell_ptr;
  }
  const char* in_device = foreign_variable("HSA_ALLOCATE_QUEUE_DEV_MEM");
  device_memory_ = in_device != nullptr && std::strcmp(in_device, "0") != 0;
  write_.store(runtime_write_index(), std::memory_order_relaxed);
  read_cache_ = read_index();
}

void RealRing::put(uint64_t index, const void* packet, uint32_t word0) {
  const uint64_t slot = index & mask_;
  std::byte* to = base_ + slot * hsa::kPacketBytes;
  __atomic_store_n(&headers_[slot], word0, __ATOMIC_RELAXED);
  std::memcpy(to + 4, static_cast<const std::byte*>(packet) + 4, hsa::kPacketBytes - 4);
  if (device_memory_) fence_stores();
  __atomic_store_n(reinterpret_cast<uint32_t*>(to), word0, __ATOMIC_RELEASE);
}

hsa::PacketKind RealRing::kind_at(uint64_t index) const {
  return hsa::kind_of(__atomic_load_n(&headers_[index & mask_], __ATOMIC_RELAXED));
}

bool RealRing::barrier_at(uint64_t index) const {
  KR_CHECK(index < write_index(), "only what was written is looked at");
  return hsa::has_barrier_bit(__atomic_load_n(&headers_[index & mask_], __ATOMIC_RELAXED));
}

hsa::Packet RealRing::packet_at(uint64_t index) const {
  KR_CHECK(index < write_index(), "only a packet that was written is read back");
  hsa::Packet packet = {};
  const auto* from = reinterpret_cast<const uint32_t*>(base_ + (index & mask_) * hsa::kPacketBytes);
  for (int i = 1; i < 16; ++i) packet.word[i] = __atomic_load_n(from + i, __ATOMIC_RELAXED);
  packet.word[0] = __atomic_load_n(&headers_[index & mask_], __ATOMIC_RELAXED);
  return packet;
}

}  // namespace kreplay::device
