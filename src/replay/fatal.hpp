// The two ends of the process that are ours: a restore that cannot be completed, and work that never drains.
#pragma once

#include <string>
#include <vector>

namespace kreplay::replay {

/// Opens the unwinder, so that nothing has to be loaded when it is needed. It is opened with local scope:
/// libunwind exports the names of the compiler's unwinder and must not get between it and the application.
void prepare_backtrace();

/// The calling thread's stack, innermost frame first: "0x7f... function+0x1c (library)". Symbolised by
/// libunwind; falls back to the C library's list of addresses. Empty when neither works. Not
/// async-signal-safe.
std::vector<std::string> backtrace_lines(unsigned skip = 1);

/// Writes one error line, then the backtrace of the calling thread, then aborts.
[[noreturn]] void fatal(const std::string& area, const std::string& sentence);

/// Replaces what fatal() does after writing; for tests. Null restores abort().
void set_fatal_action(void (*action)());

}  // namespace kreplay::replay
