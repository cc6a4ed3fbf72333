#include "cp/counter_events.hpp"

#include <initializer_list>

namespace softgpu::cp {
namespace {

using gfx9::InstClass;
using gfx9::UnitCounts;

/// Whose counts are added up.
struct Scope {
  const CounterTotals& totals;
  uint32_t engine;
  std::optional<uint32_t> instance;  ///< one unit of the engine; all of them when absent

  template <typename Of>
  uint64_t sum(Of of) const {
    uint64_t total = 0;
    for (const UnitCounts& unit : totals.units) {
      if (unit.unit / kUnitsPerEngine != engine) continue;
      if (instance && unit.unit % kUnitsPerEngine != *instance) continue;
      total += of(unit);
    }
    return total;
  }
  uint64_t insts(std::initializer_list<InstClass> classes) const {
    return sum([&](const UnitCounts& unit) {
      uint64_t total = 0;
      for (const InstClass c : classes) total += unit.of(c);
      return total;
    });
  }
  uint64_t issue(std::initializer_list<InstClass> classes) const {  // in units of four cycles
    return sum([&](const UnitCounts& unit) {
      uint64_t total = 0;
      for (const InstClass c : classes) total += unit.cycles[static_cast<unsigned>(c)];
      return total / 4;
    });
  }
};

using Value = uint64_t (*)(const Scope&);

struct EventRow {
  uint16_t gfx906;  ///< also gfx900; kNone: not there
  uint16_t gfx90a;
  Value value;
};
constexpr uint16_t kNone = 0xffff;

constexpr auto kFlat = {InstClass::flat_load, InstClass::flat_store, InstClass::flat_atomic_read,
                        InstClass::flat_atomic_write};
constexpr auto kReads = {InstClass::buffer_load, InstClass::buffer_atomic_read,
                         InstClass::global_load, InstClass::global_atomic_read,
                         InstClass::flat_load,   InstClass::flat_atomic_read};
constexpr auto kWrites = {InstClass::buffer_store, InstClass::buffer_atomic_write,
                          InstClass::global_store, InstClass::global_atomic_write,
                          InstClass::flat_store,   InstClass::flat_atomic_write};

uint64_t every_instruction(const Scope& s) {
  return s.sum([](const UnitCounts& unit) {
    uint64_t total = 0;
    for (unsigned c = 1; c < gfx9::kInstClasses; ++c) total += unit.insts[c];  // internal ones left out
    return total;
  });
}
uint64_t waves(const Scope& s) {
  return s.sum([](const UnitCounts& unit) { return unit.waves; });
}
template <unsigned kIndex>
uint64_t waves_below(const Scope& s) {
  return s.sum([](const UnitCounts& unit) { return unit.waves_below[kIndex]; });
}

/// Numbers: AMD's counter definitions (counter_defs.yaml of ROCprofiler-SDK).
constexpr EventRow kSq[] = {
    {2, 2, [](const Scope& s) { return s.totals.grid_cycles; }},            // CYCLES
    {3, 3, [](const Scope& s) { return s.totals.busy_cycles[s.engine]; }},  // BUSY_CYCLES
    {4, 4, waves},
    {6, 6, [](const Scope& s) { return waves(s) - waves_below<0>(s); }},  // WAVES_EQ_64
    {7, 7, waves_below<0>},
    {8, 8, waves_below<1>},
    {9, 9, waves_below<2>},
    {10, 10, waves_below<3>},
    {13, 13, [](const Scope& s) { return s.sum([](const UnitCounts& u) { return u.busy_cycles / 4; }); }},
    {14, 14, [](const Scope& s) { return s.sum([](const UnitCounts& u) { return u.items; }); }},
    {25, 25, every_instruction},
    {26, 26,
     [](const Scope& s) {
       return s.insts({InstClass::valu, InstClass::mfma});
     }},
    {27, 53, [](const Scope& s) { return s.insts(kWrites); }},  // INSTS_VMEM_WR
    {28, 54, [](const Scope& s) { return s.insts(kReads); }},   // INSTS_VMEM_RD
    {29, 55, [](const Scope& s) { return s.insts(kReads) + s.insts(kWrites); }},
    {30, 56, [](const Scope& s) { return s.insts({InstClass::salu}); }},
    {31, 57, [](const Scope& s) { return s.insts({InstClass::smem}); }},
    {32, 58, [](const Scope& s) { return s.insts(kFlat); }},
    {33, 59, [](const Scope& s) { return s.sum([](const UnitCounts& u) { return u.flat_lds_only; }); }},
    {34, 60, [](const Scope& s) { return s.insts({InstClass::lds}) + s.insts(kFlat); }},
    {35, 61, [](const Scope& s) { return s.insts({InstClass::gds}); }},
    {37, 63, [](const Scope& s) { return s.insts({InstClass::gds}); }},  // EXP_GDS: exports are refused
    {38, 64, [](const Scope& s) { return s.insts({InstClass::branch}); }},
    {39, 65, [](const Scope& s) { return s.insts({InstClass::sendmsg}); }},
    {40, 66, [](const Scope&) { return uint64_t{0}; }},  // VSKIPPED: s_setvskip is refused
    {kNone, 52, [](const Scope& s) { return s.insts({InstClass::mfma}); }},
    {46, 74, [](const Scope& s) { return s.sum([](const UnitCounts& u) { return u.wave_cycles / 4; }); }},
    {71, 99,
     [](const Scope& s) {
       return s.issue({InstClass::valu, InstClass::mfma});
     }},
    {84, 112, [](const Scope& s) { return s.issue({InstClass::salu}); }},
    {85, 113, [](const Scope& s) { return s.sum([](const UnitCounts& u) { return u.valu_thread_cycles; }); }},
};
constexpr EventRow kGrbm[] = {
    {0, 0, [](const Scope& s) { return s.totals.grid_cycles; }},
    {2, 2, [](const Scope& s) { return s.totals.grid_cycles; }},
};
constexpr EventRow kSpi[] = {
    {64, 48, [](const Scope& s) { return s.totals.busy_cycles[s.engine]; }},
    {65, 49, [](const Scope& s) { return s.sum([](const UnitCounts& u) { return u.workgroups; }); }},
    {68, 52, waves},
};

constexpr auto kBufferLoads = {InstClass::buffer_load};
constexpr auto kBufferStores = {InstClass::buffer_store};
constexpr auto kBufferAtomics = {InstClass::buffer_atomic_read, InstClass::buffer_atomic_write};
constexpr auto kOtherLoads = {InstClass::global_load, InstClass::flat_load};
constexpr auto kOtherStores = {InstClass::global_store, InstClass::flat_store};
constexpr auto kOtherAtomics = {InstClass::global_atomic_read, InstClass::global_atomic_write,
                                InstClass::flat_atomic_read, InstClass::flat_atomic_write};

uint64_t buffer_all(const Scope& s) {
  return s.insts(kBufferLoads) + s.insts(kBufferStores) + s.insts(kBufferAtomics);
}
uint64_t other_all(const Scope& s) {
  return s.insts(kOtherLoads) + s.insts(kOtherStores) + s.insts(kOtherAtomics);
}

constexpr EventRow kTa[] = {
    {32, 32,
     [](const Scope& s) {
       return buffer_all(s) + other_all(s) - s.sum([](const UnitCounts& u) { return u.flat_lds_only; });
     }},
    {44, 44, buffer_all},
    {45, 45, [](const Scope& s) { return s.insts(kBufferLoads); }},
    {46, 46, [](const Scope& s) { return s.insts(kBufferStores); }},
    {47, 47, [](const Scope& s) { return s.insts(kBufferAtomics); }},
    {100, 100, other_all},
    {101, 101, [](const Scope& s) { return s.insts(kOtherLoads); }},
    {102, 102, [](const Scope& s) { return s.insts(kOtherStores); }},
    {103, 103, [](const Scope& s) { return s.insts(kOtherAtomics); }},
};
constexpr EventRow kTd[] = {
    {25, 25, [](const Scope& s) { return buffer_all(s) + other_all(s); }},  // LOAD includes the others
    {26, 26, [](const Scope& s) { return s.insts(kBufferAtomics) + s.insts(kOtherAtomics); }},
    {27, 27, [](const Scope& s) { return s.insts(kBufferStores) + s.insts(kOtherStores); }},
};

template <size_t N>
Value find(const EventRow (&rows)[N], uint32_t event, uint32_t target) {
  for (const EventRow& row : rows)
    if ((target == 90010 ? row.gfx90a : row.gfx906) == event && event != kNone) return row.value;
  return nullptr;
}

Value find(CounterBlock block, uint32_t event, uint32_t target) {
  switch (block) {
    case CounterBlock::sq:
      return find(kSq, event, target);
    case CounterBlock::grbm:
      return find(kGrbm, event, target);
    case CounterBlock::spi:
      return find(kSpi, event, target);
    case CounterBlock::ta:
      return find(kTa, event, target);
    case CounterBlock::td:
      return find(kTd, event, target);
  }
  return nullptr;
}

}  // namespace

bool event_known(CounterBlock block, uint32_t event, uint32_t target) {
  return find(block, event, target) != nullptr;
}

uint64_t event_value(CounterBlock block, uint32_t event, uint32_t target, uint32_t engine, uint32_t instance,
                     const CounterTotals& totals) {
  const Value value = find(block, event, target);
  if (value == nullptr || engine >= kMostEngines) return 0;
  Scope scope{totals, engine, std::nullopt};
  if (block == CounterBlock::ta || block == CounterBlock::td) scope.instance = instance;
  return value(scope);
}

}  // namespace softgpu::cp
