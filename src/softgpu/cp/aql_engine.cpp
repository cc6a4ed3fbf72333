#include "cp/aql_engine.hpp"

#include <fmt/format.h>
#include <sched.h>

#include <chrono>
#include <cstring>
#include <thread>

#include "base/log.hpp"
#include "cp/memory_access.hpp"
#include "cp/perfmon.hpp"
#include "cp/pm4.hpp"
#include "cp/signals.hpp"

namespace softgpu::cp {
namespace {

namespace log = kreplay::log;

constexpr uint32_t kMaxWorkgroupItems = 1024;
constexpr uint32_t kMaxGroupSegmentBytes = 64 * 1024;
constexpr uint64_t kKernelDescriptorBytes = 64;

/// Where a grid that only waits (s_sleep in every wave) gives the CPU away.
void yield_cpu() {
  sched_yield();
  std::this_thread::sleep_for(PollSchedule::kShort);
}

std::atomic_ref<uint64_t> index_word(volatile uint64_t& word) {
  return std::atomic_ref<uint64_t>(const_cast<uint64_t&>(word));
}

/// compute_tmpring_size: waves in bits 11:0, KiB of one wave in bits 24:12.
struct TmpRing {
  uint32_t waves;
  uint32_t wave_bytes;
  explicit TmpRing(uint32_t word) : waves(word & 0xfff), wave_bytes((word >> 12 & 0x1fff) * 1024) {}
};

bool holds(int64_t value, uint32_t condition, int64_t reference, bool* known) {
  *known = true;
  switch (condition) {
    case HSA_SIGNAL_CONDITION_EQ:
      return value == reference;
    case HSA_SIGNAL_CONDITION_NE:
      return value != reference;
    case HSA_SIGNAL_CONDITION_LT:
      return value < reference;
    case HSA_SIGNAL_CONDITION_GTE:
      return value >= reference;
    default:
      *known = false;
      return false;
  }
}

QueueError error_of(gfx9::FaultKind kind) {
  switch (kind) {
    case gfx9::FaultKind::illegal_instruction:
      return QueueError::illegal_instruction;
    case gfx9::FaultKind::aperture_violation:
      return QueueError::aperture_violation;
    case gfx9::FaultKind::bad_dispatch:
      return QueueError::bad_code_object;
    // Hardware would hang for ever; the nearest thing the runtime can report is an exception.
    case gfx9::FaultKind::deadlock:
    case gfx9::FaultKind::trap:
    case gfx9::FaultKind::memory_violation:
    case gfx9::FaultKind::none:
      break;
  }
  return QueueError::trap;
}

}  // namespace

AqlEngine::AqlEngine(const EngineContext& context, amd_queue_t* queue, GpuVa queue_va, const Ring& ring)
    : context_(context),
      queue_(queue),
      queue_va_(queue_va),
      ring_(ring),
      grid_(context.config),
      time_(*context.clock),
      read_index_(index_word(queue->read_dispatch_id).load(std::memory_order_acquire)) {}

Step AqlEngine::step() {
  if (halted_) return Step::halted;
  if (waiting_ != Waiting::nothing) {
    const amd_signal_t* signal = inactive_signal();
    if (signal != nullptr && load_signal(*signal) != 0) return Step::blocked;
    waiting_ = Waiting::nothing;
  }
  if (read_index_ >= index_word(queue_->write_dispatch_id).load(std::memory_order_acquire)) return Step::idle;
  std::byte* slot = ring_.host + (read_index_ * kAqlPacketBytes & (ring_.size_bytes - 1));
  // The header is published last, with release; until then the slot says INVALID.
  const AqlHeader header{
      std::atomic_ref<uint16_t>(*reinterpret_cast<uint16_t*>(slot)).load(std::memory_order_acquire)};
  if (header.type() == HSA_PACKET_TYPE_INVALID) return Step::idle;
  return run_packet(slot, header);
}

Step AqlEngine::run_packet(std::byte* slot, AqlHeader header) {
  log::debug("aql", "queue {}: packet {} header {:#06x}", context_.queue_id, read_index_, header.bits);
  // The slot stays intact while its packet runs: kernels read their own dispatch packet from the ring.
  switch (header.type()) {
    case HSA_PACKET_TYPE_KERNEL_DISPATCH: {
      const GpuVa packet_va = ring_.va + static_cast<uint64_t>(slot - ring_.host);
      return dispatch(*reinterpret_cast<const hsa_kernel_dispatch_packet_t*>(slot), header, packet_va);
    }
    case HSA_PACKET_TYPE_BARRIER_AND:
      return barrier(*reinterpret_cast<const hsa_barrier_and_packet_t*>(slot), false);
    case HSA_PACKET_TYPE_BARRIER_OR:  // same layout
      return barrier(*reinterpret_cast<const hsa_barrier_and_packet_t*>(slot), true);
    case HSA_PACKET_TYPE_VENDOR_SPECIFIC: {
      const auto format = static_cast<uint8_t>(slot[2]);
      if (format == kAmdFormatPm4Ib) return pm4(*reinterpret_cast<const Pm4IbPacket*>(slot));
      if (format == HSA_AMD_PACKET_TYPE_BARRIER_VALUE)
        return barrier_value(*reinterpret_cast<const hsa_amd_barrier_value_packet_t*>(slot));
      return fail(QueueError::bad_packet,
                  fmt::format("vendor packet of AMD format {}; 1 and 2 are known", format));
    }
    default:
      return fail(QueueError::bad_packet,
                  fmt::format("packet type {} (header {:#06x})", header.type(), header.bits));
  }
}

void AqlEngine::set_cu_mask(const gfx9::CuMask& mask) {
  const std::lock_guard lock(mask_mutex_);
  cu_mask_ = mask;
}

Step AqlEngine::dispatch(const hsa_kernel_dispatch_packet_t& packet, AqlHeader header, GpuVa packet_va) {
  const unsigned dimensions = packet.setup >> HSA_KERNEL_DISPATCH_PACKET_SETUP_DIMENSIONS & 3;
  gfx9::GridDispatch grid;
  const uint16_t workgroup[3] = {packet.workgroup_size_x, packet.workgroup_size_y, packet.workgroup_size_z};
  const uint32_t size[3] = {packet.grid_size_x, packet.grid_size_y, packet.grid_size_z};
  uint64_t items = 1;
  for (unsigned i = 0; i < 3; ++i) {
    if (i < dimensions) {
      grid.workgroup_size[i] = workgroup[i];
      grid.grid_size[i] = size[i];
    }
    items *= grid.workgroup_size[i];
    if (dimensions == 0 || grid.workgroup_size[i] == 0 || grid.grid_size[i] == 0)
      return fail(QueueError::bad_dimensions,
                  fmt::format("dispatch of {} dimensions, workgroup {}x{}x{}, grid {}x{}x{}", dimensions,
                              workgroup[0], workgroup[1], workgroup[2], size[0], size[1], size[2]));
  }
  if (items > kMaxWorkgroupItems)
    return fail(QueueError::workgroup_too_large,
                fmt::format("workgroup of {} work-items; at most {}", items, kMaxWorkgroupItems));
  if (packet.group_segment_size > kMaxGroupSegmentBytes)
    return fail(QueueError::bad_group_memory, fmt::format("{} bytes of group segment; at most {}",
                                                          packet.group_segment_size, kMaxGroupSegmentBytes));
  if (host_bytes(*context_.memory, GpuVa(packet.kernel_object), kKernelDescriptorBytes, Access::read) ==
      nullptr)
    return fail(QueueError::bad_code_object,
                fmt::format("kernel object {:#x} is not mapped", packet.kernel_object));

  if (packet.private_segment_size > queue_->scratch_wave64_lane_byte_size)
    return ask(Waiting::scratch, QueueError::need_scratch);

  const TmpRing ring(queue_->compute_tmpring_size);
  grid.private_segment_bytes = packet.private_segment_size;
  grid.group_segment_bytes = packet.group_segment_size;
  grid.kernel_object = GpuVa(packet.kernel_object);
  grid.kernarg = GpuVa(packet.kernarg_address);
  grid.packet = packet_va;
  grid.dispatch_id = read_index_;
  grid.queue = queue_va_;
  std::memcpy(grid.scratch_descriptor, queue_->scratch_resource_descriptor, sizeof grid.scratch_descriptor);
  grid.scratch_base = GpuVa(queue_->scratch_backing_memory_location);
  grid.scratch_waves = ring.waves;
  grid.scratch_wave_bytes = ring.wave_bytes;
  grid.scratch_lane_bytes = queue_->scratch_wave64_lane_byte_size;
  grid.cooperative = cooperative_.load(std::memory_order_acquire);
  {
    const std::lock_guard lock(mask_mutex_);
    grid.compute_units = cu_mask_;
  }
  grid.start_ticks = time_.begin();
  grid.count = registers_.count_kernels && context_.perfmon != nullptr && context_.perfmon->counting();

  gfx9::GridHost host;
  host.memory = context_.memory;
  host.stop = context_.stop;
  host.interrupt = [this] { context_.interrupts->scan_event_slots(); };
  host.idle = yield_cpu;

  const bool use_once = (queue_->queue_properties & AMD_QUEUE_PROPERTIES_USE_SCRATCH_ONCE) != 0 &&
                        packet.private_segment_size != 0;
  invalidate_code_if_needed(header);
  return after_grid(grid_.run(grid, host), packet.completion_signal, grid, use_once);
}

Step AqlEngine::after_grid(const gfx9::GridResult& result, hsa_signal_t signal,
                           const gfx9::GridDispatch& grid, bool use_once) {
  const gfx9::Fault& fault = result.fault;
  switch (result.end) {
    case gfx9::GridEnd::stopped:
      halted_ = true;
      return Step::halted;
    case gfx9::GridEnd::faulted:
      if (fault.kind == gfx9::FaultKind::memory_violation)
        return memory_fault(GpuVa(fault.address), fault.write, fault.text);
      return fail(error_of(fault.kind), fmt::format("pc {:#x}: {}", fault.pc, fault.text));
    case gfx9::GridEnd::completed:
      break;
  }
  if (grid.count) context_.perfmon->add(result.stats);  // a grid that faulted or was stopped adds nothing
  log::debug("aql", "queue {}: grid of {} waves, {} wave instructions, {} ticks", context_.queue_id,
             result.stats.waves, result.stats.wave_instructions, result.stats.ticks);
  const Step step = complete(signal, grid.start_ticks, time_.advance(result.stats.ticks));
  // Scratch given for this one dispatch goes back before the next packet is looked at.
  if (use_once && step == Step::progress) return ask(Waiting::reclaim, QueueError::reclaim_scratch);
  return step;
}

Step AqlEngine::barrier(const hsa_barrier_and_packet_t& packet, bool any) {
  unsigned present = 0;
  unsigned ready = 0;
  for (const hsa_signal_t dependency : packet.dep_signal) {
    if (dependency.handle == 0) continue;
    bool mapped = false;
    const int64_t value = dependency_value(dependency, &mapped);
    if (!mapped) return memory_fault(GpuVa(dependency.handle), false, "dependency signal of a barrier");
    ++present;
    if (value == 0) ++ready;
  }
  const bool passes = any ? (present == 0 || ready != 0) : ready == present;
  return passes ? complete_now(packet.completion_signal) : Step::blocked;
}

Step AqlEngine::barrier_value(const hsa_amd_barrier_value_packet_t& packet) {
  if (packet.signal.handle != 0) {
    bool mapped = false;
    const int64_t value = dependency_value(packet.signal, &mapped);
    if (!mapped) return memory_fault(GpuVa(packet.signal.handle), false, "signal of a barrier-value packet");
    bool known = false;
    const bool passes = holds(value & packet.mask, packet.cond, packet.value, &known);
    if (!known)
      return fail(QueueError::bad_packet, fmt::format("barrier-value packet with condition {}", packet.cond));
    if (!passes) return Step::blocked;
  }
  return complete_now(packet.completion_signal);
}

Step AqlEngine::pm4(const Pm4IbPacket& packet) {
  const GpuVa buffer((uint64_t{packet.ib_packet[2] & 0xffff} << 32) | (packet.ib_packet[1] & ~3u));
  const Pm4Result result = run_pm4(context_, registers_, buffer, packet.ib_packet[3] & 0xfffff);
  if (result.fault) return memory_fault(result.fault->address, result.fault->write, "PM4 indirect buffer");
  if (!result.error.empty()) return fail(QueueError::bad_packet, result.error);
  if (result.invalidate_code) context_.code_epoch->fetch_add(1, std::memory_order_acq_rel);
  return complete_now(packet.completion_signal);
}

// Decoded instructions are a cache like the hardware's: dropped by an acquire, by ACQUIRE_MEM on any queue of
// the device (the runtime sends it on one queue only), and when memory was unmapped.
void AqlEngine::invalidate_code_if_needed(AqlHeader header) {
  const uint64_t epoch = context_.code_epoch->load(std::memory_order_acquire);
  const uint64_t generation = context_.memory->generation();
  if (header.acquire_scope() == HSA_FENCE_SCOPE_NONE && epoch == seen_code_epoch_ &&
      generation == seen_generation_)
    return;
  seen_code_epoch_ = epoch;
  seen_generation_ = generation;
  grid_.invalidate_code();
}

Step AqlEngine::complete_now(hsa_signal_t signal) {
  const uint64_t now = time_.begin();
  time_.advance(0);
  return complete(signal, now, now);
}

// The order matters: the host may free the signal as soon as its value changes, and reuse the slot as soon as
// the read index moves.
Step AqlEngine::complete(hsa_signal_t handle, uint64_t start_ticks, uint64_t end_ticks) {
  amd_signal_t* signal = nullptr;
  Mailbox box;
  if (handle.handle != 0) {
    signal = signal_at(context_, handle.handle);
    if (signal == nullptr) return memory_fault(GpuVa(handle.handle), true, "completion signal");
    signal->start_ts = start_ticks;
    signal->end_ts = end_ticks;
    box = mailbox_of(*signal);
  }
  retire();
  if (signal != nullptr) decrement_signal(context_, *signal, box);
  return Step::progress;
}

void AqlEngine::retire() {
  std::byte* slot = ring_.host + (read_index_ * kAqlPacketBytes & (ring_.size_bytes - 1));
  std::atomic_ref<uint16_t>(*reinterpret_cast<uint16_t*>(slot))
      .store(HSA_PACKET_TYPE_INVALID, std::memory_order_release);
  ++read_index_;
  index_word(queue_->read_dispatch_id).store(read_index_, std::memory_order_release);
}

int64_t AqlEngine::dependency_value(hsa_signal_t handle, bool* mapped) const {
  const amd_signal_t* signal = signal_at(context_, handle.handle);
  *mapped = signal != nullptr;
  return signal != nullptr ? load_signal(*signal) : 0;
}

amd_signal_t* AqlEngine::inactive_signal() const {
  return signal_at(context_, queue_->queue_inactive_signal.handle);
}

/// Asks the runtime for something and blocks until it has set the inactive signal back to zero.
Step AqlEngine::ask(Waiting what, QueueError code) {
  amd_signal_t* signal = inactive_signal();
  if (signal == nullptr) {
    log::error("aql", "queue {}: scratch is needed, but the queue has no inactive signal; the queue stops",
               context_.queue_id);
    halted_ = true;
    return Step::halted;
  }
  waiting_ = what;
  store_signal(context_, *signal, static_cast<int64_t>(code));
  return Step::blocked;
}

Step AqlEngine::fail(QueueError error, const std::string& why) {
  halted_ = true;
  log::error("aql", "queue {}, packet {}: {}; queue error {:#x}, the queue stops", context_.queue_id,
             read_index_, why, static_cast<uint64_t>(error));
  if (context_.interrupts->queue_exception(context_.save_area, exception_code(error))) return Step::halted;
  if (amd_signal_t* signal = inactive_signal(); signal != nullptr)
    store_signal(context_, *signal, static_cast<int64_t>(error));
  return Step::halted;
}

Step AqlEngine::memory_fault(GpuVa address, bool write, const std::string& why) {
  halted_ = true;
  log::error("aql", "queue {}, packet {}: memory fault, {} of {:#x}: {}; the queue stops", context_.queue_id,
             read_index_, write ? "write" : "read", address.value, why);
  context_.interrupts->memory_fault(context_.gpu_id, address, fault_reason(*context_.memory, address, write));
  return Step::halted;
}

}  // namespace softgpu::cp
