// SDMA packets of gfx9 that ROCr emits. Source: the packet layouts as observed (op in dword 0 bits 7:0,
// sub-op in bits 15:8) and AMD's public SDMA packet headers.
#pragma once

#include <cstdint>

namespace softgpu::cp {

enum class SdmaOp : uint8_t {
  nop = 0,
  copy = 1,
  fence = 5,
  trap = 6,
  poll = 8,
  atomic = 10,
  fill = 11,
  timestamp = 13,
};

constexpr uint8_t kSdmaCopyLinear = 0;
constexpr uint8_t kSdmaCopyWindow = 4;
constexpr uint8_t kSdmaTimestampGlobal = 2;
constexpr uint32_t kSdmaAtomicAdd64 = 47;
constexpr uint32_t kSdmaMaxPacketDwords = 13;

/// Dwords of a packet from its first dword; 0 if the op or sub-op is not known. A NOP's count may be large.
constexpr uint32_t sdma_packet_dwords(uint32_t dword0) {
  const auto sub = static_cast<uint8_t>(dword0 >> 8);
  switch (static_cast<SdmaOp>(dword0 & 0xff)) {
    case SdmaOp::nop:
      return 1 + (dword0 >> 16 & 0x3fff);
    case SdmaOp::copy:
      return sub == kSdmaCopyLinear ? 7 : sub == kSdmaCopyWindow ? 13 : 0;
    case SdmaOp::fence:
      return 4;
    case SdmaOp::trap:
      return 2;
    case SdmaOp::poll:
      return sub == 0 ? 6 : 0;
    case SdmaOp::atomic:
      return 8;
    case SdmaOp::fill:
      return 5;
    case SdmaOp::timestamp:
      return sub == kSdmaTimestampGlobal ? 3 : 0;
  }
  return 0;
}
static_assert(sdma_packet_dwords(0) == 1);
static_assert(sdma_packet_dwords(0x00030000) == 4);
static_assert(sdma_packet_dwords(0x00000401) == 13);
static_assert(sdma_packet_dwords(0x7f) == 0);

constexpr uint64_t sdma_address(uint32_t low, uint32_t high) { return uint64_t{high} << 32 | low; }

}  // namespace softgpu::cp
