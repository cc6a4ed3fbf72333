// Waves and workgroups of one grid: which are resident, which may run, who releases whom.
//
// Normally one workgroup is resident at a time. More are admitted when the resident ones do not get on
// (they sleep, spin, or wait for others), and all of a cooperative grid from the start. The order is fixed,
// so a grid that does not watch memory that others change runs the same way every time.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "gfx9/code_cache.hpp"
#include "gfx9/env.hpp"
#include "gfx9/grid.hpp"
#include "gfx9/gws.hpp"
#include "gfx9/initial_state.hpp"
#include "gfx9/workgroup.hpp"

namespace softgpu::gfx9 {

/// Waves and LDS blocks kept from grid to grid: clearing 64 KiB of registers per wave would dominate small
/// kernels.
class Pool {
 public:
  static constexpr size_t kLdsBytes = 65536;
  struct LdsBlock {
    alignas(64) std::byte bytes[kLdsBytes];
  };
  std::unique_ptr<Wave> take_wave();
  std::unique_ptr<LdsBlock> take_lds();
  void give(std::unique_ptr<Wave> wave) { waves_.push_back(std::move(wave)); }
  void give(std::unique_ptr<LdsBlock> lds) { lds_.push_back(std::move(lds)); }

 private:
  std::vector<std::unique_ptr<Wave>> waves_;
  std::vector<std::unique_ptr<LdsBlock>> lds_;
};

class Scheduler {
 public:
  Scheduler(const DeviceConfig& config, const GridDispatch& dispatch, const GridHost& host, Pool& pool,
            CodeCache& code, Env& env);
  ~Scheduler();
  GridResult run(const KernelDescriptor& kernel);

 private:
  enum class State : uint8_t { ready, barrier, gws, ended };
  struct WaveSlot {
    std::unique_ptr<Wave> wave;
    State state = State::ready;
    uint8_t gws_resource = 0;
    uint64_t gws_generation = 0;
    uint64_t cycles = 0;
    int32_t scratch_slot = -1;
    uint32_t quiet_turns = 0;  ///< in a row without a store, LDS access or other event
    bool spinning = false;     ///< its registers repeat: only a change of memory lets it go on
  };
  struct Resident {
    Workgroup group;
    std::unique_ptr<Pool::LdsBlock> lds;
    std::vector<WaveSlot> waves;
  };
  struct ComputeUnit {
    uint32_t number = 0;        ///< on the device
    uint64_t wave_cycles = 0;   ///< sum over the waves that ended here
    uint64_t longest_wave = 0;  ///< cycles
    UnitCounts counts;          ///< while the grid counts
    uint64_t busy() const;
  };
  /// What a round over all resident waves came to.
  struct Round {
    bool ran = false;         ///< some wave executed something
    bool finished = false;    ///< some workgroup ended
    bool all_waiting = true;  ///< every wave that ran sleeps or spins
  };

  void count_wave(ComputeUnit& unit, uint64_t exec);
  bool admit_one(const KernelDescriptor& kernel);
  void admit(const KernelDescriptor& kernel);
  bool runnable(const WaveSlot& slot) const;
  void run_wave(Resident& resident, WaveSlot& slot, Round& round);
  Stop run_turn(WaveSlot& slot);
  Stop probe_spin(WaveSlot& slot);
  void end_wave(Resident& resident, WaveSlot& slot);
  void release_barrier(Resident& resident);
  void retire_finished(Round& round);
  void after_round(const Round& round);
  void deadlock();
  GridResult finish(GridEnd end);

  const DeviceConfig& config_;
  const GridDispatch& dispatch_;
  const GridHost& host_;
  Pool& pool_;
  CodeCache& code_;
  Env& env_;
  std::vector<std::unique_ptr<Resident>> residents_;
  std::vector<ComputeUnit> units_;     ///< those the queue's mask leaves
  std::vector<int32_t> free_scratch_;  ///< slots, lowest last
  uint64_t total_ = 0;                 ///< workgroups of the grid
  uint64_t next_ = 0;                  ///< first workgroup not yet admitted
  uint64_t target_ = 1;                ///< workgroups to keep resident
  uint64_t resident_waves_ = 0;
  uint32_t rounds_ = 0;                  ///< since a workgroup ended or was admitted
  unsigned vgprs_ = 0;                   ///< registers a wave of this kernel has
  std::unique_ptr<Wave> spin_snapshot_;  ///< registers at the start of a probe
  GridStats stats_;
};

}  // namespace softgpu::gfx9
