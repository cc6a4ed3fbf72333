#include "cp/perfmon.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "cp/counter_events.hpp"

namespace softgpu::cp {
namespace {

constexpr uint32_t kGfxIndex = 0xc200;        ///< GRBM_GFX_INDEX
constexpr uint32_t kPerfmonControl = 0xd808;  ///< CP_PERFMON_CNTL
constexpr uint32_t kClockControl = 0xdcbf;    ///< RLC_PERFMON_CLK_CNTL
constexpr uint32_t kSqControl = 0xd9e0;       ///< SQ_PERFCOUNTER_CTRL
constexpr uint32_t kSqMask = 0xd9e1;          ///< SQ_PERFCOUNTER_MASK
constexpr uint32_t kInstanceBroadcast = 1u << 30;
constexpr uint32_t kSqCompute = 1u << 6;

struct Counter {
  uint32_t select, lo, hi;
};
struct Block {
  const char* name;
  std::optional<CounterBlock> block;  ///< empty: known by name only
  uint32_t event_mask;
  uint32_t must_be_zero;  ///< bits of the select that ask for what is not emulated
  std::vector<Counter> counters;
};

/// `count` counters at regular distances.
std::vector<Counter> row(uint32_t count, Counter first, Counter step) {
  std::vector<Counter> out;
  for (uint32_t n = 0; n < count; ++n)
    out.push_back({first.select + n * step.select, first.lo + n * step.lo, first.hi + n * step.hi});
  return out;
}

/// Numbers: register headers of the Linux kernel's amdgpu driver (gc_9_0).
const std::vector<Block>& blocks() {
  static const std::vector<Block> kBlocks = {
      {"SQ", CounterBlock::sq, 0x1ff, 0x00f00000, row(16, {0xd9c0, 0xd1c0, 0xd1c1}, {1, 2, 2})},
      {"GRBM", CounterBlock::grbm, 0x3f, 0, row(2, {0xd840, 0xd040, 0xd041}, {1, 3, 3})},
      // HI lies before LO here.
      {"SPI",
       CounterBlock::spi,
       0x3ff,
       0xfffffc00,
       {{0xd980, 0xd181, 0xd180},
        {0xd981, 0xd183, 0xd182},
        {0xd982, 0xd185, 0xd184},
        {0xd983, 0xd187, 0xd186},
        {0xd988, 0xd189, 0xd188},
        {0xd989, 0xd18b, 0xd18a}}},
      {"TA", CounterBlock::ta, 0x3ff, 0xfffffc00, row(2, {0xdac0, 0xd2c0, 0xd2c1}, {2, 2, 2})},
      {"TD", CounterBlock::td, 0x3ff, 0xfffffc00, row(2, {0xdb00, 0xd300, 0xd301}, {2, 2, 2})},
      {"GRBM_SE", {}, 0x3f, 0, row(4, {0xd842, 0xd045, 0xd046}, {1, 2, 2})},
      {"TCP",
       {},
       0x3ff,
       0,
       {{0xdb40, 0xd340, 0xd341},
        {0xdb42, 0xd342, 0xd343},
        {0xdb44, 0xd344, 0xd345},
        {0xdb45, 0xd346, 0xd347}}},
      {"TCC",
       {},
       0x3ff,
       0,
       {{0xdb80, 0xd380, 0xd381},
        {0xdb82, 0xd382, 0xd383},
        {0xdb84, 0xd384, 0xd385},
        {0xdb85, 0xd386, 0xd387}}},
      {"TCA",
       {},
       0x3ff,
       0,
       {{0xdb90, 0xd390, 0xd391},
        {0xdb92, 0xd392, 0xd393},
        {0xdb94, 0xd394, 0xd395},
        {0xdb95, 0xd396, 0xd397}}},
      {"CPC", {}, 0x3ff, 0, {{0xd809, 0xd006, 0xd007}, {0xd803, 0xd004, 0xd005}}},
      {"CPF", {}, 0x3ff, 0, {{0xd807, 0xd00a, 0xd00b}, {0xd805, 0xd008, 0xd009}}},
      {"GDS", {}, 0x3ff, 0, row(4, {0xda80, 0xd280, 0xd281}, {1, 2, 2})},
      {"SX", {}, 0x3ff, 0, row(4, {0xda40, 0xd240, 0xd241}, {1, 2, 2})},
  };
  return kBlocks;
}

std::string target_name(uint32_t target) {
  return target == 90010 ? "gfx90a" : target == 90006 ? "gfx906" : "gfx900";
}

}  // namespace

PerfMonitor::Written PerfMonitor::control(uint32_t value) {
  constexpr uint32_t kReset = 0, kCount = 1, kStop = 2;
  const uint32_t state = value & 0xf;
  if (state > kStop)
    return {true, fmt::format("CP_PERFMON_CNTL {:#x}: state {} is not emulated", value, state)};
  if ((value >> 4 & 0xf) != 0)
    return {true, fmt::format("CP_PERFMON_CNTL {:#x}: streamed counters (SPM) are not emulated", value)};
  if (state == kReset) {
    live_ = {};
    latched_ = {};
  }
  counting_.store(state == kCount, std::memory_order_release);
  if ((value >> 10 & 1) != 0) latched_ = live_;
  return {};
}

PerfMonitor::Written PerfMonitor::write(uint32_t reg, uint32_t value) {
  const std::lock_guard lock(mutex_);
  switch (reg) {
    case kGfxIndex:
      index_ = value;
      return {};
    case kPerfmonControl:
      return control(value);
    case kSqControl:
      sq_control_ = value;
      return {};
    case kSqMask:
    case kClockControl:
      return {};
    default:
      break;
  }
  for (const Block& block : blocks())
    for (const Counter& counter : block.counters) {
      if (reg == counter.lo || reg == counter.hi) return {};  // some sequences clear the counter by hand
      if (reg != counter.select) continue;
      const uint32_t event = value & block.event_mask;
      if (!block.block || !event_known(*block.block, event, config_.gfx_target_version))
        return {true, fmt::format("event {} of block {} is not emulated on {} (register {:#x}, value {:#x})",
                                  event, block.name, target_name(config_.gfx_target_version), reg, value)};
      if ((value & block.must_be_zero) != 0)
        return {
            true,
            fmt::format("a second event or a mode of block {} is not emulated (register {:#x}, value {:#x})",
                        block.name, reg, value)};
      if ((index_ & kInstanceBroadcast) != 0) {
        broadcast_[reg] = value;
        std::erase_if(single_, [&](const auto& entry) { return entry.first.reg == reg; });
      } else {
        single_[{reg, index_ & 0xff}] = value;
      }
      return {};
    }
  return {false, {}};
}

uint32_t PerfMonitor::selected(uint32_t reg, uint32_t instance) const {
  if (const auto one = single_.find({reg, instance}); one != single_.end()) return one->second;
  const auto all = broadcast_.find(reg);
  return all == broadcast_.end() ? 0 : all->second;
}

uint32_t PerfMonitor::read(uint32_t reg, std::string& refused) const {
  const std::lock_guard lock(mutex_);
  const uint32_t instance = index_ & 0xff, engine = index_ >> 16 & 0xff;
  for (const Block& block : blocks())
    for (const Counter& counter : block.counters) {
      if (reg != counter.lo && reg != counter.hi) continue;
      const uint32_t event = selected(counter.select, instance) & block.event_mask;
      if (!block.block) {
        refused = fmt::format("block {} is not emulated (register {:#x})", block.name, reg);
        return 0;
      }
      uint64_t value = 0;
      if (*block.block != CounterBlock::sq || (sq_control_ & kSqCompute) != 0)
        value = event_value(*block.block, event, config_.gfx_target_version, engine, instance, latched_);
      return static_cast<uint32_t>(reg == counter.hi ? value >> 32 : value);
    }
  refused = fmt::format("register {:#x} is not emulated", reg);
  return 0;
}

void PerfMonitor::add(const gfx9::GridStats& stats) {
  const std::lock_guard lock(mutex_);
  if (!counting()) return;
  live_.grid_cycles += stats.device_cycles;
  std::array<bool, kMostEngines> busy{};
  for (const gfx9::UnitCounts& from : stats.units) {
    const uint32_t engine = from.unit / kUnitsPerEngine;
    if (engine < kMostEngines && from.waves != 0) busy[engine] = true;
    const auto at = std::find_if(live_.units.begin(), live_.units.end(),
                                 [&](const gfx9::UnitCounts& unit) { return unit.unit == from.unit; });
    if (at == live_.units.end()) {
      live_.units.push_back(from);
      continue;
    }
    at->workgroups += from.workgroups;
    at->waves += from.waves;
    at->items += from.items;
    for (size_t n = 0; n < std::size(from.waves_below); ++n) at->waves_below[n] += from.waves_below[n];
    at->busy_cycles += from.busy_cycles;
    at->wave_cycles += from.wave_cycles;
    at->valu_thread_cycles += from.valu_thread_cycles;
    at->flat_lds_only += from.flat_lds_only;
    for (unsigned c = 0; c < gfx9::kInstClasses; ++c) {
      at->insts[c] += from.insts[c];
      at->cycles[c] += from.cycles[c];
    }
  }
  for (uint32_t engine = 0; engine < kMostEngines; ++engine)
    if (busy[engine]) live_.busy_cycles[engine] += stats.device_cycles;
}

}  // namespace softgpu::cp
