#include "cp/pm4.hpp"

#include <fmt/format.h>

#include <vector>

#include "base/log.hpp"

namespace softgpu::cp {
namespace {

// Opcodes of type-3 packets. Source: AMD "PM4 packet format" of the public register documentation.
constexpr uint32_t kNop = 0x10;
constexpr uint32_t kEventWrite = 0x46;
constexpr uint32_t kAcquireMem = 0x58;

constexpr uint32_t kMaxDwords = 1u << 20;  // the size field has 20 bits

}  // namespace

Pm4Result run_pm4(const EngineContext& context, GpuVa buffer, uint32_t dwords) {
  Pm4Result result;
  if (dwords >= kMaxDwords) {
    result.error =
        fmt::format("indirect buffer of {} dwords; at most {} fit the packet", dwords, kMaxDwords - 1);
    return result;
  }
  std::vector<uint32_t> words(dwords);
  result.fault = read_memory(*context.memory, buffer, words.data(), uint64_t{dwords} * 4);
  if (result.fault) return result;

  for (uint32_t at = 0; at < dwords;) {
    const uint32_t header = words[at];
    const uint32_t type = header >> 30;
    if (type == 2) {  // filler
      ++at;
      continue;
    }
    if (type != 3) {
      result.error = fmt::format("PM4 packet type {} at dword {} (header {:#010x}); types 2 and 3 are known",
                                 type, at, header);
      return result;
    }
    const uint32_t opcode = (header >> 8) & 0xff;
    // The count field holds body dwords minus one; NOP uses the all-ones count for a body of none.
    const uint32_t count = (header >> 16) & 0x3fff;
    const uint32_t body = opcode == kNop && count == 0x3fff ? 0 : count + 1;
    if (body > dwords - at - 1) {
      result.error = fmt::format("PM4 opcode {:#x} at dword {} has {} body dwords, {} are left", opcode, at,
                                 body, dwords - at - 1);
      return result;
    }
    switch (opcode) {
      case kNop:
      case kEventWrite:  // cache and pipeline flushes: packets run one at a time, so nothing is pending
        break;
      case kAcquireMem:
        result.invalidate_code = true;
        break;
      default:
        kreplay::log::warn("pm4", "queue {}: opcode {:#x} ({} dwords) is not emulated; skipped",
                           context.queue_id, opcode, body + 1);
    }
    at += 1 + body;
  }
  return result;
}

}  // namespace softgpu::cp
