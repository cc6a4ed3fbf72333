#include "cp/pm4.hpp"

#include <fmt/format.h>

#include <atomic>
#include <vector>

#include "base/log.hpp"
#include "cp/perfmon.hpp"

namespace softgpu::cp {
namespace {

// Opcodes of type-3 packets. Source: AMD "PM4 packet format" of the public register documentation.
constexpr uint32_t kNop = 0x10;
constexpr uint32_t kEventWrite = 0x46;
constexpr uint32_t kAcquireMem = 0x58;

constexpr uint32_t kCopyData = 0x40;
constexpr uint32_t kSetShReg = 0x76;
constexpr uint32_t kSetUconfigReg = 0x79;
constexpr uint32_t kShRegBase = 0x2c00;  // dword addresses
constexpr uint32_t kUconfigRegBase = 0xc000;

constexpr uint32_t kMaxDwords = 1u << 20;  // the size field has 20 bits

/// SET_SH_REG and SET_UCONFIG_REG: consecutive registers from an offset on.
/// @return what is not emulated
std::string set_registers(const EngineContext& context, QueueRegisters& registers, uint32_t base,
                          const uint32_t* body, uint32_t dwords) {
  for (uint32_t n = 1; n < dwords; ++n) {
    const uint32_t reg = base + (body[0] & 0xffff) + n - 1;
    if (reg == kPerfcountEnableReg) {
      registers.count_kernels = (body[n] & 1) != 0;
      continue;
    }
    PerfMonitor::Written written{false, {}};
    if (context.perfmon != nullptr && base == kUconfigRegBase) written = context.perfmon->write(reg, body[n]);
    if (!written.refused.empty()) return written.refused;
    if (!written.known)
      kreplay::log::warn("pm4", "queue {}: register {:#x} = {:#x} is not emulated; skipped", context.queue_id,
                         reg, body[n]);
  }
  return {};
}

/// COPY_DATA of one dword from a counter register to memory.
/// @return what is not emulated
std::string copy_data(const EngineContext& context, const uint32_t* body, uint32_t dwords,
                      Pm4Result& result) {
  if (dwords < 5) return fmt::format("COPY_DATA of {} dwords; 5 are needed", dwords);
  const uint32_t from = body[0] & 0xf, to = body[0] >> 8 & 0xf;
  constexpr uint32_t kRegister = 0, kPerfCounter = 4, kMemory = 5;
  if ((from != kRegister && from != kPerfCounter) || to != kMemory || (body[0] >> 16 & 1) != 0)
    return fmt::format(
        "COPY_DATA from {} to {} (control {:#x}): only one dword from a register to memory is emulated", from,
        to, body[0]);
  if (context.perfmon == nullptr) return "COPY_DATA: the device has no counters";
  std::string refused;
  const uint32_t value = context.perfmon->read(body[1], refused);
  if (!refused.empty()) return refused;
  const GpuVa va(uint64_t{body[4] & 0xffff} << 32 | body[3]);
  auto* word = host_object<uint32_t>(*context.memory, va, Access::write);
  if (word == nullptr)
    result.fault = AccessFault{va, true};
  else
    std::atomic_ref<uint32_t>(*word).store(value, std::memory_order_release);
  return {};
}

}  // namespace

Pm4Result run_pm4(const EngineContext& context, QueueRegisters& registers, GpuVa buffer, uint32_t dwords) {
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
      case kSetShReg:
      case kSetUconfigReg:
        result.error = set_registers(context, registers, opcode == kSetShReg ? kShRegBase : kUconfigRegBase,
                                     &words[at + 1], body);
        break;
      case kCopyData:
        result.error = copy_data(context, &words[at + 1], body, result);
        break;
      case kAcquireMem:
        result.invalidate_code = true;
        break;
      default:
        kreplay::log::warn("pm4", "queue {}: opcode {:#x} ({} dwords) is not emulated; skipped",
                           context.queue_id, opcode, body + 1);
    }
    if (!result.error.empty() || result.fault) return result;
    at += 1 + body;
  }
  return result;
}

}  // namespace softgpu::cp
