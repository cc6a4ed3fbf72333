// The performance monitor of one device: the registers that the command processor writes and reads through
// PM4, the state machine of CP_PERFMON_CNTL, and the totals that grids add. A counter is computed from the
// totals when it is read, so all counters of a read agree.
//
// Two queues that count at once share the one set of counters, as on hardware.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "gfx9/grid.hpp"

namespace softgpu::cp {

constexpr uint32_t kMostEngines = 16;             ///< shader engines
constexpr uint32_t kUnitsPerEngine = 16;          ///< compute units of an engine, and instances of TA and TD
constexpr uint32_t kPerfcountEnableReg = 0x2e0b;  ///< COMPUTE_PERFCOUNT_ENABLE: the queue's, not the device's

/// What grids have done since the counters were reset.
struct CounterTotals {
  uint64_t grid_cycles = 0;
  std::array<uint64_t, kMostEngines> busy_cycles{};  ///< of grids with a wave on the engine
  std::vector<gfx9::UnitCounts> units;               ///< by number on the device
};

/// Threads: any.
class PerfMonitor {
 public:
  explicit PerfMonitor(const gfx9::DeviceConfig& config) : config_(config) {}

  struct Written {
    bool known = true;    ///< false: no register of ours
    std::string refused;  ///< not empty: what is not emulated
  };
  /// @param reg dword address
  Written write(uint32_t reg, uint32_t value);
  /// A dword of a counter. @param refused says what is not emulated; then the value means nothing
  uint32_t read(uint32_t reg, std::string& refused) const;
  /// Whether grids have to count.
  bool counting() const { return counting_.load(std::memory_order_acquire); }
  /// A grid that counted has ended.
  void add(const gfx9::GridStats& stats);

 private:
  struct Key {
    uint32_t reg;
    uint32_t instance;
    bool operator<(const Key& other) const {
      return reg != other.reg ? reg < other.reg : instance < other.instance;
    }
  };
  Written control(uint32_t value);
  uint32_t selected(uint32_t reg, uint32_t instance) const;

  const gfx9::DeviceConfig config_;
  std::atomic<bool> counting_{false};
  mutable std::mutex mutex_;  // guards everything below
  uint32_t index_ = 0xe0000000;
  uint32_t sq_control_ = 0;
  std::map<uint32_t, uint32_t> broadcast_;  ///< selects written to all instances
  std::map<Key, uint32_t> single_;          ///< those written to one since
  CounterTotals live_;
  CounterTotals latched_;  ///< as of the last sample
};

}  // namespace softgpu::cp
