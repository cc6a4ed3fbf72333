// AQL packets beyond hsa.h: AMD's vendor packets, and the header fields. Sources: HSA system architecture
// (AQL), hsa_ext_amd.h (barrier value), ROCr's PM4 indirect-buffer packet as observed.
#pragma once

#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>

#include <cstddef>
#include <cstdint>

namespace softgpu::cp {

constexpr uint64_t kAqlPacketBytes = 64;

/// AmdFormat byte (offset 2) of a vendor packet that runs a PM4 indirect buffer.
constexpr uint8_t kAmdFormatPm4Ib = 1;

struct Pm4IbPacket {
  uint16_t header;
  uint8_t amd_format;
  uint8_t reserved0;
  uint32_t ib_packet[4];  ///< INDIRECT_BUFFER: header, address low, address high, dwords in bits 19:0
  uint32_t dwords_left;
  uint32_t reserved1[8];
  hsa_signal_t completion_signal;
};
static_assert(sizeof(Pm4IbPacket) == kAqlPacketBytes);
static_assert(offsetof(Pm4IbPacket, completion_signal) == 56);

struct AqlHeader {
  uint16_t bits = 0;
  uint8_t type() const { return bits & 0xff; }
  bool barrier() const { return (bits >> HSA_PACKET_HEADER_BARRIER & 1) != 0; }
  unsigned acquire_scope() const { return bits >> HSA_PACKET_HEADER_SCACQUIRE_FENCE_SCOPE & 3; }
};

/// What the packet processor stores in a queue's inactive signal. Source: ROCr's queue error handling.
enum class QueueError : uint64_t {
  need_scratch = 0x1,
  bad_dimensions = 0x2,
  bad_group_memory = 0x4,
  bad_code_object = 0x8,
  bad_packet = 0x20,
  workgroup_too_large = 0x40,
  reclaim_scratch = 0x200,
  aperture_violation = 0x20000000,
  illegal_instruction = 0x40000000,
  trap = 0x80000000,
};

}  // namespace softgpu::cp
