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

/// The same error as the number of a KFD exception; 0 for what is no error. Source: the kernel's kfd_ioctl.h,
/// version 1.13, enum kfd_dbg_trap_exception_code.
constexpr uint32_t exception_code(QueueError error) {
  switch (error) {
    case QueueError::bad_dimensions:
      return 16;
    case QueueError::bad_group_memory:
      return 17;
    case QueueError::bad_code_object:
      return 18;
    case QueueError::bad_packet:
      return 20;
    case QueueError::workgroup_too_large:
      return 21;
    case QueueError::aperture_violation:
      return 6;
    case QueueError::illegal_instruction:
      return 4;
    case QueueError::trap:
      return 2;
    case QueueError::need_scratch:
    case QueueError::reclaim_scratch:
      break;
  }
  return 0;
}

}  // namespace softgpu::cp
