#include "cp/sdma_engine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/log.hpp"
#include "cp/sdma_packets.hpp"

namespace softgpu::cp {
namespace {

namespace log = kreplay::log;

constexpr uint64_t kCopyPieceBytes = 4 << 20;  // between looks at the stop flag

bool poll_holds(uint32_t function, uint32_t value, uint32_t reference) {
  switch (function) {
    case 0:
      return true;
    case 1:
      return value < reference;
    case 2:
      return value <= reference;
    case 3:
      return value == reference;
    case 4:
      return value != reference;
    case 5:
      return value >= reference;
    case 6:
      return value > reference;
    default:
      return false;  // 7 is reserved and refused before we come here
  }
}

/// One side of a sub-window copy.
struct Window {
  GpuVa base;
  uint64_t x, y, z;
  uint64_t pitch, slice;  // elements
  Window(const uint32_t* d)
      : base(sdma_address(d[0], d[1])),
        x(d[2] & 0x3fff),
        y(d[2] >> 16 & 0x3fff),
        z(d[3] & 0x7ff),
        pitch((d[3] >> 13 & 0x7ffff) + 1),
        slice(uint64_t{d[4] & 0xfffffff} + 1) {}
  GpuVa row(uint64_t row_y, uint64_t row_z, uint64_t element_bytes) const {
    return base + ((z + row_z) * slice + (y + row_y) * pitch + x) * element_bytes;
  }
};

}  // namespace

SdmaEngine::SdmaEngine(const EngineContext& context, const Ring& ring, const std::atomic<uint64_t>* doorbell,
                       uint64_t* read_pointer)
    : context_(context),
      ring_(ring),
      doorbell_(doorbell),
      read_pointer_(read_pointer),
      time_(*context.clock),
      read_(std::atomic_ref<uint64_t>(*read_pointer).load(std::memory_order_acquire)) {}

uint32_t SdmaEngine::ring_dword(uint64_t byte_offset) const {
  uint32_t word;
  std::memcpy(&word, ring_.host + (byte_offset & (ring_.size_bytes - 1)), sizeof word);
  return word;
}

Step SdmaEngine::step() {
  if (halted_) return Step::halted;
  const uint64_t write = doorbell_->load(std::memory_order_acquire);
  if (read_ >= write) {
    resync_ = true;
    return Step::idle;
  }
  const uint32_t dword0 = ring_dword(read_);
  const uint32_t dwords = sdma_packet_dwords(dword0);
  if (dwords == 0)
    return halt(fmt::format("packet {:#010x}: op {}, sub-op {} is not known", dword0, dword0 & 0xff,
                            dword0 >> 8 & 0xff));
  if (uint64_t{dwords} * 4 > write - read_)
    return halt(fmt::format("packet {:#010x} of {} dwords, but the write pointer is {} bytes ahead", dword0,
                            dwords, write - read_));
  uint32_t packet[kSdmaMaxPacketDwords];
  for (uint32_t i = 0; i < std::min(dwords, kSdmaMaxPacketDwords); ++i) packet[i] = ring_dword(read_ + 4 * i);

  if (resync_) time_.begin();
  resync_ = false;
  const Outcome outcome = run(packet);
  if (outcome.blocked) {
    resync_ = true;
    return Step::blocked;
  }
  if (!outcome.error.empty()) return halt(fmt::format("packet {:#010x}: {}", dword0, outcome.error));
  if (outcome.fault) {
    const AccessFault& fault = *outcome.fault;
    context_.interrupts->memory_fault(context_.gpu_id, fault.address,
                                      fault_reason(*context_.memory, fault.address, fault.write));
    return halt(fmt::format("packet {:#010x}: memory fault, {} of {:#x}", dword0,
                            fault.write ? "write" : "read", fault.address.value));
  }
  if (context_.stop->load(std::memory_order_acquire)) return Step::halted;  // a copy may have been cut short
  time_.advance(1 + outcome.bytes_moved / kSdmaBytesPerTick);
  read_ += uint64_t{dwords} * 4;
  std::atomic_ref<uint64_t>(*read_pointer_).store(read_, std::memory_order_release);
  return Step::progress;
}

SdmaEngine::Outcome SdmaEngine::run(const uint32_t* d) {
  log::debug("sdma", "queue {}: packet {:#010x} at {:#x}", context_.queue_id, d[0], read_);
  switch (static_cast<SdmaOp>(d[0] & 0xff)) {
    case SdmaOp::nop:
      return {};
    case SdmaOp::copy:
      return (d[0] >> 8 & 0xff) == kSdmaCopyLinear ? copy_linear(d) : copy_window(d);
    case SdmaOp::fence:
      return fence(d);
    case SdmaOp::trap:
      context_.interrupts->signal_event(d[1] & 0xfffffff);
      return {};
    case SdmaOp::poll:
      return poll(d);
    case SdmaOp::atomic:
      return atomic(d);
    case SdmaOp::fill:
      return fill(d);
    case SdmaOp::timestamp:
      return timestamp(d);
  }
  return {};
}

SdmaEngine::Outcome SdmaEngine::copy_linear(const uint32_t* d) {
  Outcome outcome;
  outcome.bytes_moved = uint64_t{d[1] & 0x3fffffff} + 1;
  const GpuVa from(sdma_address(d[3], d[4]));
  const GpuVa to(sdma_address(d[5], d[6]));
  for (uint64_t done = 0; done < outcome.bytes_moved && !outcome.fault; done += kCopyPieceBytes) {
    if (context_.stop->load(std::memory_order_relaxed)) break;
    outcome.fault = copy_memory(*context_.memory, to + done, from + done,
                                std::min(kCopyPieceBytes, outcome.bytes_moved - done));
  }
  return outcome;
}

SdmaEngine::Outcome SdmaEngine::copy_window(const uint32_t* d) {
  Outcome outcome;
  const uint64_t element_bytes = uint64_t{1} << (d[0] >> 29);
  if (element_bytes > 16) {
    outcome.error = fmt::format("sub-window copy with elements of {} bytes; at most 16", element_bytes);
    return outcome;
  }
  const Window from(d + 1);
  const Window to(d + 6);
  const uint64_t width = (d[11] & 0x3fff) + 1;
  const uint64_t height = (d[11] >> 16 & 0x3fff) + 1;
  const uint64_t depth = (d[12] & 0x7ff) + 1;
  for (uint64_t z = 0; z < depth && !outcome.fault; ++z) {
    for (uint64_t y = 0; y < height && !outcome.fault; ++y) {
      if (context_.stop->load(std::memory_order_relaxed)) return outcome;
      outcome.fault = copy_memory(*context_.memory, to.row(y, z, element_bytes),
                                  from.row(y, z, element_bytes), width * element_bytes);
      outcome.bytes_moved += width * element_bytes;
    }
  }
  return outcome;
}

SdmaEngine::Outcome SdmaEngine::fence(const uint32_t* d) {
  Outcome outcome;
  const GpuVa to(sdma_address(d[1], d[2]));
  auto* word = host_object<uint32_t>(*context_.memory, to, Access::write);
  if (word == nullptr) {
    outcome.fault = AccessFault{to, true};
    return outcome;
  }
  std::atomic_ref<uint32_t>(*word).store(d[3], std::memory_order_release);
  context_.progress->notify();
  return outcome;
}

SdmaEngine::Outcome SdmaEngine::poll(const uint32_t* d) {
  Outcome outcome;
  if ((d[0] >> 31) == 0) return outcome;  // HDP flush: host and device share memory
  const uint32_t function = d[0] >> 28 & 7;
  if (function == 7) {
    outcome.error = "poll with comparison 7; 0 to 6 are known";
    return outcome;
  }
  const GpuVa at(sdma_address(d[1], d[2]));
  auto* word = host_object<uint32_t>(*context_.memory, at, Access::read);
  if (word == nullptr) {
    outcome.fault = AccessFault{at, false};
    return outcome;
  }
  const uint32_t value = std::atomic_ref<uint32_t>(*word).load(std::memory_order_acquire);
  outcome.blocked = !poll_holds(function, value & d[4], d[3]);
  return outcome;
}

SdmaEngine::Outcome SdmaEngine::atomic(const uint32_t* d) {
  Outcome outcome;
  const uint32_t operation = d[0] >> 25;
  if (operation != kSdmaAtomicAdd64) {
    outcome.error =
        fmt::format("atomic operation {}; only {} (64-bit add) is known", operation, kSdmaAtomicAdd64);
    return outcome;
  }
  const GpuVa at(sdma_address(d[1], d[2]));
  auto* word = host_object<uint64_t>(*context_.memory, at, Access::write);
  if (word == nullptr) {
    outcome.fault = AccessFault{at, true};
    return outcome;
  }
  std::atomic_ref<uint64_t>(*word).fetch_add(sdma_address(d[3], d[4]), std::memory_order_acq_rel);
  context_.progress->notify();
  return outcome;
}

SdmaEngine::Outcome SdmaEngine::fill(const uint32_t* d) {
  Outcome outcome;
  const uint32_t code = d[0] >> 30;
  if (code == 3) {
    outcome.error = "fill with element size code 3; 0 to 2 are known";
    return outcome;
  }
  outcome.bytes_moved = uint64_t{d[4] & 0x3fffff} + 1;
  outcome.fault =
      fill_memory(*context_.memory, GpuVa(sdma_address(d[1], d[2])), d[3], 1u << code, outcome.bytes_moved);
  return outcome;
}

SdmaEngine::Outcome SdmaEngine::timestamp(const uint32_t* d) {
  Outcome outcome;
  const GpuVa to(sdma_address(d[1] & ~7u, d[2]));
  auto* word = host_object<uint64_t>(*context_.memory, to, Access::write);
  if (word == nullptr) {
    outcome.fault = AccessFault{to, true};
    return outcome;
  }
  std::atomic_ref<uint64_t>(*word).store(time_.advance(0), std::memory_order_release);
  return outcome;
}

Step SdmaEngine::halt(const std::string& why) {
  halted_ = true;
  log::error("sdma", "queue {}: {}; the queue stops", context_.queue_id, why);
  return Step::halted;
}

}  // namespace softgpu::cp
