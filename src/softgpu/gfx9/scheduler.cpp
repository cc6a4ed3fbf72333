#include "gfx9/scheduler.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "gfx9/costs.hpp"
#include "gfx9/run.hpp"

namespace softgpu::gfx9 {
namespace {

constexpr uint32_t kQuantum = 1024;        ///< instructions of one wave before the next has its turn
constexpr uint32_t kPatienceRounds = 256;  ///< rounds without an ended workgroup before more are admitted
constexpr uint32_t kSpinQuantum = 64;      ///< the quantum of a wave known to spin
constexpr uint32_t kProbeEvery = 8;        ///< quiet turns between two looks whether a wave spins
constexpr uint32_t kProbeLength = 64;      ///< instructions of the longest loop recognised as spinning
constexpr uint64_t kWavesPerUnit = 40;
constexpr uint64_t kMaxCooperativeWaves = 16384;

/// HW_ID: WAVE_ID 3:0, SIMD_ID 5:4, CU_ID 11:8, SH_ID 12, SE_ID 14:13. Source: "Vega" ISA manual, "HW_ID".
constexpr uint32_t hw_id(uint32_t unit, uint32_t wave) {
  return (wave / 4 & 0xf) | (wave & 3) << 4 | (unit & 0xf) << 8 | (unit >> 6 & 1) << 12 |
         (unit >> 4 & 3) << 13;
}

}  // namespace

std::unique_ptr<Wave> Pool::take_wave() {
  if (waves_.empty()) return std::make_unique<Wave>();
  std::unique_ptr<Wave> wave = std::move(waves_.back());
  waves_.pop_back();
  return wave;
}

std::unique_ptr<Pool::LdsBlock> Pool::take_lds() {
  if (lds_.empty()) return std::make_unique<LdsBlock>();
  std::unique_ptr<LdsBlock> lds = std::move(lds_.back());
  lds_.pop_back();
  return lds;
}

uint64_t Scheduler::ComputeUnit::busy() const { return std::max(wave_cycles / costs::kSimds, longest_wave); }

Scheduler::Scheduler(const DeviceConfig& config, const GridDispatch& dispatch, const GridHost& host,
                     Pool& pool, CodeCache& code, Env& env)
    : config_(config), dispatch_(dispatch), host_(host), pool_(pool), code_(code), env_(env) {
  const uint32_t on_device = std::min(std::max(config.compute_units, 1u), kMaxComputeUnits);
  for (uint32_t number = 0; number < on_device; ++number)
    if (dispatch.compute_units.has(number)) units_.emplace_back().number = number;
  for (uint32_t n = dispatch.scratch_waves; n-- > 0;) free_scratch_.push_back(static_cast<int32_t>(n));
}

Scheduler::~Scheduler() {
  for (std::unique_ptr<Resident>& resident : residents_) {
    for (WaveSlot& slot : resident->waves) {
      if (slot.wave) pool_.give(std::move(slot.wave));
    }
    if (resident->lds) pool_.give(std::move(resident->lds));
  }
  if (spin_snapshot_) pool_.give(std::move(spin_snapshot_));
}

void Scheduler::count_wave(ComputeUnit& unit, uint64_t exec) {
  const auto items = static_cast<unsigned>(std::popcount(exec));
  UnitCounts& counts = unit.counts;
  ++counts.waves;
  counts.items += items;
  constexpr unsigned kBelow[] = {64, 48, 32, 16};
  for (size_t n = 0; n < std::size(kBelow); ++n) counts.waves_below[n] += items < kBelow[n] ? 1 : 0;
}

/// Makes the next workgroup resident if there is room. @return false if there is not
bool Scheduler::admit_one(const KernelDescriptor& kernel) {
  const WorkgroupShape shape = workgroup_shape(dispatch_, next_);
  const uint32_t waves = shape.waves();
  const bool scratch =
      dispatch_.scratch_waves > 0 && (dispatch_.private_segment_bytes > 0 || kernel.wants_scratch_offset());
  if (scratch && free_scratch_.size() < waves) return false;
  auto resident = std::make_unique<Resident>();
  Workgroup& group = resident->group;
  std::copy(std::begin(shape.id), std::end(shape.id), group.id);
  group.waves = group.alive = waves;
  group.compute_unit = static_cast<uint32_t>(next_ % units_.size());
  group.start_cycles = units_[group.compute_unit].busy();
  group.lds_bytes = (dispatch_.group_segment_bytes + 511) / 512 * 512;
  if (group.lds_bytes > 0) {
    resident->lds = pool_.take_lds();
    group.lds = resident->lds->bytes;
    std::memset(group.lds, 0, group.lds_bytes);
  }
  resident->waves.resize(waves);
  for (uint32_t n = 0; n < waves; ++n) {
    WaveSlot& slot = resident->waves[n];
    slot.wave = pool_.take_wave();
    if (scratch) {
      slot.scratch_slot = free_scratch_.back();
      free_scratch_.pop_back();
    }
    const uint32_t offset =
        scratch ? static_cast<uint32_t>(slot.scratch_slot) * dispatch_.scratch_wave_bytes : 0;
    init_wave(*slot.wave, config_, dispatch_, kernel, shape, n, offset);
    slot.wave->hw_id = hw_id(units_[group.compute_unit].number, n);
    if (dispatch_.count) count_wave(units_[group.compute_unit], slot.wave->exec());
  }
  resident_waves_ += waves;
  stats_.workgroups += 1;
  units_[group.compute_unit].counts.workgroups += 1;
  stats_.waves += waves;
  residents_.push_back(std::move(resident));
  ++next_;
  return true;
}

void Scheduler::admit(const KernelDescriptor& kernel) {
  while (next_ < total_ && residents_.size() < target_ && admit_one(kernel)) rounds_ = 0;
}

bool Scheduler::runnable(const WaveSlot& slot) const {
  return slot.state == State::ready ||
         (slot.state == State::gws &&
          env_.gws->resource[slot.gws_resource].generation != slot.gws_generation);
}

void Scheduler::release_barrier(Resident& resident) {
  Workgroup& group = resident.group;
  if (group.at_barrier == 0 || group.at_barrier < group.alive) return;
  for (WaveSlot& slot : resident.waves) {
    if (slot.state == State::barrier) slot.state = State::ready;
  }
  group.at_barrier = 0;
}

void Scheduler::end_wave(Resident& resident, WaveSlot& slot) {
  slot.state = State::ended;
  --resident.group.alive;
  ComputeUnit& unit = units_[resident.group.compute_unit];
  unit.wave_cycles += slot.cycles;
  unit.longest_wave = std::max(unit.longest_wave, slot.cycles);
  if (slot.scratch_slot >= 0) free_scratch_.push_back(slot.scratch_slot);
  pool_.give(std::move(slot.wave));
  --resident_waves_;
  release_barrier(resident);
}

/// Steps through at most one short loop. The wave spins if it comes back to where it was with every register
/// unchanged and nothing written: from then on only memory that others write can make a difference.
Stop Scheduler::probe_spin(WaveSlot& slot) {
  Wave& w = *slot.wave;
  if (!spin_snapshot_) spin_snapshot_ = pool_.take_wave();
  Wave& before = *spin_snapshot_;
  const size_t vgpr_bytes = size_t{vgprs_} * sizeof w.vgpr[0];
  std::memcpy(before.vgpr, w.vgpr, vgpr_bytes);
  std::memcpy(before.sgpr, w.sgpr, sizeof w.sgpr);
  before.pc = w.pc;
  before.scc = w.scc;
  before.mode = w.mode;
  const uint64_t written = env_.bytes_stored + env_.lds_bytes;
  slot.spinning = false;
  for (uint32_t n = 0; n < kProbeLength; ++n) {
    const Stop stop = run_slice(w, env_, code_, 1, stats_.wave_instructions);
    if (stop != Stop::none || env_.bytes_stored + env_.lds_bytes != written) return stop;
    if (w.pc == before.pc && w.scc == before.scc && w.mode == before.mode &&
        std::memcmp(w.sgpr, before.sgpr, sizeof w.sgpr) == 0 &&
        std::memcmp(w.vgpr, before.vgpr, vgpr_bytes) == 0) {
      slot.spinning = true;
      return Stop::none;
    }
  }
  return Stop::none;
}

/// One turn of a wave. The time of turns spent spinning is not counted: how many there are depends on others.
Stop Scheduler::run_turn(WaveSlot& slot) {
  const uint64_t written = env_.bytes_stored + env_.lds_bytes;
  const uint32_t quantum = slot.spinning ? kSpinQuantum : kQuantum;
  Stop stop = run_slice(*slot.wave, env_, code_, quantum, stats_.wave_instructions);
  if (stop != Stop::none || env_.bytes_stored + env_.lds_bytes != written) {
    slot.quiet_turns = 0;
    slot.spinning = false;
  } else if (slot.spinning || ++slot.quiet_turns % kProbeEvery == 0) {
    stop = probe_spin(slot);
  }
  if (!slot.spinning) slot.cycles = env_.wave_cycles;
  return stop;
}

void Scheduler::run_wave(Resident& resident, WaveSlot& slot, Round& round) {
  slot.state = State::ready;
  env_.workgroup = &resident.group;
  env_.unit_cycles = resident.group.start_cycles;
  env_.wave_cycles = slot.cycles;
  env_.counts = dispatch_.count ? &units_[resident.group.compute_unit].counts : nullptr;
  env_.scratch = {};
  if (slot.scratch_slot >= 0) {
    env_.scratch.base = dispatch_.scratch_base.value +
                        uint64_t{static_cast<uint32_t>(slot.scratch_slot)} * dispatch_.scratch_wave_bytes;
    env_.scratch.lane_bytes = dispatch_.scratch_wave_bytes / kLanes;
  }
  const Stop stop = run_turn(slot);
  round.ran = true;
  round.all_waiting = round.all_waiting && (stop == Stop::yield || slot.spinning);
  switch (stop) {
    case Stop::none:
    case Stop::yield:
    case Stop::fault:
      break;
    case Stop::barrier:
      slot.state = State::barrier;
      ++resident.group.at_barrier;
      release_barrier(resident);
      break;
    case Stop::gws:
      slot.state = State::gws;
      slot.gws_resource = env_.gws_resource;
      slot.gws_generation = env_.gws->resource[env_.gws_resource].generation;
      break;
    case Stop::end:
      end_wave(resident, slot);
      break;
  }
}

void Scheduler::retire_finished(Round& round) {
  for (std::unique_ptr<Resident>& resident : residents_) {
    if (resident->group.alive > 0) continue;
    if (resident->lds) pool_.give(std::move(resident->lds));
    resident.reset();
    round.finished = true;
  }
  if (round.finished) std::erase(residents_, nullptr);
}

/// Admits more workgroups when the resident ones do not end, and lets the host breathe when nothing but
/// waiting goes on.
void Scheduler::after_round(const Round& round) {
  if (round.finished) {
    rounds_ = 0;
    return;
  }
  const bool stuck = !round.ran, waiting = round.ran && round.all_waiting;
  const bool room = stuck || resident_waves_ < units_.size() * kWavesPerUnit;
  if ((stuck || waiting || ++rounds_ >= kPatienceRounds) && next_ < total_ && room) {
    target_ = residents_.size() * 2;
    rounds_ = 0;
  } else if (waiting && host_.idle) {
    host_.idle();
  }
}

void Scheduler::deadlock() {
  uint64_t barrier = 0, gws = 0;
  for (const std::unique_ptr<Resident>& resident : residents_) {
    for (const WaveSlot& slot : resident->waves) {
      barrier += slot.state == State::barrier;
      gws += slot.state == State::gws;
    }
  }
  env_.fault.kind = FaultKind::deadlock;
  env_.fault.text = fmt::format(
      "deadlock: {} waves wait at s_barrier and {} for global wave sync, {} of {} workgroups were started "
      "and no "
      "wave can go on",
      barrier, gws, next_, total_);
}

GridResult Scheduler::run(const KernelDescriptor& kernel) {
  total_ = workgroup_count(dispatch_);
  vgprs_ = std::min(kernel.vgprs(config_), kVgprs);
  if (units_.empty()) {
    env_.fault.kind = FaultKind::bad_dispatch;
    env_.fault.text =
        fmt::format("none of the {} compute units is in the queue's mask", config_.compute_units);
    return finish(GridEnd::faulted);
  }
  if (dispatch_.cooperative) {
    target_ = total_;
    const uint64_t waves = total_ * workgroup_shape(dispatch_, 0).waves();
    const bool scratch = dispatch_.private_segment_bytes > 0;
    if (waves > kMaxCooperativeWaves || (scratch && waves > dispatch_.scratch_waves)) {
      env_.fault.kind = FaultKind::bad_dispatch;
      env_.fault.text = fmt::format("cooperative grid of {} waves cannot be resident at once", waves);
      return finish(GridEnd::faulted);
    }
  }
  for (;;) {
    admit(kernel);
    if (residents_.empty()) return finish(GridEnd::completed);
    Round round;
    for (size_t n = 0; n < residents_.size(); ++n) {
      for (WaveSlot& slot : residents_[n]->waves) {
        if (!runnable(slot)) continue;
        if (host_.stop && host_.stop->load(std::memory_order_relaxed)) return finish(GridEnd::stopped);
        run_wave(*residents_[n], slot, round);
        if (env_.fault) return finish(GridEnd::faulted);
      }
    }
    retire_finished(round);
    const uint64_t started = next_;
    after_round(round);
    admit(kernel);
    if (!round.ran && next_ == started) {
      deadlock();
      return finish(GridEnd::faulted);
    }
  }
}

GridResult Scheduler::finish(GridEnd end) {
  uint64_t busiest = 0;
  for (const std::unique_ptr<Resident>& resident : residents_) {
    for (WaveSlot& slot : resident->waves) {
      if (slot.wave) end_wave(*resident, slot);
    }
  }
  for (const ComputeUnit& unit : units_) busiest = std::max(busiest, unit.busy());
  if (dispatch_.count)
    for (ComputeUnit& unit : units_) {
      unit.counts.unit = unit.number;
      unit.counts.busy_cycles = unit.busy();
      unit.counts.wave_cycles = unit.wave_cycles;
      stats_.units.push_back(unit.counts);
    }
  stats_.bytes_loaded = env_.bytes_loaded;
  stats_.bytes_stored = env_.bytes_stored;
  const uint64_t memory = (stats_.bytes_loaded + stats_.bytes_stored) /
                          (costs::kMemoryBytesPerCycle * std::max<size_t>(units_.size(), 1));
  stats_.device_cycles = costs::kLaunch + std::max(busiest, memory);
  stats_.ticks =
      std::max<uint64_t>(1, (stats_.device_cycles * 100 + config_.clock_mhz - 1) / config_.clock_mhz);
  GridResult result;
  result.end = end;
  result.fault = env_.fault;
  result.stats = stats_;
  return result;
}

}  // namespace softgpu::gfx9
