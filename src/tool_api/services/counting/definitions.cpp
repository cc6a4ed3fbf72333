#include "tool_api/services/counting/definitions.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/log.hpp"

namespace kreplay::tool_api {
namespace {

constexpr int kNone = -1;

struct BasicRow {
  const char* name;
  const char* block;
  int gfx906;  ///< also gfx900
  int gfx90a;
  const char* description;
};

/// Numbers: AMD's counter definitions (counter_defs.yaml of ROCprofiler-SDK). The texts are our own.
constexpr BasicRow kBasic[] = {
    {"SQ_CYCLES", "SQ", 2, 2, "clock cycles of the sequencer"},
    {"SQ_BUSY_CYCLES", "SQ", 3, 3, "clock cycles in which the sequencer has waves"},
    {"SQ_WAVES", "SQ", 4, 4, "waves launched"},
    {"SQ_WAVES_EQ_64", "SQ", 6, 6, "waves launched with 64 active work-items"},
    {"SQ_WAVES_LT_64", "SQ", 7, 7, "waves launched with fewer than 64 active work-items"},
    {"SQ_WAVES_LT_48", "SQ", 8, 8, "waves launched with fewer than 48 active work-items"},
    {"SQ_WAVES_LT_32", "SQ", 9, 9, "waves launched with fewer than 32 active work-items"},
    {"SQ_WAVES_LT_16", "SQ", 10, 10, "waves launched with fewer than 16 active work-items"},
    {"SQ_BUSY_CU_CYCLES", "SQ", 13, 13, "compute units with waves, in units of four cycles"},
    {"SQ_ITEMS", "SQ", 14, 14, "work-items launched"},
    {"SQ_INSTS", "SQ", 25, 25, "wave instructions"},
    {"SQ_INSTS_VALU", "SQ", 26, 26, "vector ALU instructions"},
    {"SQ_INSTS_MFMA", "SQ", kNone, 52, "matrix instructions"},
    {"SQ_INSTS_VMEM_WR", "SQ", 27, 53, "vector memory writes"},
    {"SQ_INSTS_VMEM_RD", "SQ", 28, 54, "vector memory reads"},
    {"SQ_INSTS_VMEM", "SQ", 29, 55, "vector memory instructions"},
    {"SQ_INSTS_SALU", "SQ", 30, 56, "scalar ALU instructions"},
    {"SQ_INSTS_SMEM", "SQ", 31, 57, "scalar memory instructions"},
    {"SQ_INSTS_FLAT", "SQ", 32, 58, "FLAT instructions"},
    {"SQ_INSTS_FLAT_LDS_ONLY", "SQ", 33, 59, "FLAT instructions that reached LDS only"},
    {"SQ_INSTS_LDS", "SQ", 34, 60, "LDS instructions, FLAT included"},
    {"SQ_INSTS_GDS", "SQ", 35, 61, "GDS instructions"},
    {"SQ_INSTS_EXP_GDS", "SQ", 37, 63, "exports and GDS instructions"},
    {"SQ_INSTS_BRANCH", "SQ", 38, 64, "branches"},
    {"SQ_INSTS_SENDMSG", "SQ", 39, 65, "s_sendmsg instructions"},
    {"SQ_INSTS_VSKIPPED", "SQ", 40, 66, "vector instructions skipped"},
    {"SQ_WAVE_CYCLES", "SQ", 46, 74, "cycles waves spent, in units of four"},
    {"SQ_ACTIVE_INST_VALU", "SQ", 71, 99, "cycles vector ALU instructions were issued, in units of four"},
    {"SQ_INST_CYCLES_SALU", "SQ", 84, 112, "cycles scalar ALU instructions took, in units of four"},
    {"SQ_THREAD_CYCLES_VALU", "SQ", 85, 113, "active work-items times cycles of vector ALU instructions"},
    {"GRBM_COUNT", "GRBM", 0, 0, "clock cycles"},
    {"GRBM_GUI_ACTIVE", "GRBM", 2, 2, "clock cycles in which the GPU is busy"},
    {"SPI_CSN_BUSY", "SPI", kNone, 48, "cycles the launcher of compute workgroups is busy"},
    {"SPI_CSN_NUM_THREADGROUPS", "SPI", kNone, 49, "workgroups launched"},
    {"SPI_CSN_WAVE", "SPI", kNone, 52, "waves launched by the workgroup launcher"},
    {"TA_FLAT_READ_WAVEFRONTS", "TA", 101, 101, "FLAT and GLOBAL reads at the address unit"},
    {"TA_FLAT_WRITE_WAVEFRONTS", "TA", 102, 102, "FLAT and GLOBAL writes at the address unit"},
    {"TA_TOTAL_WAVEFRONTS", "TA", kNone, 32, "vector memory instructions at the address unit"},
    {"TA_BUFFER_WAVEFRONTS", "TA", kNone, 44, "buffer instructions at the address unit"},
    {"TA_FLAT_WAVEFRONTS", "TA", kNone, 100, "FLAT and GLOBAL instructions at the address unit"},
    {"TA_FLAT_ATOMIC_WAVEFRONTS", "TA", kNone, 103, "FLAT and GLOBAL atomics at the address unit"},
    {"TCC_HIT", "TCC", 20, 17, "hits in the second-level cache"},
    {"TCC_MISS", "TCC", 22, 19, "misses in the second-level cache"},
    {"TCC_EA_WRREQ", "TCC", 29, 26, "writes from the second-level cache to memory"},
    {"TCC_EA_WRREQ_64B", "TCC", 30, 27, "those of 64 bytes"},
    {"TCC_EA_RDREQ", "TCC", 41, 38, "reads of the second-level cache from memory"},
    {"TCC_EA_RDREQ_32B", "TCC", 42, 39, "those of 32 bytes"},
    {"TCC_EA1_WRREQ", "TCC", 256, kNone, "writes to memory, second port"},
    {"TCC_EA1_WRREQ_64B", "TCC", 257, kNone, "those of 64 bytes"},
    {"TCC_EA1_RDREQ", "TCC", 267, kNone, "reads from memory, second port"},
    {"TCC_EA1_RDREQ_32B", "TCC", 268, kNone, "those of 32 bytes"},
};

struct DerivedRow {
  const char* name;
  const char* gfx906;  ///< null: not there
  const char* gfx90a;
  const char* description;
};

constexpr DerivedRow kDerived[] = {
    {"GPUBusy", "100*reduce(GRBM_GUI_ACTIVE,max)/reduce(GRBM_COUNT,max)",
     "100*reduce(GRBM_GUI_ACTIVE,max)/reduce(GRBM_COUNT,max)", "part of the time the GPU was busy, per cent"},
    {"Wavefronts", "reduce(SQ_WAVES,sum)", "reduce(SQ_WAVES,sum)", "waves"},
    {"VALUInsts", "reduce(SQ_INSTS_VALU,sum)/reduce(SQ_WAVES,sum)",
     "reduce(SQ_INSTS_VALU,sum)/reduce(SQ_WAVES,sum)", "vector ALU instructions per wave"},
    {"SALUInsts", "reduce(SQ_INSTS_SALU,sum)/reduce(SQ_WAVES,sum)",
     "reduce(SQ_INSTS_SALU,sum)/reduce(SQ_WAVES,sum)", "scalar ALU instructions per wave"},
    {"SFetchInsts", "reduce(SQ_INSTS_SMEM,sum)/reduce(SQ_WAVES,sum)",
     "reduce(SQ_INSTS_SMEM,sum)/reduce(SQ_WAVES,sum)", "scalar memory instructions per wave"},
    {"VFetchInsts", "(reduce(SQ_INSTS_VMEM_RD,sum)-reduce(TA_FLAT_READ_WAVEFRONTS,sum))/reduce(SQ_WAVES,sum)",
     "reduce(SQ_INSTS_VMEM_RD,sum)/reduce(SQ_WAVES,sum)", "vector memory reads per wave"},
    {"LDSInsts", "(reduce(SQ_INSTS_LDS,sum)-reduce(SQ_INSTS_FLAT_LDS_ONLY,sum))/reduce(SQ_WAVES,sum)",
     "(reduce(SQ_INSTS_LDS,sum)-reduce(SQ_INSTS_FLAT,sum))/reduce(SQ_WAVES,sum)",
     "LDS instructions per wave"},
};

}  // namespace

CounterDefinitions& CounterDefinitions::current() {
  static auto* made = new CounterDefinitions;  // tools keep pointers to the strings
  return *made;
}

CounterDefinitions::CounterDefinitions() {
  for (const char* architecture : {"gfx900", "gfx906", "gfx90a"}) {
    const bool mi200 = std::string_view(architecture) == "gfx90a";
    for (const BasicRow& row : kBasic) {
      const int event = mi200 ? row.gfx90a : row.gfx906;
      if (event == kNone) continue;
      CounterDefinition d;
      d.name = row.name;
      d.architecture = architecture;
      d.description = row.description;
      d.block = row.block;
      d.event = static_cast<uint32_t>(event);
      insert(std::move(d));
    }
    for (const DerivedRow& row : kDerived) {
      const char* text = mi200 ? row.gfx90a : row.gfx906;
      if (text == nullptr) continue;
      const auto added = add(architecture, row.name, text, row.description);
      if (!added) log::error("counters", "{}: {}", row.name, added.status().message());
    }
  }
}

void CounterDefinitions::insert(CounterDefinition definition) {
  const std::lock_guard lock(mutex_);
  definition.id = list_.size() + 1;
  list_.push_back(std::make_unique<CounterDefinition>(std::move(definition)));
}

const CounterDefinition* CounterDefinitions::find(uint64_t id) const {
  const std::lock_guard lock(mutex_);
  return id == 0 || id > list_.size() ? nullptr : list_[id - 1].get();
}

const CounterDefinition* CounterDefinitions::find(const std::string& architecture,
                                                  const std::string& name) const {
  const std::lock_guard lock(mutex_);
  for (const auto& each : list_)
    if (each->architecture == architecture && each->name == name) return each.get();
  return nullptr;
}

std::vector<const CounterDefinition*> CounterDefinitions::of(const std::string& architecture) const {
  const std::lock_guard lock(mutex_);
  std::vector<const CounterDefinition*> out;
  for (const auto& each : list_)
    if (each->architecture == architecture) out.push_back(each.get());
  return out;
}

Result<const CounterDefinition*> CounterDefinitions::add(const std::string& architecture,
                                                         const std::string& name,
                                                         const std::string& expression,
                                                         const std::string& description) {
  if (name.empty() || find(architecture, name) != nullptr)
    return Status(Error::invalid_argument,
                  fmt::format("counter \"{}\" exists on {}, or has no name", name, architecture));
  Result<std::unique_ptr<Expression>> parsed = Expression::parse(expression);
  if (!parsed) return Status(Error::unsupported, parsed.status().message());
  CounterDefinition d;
  d.name = name;
  d.architecture = architecture;
  d.description = description;
  d.expression = expression;
  d.parsed = std::move(*parsed);
  std::vector<const CounterDefinition*> needed;
  if (const Status missing = collect(d, needed, 0); !missing.ok())
    return Status(Error::unsupported, missing.message());
  insert(std::move(d));
  return find(architecture, name);
}

Status CounterDefinitions::collect(const CounterDefinition& definition,
                                   std::vector<const CounterDefinition*>& out, unsigned depth) const {
  constexpr unsigned kDeepest = 16;
  if (!definition.derived()) {
    if (std::find(out.begin(), out.end(), &definition) == out.end()) out.push_back(&definition);
    return {};
  }
  std::vector<std::string> names;
  definition.parsed->names(names);
  for (const std::string& name : names) {
    const CounterDefinition* found = find(definition.architecture, name);
    if (found == nullptr || depth >= kDeepest)
      return Status(Error::not_found, fmt::format("\"{}\" needs counter {}, which {} does not have",
                                                  definition.expression, name, definition.architecture));
    if (const Status status = collect(*found, out, depth + 1); !status.ok()) return status;
  }
  return {};
}

Result<std::vector<const CounterDefinition*>> CounterDefinitions::basics(
    const CounterDefinition& definition) const {
  std::vector<const CounterDefinition*> out;
  if (const Status status = collect(definition, out, 0); !status.ok()) return status;
  return out;
}

}  // namespace kreplay::tool_api
