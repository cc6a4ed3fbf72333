// AQL packets as the packet processor reads them: 64 bytes, the first 32-bit word is published last.
// Layouts follow the HSA system architecture specification; the vendor formats are those of the AMD
// extensions (format byte 1 indirect buffer, 2 barrier value, 3 extended kernel dispatch).
#pragma once

#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace kreplay::hsa {

constexpr size_t kPacketBytes = 64;

enum class PacketKind : uint8_t {
  invalid,          ///< slot not published yet
  kernel_dispatch,  ///< hsa_kernel_dispatch_packet_t
  ext_dispatch,     ///< vendor packet, format 3: clusters and one dependency inside
  agent_dispatch,
  barrier_and,
  barrier_or,
  barrier_value,  ///< vendor packet, format 2
  vendor_other,
};

/// A packet by value. The union's members share the completion signal at offset 56.
struct alignas(64) Packet {
  uint32_t word[16];
};
static_assert(sizeof(Packet) == kPacketBytes);

/// The extended dispatch of newer runtimes; not in the build headers.
/// Source: layout tables of the AMD AQL extension (format byte 3).
struct ExtDispatch {
  uint16_t header;
  uint8_t amd_format;
  uint8_t setup;
  uint16_t workgroup_size[3];
  uint16_t reserved0;
  uint32_t cluster_count_x;
  uint16_t cluster_count_y;
  uint16_t cluster_count_z;
  uint8_t cluster_size[3];
  uint8_t perf_hint;
  uint32_t private_segment_size;
  uint32_t group_segment_size;
  uint64_t kernel_object;
  uint64_t kernarg_address;
  uint64_t dep_signal;
  uint64_t completion_signal;
};
static_assert(sizeof(ExtDispatch) == kPacketBytes && offsetof(ExtDispatch, kernel_object) == 32 &&
              offsetof(ExtDispatch, completion_signal) == 56);

constexpr uint8_t kFormatBarrierValue = 2;
constexpr uint8_t kFormatExtDispatch = 3;
constexpr size_t kCompletionOffset = 56;
constexpr size_t kKernelObjectOffset = 32;

/// Kernel object of a dispatch packet of either kind. @param packet 64 bytes, 8-byte aligned
inline uint64_t kernel_object(const void* packet) {
  uint64_t value;
  std::memcpy(&value, static_cast<const std::byte*>(packet) + kKernelObjectOffset, sizeof value);
  return value;
}

constexpr uint32_t type_bits(uint32_t word0) { return word0 & 0xff; }
constexpr bool has_barrier_bit(uint32_t word0) { return (word0 >> HSA_PACKET_HEADER_BARRIER) & 1; }

/// Kind of the packet whose first word is `word0`.
constexpr PacketKind kind_of(uint32_t word0) {
  switch (type_bits(word0)) {
    case HSA_PACKET_TYPE_VENDOR_SPECIFIC: {
      const uint8_t format = static_cast<uint8_t>(word0 >> 16);
      if (format == kFormatBarrierValue) return PacketKind::barrier_value;
      if (format == kFormatExtDispatch) return PacketKind::ext_dispatch;
      return PacketKind::vendor_other;
    }
    case HSA_PACKET_TYPE_INVALID:
      return PacketKind::invalid;
    case HSA_PACKET_TYPE_KERNEL_DISPATCH:
      return PacketKind::kernel_dispatch;
    case HSA_PACKET_TYPE_BARRIER_AND:
      return PacketKind::barrier_and;
    case HSA_PACKET_TYPE_AGENT_DISPATCH:
      return PacketKind::agent_dispatch;
    case HSA_PACKET_TYPE_BARRIER_OR:
      return PacketKind::barrier_or;
    default:
      return PacketKind::vendor_other;
  }
}
constexpr bool is_dispatch(PacketKind kind) {
  return kind == PacketKind::kernel_dispatch || kind == PacketKind::ext_dispatch;
}

inline uint64_t word64(const Packet& packet, size_t offset) {
  uint64_t value;
  std::memcpy(&value, reinterpret_cast<const char*>(&packet) + offset, sizeof value);
  return value;
}
inline void set_word64(Packet& packet, size_t offset, uint64_t value) {
  std::memcpy(reinterpret_cast<char*>(&packet) + offset, &value, sizeof value);
}
inline hsa_signal_t completion_signal(const Packet& packet) { return {word64(packet, kCompletionOffset)}; }
inline void set_completion_signal(Packet& packet, hsa_signal_t signal) {
  set_word64(packet, kCompletionOffset, signal.handle);
}

/// What both dispatch formats say about the launch.
struct DispatchFields {
  uint64_t kernel_object = 0;
  uint64_t kernarg_address = 0;
  uint32_t private_segment_bytes = 0;  ///< per work-item
  uint32_t group_segment_bytes = 0;    ///< per workgroup
  uint32_t workgroup[3] = {};          ///< work-items
  uint32_t grid[3] = {};               ///< work-items
};
/// @param packet of a kind for which is_dispatch() holds
/// An extended dispatch counts clusters: grid = cluster count x cluster size x workgroup size.
DispatchFields dispatch_fields(const Packet& packet);

/// The same header with acquire and release fences widened to system scope, so that nothing a host or a
/// copy engine wrote between two passes is read from a stale cache. Other bits stay.
constexpr uint32_t with_system_fences(uint32_t word0) {
  constexpr uint32_t kAcquire = 3u << HSA_PACKET_HEADER_SCACQUIRE_FENCE_SCOPE;
  constexpr uint32_t kRelease = 3u << HSA_PACKET_HEADER_SCRELEASE_FENCE_SCOPE;
  return (word0 & ~(kAcquire | kRelease)) |
         (HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCACQUIRE_FENCE_SCOPE) |
         (HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCRELEASE_FENCE_SCOPE);
}

/// A barrier-AND packet without dependencies: completes when everything before it in its queue has, and
/// then takes one from `completion`.
Packet barrier_packet(hsa_signal_t completion);

/// A dependency inside a packet: (value of signal, masked) must satisfy `condition` against `value`.
struct Dependency {
  hsa_signal_t signal = {0};
  int64_t value = 0;
  int64_t mask = -1;
  hsa_signal_condition_t condition = HSA_SIGNAL_CONDITION_EQ;
};
/// How the dependencies of a packet combine.
enum class DependencyMode : uint8_t { all, any };
/// Writes the non-null dependencies of `packet` to `out`. @return how many (0..5)
size_t dependencies(const Packet& packet, Dependency (&out)[5], DependencyMode& mode);

/// Whether a signal of this value satisfies the dependency.
bool satisfied(const Dependency& dependency, int64_t signal_value);

}  // namespace kreplay::hsa
