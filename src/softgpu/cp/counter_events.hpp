// The events of the performance counters: which numbers are known and what each means in terms of what grids
// did. docs/softgpu.md has the table.
#pragma once

#include <cstdint>
#include <optional>

#include "cp/perfmon.hpp"

namespace softgpu::cp {

enum class CounterBlock : uint8_t { sq, grbm, spi, ta, td };

/// Whether the event can be computed on this target.
bool event_known(CounterBlock block, uint32_t event, uint32_t target);

/// Its value. @param engine shader engine; @param instance of TA and TD
/// An engine or instance without a compute unit behind it reads 0.
uint64_t event_value(CounterBlock block, uint32_t event, uint32_t target, uint32_t engine, uint32_t instance,
                     const CounterTotals& totals);

}  // namespace softgpu::cp
