// The two ends of the process that are ours: a restore that cannot be completed, and work that never drains.
#pragma once

#include <string>

namespace kreplay::replay {

/// Writes one error line, then the backtrace of the calling thread, then aborts.
[[noreturn]] void fatal(const std::string& area, const std::string& sentence);

/// Replaces what fatal() does after writing; for tests. Null restores abort().
void set_fatal_action(void (*action)());

}  // namespace kreplay::replay
