// Counts the program's waits until a time of day.
#pragma once

#include <cstdint>

namespace tool_test {

uint64_t realtime_waits();

}  // namespace tool_test
